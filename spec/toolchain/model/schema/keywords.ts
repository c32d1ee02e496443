import { unescapeFragmentToken } from '../../../../server/contract/json-values.ts';
/** A JSON Schema (2020-12) of a parsed contract, with absolute references. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  items?: Schema | boolean;
  prefixItems?: (Schema | boolean)[];
  contains?: Schema | boolean;
  minContains?: number;
  maxContains?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, Schema | boolean>;
  patternProperties?: Record<string, Schema | boolean>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  unevaluatedProperties?: Schema | boolean;
  propertyNames?: Schema | boolean;
  minProperties?: number;
  maxProperties?: number;
  oneOf?: (Schema | boolean)[];
  anyOf?: (Schema | boolean)[];
  allOf?: (Schema | boolean)[];
  not?: Schema | boolean;
  if?: Schema | boolean;
  then?: Schema | boolean;
  else?: Schema | boolean;
  [annotation: string]: unknown;
}

/** A schema or boolean: `true` accepts every value, `false` none. */
export type AnySchema = Schema | boolean;

/** Referenced schemas by pointer: `#/components/schemas/X`. */
export type Components = Readonly<Record<string, Schema>>;

/** A schema that cannot be compiled, or that no value can be generated for. The message states the reason. */
export class UnusableSchema extends Error {}

/** Generates something; returns undefined if a schema is unusable. */
export function ifUsable<Generated>(generate: () => Generated): Generated | undefined {
  try {
    return generate();
  } catch (error) {
    if (error instanceof UnusableSchema) {
      return undefined;
    }
    throw error;
  }
}

/** Accepts every value, like `true`. */
export const ANY_VALUE: Schema = {};
/** Accepts no value, like `false`. */
export const NO_VALUE: Schema = { not: {} };

/** Returns the name of the component that a schema refers to: the last part of its pointer. */
export function componentOf(schema: AnySchema): string | undefined {
  if (typeof schema === 'boolean') {
    return undefined;
  }
  const name = /^#[a-z]*\/components\/schemas\/([^/]+)$/.exec(schema.$ref ?? '')?.[1];
  return name === undefined ? undefined : unescapeFragmentToken(name);
}

/** Returns the alternatives of a union; an empty array for other schemas. */
export const branchesOf = (schema: Schema): AnySchema[] => schema.oneOf ?? schema.anyOf ?? [];

/** Returns the types that a schema declares. */
export const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat());

/** Returns the JSON Schema type of a value; `integer` for whole numbers. */
export function typeOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'array';
  }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? 'integer' : 'number';
  }
  return typeof value;
}

/** Annotations, which do not affect validation. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'description',
  'title',
  'default',
  'deprecated',
  'example',
  'examples',
  'readOnly',
  'writeOnly',
  'externalDocs',
  'xml',
  'discriminator',
  '$comment',
]);

/** Returns whether a keyword is an annotation. */
export const isAnnotation = (keyword: string): boolean =>
  ANNOTATIONS.has(keyword) || keyword.startsWith('x-');

const SCHEMA_KEYWORDS = new Set([
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
]);
const LISTS = new Set(['oneOf', 'anyOf', 'allOf', 'prefixItems']);
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);

/** Copies a schema and replaces its direct subschemas. */
export function mapChildren(schema: Schema, change: (child: AnySchema) => AnySchema): Schema {
  const result: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (SCHEMA_KEYWORDS.has(key) && isSchema(value)) {
      result[key] = change(value);
    } else if (LISTS.has(key) && Array.isArray(value)) {
      result[key] = value.map((child: unknown) => (isSchema(child) ? change(child) : child));
    } else if (MAPS.has(key) && typeof value === 'object' && value !== null) {
      result[key] = Object.fromEntries(
        Object.entries(value).map(([name, child]: [string, unknown]) => [
          name,
          isSchema(child) ? change(child) : child,
        ]),
      );
    } else {
      result[key] = value;
    }
  }
  return result;
}

/** Returns whether a value is a schema or boolean. */
export const isSchema = (value: unknown): value is AnySchema =>
  typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
