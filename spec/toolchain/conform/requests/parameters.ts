import fc from 'fast-check';
import type { Parameter } from '../contract/contract.ts';
import type { Value } from '../plan/plan.ts';
import type { SchemaArbitraries } from '../schema/arbitraries.ts';
import { kindsOf, type Schema, type SchemaSet } from '../schema/schema.ts';
import { sift } from '../schema/sift.ts';

/** What one parameter becomes, by name: texts of the path, the query, headers or the cookie. */
export type Written = [name: string, value: Value][];

/** Whether a parameter's values are lists; in the query each item may be a pair of its own. */
export const isList = (schemas: SchemaSet, { schema }: Parameter): boolean =>
  kindsOf(schemas.flat(schema)).includes('array');

const JOINTS: Record<string, string> = { spaceDelimited: ' ', pipeDelimited: '|' };

/**
 * How a value of a parameter is written (OpenAPI, Style Values), before percent-encoding. None for an empty list.
 */
export function write(parameter: Parameter, value: unknown): Written {
  const { name, style, explode, mediaType } = parameter;
  if (mediaType !== undefined) return [[name, JSON.stringify(value)]];
  if (typeof value !== 'object' || value === null) return [[name, `${prefixOf(parameter)}${text(value)}`]];
  const joint = style === 'label' && explode ? '.' : (JOINTS[style] ?? ',');
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    if (style === 'form' && explode) return value.map((item) => [name, text(item)]);
    if (style === 'matrix' && explode)
      return [[name, value.map((item) => `;${name}=${text(item)}`).join('')]];
    return [[name, `${prefixOf(parameter)}${value.map(text).join(joint)}`]];
  }
  const entries = Object.entries(value).map(([property, inner]) => [property, text(inner)] as const);
  if (style === 'deepObject') return entries.map(([property, inner]) => [`${name}[${property}]`, inner]);
  if (style === 'form' && explode) return entries.map(([property, inner]) => [property, inner]);
  if (!explode) return [[name, `${prefixOf(parameter)}${entries.flat().join(joint)}`]];
  const pairs = entries.map((pair) => pair.join('='));
  if (style === 'matrix') return [[name, `;${pairs.join(';')}`]];
  return [[name, `${prefixOf(parameter)}${pairs.join(joint)}`]];
}

const text = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

const prefixOf = ({ style, name }: Parameter): string =>
  style === 'label' ? '.' : style === 'matrix' ? `;${name}=` : '';

/** Which texts a part of a request can carry as they are. */
const CARRIES: Record<Parameter['in'], (text: string) => boolean> = {
  path: (text) => text !== '' && text !== '.' && text !== '..' && !/[/\\\p{Cc}\p{Cs}]/u.test(text),
  query: (text) => text !== '' && !/[\0\p{Cs}]/u.test(text),
  header: (text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text),
  cookie: (text) => /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(text),
};

/** Whether a part of a request can carry a value so that it is read as it was meant. */
export function canCarry(parameter: Parameter, value: unknown): boolean {
  const { in: place, style, explode, mediaType } = parameter;
  if (mediaType !== undefined) return place === 'query' || CARRIES[place](JSON.stringify(value));
  const carries = CARRIES[place];
  if (typeof value !== 'object') return carries(String(value));
  if (value === null) return false;
  const inner: unknown[] = Array.isArray(value) ? value : Object.entries(value).flat();
  // A list of nothing cannot be told from none at all.
  if (inner.length === 0) return false;
  const apart = place === 'query' && (style === 'deepObject' || (style === 'form' && explode));
  return inner.every((one) => {
    if (typeof one === 'object') return false;
    return carries(String(one)) && (apart || !/[,;.=|\s]/.test(String(one)));
  });
}

/** The schema that values of a parameter are made by: texts, where it lets anything in. */
export function schemaOf(schemas: SchemaSet, { schema }: Parameter): Schema {
  const flat = schemas.flat(schema);
  return Object.keys(flat).some((key) => key !== 'description') ? schema : { type: 'string' };
}

/** Valid values of a parameter that its part of a request can carry. @throws {UnusableSchema} where there are none */
export function valuesOf(make: SchemaArbitraries, parameter: Parameter): fc.Arbitrary<unknown> {
  return sift(
    make.validValue(schemaOf(make.schemas, parameter)),
    (value) => canCarry(parameter, value),
    () =>
      `The parameter ${parameter.name} has no value that could be found and that a ${parameter.in} can carry.`,
  );
}

/** Percent-encoding that is none (RFC 3986, section 2.1), or that is of no text. */
export const BAD_ENCODING = ['%', '%z', '%zz', 'a%', '%ff', '%c3', '%ed%a0%80', '%E0%A4%A'];

/** Texts that a lenient reader takes for a value of a type. */
const WRONG_TEXTS: Record<string, string[]> = {
  integer: ['ten', '1.5', '0x10', ' 1', '1e999', '-1e999', 'NaN', '--1', '+1', '１', 'null', '[1]', '1,2'],
  number: ['ten', '0x10', ' 1', '1e999', 'NaN', '--1', 'Infinity'],
  boolean: ['yes', '1', '0', 'TRUE', 'tru', 'null', 'on'],
};

/** Texts of a parameter, plain, that are no valid value. */
export function invalidTextsOf(
  make: SchemaArbitraries,
  schema: Schema,
): { what: string; texts: fc.Arbitrary<string> }[] {
  const flat = make.schemas.flat(schema);
  const kinds = kindsOf(flat).filter((kind) => kind !== 'null');
  if (kinds[0] === 'array') return invalidTextsOf(make, make.schemas.flat(flat.items ?? true));
  // What is no text in the schema is read from one, so its faults of type are texts of their own.
  const beyond = make
    .invalidVariants(schema)
    .filter(({ keyword, place }) => keyword !== 'type' && keyword !== 'null' && place === '')
    .map(({ keyword, values }) => ({ what: keyword, texts: values.map(({ value }) => String(value)) }));
  const nullable = kindsOf(flat).includes('null');
  const wrong = (kinds.length === 1 ? (WRONG_TEXTS[kinds[0] ?? ''] ?? []) : []).filter(
    (one) => one !== 'null' || !nullable,
  );
  return wrong.length === 0 ? beyond : [...beyond, { what: 'type', texts: fc.constantFrom(...wrong) }];
}
