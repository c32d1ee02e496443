import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../document.ts';
import type { FormReader } from './form-reader.ts';
import type { OperationContext } from './operation-diff.ts';

/** Compares the request bodies of one operation. */
export function diffRequestBody(
  context: OperationContext,
  baseBody: Json | undefined,
  headBody: Json | undefined,
): void {
  const { report, base, head } = context;
  const [before, after] = [bodyOf(base, baseBody), bodyOf(head, headBody)];
  const location = 'request body';
  if (!before && !after) {
    return;
  }
  if (!before) {
    if (after?.required === true) {
      report('request-body-required-added', location, 'A required body was added.');
    } else {
      report('request-body-added', location, 'An optional body was added.');
    }
    return;
  }
  if (!after) {
    report('request-body-removed', location, 'The body was removed.');
    return;
  }
  const [wasRequired, isRequired] = [before.required === true, after.required === true];
  if (!wasRequired && isRequired) {
    report('request-body-became-required', location, 'The body became required.');
  }
  if (wasRequired && !isRequired) {
    report('request-body-became-optional', location, 'The body became optional.');
  }
  diffContent(context, before.content, after.content, location, 'request');
}

function bodyOf(reader: FormReader, body: Json | undefined): JsonObject | undefined {
  const target = body === undefined ? undefined : reader.follow(body);
  return isObject(target) && isObject(target.content) && Object.keys(target.content).length > 0
    ? target
    : undefined;
}

/** Compares the content of bodies by media type. */
export function diffContent(
  context: OperationContext,
  baseContent: Json | undefined,
  headContent: Json | undefined,
  location: string,
  role: 'request' | 'response',
): void {
  const { report, limit, schemas, direction } = context;
  const [before, after] = [mediaTypesOf(baseContent), mediaTypesOf(headContent)];
  for (const [type, media] of before) {
    const other = after.get(type) ?? coveringOf(after, type);
    if (other === undefined) {
      const verb = role === 'request' ? 'accepted' : 'returned';
      report(`${role}-media-type-removed`, location, `The media type ${type} is no longer ${verb}.`);
      continue;
    }
    const mediaTypeLocation = type === 'application/json' ? location : `${location} (${type})`;
    schemas(media.schema ?? true, other.schema ?? true, {
      direction: direction(role),
      location: mediaTypeLocation,
      report,
      limit,
    });
    if (role === 'request' && !isDeepStrictEqual(encodingOf(media), encodingOf(other))) {
      report('request-encoding-changed', mediaTypeLocation, 'The encoding of its parts changed.');
    }
  }
  for (const type of after.keys()) {
    if (before.has(type) || coveringOf(before, type)) {
      continue;
    }
    const verb = role === 'request' ? 'accepted' : 'returned';
    report(`${role}-media-type-added`, location, `The media type ${type} is ${verb} now.`);
  }
}

/** Media types by name, without parameters such as `charset` and in lower case. */
function mediaTypesOf(content: Json | undefined): Map<string, JsonObject> {
  const types = new Map<string, JsonObject>();
  if (!isObject(content)) {
    return types;
  }
  for (const [type, media] of Object.entries(content)) {
    types.set(type.replace(/;.*$/, '').trim().toLowerCase(), isObject(media) ? media : {});
  }
  return types;
}

/** Returns the media range that includes a type. */
function coveringOf(types: ReadonlyMap<string, JsonObject>, type: string): JsonObject | undefined {
  return types.get(type.replace(/\/.*$/, '/*')) ?? types.get('*/*');
}

function encodingOf({ encoding }: JsonObject): Json | undefined {
  return isObject(encoding) && Object.keys(encoding).length > 0 ? encoding : undefined;
}
