import fc from 'fast-check';
import { textOrJson } from '../../../../server/contract/json-values.ts';
import type { Json } from '../../document.ts';
import { isJsonPatch } from '../../media-types.ts';
import type { MediaType } from '../../model/contract/contract.ts';
import type { Body } from '../../model/plan/plan.ts';
import type { SchemaArbitraries } from '../../model/schema/arbitraries.ts';
import { type AnySchema, kindsOf, type Schema, type SchemaSet } from '../../model/schema/schema.ts';

/** The format of a body. Each has separate arbitraries. */
export type Form = 'json' | 'urlencoded' | 'multipart' | 'text' | 'bytes';

/** A supported format of a body. */
export interface BodyFormat {
  form: Form;
  /** Value of `Content-Type`. */
  mediaType: string;
  schema: Schema;
  examples: readonly unknown[];
  /** Names of the file fields. */
  files: ReadonlySet<string>;
  /** Whether the media type restricts the content beyond its schema: `image/png`, `text/csv`, JSON Patch. */
  isOpaque: boolean;
}

/** Returns the supported formats of an operation's body, preferred ones first. */
export function bodyFormatsOf(
  schemas: SchemaSet,
  content: Readonly<Record<string, MediaType>>,
): BodyFormat[] {
  const order: Form[] = ['json', 'urlencoded', 'multipart', 'text', 'bytes'];
  return Object.entries(content)
    .flatMap(([mediaType, { schema = {}, examples }]) => {
      const form = formOf(mediaType, isText(schemas, schema));
      return form
        ? [
            {
              ...form,
              schema,
              examples,
              isOpaque: !TRANSPARENT_TYPES.test(form.mediaType) || isJsonPatch(form.mediaType),
              files: form.form === 'multipart' ? filesOf(schemas, schema) : new Set<string>(),
            },
          ]
        : [];
    })
    .sort((a, b) => order.indexOf(a.form) - order.indexOf(b.form));
}

/** Returns the media types of a body that cannot be generated. */
export const unsupportedTypes = (
  schemas: SchemaSet,
  content: Readonly<Record<string, MediaType>>,
): string[] =>
  Object.entries(content)
    .filter(([type, media]) => bodyFormatsOf(schemas, { [type]: media }).length === 0)
    .map(([type]) => type);

function filesOf(schemas: SchemaSet, schema: Schema): ReadonlySet<string> {
  const properties = Object.entries(schemas.flat(schema).properties ?? {});
  const isFile = (property: AnySchema): boolean => {
    const { format, contentMediaType, items } = schemas.flat(property);
    return format === 'binary' || contentMediaType !== undefined || (items !== undefined && isFile(items));
  };
  return new Set(properties.filter(([, property]) => isFile(property)).map(([name]) => name));
}

/** Media types that accept every value of the schema as content. */
const TRANSPARENT_TYPES = /json|x-www-form-urlencoded|^multipart\/form-data|^text\/plain|octet-stream/i;

/** Returns whether the values of a schema are texts or bytes; a body without a schema may be any bytes. */
function isText(schemas: SchemaSet, schema: Schema): boolean {
  const kinds = kindsOf(schemas.flat(schema));
  return kinds.length === 0 || kinds.includes('string');
}

/** @param isText whether the body is a text or bytes */
function formOf(declared: string, isText: boolean): { form: Form; mediaType: string } | undefined {
  const [type = ''] = declared.toLowerCase().split(';');
  const essence = type.trim();
  if (essence === '*/*' || essence === 'application/*') {
    return { form: 'json', mediaType: 'application/json' };
  }
  if (essence === 'text/*') {
    return { form: 'text', mediaType: 'text/plain' };
  }
  if (/^[^/]+\/(json|[^/]+\+json)$/.test(essence)) {
    return { form: 'json', mediaType: declared };
  }
  if (essence === 'application/x-www-form-urlencoded') {
    return { form: 'urlencoded', mediaType: declared };
  }
  if (essence === 'multipart/form-data') {
    return { form: 'multipart', mediaType: `multipart/form-data; boundary=${BOUNDARY}` };
  }
  if (essence.startsWith('multipart/') || !isText) {
    return undefined;
  }
  if (essence.endsWith('/*')) {
    return { form: 'bytes', mediaType: `${essence.slice(0, -1)}${SUBTYPES[essence] ?? 'octet-stream'}` };
  }
  return { form: /^text\/|[/+](xml|yaml)$/.test(essence) ? 'text' : 'bytes', mediaType: declared };
}

/** Media types that are sent for a range. */
const SUBTYPES: Readonly<Record<string, string>> = { 'image/*': 'png', 'audio/*': 'mpeg', 'video/*': 'mp4' };

const BOUNDARY = 'colophon-boundary-7d1f0c';

/** Serializes a valid or invalid value of the schema. */
export function writeBody({ form, mediaType, files }: BodyFormat, value: unknown): Body {
  switch (form) {
    case 'json':
      // Generated values are JSON.
      return { mediaType, json: value as Json, references: [] };
    case 'urlencoded':
      return { mediaType, text: new URLSearchParams(fieldsOf(value)).toString() };
    case 'multipart':
      return { mediaType, text: multipart(value, files) };
    case 'text':
      return { mediaType, text: textOrJson(value) };
    case 'bytes':
      return { mediaType, base64: Buffer.from(textOrJson(value)).toString('base64') };
  }
}

/** Creates values of a format. @throws {UnusableSchema} if there are none */
export function bodyValues(
  arbitraries: SchemaArbitraries,
  { form, schema }: BodyFormat,
): fc.Arbitrary<unknown> {
  if (form === 'bytes' || (form === 'text' && Object.keys(schema).length === 0)) {
    return fc.string();
  }
  return arbitraries.validValue(schema);
}

/** Converts an object to name-value pairs, with one pair per item of a list. */
function fieldsOf(value: unknown): [name: string, text: string][] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) =>
    (Array.isArray(field) ? field : [field]).map((item): [string, string] => [name, textOrJson(item)]),
  );
}

/**
 * Serializes `multipart/form-data` (RFC 7578), with objects as JSON (OpenAPI, Encoding Object). Texts never contain the
 * boundary.
 */
function multipart(value: unknown, files: ReadonlySet<string>): string {
  if (typeof value !== 'object' || value === null) {
    return `--${BOUNDARY}--\r\n`;
  }
  const parts = Object.entries(value).flatMap(([name, field]: [string, unknown]) =>
    (Array.isArray(field) ? field : [field]).map((item: unknown) => {
      const quoted = name.replaceAll(/[\r\n"]/g, encodeURIComponent);
      const isJson = typeof item === 'object' && item !== null;
      const file = files.has(name) ? '; filename="file.txt"\r\ncontent-type: application/octet-stream' : '';
      const type = isJson && file === '' ? '\r\ncontent-type: application/json' : '';
      return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${quoted}"${file}${type}\r\n\r\n${textOrJson(item)}\r\n`;
    }),
  );
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}
