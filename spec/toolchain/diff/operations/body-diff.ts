import { isObject, type Json, type JsonObject } from '../../document.ts';
import type { FormReader } from '../form/form-reader.ts';
import type { Direction } from '../rules/rule.ts';
import { diffFields } from './field-diff.ts';
import type { OperationContext } from './operation-context.ts';

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
  role: Direction,
): void {
  const { report, direction } = context;
  const verb = direction(role) === 'request' ? 'accepted' : role === 'request' ? 'sent' : 'returned';
  const [before, after] = [mediaTypesOf(baseContent), mediaTypesOf(headContent)];
  for (const [type, media] of before) {
    const other = coveringOf(after, type);
    const narrower = [...after.keys()].filter((candidate) => rangesOf(candidate).includes(type));
    if (other !== undefined) {
      diffMediaType(context, media, other, locationOf(location, type), role, type);
    } else if (role === 'response' && narrower.length > 0) {
      const message = `The media type ${type} was narrowed to ${narrower.join(', ')}.`;
      report('response-media-type-narrowed', location, message);
    } else {
      report(`${role}-media-type-removed`, location, `The media type ${type} is no longer ${verb}.`);
    }
  }
  for (const [type, media] of after) {
    if (before.has(type)) {
      continue;
    }
    const other = coveringOf(before, type);
    if (other === undefined) {
      report(`${role}-media-type-added`, location, `The media type ${type} is ${verb} now.`);
    } else {
      diffMediaType(context, other, media, locationOf(location, type), role, type);
    }
  }
}

/** Compares one media type, or a type with the range that includes it. */
function diffMediaType(
  context: OperationContext,
  base: JsonObject,
  head: JsonObject,
  location: string,
  role: Direction,
  type: string,
): void {
  const { report, limit, schemas, direction } = context;
  const place = { direction: direction(role), location, report, limit };
  schemas(base.schema ?? true, head.schema ?? true, place);
  if (role === 'request') {
    diffFields(context, base, head, location, type);
  }
}

function locationOf(body: string, type: string): string {
  return type === 'application/json' ? body : `${body} (${type})`;
}

/** Media types by name: in lower case, with sorted parameters, and without `charset`. */
function mediaTypesOf(content: Json | undefined): Map<string, JsonObject> {
  const types = new Map<string, JsonObject>();
  if (!isObject(content)) {
    return types;
  }
  for (const [type, media] of Object.entries(content)) {
    types.set(comparedMediaType(type), isObject(media) ? media : {});
  }
  return types;
}

function comparedMediaType(mediaType: string): string {
  const [type = '', ...parameters] = mediaType.split(';').map((part) => part.trim());
  const named = parameters
    .map((parameter) => parameter.replace(/^[^=]*/, (name) => name.trim().toLowerCase()))
    .filter((parameter) => parameter !== '' && !parameter.startsWith('charset='));
  return [type.toLowerCase(), ...named.sort()].join(';');
}

/** Ranges that include a type: without its parameters, without its subtype, and all types (RFC 9110, 12.5.1). */
function rangesOf(type: string): string[] {
  const plain = type.replace(/;.*$/, '');
  return [plain, plain.replace(/\/.*$/, '/*'), '*/*'].filter((range) => range !== type);
}

/** Returns a media type, or the narrowest range that includes it. */
function coveringOf(types: ReadonlyMap<string, JsonObject>, type: string): JsonObject | undefined {
  return [type, ...rangesOf(type)].map((name) => types.get(name)).find((media) => media !== undefined);
}
