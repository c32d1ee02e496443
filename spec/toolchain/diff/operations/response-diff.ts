import { isObject, type Json, type JsonObject } from '../../document.ts';
import type { FormReader } from '../form/form-reader.ts';
import { diffContent } from './body-diff.ts';
import type { OperationContext } from './operation-context.ts';

/** Compares the responses of an operation: statuses, headers and bodies. */
export function diffResponses(
  context: OperationContext,
  baseResponses: Json | undefined,
  headResponses: Json | undefined,
): void {
  const { report } = context;
  const [before, after] = [
    responsesOf(context.base, baseResponses),
    responsesOf(context.head, headResponses),
  ];
  for (const [status, response] of before) {
    const other = covering(after, status);
    const location = locationOf(status);
    if (other === undefined) {
      const narrower = [...after.keys()].filter((candidate) => rangeOf(candidate) === status);
      if (!isSuccess(status)) {
        report('status-error-removed', location, `${name(status)} was removed.`);
      } else if (narrower.length > 0) {
        report('status-narrowed', location, `${name(status)} was narrowed to ${narrower.join(', ')}.`);
      } else {
        report('status-removed', location, `${name(status)} was removed.`);
      }
      continue;
    }
    if (!after.has(status)) {
      report('status-covered', location, `${name(status)} is no longer declared separately.`);
    }
    diffResponse(context, response, other, location);
  }
  for (const [status, response] of after) {
    if (before.has(status)) {
      continue;
    }
    const other = covering(before, status);
    const location = locationOf(status);
    if (other === undefined) {
      const rule = isSuccess(status) ? 'status-added' : 'status-error-added';
      report(rule, location, `${name(status)} was added.`);
      continue;
    }
    report('status-covered', location, `${name(status)} is declared separately now.`);
    diffResponse(context, other, response, location);
  }
}

const isSuccess = (status: string): boolean => /^[123]/.test(status);
const rangeOf = (status: string): string => `${status.slice(0, 1)}XX`;
const locationOf = (status: string): string => `response ${status}`;
const name = (status: string): string =>
  status === 'default' ? 'The default response' : `The status ${status}`;

/** Responses by status, with ranges in upper case. */
function responsesOf(reader: FormReader, responses: Json | undefined): Map<string, JsonObject> {
  const byStatus = new Map<string, JsonObject>();
  if (!isObject(responses)) {
    return byStatus;
  }
  for (const [status, reference] of Object.entries(responses)) {
    const response = reader.follow(reference);
    if (!status.startsWith('x-') && isObject(response)) {
      byStatus.set(status === 'default' ? status : status.toUpperCase(), response);
    }
  }
  return byStatus;
}

/**
 * Returns the response for a status: its own, its range, or the default, which includes success statuses only if no 2xx
 * or 3xx is declared.
 */
function covering(responses: ReadonlyMap<string, JsonObject>, status: string): JsonObject | undefined {
  const isIncluded = !isSuccess(status) || ![...responses.keys()].some((key) => /^[23]/.test(key));
  const fallback = isIncluded ? responses.get('default') : undefined;
  return responses.get(status) ?? responses.get(rangeOf(status)) ?? fallback;
}

function diffResponse(context: OperationContext, base: JsonObject, head: JsonObject, location: string): void {
  const { report } = context;
  const [before, after] = [base, head].map(
    ({ content }) => isObject(content) && Object.keys(content).length > 0,
  );
  if (before && !after) {
    report('response-body-removed', location, 'The body was removed.');
  } else if (!before && after) {
    report('response-body-added', location, 'A body was added.');
  } else {
    diffContent(context, base.content, head.content, location, 'response');
  }
  diffHeaders(context, base.headers, head.headers, location);
}

function diffHeaders(
  context: OperationContext,
  baseHeaders: Json | undefined,
  headHeaders: Json | undefined,
  response: string,
): void {
  const { report, limit, schemas, direction } = context;
  const [before, after] = [headersOf(context.base, baseHeaders), headersOf(context.head, headHeaders)];
  for (const [key, { name, header }] of before) {
    const location = `header ${name} of ${response}`;
    const other = after.get(key)?.header;
    const wasRequired = header.required === true;
    if (other === undefined) {
      report(wasRequired ? 'header-removed' : 'header-optional-removed', location, 'The header was removed.');
      continue;
    }
    const isRequired = other.required === true;
    if (wasRequired && !isRequired) {
      report('header-became-optional', location, 'The header became optional.');
    }
    if (!wasRequired && isRequired) {
      report('header-became-required', location, 'The header became required.');
    }
    const schemaOf = ({ schema, content }: JsonObject): Json => {
      const [media] = isObject(content) ? Object.values(content) : [];
      return schema ?? (isObject(media) ? media.schema : undefined) ?? true;
    };
    schemas(schemaOf(header), schemaOf(other), {
      direction: direction('response'),
      text: true,
      location,
      report,
      limit,
    });
  }
  for (const [key, { name, header }] of after) {
    if (!before.has(key)) {
      const isDemanded = header.required === true && direction('response') === 'request';
      const rule = isDemanded ? 'webhook-header-required-added' : 'header-added';
      report(rule, `header ${name} of ${response}`, 'The header was added.');
    }
  }
}

/** Headers by lower-case name, without the content type, which the media types define. */
function headersOf(
  reader: FormReader,
  headers: Json | undefined,
): Map<string, { name: string; header: JsonObject }> {
  const byName = new Map<string, { name: string; header: JsonObject }>();
  if (!isObject(headers)) {
    return byName;
  }
  for (const [name, reference] of Object.entries(headers)) {
    const header = reader.follow(reference);
    const key = name.toLowerCase();
    if (isObject(header) && key !== 'content-type') {
      byName.set(key, { name, header });
    }
  }
  return byName;
}
