import type { Operation } from '../contract/contract.ts';
import {
  type AnySchema,
  branchesOf,
  componentOf,
  type Schema,
  type SchemaSet,
  typesOf,
} from '../schema/schema.ts';

/** A part of a response with its JSON Pointer. */
export interface Part {
  at: string;
  schema: Schema;
}

const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  '$comment',
]);
const ENVELOPES = ['data', 'result', 'item', 'attributes', 'resource', 'value'];
const LISTS = [
  'items',
  'data',
  'results',
  'value',
  'values',
  'records',
  'entries',
  'content',
  'list',
  'elements',
];

/** Reads schemas for planning. Unsupported schemas are ignored. */
export class Shapes {
  readonly #schemas: SchemaSet;
  readonly #fields = new WeakMap<Schema, ReadonlyMap<string, Schema>>();

  constructor(schemas: SchemaSet) {
    this.#schemas = schemas;
  }

  /** Returns a schema without references at the top level; an empty schema if it cannot be resolved. */
  flat(schema: AnySchema): Schema {
    try {
      return this.#schemas.flat(schema);
    } catch {
      return {};
    }
  }

  /** Returns the fields of objects of a schema, including all variants of a union. */
  fields(schema: AnySchema): ReadonlyMap<string, Schema> {
    if (typeof schema === 'boolean') {
      return new Map();
    }
    const cached = this.#fields.get(schema);
    if (cached) {
      return cached;
    }
    const fields = new Map<string, Schema>();
    // Placeholder, so that recursion terminates.
    this.#fields.set(schema, fields);
    const flat = this.flat(schema);
    for (const [name, property] of Object.entries(flat.properties ?? {})) {
      if (typeof property !== 'boolean') {
        fields.set(name, property);
      }
    }
    for (const branch of branchesOf(flat)) {
      for (const [name, property] of this.fields(branch)) {
        if (!fields.has(name)) {
          fields.set(name, property);
        }
      }
    }
    return fields;
  }

  /** Returns the types that a schema accepts; empty if unrestricted. */
  types(schema: AnySchema): string[] {
    const flat = this.flat(schema);
    const declared = typesOf(flat);
    if (declared.length > 0) {
      return declared;
    }
    if (flat.enum) {
      return [...new Set(flat.enum.map((value) => (value === null ? 'null' : typeof value)))];
    }
    return [...new Set(branchesOf(flat).flatMap((branch) => this.types(branch)))];
  }

  /** Returns whether two schemas are equal except for annotations. */
  same(left: AnySchema, right: AnySchema): boolean {
    return this.#text(left, 0) === this.#text(right, 0);
  }

  #text(schema: AnySchema, depth: number): string {
    if (typeof schema === 'boolean') {
      return String(schema);
    }
    if (schema.$ref !== undefined && depth > 0) {
      return schema.$ref;
    }
    return JSON.stringify(
      Object.entries(this.flat(schema))
        .filter(([key]) => !ANNOTATIONS.has(key) && !key.startsWith('x-'))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  /** Returns the JSON schemas of the success responses of an operation, ordered by status. */
  successes(operation: Operation): { status: string; schema: Schema }[] {
    return Object.entries(operation.responses)
      .filter(([status]) => /^2/.test(status))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([status, { content }]) =>
        Object.entries(content).flatMap(([type, { schema }]) =>
          /\bjson\b/i.test(type) && schema ? [{ status, schema }] : [],
        ),
      );
  }

  /** Returns the schema of an operation's JSON body; undefined if there is none. */
  body(operation: Operation): Schema | undefined {
    const content = Object.entries(operation.body?.content ?? {});
    return content.find(([type]) => /\bjson\b/i.test(type))?.[1].schema;
  }

  /** Returns the object of a response: the body itself, or the content of its envelope. */
  entity(schema: Schema, noun: string): Part | undefined {
    const fields = this.fields(schema);
    if (fields.size === 0) {
      return undefined;
    }
    const names = [...fields.keys()];
    const inner = names.find(
      (name) =>
        ENVELOPES.includes(name) || (fields.size <= 2 && name.toLowerCase() === noun.replaceAll(' ', '')),
    );
    const content = inner === undefined ? undefined : fields.get(inner);
    if (inner !== undefined && content && fields.size <= 4 && this.fields(content).size > 0) {
      return { at: `/${inner}`, schema: content };
    }
    return { at: '', schema };
  }

  /** Returns the list of a response with the schema of its items. */
  items(schema: Schema): Part | undefined {
    const flat = this.flat(schema);
    if (typesOf(flat).includes('array')) {
      return this.#itemsAt('', flat);
    }
    const lists = [...this.fields(schema)].filter(([, field]) => typesOf(this.flat(field)).includes('array'));
    const named = lists.find(([name]) => LISTS.includes(name));
    const objects = lists.filter(([, field]) => this.#itemsAt('', this.flat(field)) !== undefined);
    const [name, list] = named ?? (objects.length === 1 ? objects[0] : undefined) ?? [];
    if (name !== undefined && list) {
      return this.#itemsAt(`/${name}`, this.flat(list));
    }
    // Resources of HAL contain the items in an object.
    const embedded = this.fields(schema).get('_embedded');
    const [[inner, items] = [], ...others] = embedded ? [...this.fields(embedded)] : [];
    return inner === undefined || !items || others.length > 0
      ? undefined
      : this.#itemsAt(`/_embedded/${inner}`, this.flat(items));
  }

  #itemsAt(at: string, list: Schema): Part | undefined {
    const items = list.items;
    if (typeof items !== 'object' || Array.isArray(items)) {
      return undefined;
    }
    return this.fields(items).size > 0 ? { at, schema: items } : undefined;
  }

  /** Returns the name of the component that a schema refers to, also through an `allOf` with one schema. */
  component(schema: AnySchema | undefined): string | undefined {
    if (typeof schema !== 'object') {
      return undefined;
    }
    const [only, ...more] = schema.allOf ?? [];
    return componentOf(schema) ?? (more.length === 0 && only !== undefined ? componentOf(only) : undefined);
  }
}
