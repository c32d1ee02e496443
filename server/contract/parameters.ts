import type { IncomingHttpHeaders } from 'node:http';
import { cookiesOf } from './credentials.ts';
import { type OpenApiDocument, type ParameterObject, schemaOf } from './document.ts';
import type { Fault } from './errors.ts';
import { permittedTypes, shapeOf } from './shapes.ts';
import { isNumberText } from './target.ts';

/** Reads the header and cookie parameters of one operation. */
export interface ParameterReader {
  /** Returns the sent values by the names in the contract, before their validation. */
  headers(headers: IncomingHttpHeaders, faults: Fault[]): Record<string, unknown>;
  cookies(headers: IncomingHttpHeaders, faults: Fault[]): Record<string, unknown>;
}

/** Headers that are described elsewhere in a contract, where parameters of these names are ignored (OpenAPI 3.1, Parameter Object). */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** Returns whether a parameter has an effect. */
export const isEffective = ({ in: location, name }: ParameterObject) =>
  location !== 'header' || !IGNORED_HEADERS.has(name.toLowerCase());

/** How the text of a parameter is read. */
export interface TextForm {
  /** Whether the value is a list. */
  isList: boolean;
  /** Whether the text, or that of each item, must be a number. */
  isNumber: boolean;
}

interface Declared extends TextForm {
  name: string;
}

/** Returns how the text of a parameter is read. */
export function textFormOf(document: OpenApiDocument, schema: unknown): TextForm {
  const types = permittedTypes(shapeOf(document, schema));
  const isList = types?.includes('array') === true;
  const itemTypes = isList ? permittedTypes(shapeOf(document, schemaOf(document, schema).items)) : types;
  return { isList, isNumber: isNumeric(itemTypes) };
}

const NONE: Record<string, unknown> = Object.freeze({});

/** Creates the reader of the parameters of an operation. */
export function parameterReader(
  document: OpenApiDocument,
  parameters: readonly ParameterObject[],
): ParameterReader {
  const declaredIn = (part: 'header' | 'cookie') =>
    parameters
      .filter((parameter) => parameter.in === part && isEffective(parameter))
      .map(({ name, schema }): Declared => ({ name, ...textFormOf(document, schema) }));
  const headers = declaredIn('header');
  const cookies = declaredIn('cookie');
  return {
    headers: (sent, faults) => {
      if (headers.length === 0) {
        return NONE;
      }
      return read(headers, 'header', (name) => sent[name.toLowerCase()], faults);
    },
    cookies: ({ cookie }, faults) => {
      if (cookies.length === 0) {
        return NONE;
      }
      const sent = cookiesOf(cookie);
      return read(cookies, 'cookie', (name) => sent[name], faults);
    },
  };
}

/** Returns whether a text must be a number: null has no text. */
const isNumeric = (types: readonly string[] = []) =>
  types.includes('number') && types.every((type) => type === 'number' || type === 'null');

function read(
  declared: readonly Declared[],
  part: 'header' | 'cookie',
  sentValue: (name: string) => string | string[] | undefined,
  faults: Fault[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, isList, isNumber } of declared) {
    const sent = sentValue(name);
    if (sent === undefined) {
      continue;
    }
    const text = Array.isArray(sent) ? sent.join(',') : sent;
    const items = isList ? text.split(',').map((item) => item.trim()) : [text];
    if (items.some((item) => item.includes('\0'))) {
      faults.push({ in: part, path: name, message: 'must not contain the character U+0000' });
    } else if (isNumber && !items.every(isNumberText)) {
      faults.push({ in: part, path: name, message: 'must be a number' });
    } else {
      values[name] = isList ? items : text;
    }
  }
  return values;
}
