import { isDeepStrictEqual } from 'node:util';
import { isMultipart, isUrlEncoded } from '../../../../server/contract/media-types.ts';
import { isObject, type JsonObject } from '../../document.ts';
import type { Schema } from '../form/form.ts';
import type { FormReader } from '../form/form-reader.ts';
import type { OperationContext } from './operation-context.ts';
import { mediaSerialization, PLAIN, styled } from './serialization.ts';

/** Compares how the fields of a form are written (OpenAPI 3.1, Encoding Object). */
export function diffFields(
  { report, base: before, head: after }: OperationContext,
  base: JsonObject,
  head: JsonObject,
  location: string,
  type: string,
): void {
  const [one, other] = [fieldsOf(before, base), fieldsOf(after, head)];
  for (const [name, schema] of one) {
    const next = other.get(name);
    if (next === undefined) {
      continue;
    }
    const [old, current] = [encodingOf(base, name), encodingOf(head, name)];
    const place = `${location}: ${name}`;
    if (isUrlEncoded(type)) {
      const [was, is] = [notationOf(before, schema, old), notationOf(after, next, current)];
      if (was.isComplex === is.isComplex && was.notation !== is.notation) {
        const rule = [was, is].some(({ notation }) => notation === UNSPECIFIED)
          ? 'request-encoding-changed'
          : 'field-style-changed';
        report(rule, place, `Its serialization changed from ${was.notation} to ${is.notation}.`);
      }
    } else if (isMultipart(type)) {
      diffTypes(report, place, [typesOf(before, schema, old), typesOf(after, next, current)]);
    }
    if (isMultipart(type) && !isDeepStrictEqual(old.headers ?? {}, current.headers ?? {})) {
      report('request-encoding-changed', place, 'The headers of its part changed.');
    }
  }
}

/** Notation of objects without a declared notation: OpenAPI 3.0 has fields with brackets, and 3.1 JSON. */
const UNSPECIFIED = 'the default of objects';

function notationOf(
  reader: FormReader,
  schema: Schema,
  { style, explode, contentType }: JsonObject,
): { notation: string; isComplex: boolean } {
  if (style !== undefined || explode !== undefined) {
    const declared = typeof style === 'string' ? style : 'form';
    return styled(reader, schema, declared, typeof explode === 'boolean' ? explode : declared === 'form');
  }
  if (typeof contentType === 'string') {
    const { serialization, isComplex } = mediaSerialization(reader, contentType, schema);
    return { notation: serialization, isComplex };
  }
  const { notation, isComplex } = styled(reader, schema, 'form', true);
  const isList = reader.form(schema).parts.every(({ kind }) => kind !== 'object');
  return { notation: notation === PLAIN || isList ? notation : UNSPECIFIED, isComplex };
}

/** Compares the media types of a part. */
function diffTypes(
  report: OperationContext['report'],
  place: string,
  [before, after]: [old: readonly string[], current: readonly string[]],
): void {
  for (const type of before.filter((one) => !after.some((range) => covers(range, one)))) {
    report('field-type-removed', place, `The media type ${type} of its part is no longer accepted.`);
  }
  for (const type of after.filter((one) => !before.some((range) => covers(range, one)))) {
    report('field-type-added', place, `The media type ${type} of its part is accepted now.`);
  }
}

/** Media types of a part: the declared ones, or the one that OpenAPI 3.1 implies. A file may have any. */
function typesOf(reader: FormReader, schema: Schema, { contentType }: JsonObject): string[] {
  if (typeof contentType === 'string') {
    return contentType.split(',').flatMap((type) => type.replace(/;.*$/s, '').trim().toLowerCase() || []);
  }
  const { parts } = reader.form(schema);
  const items = parts.flatMap(({ kind, items }) => (kind === 'array' ? reader.form(items).parts : []));
  const all = [...parts, ...items];
  const isFile = all.some((part) => part.formats.includes('binary') || part.other.has('contentMediaType'));
  return isFile ? ['*/*'] : [all.some(({ kind }) => kind === 'object') ? 'application/json' : 'text/plain'];
}

/** Whether a media type or range includes another one. */
const covers = (range: string, type: string): boolean =>
  range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));

/** Schemas of the fields of a form, in all its variants. */
function fieldsOf(reader: FormReader, { schema = true }: JsonObject): Map<string, Schema> {
  const fields = new Map<string, Schema>();
  for (const { properties } of reader.form(schema).parts) {
    for (const [name, property] of properties) {
      if (!fields.has(name)) {
        fields.set(name, property);
      }
    }
  }
  return fields;
}

function encodingOf({ encoding }: JsonObject, name: string): JsonObject {
  const field = isObject(encoding) && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  return isObject(field) ? field : {};
}
