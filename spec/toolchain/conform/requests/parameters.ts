import fc from 'fast-check';
import type { Parameter } from '../../model/contract/contract.ts';
import type { Value } from '../../model/plan/plan.ts';
import type { SchemaArbitraries } from '../../model/schema/arbitraries.ts';
import { filterValues, somePass } from '../../model/schema/filter.ts';
import { ifUsable, kindsOf, type Schema, type SchemaSet } from '../../model/schema/schema.ts';

/** A serialized parameter: name-value pairs of the path, the query, headers or the cookie. */
export type SerializedParameter = [name: string, value: Value][];

/** Returns whether a parameter's values are lists. In the query each item may be a separate pair. */
export const isList = (schemas: SchemaSet, { schema }: Parameter): boolean =>
  kindsOf(schemas.flat(schema)).includes('array');

const DELIMITERS: Record<string, string> = { spaceDelimited: ' ', pipeDelimited: '|' };

/**
 * Serializes a parameter (OpenAPI, Style Values) before percent-encoding. Returns no pairs for an empty list.
 */
export function write(parameter: Parameter, value: unknown): SerializedParameter {
  const { name, style, explode, mediaType } = parameter;
  if (mediaType !== undefined) {
    return [[name, JSON.stringify(value)]];
  }
  if (typeof value !== 'object' || value === null) {
    return [[name, `${prefixOf(parameter)}${text(value)}`]];
  }
  const delimiter = style === 'label' && explode ? '.' : (DELIMITERS[style] ?? ',');
  if (Array.isArray(value)) {
    if (value.length === 0) {
      return [];
    }
    if (style === 'deepObject') {
      return bracketed(name, value);
    }
    if (isRepeated(parameter)) {
      return value.map((item) => [name, text(item)]);
    }
    if (style === 'matrix' && explode) {
      return [[name, value.map((item) => `;${name}=${text(item)}`).join('')]];
    }
    return [[name, `${prefixOf(parameter)}${value.map(text).join(delimiter)}`]];
  }
  const entries = Object.entries(value).map(([property, inner]) => [property, text(inner)] as const);
  if (style === 'deepObject') {
    return bracketed(name, value);
  }
  if (isRepeated(parameter)) {
    return entries.map(([property, inner]) => [property, inner]);
  }
  if (!explode) {
    return [[name, `${prefixOf(parameter)}${entries.flat().join(delimiter)}`]];
  }
  const pairs = entries.map((pair) => pair.join('='));
  if (style === 'matrix') {
    return [[name, `;${pairs.join(';')}`]];
  }
  return [[name, `${prefixOf(parameter)}${pairs.join(delimiter)}`]];
}

/** Whether each item or property is a pair of its own, as in a delimited style that is exploded. */
const isRepeated = ({ style, explode }: Parameter): boolean =>
  explode && (style === 'form' || style in DELIMITERS);

/** Writes the members of objects and lists with names in brackets, at any depth. */
function bracketed(name: string, value: unknown): SerializedParameter {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([member, inner]) => bracketed(`${name}[${member}]`, inner))
    : [[name, text(value)]];
}

/** Whether the members of a value can be written in brackets: empty ones would be absent. */
function isBracketable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return value !== null && SENDABLE.query(String(value));
  }
  const members = Object.entries(value);
  return (
    members.length > 0 &&
    members.every(([name, inner]) => name !== '' && !/[[\]\0\p{Cs}]/u.test(name) && isBracketable(inner))
  );
}

const text = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

const prefixOf = ({ style, name }: Parameter): string =>
  style === 'label' ? '.' : style === 'matrix' ? `;${name}=` : '';

/** Texts that can be sent unchanged in each part of a request. */
const SENDABLE: Record<Parameter['in'], (text: string) => boolean> = {
  path: (text) => text !== '' && text !== '.' && text !== '..' && !/[/\\\p{Cc}\p{Cs}]/u.test(text),
  query: (text) => text !== '' && !/[\0\p{Cs}]/u.test(text),
  header: (text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text),
  cookie: (text) => /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(text),
};

/** Returns whether a value can be sent unambiguously in a part of a request. */
export function isSendable(parameter: Parameter, value: unknown): boolean {
  const { in: location, style, mediaType } = parameter;
  if (mediaType !== undefined) {
    return location === 'query' || SENDABLE[location](JSON.stringify(value));
  }
  const isSendableText = SENDABLE[location];
  if (typeof value !== 'object') {
    return isSendableText(String(value));
  }
  if (value === null) {
    return false;
  }
  if (style === 'deepObject') {
    return isBracketable(value);
  }
  const inner: unknown[] = Array.isArray(value) ? value : Object.entries(value).flat();
  // An empty list is indistinguishable from a missing one.
  if (inner.length === 0) {
    return false;
  }
  const isExploded = location === 'query' && isRepeated(parameter);
  return inner.every((item) => {
    if (typeof item === 'object') {
      return false;
    }
    return isSendableText(String(item)) && (isExploded || !/[,;.=|\s]/.test(String(item)));
  });
}

/**
 * Returns the schema for generating values of a parameter: strings if it accepts anything, and lists with an item,
 * because an empty list is sent like an absent one.
 */
export function schemaOf(schemas: SchemaSet, { schema, mediaType }: Parameter): Schema {
  const flat = schemas.flat(schema);
  if (mediaType === undefined && kindsOf(flat).includes('array') && (flat.minItems ?? 0) < 1) {
    return { ...flat, minItems: 1 };
  }
  return Object.keys(flat).some((key) => key !== 'description') ? schema : { type: 'string' };
}

/**
 * Creates valid values that can be sent in the parameter's part of a request. @throws {UnusableSchema} if there are
 * none
 */
export function valuesOf(arbitraries: SchemaArbitraries, parameter: Parameter): fc.Arbitrary<unknown> {
  return filterValues(
    arbitraries.validValue(schemaOf(arbitraries.schemas, parameter)),
    (value) => isSendable(parameter, value),
    () =>
      `No value of the parameter ${parameter.name} could be generated that can be sent in the ${parameter.in}.`,
  );
}

/** Values of a parameter at one limit of its schema. */
export interface ParameterEdge {
  /** The limit: a keyword of the schema, or a description such as `unicode`. */
  keyword: string;
  /** Location of the limit in the schema; empty for the parameter itself. */
  location: string;
  values: fc.Arbitrary<SerializedParameter>;
}

/** Creates the values at the limits of a parameter's schema that can be sent in its part of a request. */
export const edgesOf = (arbitraries: SchemaArbitraries, parameter: Parameter): ParameterEdge[] =>
  (ifUsable(() => arbitraries.edgeVariants(schemaOf(arbitraries.schemas, parameter))) ?? []).flatMap(
    ({ keyword, location, values }) => {
      const plain = values.map(({ value }) => value);
      const passes = (value: unknown) => isSendable(parameter, value);
      return somePass(plain, passes)
        ? [{ keyword, location, values: plain.filter(passes).map((value) => write(parameter, value)) }]
        : [];
    },
  );

/** Invalid percent-encoding (RFC 3986, section 2.1), and encoded invalid UTF-8. */
export const INVALID_ENCODINGS = ['%', '%z', '%zz', 'a%', '%ff', '%c3', '%ed%a0%80', '%E0%A4%A'];

/** Texts that a lenient parser accepts as a value of a type. */
const INVALID_TEXTS: Record<string, string[]> = {
  integer: ['ten', '1.5', '0x10', ' 1', '1e999', '-1e999', 'NaN', '--1', '+1', '１', 'null', '[1]', '1,2'],
  number: ['ten', '0x10', ' 1', '1e999', 'NaN', '--1', 'Infinity'],
  boolean: ['yes', '1', '0', 'TRUE', 'tru', 'null', 'on'],
};

/** Creates texts that are not a valid value of a parameter. */
export function invalidTextsOf(
  arbitraries: SchemaArbitraries,
  schema: Schema,
): { fault: string; texts: fc.Arbitrary<string> }[] {
  const flat = arbitraries.schemas.flat(schema);
  const kinds = kindsOf(flat).filter((kind) => kind !== 'null');
  if (kinds[0] === 'array') {
    return invalidTextsOf(arbitraries, arbitraries.schemas.flat(flat.items ?? true));
  }
  // Values of other types are parsed from text, so their type errors are specific texts.
  const otherFaults = arbitraries
    .invalidVariants(schema)
    .filter(({ keyword, location }) => keyword !== 'type' && keyword !== 'null' && location === '')
    .map(({ keyword, values }) => ({ fault: keyword, texts: values.map(({ value }) => String(value)) }));
  const nullable = kindsOf(flat).includes('null');
  const invalidTexts = (kinds.length === 1 ? (INVALID_TEXTS[kinds[0] ?? ''] ?? []) : []).filter(
    (type) => type !== 'null' || !nullable,
  );
  return invalidTexts.length === 0
    ? otherFaults
    : [...otherFaults, { fault: 'type', texts: fc.constantFrom(...invalidTexts) }];
}
