import { isObject } from '../../contract/json-values.ts';
/** JSON Schemas in readable form: short descriptions of types, and the properties of objects as rows. */
import { asList, asObject, asText, asTexts, fieldOf, type JsonObject } from './json.ts';
import { resolve } from './specification.ts';
import { cellText, code, escapeText } from './text.ts';

/** Context of schemas. */
export interface SchemaContext {
  document: JsonObject;
  /** Returns the URL of a data model; undefined if it is not shown. */
  urlOf(model: string): string | undefined;
}

/** A row of a table of properties. */
export interface PropertyRow {
  /** Path from the outermost object, such as `owner.tags[].name`. */
  name: string;
  /** Markdown. */
  type: string;
  required: boolean;
  /** Markdown on one line. */
  description: string;
}

/** The properties of a schema, and whether further ones were omitted. */
export interface Properties {
  rows: PropertyRow[];
  more: boolean;
}

/** Maximum nesting depth for showing the properties of objects; deeper objects only have a type. */
const MAX_SHOWN_DEPTH = 4;
/** Maximum number of rows in the table of a schema on a computed page. Further fields are omitted. */
export const MAX_SCHEMA_ROWS = 120;
/** Maximum nesting depth of a printed type, and maximum number of parts that an object is composed of. */
const MAX_TYPE_DEPTH = 3;
const MAX_SCHEMA_PARTS = 100;
/** Maximum number of alternatives of a value that a computed page shows. */
export const MAX_ALTERNATIVES = 8;
const MAX_SHOWN_VALUES = 30;

/** Formats the type of a schema as short Markdown: `string (date-time)`, `Pet[]`, `string or null`. */
export function typeOf(context: SchemaContext, schema: unknown, depth = 0): string {
  if (typeof schema === 'boolean') {
    return schema ? 'any' : 'never';
  }
  const { value, model } = resolve(context.document, schema);
  if (model !== undefined) {
    return modelLink(context, model);
  }
  const fields = asObject(value);
  if (depth > MAX_TYPE_DEPTH) {
    return 'any';
  }
  const within = (inner: unknown) => typeOf(context, inner, depth + 1);
  const alternatives = [...asList(fields.oneOf), ...asList(fields.anyOf)];
  if (alternatives.length > 0) {
    const shown = alternatives.slice(0, MAX_ALTERNATIVES).map(within);
    if (alternatives.length > shown.length) {
      shown.push('…');
    }
    return orNull(fields, [...new Set(shown)]);
  }
  const all = asList(fields.allOf);
  const [only] = all;
  if (all.length === 1 && !isObject(fields.properties)) {
    return orNull(fields, [within(only)]);
  }
  const types = typeof fields.type === 'string' ? [fields.type] : asTexts(fields.type);
  if (types.length === 0) {
    const values = valuesOf(fields);
    if (isObject(fields.properties) || all.length > 0) {
      types.push('object');
    } else if (fields.items !== undefined) {
      types.push('array');
    } else if (values.length > 0) {
      types.push(...new Set(values.map(typeOfValue)));
    } else {
      return orNull(fields, ['any']);
    }
  }
  return orNull(
    fields,
    types.map((type) => {
      if (type === 'array') {
        return listOf(fields.items === undefined ? 'any' : within(fields.items));
      }
      if (type === 'object' && isMap(fields)) {
        return `map of ${within(fields.additionalProperties)}`;
      }
      const format = asText(fields.format);
      return escapeText(format === '' ? type : `${type} (${format})`);
    }),
  );
}

/**
 * Returns the properties of a schema, each followed by those of its nested objects. A model nested in itself is shown
 * once.
 */
export function propertiesOf(context: SchemaContext, schema: unknown): Properties {
  const result: Properties = { rows: [], more: false };
  collect(context, schema, { prefix: '', depth: 0, ancestors: [], result });
  return result;
}

interface Walk {
  prefix: string;
  depth: number;
  /** Models that contain the current schema, to detect cycles. */
  ancestors: readonly string[];
  result: Properties;
}

function collect(context: SchemaContext, schema: unknown, walk: Walk): void {
  const { value, model } = resolve(context.document, schema);
  if (model !== undefined && walk.ancestors.includes(model)) {
    return;
  }
  const ancestors = model === undefined ? walk.ancestors : [...walk.ancestors, model];
  const { properties, required } = objectOf(context.document, asObject(value));
  for (const [name, property] of properties) {
    if (walk.result.rows.length >= MAX_SCHEMA_ROWS) {
      walk.result.more = true;
      return;
    }
    const path = `${walk.prefix}${name}`;
    walk.result.rows.push({
      name: path,
      type: typeOf(context, property),
      required: required.has(name),
      description: describe(context, property),
    });
    const inner = innerOf(context.document, property);
    // A model with its own section is described there.
    if (inner.model !== undefined && context.urlOf(inner.model) !== undefined) {
      continue;
    }
    if (walk.depth + 1 >= MAX_SHOWN_DEPTH) {
      continue;
    }
    collect(context, inner.schema, {
      ...walk,
      prefix: `${path}${inner.suffix}.`,
      depth: walk.depth + 1,
      ancestors,
    });
  }
}

/** Returns the schema within lists and maps, and their suffix in the name of a property, such as `[]`. */
function innerOf(
  document: JsonObject,
  property: unknown,
): { schema: unknown; suffix: string; model?: string } {
  let schema = property;
  let suffix = '';
  for (let depth = 0; ; depth++) {
    const { value, model } = resolve(document, schema);
    const fields = asObject(value);
    const [only, ...others] = asList(fields.allOf);
    if (depth > MAX_SHOWN_DEPTH) {
      return { schema: {}, suffix };
    }
    if (fields.items !== undefined) {
      [schema, suffix] = [fields.items, `${suffix}[]`];
    } else if (isMap(fields)) {
      [schema, suffix] = [fields.additionalProperties, `${suffix}.*`];
    } else if (isObject(only) && others.length === 0 && !isObject(fields.properties)) {
      schema = only;
    } else {
      return { schema, suffix, ...(model !== undefined && { model }) };
    }
  }
}

/**
 * Returns the properties of an object and of all parts that it is composed of. Its own properties come last and take
 * precedence.
 */
function objectOf(document: JsonObject, schema: JsonObject) {
  const visited = new Set<JsonObject>();
  const parts: JsonObject[] = [];
  const visit = (part: JsonObject): void => {
    if (visited.has(part) || visited.size >= MAX_SCHEMA_PARTS) {
      return;
    }
    visited.add(part);
    for (const inner of asList(part.allOf)) {
      visit(asObject(resolve(document, inner).value));
    }
    parts.push(part);
  };
  visit(schema);
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  for (const part of parts) {
    for (const [name, property] of Object.entries(asObject(part.properties))) {
      properties.set(name, property);
    }
    for (const name of asTexts(part.required)) {
      required.add(name);
    }
  }
  return { properties, required };
}

/** Describes a value beyond its type: its description and its constraints. Markdown on one line. */
export function describe({ document }: SchemaContext, schema: unknown): string {
  const site = asObject(schema);
  const fields = asObject(resolve(document, schema).value);
  const items = asObject(resolve(document, fields.items).value);
  const values = valuesOf(fields).length > 0 ? valuesOf(fields) : valuesOf(items);
  const shown = values.slice(0, MAX_SHOWN_VALUES).map(shownValue);
  const rest = values.length > shown.length ? ' …' : '';
  const constraints = CONSTRAINTS.flatMap(([name, text, exclusive]) => {
    const value = fieldOf(fields, name);
    if (typeof value !== 'number' && typeof value !== 'string') {
      return [];
    }
    // OpenAPI 3.0 marks an exclusive bound with a boolean.
    const isExclusive = exclusive !== undefined && fields[exclusive[0]] === true;
    return [`${isExclusive ? exclusive[1] : text} ${code(String(value))}`];
  });
  if (fields.uniqueItems === true) {
    constraints.push('unique items');
  }
  const parts = [
    fields.deprecated === true ? '**Deprecated.**' : '',
    // Since OpenAPI 3.1, a reference may have a description as a sibling.
    sentence(cellText(site.description) || cellText(fields.description)),
    shown.length > 0 ? `${values.length === 1 ? 'Always' : 'One of'} ${shown.join(', ')}${rest}.` : '',
    fields.default === undefined ? '' : `Default: ${shownValue(fields.default)}.`,
    constraints.length > 0 ? `${capital(constraints.join(', '))}.` : '',
    fields.readOnly === true ? 'Read only.' : '',
    fields.writeOnly === true ? 'Write only.' : '',
    fields.example === undefined ? '' : `Example: ${shownValue(fields.example)}.`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Constraints of a value: the keyword, its description, and the keyword that makes the bound exclusive. */
const CONSTRAINTS: ReadonlyArray<[name: string, text: string, exclusive?: [name: string, text: string]]> = [
  ['minimum', 'at least', ['exclusiveMinimum', 'more than']],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most', ['exclusiveMaximum', 'less than']],
  ['exclusiveMaximum', 'less than'],
  ['multipleOf', 'a multiple of'],
  ['minLength', 'minimum length'],
  ['maxLength', 'maximum length'],
  ['pattern', 'pattern'],
  ['minItems', 'minimum items'],
  ['maxItems', 'maximum items'],
];

/** Formats a value as code on one line. */
function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const short = text.length > 120 ? `${text.slice(0, 119).toWellFormed()}…` : text;
  return code(short) || code(JSON.stringify(short));
}

const valuesOf = (fields: JsonObject): readonly unknown[] =>
  Object.hasOwn(fields, 'const') ? [fields.const] : asList(fields.enum);

const typeOfValue = (value: unknown): string => (value === null ? 'null' : typeof value);

/** Returns whether an object has arbitrary properties of one type, and no others. */
const isMap = (fields: JsonObject): boolean =>
  isObject(fields.additionalProperties) && !isObject(fields.properties);

const listOf = (type: string): string => (/\s/.test(type) ? `array of ${type}` : `${type}\\[]`);

/**
 * Adds null to types: OpenAPI 3.0 specifies it with `nullable`, Swagger 2 with an extension, JSON Schema with a type.
 */
function orNull(fields: JsonObject, types: readonly string[]): string {
  const nullable = fields.nullable === true || fields['x-nullable'] === true;
  return (nullable && !types.includes('null') ? [...types, 'null'] : types).join(' or ');
}

function modelLink({ urlOf }: SchemaContext, model: string): string {
  const url = urlOf(model);
  return url === undefined ? escapeText(model) : `[${escapeText(model)}](${url})`;
}

const sentence = (text: string): string => (text === '' || /[.!?:…`)]$/.test(text) ? text : `${text}.`);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
