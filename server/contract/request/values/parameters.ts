import type { IncomingHttpHeaders } from 'node:http';
import type { OpenApiDocument, ParameterObject } from '../../document.ts';
import type { Fault } from '../../errors.ts';
import { MAX_COOKIE_HEADER_CHARACTERS } from '../credentials.ts';
import { MAX_QUERY_PARAMETERS } from '../paths/target.ts';
import { decodeCookie, decodeForm, decodeHeader, decodePercent, INVALID_ENCODING } from './decode.ts';
import { type Field, parameterField, textField } from './field.ts';
import { FieldNames } from './names.ts';
import { addAt, type RawValue, rawTexts } from './raw-value.ts';
import { splitPair } from './separation.ts';
import { ValueReader } from './value-reader.ts';
import { permitsList, permitsObject } from './value-type.ts';

/** Reads the parameters of one operation. Values have the names in the contract, and are not validated yet. */
export interface ParameterReader {
  /**
   * @param names names of the parameters in the path
   * @param raw their percent-encoded texts; `%2F` becomes part of a value
   */
  path(names: readonly string[], raw: readonly string[], faults: Fault[]): Record<string, unknown>;
  /**
   * Reports what validation cannot: unknown names, names without a value (`?page`), invalid encoding.
   *
   * @param maxParameters maximum number of parameters, including repeated ones
   */
  query(query: string, faults: Fault[], maxParameters?: number): Record<string, unknown>;
  headers(headers: IncomingHttpHeaders, faults: Fault[]): Record<string, unknown>;
  cookies(headers: IncomingHttpHeaders, faults: Fault[]): Record<string, unknown>;
}

/** Headers that are described elsewhere in a contract, where parameters of these names are ignored (OpenAPI 3.1, Parameter Object). */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** Returns whether a parameter has an effect. */
export const isEffective = ({ in: location, name }: ParameterObject) =>
  location !== 'header' || !IGNORED_HEADERS.has(name.toLowerCase());

const NONE: Record<string, unknown> = Object.freeze({});

/** Texts of the fields of one part of a request. */
type RawFields = Map<Field, RawValue>;

/**
 * Creates the reader of the parameters of an operation.
 *
 * @param hiddenNames names of query parameters that contain credentials, which are not values
 */
export function parameterReader(
  document: OpenApiDocument,
  parameters: readonly ParameterObject[],
  hiddenNames: readonly string[] = [],
): ParameterReader {
  const fieldsIn = (part: Fault['in']) =>
    parameters
      .filter((parameter) => parameter.in === part && isEffective(parameter))
      .map((parameter) => parameterField(document, parameter));
  const inPath = new Map(fieldsIn('path').map((field) => [field.name, field]));
  const inQuery = new FieldNames(fieldsIn('query'));
  const mayBeEmpty = new Set(
    parameters.flatMap(({ in: part, name, allowEmptyValue }) =>
      part === 'query' && allowEmptyValue ? [name] : [],
    ),
  );
  const headers = fieldsIn('header');
  const cookies = fieldsIn('cookie');
  const cookieNames = new FieldNames(cookies);

  /** Converts the texts to the declared types. */
  const valuesOf = (raw: RawFields, part: Fault['in'], faults: Fault[]): Record<string, unknown> => {
    const values: Record<string, unknown> = {};
    const reader = new ValueReader(document, (path, message) =>
      faults.push({ in: part, path: path.join('.'), message }),
    );
    for (const [{ name, type }, value] of raw) {
      // A field without a readable text has a fault.
      if (value.json || value.members || value.texts.length > 0) {
        values[name] = reader.read(value, type, [name]);
      }
    }
    return values;
  };

  return {
    path: (names, texts, faults) => {
      const raw: RawFields = new Map();
      for (const [index, name] of names.entries()) {
        const field = inPath.get(name) ?? textField(document, name);
        inPath.set(name, field);
        const problem = field.addInPath(valueIn(raw, field), texts[index] ?? '', decodePercent);
        if (problem !== undefined) {
          faults.push({ in: 'path', path: name, message: problem });
        }
      }
      return valuesOf(raw, 'path', faults);
    },
    query: (query, faults, maxParameters = MAX_QUERY_PARAMETERS) => {
      if (query === '') {
        return {};
      }
      const pairs = query.split('&', maxParameters + 1);
      if (pairs.length > maxParameters) {
        faults.push({
          in: 'query',
          path: '',
          message: `must not have more than ${maxParameters} parameters`,
        });
        return {};
      }
      const raw: RawFields = new Map();
      for (const pair of pairs) {
        const problem = pair === '' ? undefined : addQueryPair(raw, pair);
        if (problem) {
          faults.push({ in: 'query', ...problem });
        }
      }
      return valuesOf(raw, 'query', faults);
    },
    headers: (sent, faults) => {
      const raw: RawFields = new Map();
      for (const field of headers) {
        const sentText = sent[field.name.toLowerCase()];
        if (sentText === undefined) {
          continue;
        }
        const text = [sentText].flat().join(',');
        const trimmed = field.isSeparated
          ? text
              .split(',')
              .map((item) => item.trim())
              .join(',')
          : text;
        const problem = field.add(valueIn(raw, field), trimmed, decodeHeader);
        if (problem !== undefined) {
          faults.push({ in: 'header', path: field.name, message: problem });
        }
      }
      return headers.length === 0 ? NONE : valuesOf(raw, 'header', faults);
    },
    cookies: ({ cookie = '' }, faults) => {
      const raw: RawFields = new Map();
      const isReadable = cookies.length > 0 && cookie.length <= MAX_COOKIE_HEADER_CHARACTERS;
      for (const part of isReadable ? cookie.split(';') : []) {
        const [name = '', text] = splitPair(part.trim());
        if (text !== undefined) {
          addCookie(raw, decodeCookie(name.trimEnd()) ?? '', unquoted(text.trimStart()), faults);
        }
      }
      return cookies.length === 0 ? NONE : valuesOf(raw, 'cookie', faults);
    },
  };

  function addQueryPair(raw: RawFields, pair: string): { path: string; message: string } | undefined {
    const [encodedName = '', text = ''] = splitPair(pair);
    const name = decodeForm(encodedName);
    if (name === undefined) {
      return { path: '', message: INVALID_ENCODING };
    }
    if (hiddenNames.includes(name)) {
      return undefined;
    }
    const found = inQuery.find(name);
    if (!found) {
      const message = `is not a known parameter (${knownNames()})`;
      return { path: name, message: decodeForm(text) === undefined ? INVALID_ENCODING : message };
    }
    const { field, steps } = found;
    const value = valueIn(raw, field);
    const problem =
      steps.length === 0 && text === ''
        ? addEmpty(raw, value, field)
        : steps.length === 0
          ? field.add(value, text, decodeForm)
          : addMember(value, steps, text);
    return problem === undefined ? undefined : { path: [field.name, ...steps].join('.'), message: problem };
  }

  function addEmpty(raw: RawFields, value: RawValue, field: Field): string | undefined {
    if (!mayBeEmpty.has(field.name)) {
      return 'must have a value';
    }
    const empty = field.emptyValue();
    if (empty) {
      value.json = empty;
    } else {
      raw.delete(field);
    }
    return undefined;
  }

  function knownNames(): string {
    const { known } = inQuery;
    return known.length === 0 ? 'the operation has none' : `known: ${known.join(', ')}`;
  }

  /** Cookies that are not declared belong to others. Of several values, the first one is the most specific (RFC 6265). */
  function addCookie(raw: RawFields, name: string, text: string, faults: Fault[]): void {
    const found = cookieNames.find(name);
    if (!found) {
      return;
    }
    const { field, steps } = found;
    const { type, explode } = field;
    const value = valueIn(raw, field);
    // The style form separates with ampersands, which most clients write as cookies of their own.
    const [first = '', ...others] =
      explode && (permitsList(type) || permitsObject(type)) ? text.split('&') : [text];
    const pairs = others.map(splitPair);
    const isExploded = pairs.every(
      ([other = '', more]) =>
        more !== undefined && cookieNames.find(decodeCookie(other) ?? '')?.field === field,
    );
    const isRepeated = steps.length === 0 && value.texts.length > 0 && !permitsList(type);
    if (isRepeated) {
      return;
    }
    const problem =
      steps.length > 0
        ? addMember(value, steps, isExploded ? first : text, decodeCookie)
        : field.add(value, isExploded ? first : text, decodeCookie);
    if (problem !== undefined) {
      const message = problem === INVALID_ENCODING ? 'must not contain the character U+0000' : problem;
      faults.push({ in: 'cookie', path: [field.name, ...steps].join('.'), message });
      return;
    }
    for (const [other = '', more = ''] of isExploded ? pairs : []) {
      addCookie(raw, decodeCookie(other) ?? '', more, faults);
    }
  }
}

/** Returns the texts of a field, which has none at first. */
function valueIn(raw: RawFields, field: Field): RawValue {
  const value = raw.get(field) ?? rawTexts([]);
  raw.set(field, value);
  return value;
}

function addMember(
  value: RawValue,
  steps: readonly string[],
  text: string,
  decode = decodeForm,
): string | undefined {
  const decoded = decode(text);
  return decoded === undefined ? INVALID_ENCODING : addAt(value, steps, decoded);
}

const unquoted = (text: string) =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;

/** Decodes the parameters of a path without the types that the contract declares. */
export function readPathTexts(
  names: readonly string[],
  raw: readonly string[],
  faults: Fault[],
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const text = decodePercent(raw[index] ?? '');
    if (text === undefined) {
      faults.push({ in: 'path', path: name, message: INVALID_ENCODING });
    } else {
      values[name] = text;
    }
  }
  return values;
}
