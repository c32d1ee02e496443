import { isObject, type Json, type JsonObject } from '../../../document.ts';
import type { Shapes } from '../../../model/plan/shapes.ts';
import type { AnySchema } from '../../../model/schema/schema.ts';
import { alike, isEmpty } from './compare.ts';

/**
 * How a request writes its values: `replace` sets them, `merge` merges objects into existing ones (RFC 7396), and
 * `patch` does either, since the media type does not specify it.
 */
export type WriteMode = 'replace' | 'merge' | 'patch';

/** Written fields, to be compared with those that the server returns afterwards. */
export interface WrittenFields {
  sent: JsonObject;
  /** Values before the request, if they are known. */
  before?: JsonObject;
  /** Schema of the object with the fields. */
  schema: AnySchema;
  mode: WriteMode;
}

/** Returns the mode of a request, by its method and media type. */
export function writeModeOf(method: string, mediaType = ''): WriteMode {
  if (method !== 'PATCH') {
    return 'replace';
  }
  return /^application\/([^;]+\+)?merge-patch\+json\s*(;|$)/i.test(mediaType) ? 'merge' : 'patch';
}

/** Returns the first written field that the server returns with another value. */
export function firstMismatch(
  names: Iterable<string>,
  { sent, before, schema, mode }: WrittenFields,
  shown: JsonObject,
  shapes: Shapes,
): { name: string; left: Json | undefined; right: Json | undefined } | undefined {
  const fields = shapes.fields(schema);
  for (const name of names) {
    const field = fields.get(name) ?? {};
    const isResult = candidates(sent[name], before, name, mode).some(({ value, isPartial }) =>
      isWritten(value, shown[name], field, shapes, isPartial),
    );
    // A removed value returns to its default.
    const isReset = mode !== 'replace' && sent[name] === null && isDefault(shown[name], field, shapes);
    if (!isResult && !isReset) {
      return { name, left: sent[name], right: shown[name] };
    }
  }
  return undefined;
}

/** Returns the values that a field can have after a request; partial ones may have further members. */
function candidates(
  sent: Json | undefined,
  before: JsonObject | undefined,
  name: string,
  mode: WriteMode,
): { value: Json | undefined; isPartial: boolean }[] {
  const isMerged = mode !== 'replace' && isObject(sent);
  const merged = before ? merge(before[name], sent) : withoutNulls(sent);
  return [
    ...(mode === 'merge' && isMerged ? [] : [{ value: sent, isPartial: false }]),
    ...(isMerged ? [{ value: merged, isPartial: before === undefined }] : []),
  ];
}

/** Applies a merge patch (RFC 7396). */
function merge(before: Json | undefined, patch: Json | undefined): Json | undefined {
  if (!isObject(patch)) {
    return patch;
  }
  const merged = new Map<string, Json>(isObject(before) ? definedEntries(before) : []);
  for (const [name, value] of definedEntries(patch)) {
    const result = value === null ? undefined : merge(merged.get(name), value);
    if (result === undefined) {
      merged.delete(name);
    } else {
      merged.set(name, result);
    }
  }
  return Object.fromEntries(merged);
}

const withoutNulls = (sent: Json | undefined): Json | undefined => merge(undefined, sent);

const definedEntries = (object: JsonObject): [string, Json][] =>
  Object.entries(object).flatMap(([name, value]): [string, Json][] =>
    value === undefined ? [] : [[name, value]],
  );

/**
 * Returns whether a server that wrote a value returns the other one: with the defaults of members that were omitted,
 * and in another form of the same text.
 * @param isPartial whether objects may have further members
 */
function isWritten(
  sent: Json | undefined,
  shown: Json | undefined,
  schema: AnySchema,
  shapes: Shapes,
  isPartial: boolean,
): boolean {
  if (alike(sent, shown)) {
    return true;
  }
  const { items, format, uniqueItems } = shapes.flat(schema);
  if (typeof sent === 'string' && typeof shown === 'string') {
    return isSameText(sent, shown, format);
  }
  if (Array.isArray(sent) && Array.isArray(shown)) {
    const written = (left: Json, right: Json | undefined) =>
      isWritten(left, right, items ?? {}, shapes, isPartial);
    return (
      sent.length === shown.length &&
      (uniqueItems === true
        ? sent.every((item) => shown.some((other) => written(item, other)))
        : sent.every((item, at) => written(item, shown[at])))
    );
  }
  if (!isObject(sent) || !isObject(shown)) {
    return false;
  }
  const fields = shapes.fields(schema);
  const { additionalProperties } = shapes.flat(schema);
  const entryOf = (name: string) => fields.get(name) ?? additionalProperties ?? {};
  return [...new Set([...Object.keys(sent), ...Object.keys(shown)])].every((name) =>
    Object.hasOwn(sent, name)
      ? isWritten(sent[name], shown[name], entryOf(name), shapes, isPartial)
      : isPartial || isEmpty(shown[name]) || isDefault(shown[name], entryOf(name), shapes),
  );
}

/** Returns whether a value is the default of a schema. */
function isDefault(shown: Json | undefined, schema: AnySchema, shapes: Shapes): boolean {
  const initial = shapes.flat(schema).default;
  // Defaults of a document are JSON.
  return initial !== undefined && isWritten(initial as Json, shown, schema, shapes, false);
}

/** Forms of texts that are compared, by format: equal ones identify the same. */
const FORMS: Readonly<Record<string, (text: string) => string | undefined>> = {
  // Domains are case-insensitive, and providers treat local parts alike.
  email: (text) => text.toLowerCase(),
  'idn-email': (text) => text.toLowerCase(),
  hostname: (text) => text.toLowerCase().replace(/\.$/, ''),
  uuid: (text) => text.toLowerCase(),
  uri: (text) => URL.parse(text)?.href,
  url: (text) => URL.parse(text)?.href,
  ipv6: (text) => URL.parse(`http://[${text}]/`)?.host,
  byte: (text) => Buffer.from(text, 'base64').toString('base64'),
};

/** Returns whether two texts of a format are equivalent. */
function isSameText(sent: string, shown: string, format: string | undefined): boolean {
  const form = Object.hasOwn(FORMS, format ?? '') ? FORMS[format ?? '']?.(sent) : undefined;
  return form !== undefined && form === FORMS[format ?? '']?.(shown);
}
