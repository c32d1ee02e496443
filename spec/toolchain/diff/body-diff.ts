import { isObject, type Json, type JsonObject } from '../document.ts';
import { same } from './canonical.ts';
import type { FormReader } from './form-reader.ts';
import type { OperationContext } from './operation-diff.ts';

/** Compares the request bodies of one operation. */
export function diffRequestBody(
  context: OperationContext,
  baseBody: Json | undefined,
  headBody: Json | undefined,
): void {
  const { tell, base, head } = context;
  const [before, after] = [bodyOf(base, baseBody), bodyOf(head, headBody)];
  const where = 'request body';
  if (!before && !after) return;
  if (!before) {
    if (after?.required === true) tell('request-body-required-added', where, 'A required body was added.');
    else tell('request-body-added', where, 'An optional body was added.');
    return;
  }
  if (!after) {
    tell('request-body-removed', where, 'The body was removed.');
    return;
  }
  const [needed, needs] = [before.required === true, after.required === true];
  if (!needed && needs) tell('request-body-became-required', where, 'The body became required.');
  if (needed && !needs) tell('request-body-became-optional', where, 'The body became optional.');
  diffContent(context, before.content, after.content, where, 'request');
}

function bodyOf(reader: FormReader, body: Json | undefined): JsonObject | undefined {
  const found = body === undefined ? undefined : reader.follow(body);
  return isObject(found) && isObject(found.content) && Object.keys(found.content).length > 0
    ? found
    : undefined;
}

/** Compares what a body holds, by media type. */
export function diffContent(
  context: OperationContext,
  baseContent: Json | undefined,
  headContent: Json | undefined,
  where: string,
  role: 'request' | 'response',
): void {
  const { tell, schemas, direction } = context;
  const [before, after] = [mediaTypesOf(baseContent), mediaTypesOf(headContent)];
  for (const [type, media] of before) {
    const other = after.get(type) ?? coveringOf(after, type);
    if (other === undefined) {
      const verb = role === 'request' ? 'taken' : 'offered';
      tell(`${role}-media-type-removed`, where, `The media type ${type} is no longer ${verb}.`);
      continue;
    }
    const place = type === 'application/json' ? where : `${where} (${type})`;
    schemas(media.schema ?? true, other.schema ?? true, { direction: direction(role), where: place, tell });
    if (role === 'request' && !same(encodingOf(media), encodingOf(other))) {
      tell('request-encoding-changed', place, 'The encoding of its parts changed.');
    }
  }
  for (const type of after.keys()) {
    if (before.has(type) || coveringOf(before, type)) continue;
    const verb = role === 'request' ? 'taken' : 'offered';
    tell(`${role}-media-type-added`, where, `The media type ${type} is ${verb} now.`);
  }
}

/** Media types by name; parameters as `charset` and letter case make no other type. */
function mediaTypesOf(content: Json | undefined): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  if (!isObject(content)) return found;
  for (const [type, media] of Object.entries(content)) {
    found.set(type.replace(/;.*$/, '').trim().toLowerCase(), isObject(media) ? media : {});
  }
  return found;
}

/** The range that a media type falls into. */
function coveringOf(types: ReadonlyMap<string, JsonObject>, type: string): JsonObject | undefined {
  return types.get(type.replace(/\/.*$/, '/*')) ?? types.get('*/*');
}

function encodingOf({ encoding }: JsonObject): Json | undefined {
  return isObject(encoding) && Object.keys(encoding).length > 0 ? encoding : undefined;
}
