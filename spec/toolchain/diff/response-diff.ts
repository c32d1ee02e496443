import { isObject, type Json, type JsonObject } from '../document.ts';
import { diffContent } from './body-diff.ts';
import type { FormReader } from './form-reader.ts';
import type { OperationContext } from './operation-diff.ts';

/** Compares the answers of one operation: statuses, headers and bodies. */
export function diffResponses(
  context: OperationContext,
  baseResponses: Json | undefined,
  headResponses: Json | undefined,
): void {
  const { tell } = context;
  const [before, after] = [
    responsesOf(context.base, baseResponses),
    responsesOf(context.head, headResponses),
  ];
  for (const [status, response] of before) {
    const other = covering(after, status);
    const where = place(status);
    if (other === undefined) {
      const success = /^[123]/.test(status);
      tell(success ? 'status-removed' : 'status-error-removed', where, `${name(status)} was removed.`);
      continue;
    }
    if (!after.has(status)) tell('status-covered', where, `${name(status)} is no longer declared by itself.`);
    diffResponse(context, response, other, where);
  }
  for (const [status, response] of after) {
    if (before.has(status)) continue;
    const other = covering(before, status);
    const where = place(status);
    if (other === undefined) {
      const success = /^[123]/.test(status);
      tell(success ? 'status-added' : 'status-error-added', where, `${name(status)} was added.`);
      continue;
    }
    tell('status-covered', where, `${name(status)} is declared by itself now.`);
    diffResponse(context, other, response, where);
  }
}

const place = (status: string): string => `response ${status}`;
const name = (status: string): string =>
  status === 'default' ? 'The default response' : `The status ${status}`;

/** Responses by status, ranges in capitals. */
function responsesOf(reader: FormReader, responses: Json | undefined): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  if (!isObject(responses)) return found;
  for (const [status, reference] of Object.entries(responses)) {
    const response = reader.follow(reference);
    if (!status.startsWith('x-') && isObject(response)) {
      found.set(status === 'default' ? status : status.toUpperCase(), response);
    }
  }
  return found;
}

/** What speaks for a status: itself, its range, or the default, which no client takes for a success. */
function covering(responses: ReadonlyMap<string, JsonObject>, status: string): JsonObject | undefined {
  const range = `${status.slice(0, 1)}XX`;
  const fallback = /^[123]/.test(status) ? undefined : responses.get('default');
  return responses.get(status) ?? responses.get(range) ?? fallback;
}

function diffResponse(context: OperationContext, base: JsonObject, head: JsonObject, where: string): void {
  const { tell } = context;
  const [before, after] = [base, head].map(
    ({ content }) => isObject(content) && Object.keys(content).length > 0,
  );
  if (before && !after) tell('response-body-removed', where, 'The body was removed.');
  else if (!before && after) tell('response-body-added', where, 'A body was added.');
  else diffContent(context, base.content, head.content, where, 'response');
  diffHeaders(context, base.headers, head.headers, where);
}

function diffHeaders(
  context: OperationContext,
  baseHeaders: Json | undefined,
  headHeaders: Json | undefined,
  response: string,
): void {
  const { tell, schemas, direction } = context;
  const [before, after] = [headersOf(context.base, baseHeaders), headersOf(context.head, headHeaders)];
  for (const [key, { name, header }] of before) {
    const where = `header ${name} of ${response}`;
    const other = after.get(key)?.header;
    const needed = header.required === true;
    if (other === undefined) {
      tell(needed ? 'header-removed' : 'header-optional-removed', where, 'The header was removed.');
      continue;
    }
    const needs = other.required === true;
    if (needed && !needs) tell('header-became-optional', where, 'The header became optional.');
    if (!needed && needs) tell('header-became-required', where, 'The header became required.');
    const schemaOf = ({ schema, content }: JsonObject): Json => {
      const [media] = isObject(content) ? Object.values(content) : [];
      return schema ?? (isObject(media) ? media.schema : undefined) ?? true;
    };
    schemas(schemaOf(header), schemaOf(other), { direction: direction('response'), text: true, where, tell });
  }
  for (const [key, { name }] of after) {
    if (!before.has(key)) tell('header-added', `header ${name} of ${response}`, 'The header was added.');
  }
}

/** Headers by their name in small letters; the content type is said by the media types. */
function headersOf(
  reader: FormReader,
  headers: Json | undefined,
): Map<string, { name: string; header: JsonObject }> {
  const found = new Map<string, { name: string; header: JsonObject }>();
  if (!isObject(headers)) return found;
  for (const [name, reference] of Object.entries(headers)) {
    const header = reader.follow(reference);
    const key = name.toLowerCase();
    if (isObject(header) && key !== 'content-type') found.set(key, { name, header });
  }
  return found;
}
