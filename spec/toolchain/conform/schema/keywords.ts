/** A JSON Schema as it stands in a contract that was read: one of JSON Schema 2020-12, with absolute references. */
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

/** A schema as the specification has it: `true` lets anything in, `false` nothing. */
export type AnySchema = Schema | boolean;

/** The schemas that references lead to, by pointer: `#/components/schemas/X`. */
export type Components = Readonly<Record<string, Schema>>;

/** A schema that no value can be made of, or that cannot be compiled: the message says which, and why. */
export class UnusableSchema extends Error {}

/** Lets anything in, as `true` does. */
export const ANYTHING: Schema = {};
/** Lets nothing in, as `false` does. */
export const NOTHING: Schema = { not: {} };

/** The name of the component that a schema refers to: the last part of a pointer into `components/schemas`. */
export function componentOf(schema: AnySchema): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  const name = /^#[a-z]*\/components\/schemas\/([^/]+)$/.exec(schema.$ref ?? '')?.[1];
  return name?.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The alternatives of a union; none for another schema. */
export const branchesOf = (schema: Schema): AnySchema[] => schema.oneOf ?? schema.anyOf ?? [];

/** The types that a schema names. */
export const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat());

/** The type of a JSON value as schemas name it; `integer` for whole numbers. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Keywords that say nothing about which values are valid. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
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

/** Whether a keyword says nothing about which values are valid. */
export const isAnnotation = (keyword: string): boolean =>
  ANNOTATIONS.has(keyword) || keyword.startsWith('x-');

const ONE = new Set([
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

/** A copy of a schema in which every schema right below it is replaced; what is no schema stays as it is. */
export function mapChildren(schema: Schema, change: (child: AnySchema) => AnySchema): Schema {
  const result: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (ONE.has(key) && isSchema(value)) result[key] = change(value);
    else if (LISTS.has(key) && Array.isArray(value))
      result[key] = value.map((child: unknown) => (isSchema(child) ? change(child) : child));
    else if (MAPS.has(key) && typeof value === 'object' && value !== null)
      result[key] = Object.fromEntries(
        Object.entries(value).map(([name, child]: [string, unknown]) => [
          name,
          isSchema(child) ? change(child) : child,
        ]),
      );
    else result[key] = value;
  }
  return result;
}

/** Whether a value can stand where a schema is asked for. */
export const isSchema = (value: unknown): value is AnySchema =>
  typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
