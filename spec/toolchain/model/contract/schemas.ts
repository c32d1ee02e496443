import { isObject, type Json, type JsonObject } from '../../document.ts';
import { upgradeSchema } from '../../upgrade.ts';
import { UsageError } from '../../usage-error.ts';
import { isSchema, mapChildren } from '../schema/keywords.ts';
import type { AnySchema, Components, Schema } from '../schema/schema.ts';
import { discriminated, ownTag, subtypesOf } from './discriminator.ts';
import type { References } from './references.ts';

/** View of a schema: requests omit read-only properties, responses omit write-only ones. */
export type View = 'request' | 'response';

const HIDING_KEYWORDS = { request: 'readOnly', response: 'writeOnly' } as const;

/**
 * Converts the schemas of a document to JSON Schema 2020-12. A schema that differs in requests or responses becomes a
 * component of its own: `#request/components/schemas/X` in addition to `#/components/schemas/X`.
 */
export class SchemaReader {
  readonly #references: References;
  readonly #old: boolean;
  readonly #read = new Map<string, Schema>();
  readonly #visited = new Map<string, { differsIn: Set<View>; references: Set<string> }>();
  readonly #closures = new Map<string, Set<View>>();
  readonly #schemas: JsonObject;

  /** @param old whether the document is of OpenAPI 3.0 */
  constructor(references: References, schemas: JsonObject, old: boolean) {
    this.#references = references;
    this.#schemas = schemas;
    this.#old = old;
    for (const name of Object.keys(schemas)) {
      for (const view of ['request', 'response'] as const) {
        const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1');
        this.read({ $ref: `#/components/schemas/${escaped}` }, view);
      }
    }
  }

  /** Referenced schemas by pointer. */
  get components(): Components {
    return Object.fromEntries(this.#read);
  }

  /** Returns the view of a schema for requests or responses. @throws {UsageError} for a value that is not a schema */
  read(schema: Json | undefined, view: View): Schema {
    const read = schema === undefined ? true : this.#convert(schema, view, new Set());
    return typeof read === 'boolean' ? (read ? {} : { not: {} }) : read;
  }

  /** @param hidden names that schemas around this one hide of the same value */
  #convert(source: AnySchema | Json, view: View | undefined, hidden: ReadonlySet<string>): AnySchema {
    if (typeof source === 'boolean') {
      return source;
    }
    if (!isSchema(source)) {
      throw new UsageError(`The document has ${JSON.stringify(source)} where OpenAPI requires a schema.`);
    }
    // Values of a document are JSON.
    const raw = source as JsonObject;
    if (typeof raw.$ref === 'string') {
      const subtypes = view === 'request' ? subtypesOf(this.#schemas, this.#references, raw.$ref) : [];
      const $ref = this.#enter(raw.$ref, view);
      if (subtypes.length > 0) {
        return { oneOf: subtypes.map((member) => ({ $ref: this.#enter(member, view) })) };
      }
      if (this.#old) {
        return { $ref };
      }
    }
    const names = new Set([...hidden, ...(view ? this.#hiddenBy(raw, view) : [])]);
    const { $ref, discriminator, allOf, ...rest } = this.#old ? upgradeSchema(raw) : raw;
    // The rest of a schema of the document is a schema, too.
    const result = mapChildren(rest as Schema, (child) => this.#convert(child, view, new Set()));
    if (typeof $ref === 'string') {
      result.$ref = this.#enter($ref, view);
    }
    if (Array.isArray(allOf)) {
      result.allOf = allOf.map((part) => this.#part(part, view, names));
    }
    if (isObject(discriminator) && typeof discriminator.propertyName === 'string') {
      discriminated(result, raw, discriminator, this.#references);
    }
    if (result.contentEncoding === 'base64') {
      result.format ??= 'byte';
    }
    if (names.size > 0) {
      if (result.properties) {
        result.properties = Object.fromEntries(
          Object.entries(result.properties).filter(([name]) => !names.has(name)),
        );
      }
      if (result.required) {
        result.required = result.required.filter((name) => !names.has(name));
      }
    }
    for (const keyword of ['$id', '$schema', '$anchor']) {
      delete result[keyword];
    }
    return result;
  }

  /** Converts a part of `allOf`, where a reference means the schema itself, not the schemas that extend it. */
  #part(part: Json, view: View | undefined, hidden: ReadonlySet<string>): AnySchema {
    if (isObject(part) && typeof part.$ref === 'string') {
      const $ref = this.#enter(part.$ref, view);
      if (this.#old || Object.keys(part).length === 1) {
        return { $ref };
      }
    }
    return this.#convert(part, view, hidden);
  }

  /** Reads the target of a reference once, and returns the reference to the result. */
  #enter(reference: string, view: View | undefined): string {
    const pointer = this.#references.pointer(reference);
    this.#visit(pointer);
    const differs = view !== undefined && this.#closure(pointer).has(view);
    const key = differs ? `#${view}${pointer.slice(1)}` : pointer;
    if (!this.#read.has(key)) {
      // Ends the recursion for recursive schemas.
      this.#read.set(key, {});
      const raw = this.#references.at(pointer);
      const read = this.#convert(raw, differs ? view : undefined, new Set());
      const tag = view === 'request' ? ownTag(raw, pointer, this.#references) : undefined;
      const schema = typeof read === 'boolean' ? (read ? {} : { not: {} }) : read;
      this.#read.set(key, tag ? { allOf: [schema, tag] } : schema);
    }
    return key;
  }

  /** Records the views in which a schema itself differs, and the schemas that it refers to. */
  #visit(pointer: string): void {
    if (this.#visited.has(pointer)) {
      return;
    }
    const visited = { differsIn: new Set<View>(), references: new Set<string>() };
    this.#visited.set(pointer, visited);
    const collect = (schema: AnySchema): AnySchema => {
      if (typeof schema === 'boolean') {
        return schema;
      }
      // Values of a document are JSON.
      const raw = schema as JsonObject;
      for (const view of ['request', 'response'] as const) {
        if (this.#hiddenBy(raw, view).length > 0) {
          visited.differsIn.add(view);
        }
      }
      if (typeof raw.$ref === 'string') {
        visited.references.add(this.#references.pointer(raw.$ref));
        for (const member of subtypesOf(this.#schemas, this.#references, raw.$ref)) {
          visited.references.add(member);
        }
        // A reference to a schema with subtypes is converted differently in requests.
        if (subtypesOf(this.#schemas, this.#references, raw.$ref).length > 0) {
          visited.differsIn.add('request');
        }
      }
      return mapChildren(schema, collect);
    };
    const raw = this.#references.at(pointer);
    if (isSchema(raw)) {
      collect(raw);
    }
    for (const reference of visited.references) {
      this.#visit(reference);
    }
  }

  /** Returns the views in which a schema, or one that it refers to, differs. */
  #closure(pointer: string): Set<View> {
    const cached = this.#closures.get(pointer);
    if (cached) {
      return cached;
    }
    const differsIn = new Set<View>();
    const visited = new Set([pointer]);
    for (const visitedPointer of visited) {
      const { differsIn: views, references } = this.#visited.get(visitedPointer) ?? {
        differsIn: [],
        references: [],
      };
      for (const view of views) {
        differsIn.add(view);
      }
      for (const reference of references) {
        visited.add(reference);
      }
    }
    this.#closures.set(pointer, differsIn);
    return differsIn;
  }

  /** Returns the properties that a schema, its parts and its reference hide from a view. */
  #hiddenBy(schema: JsonObject, view: View, visited = new Set<JsonObject>()): string[] {
    if (visited.has(schema)) {
      return [];
    }
    visited.add(schema);
    const hidden = isObject(schema.properties)
      ? Object.entries(schema.properties).filter(([, property]) =>
          this.#isMarked(property, HIDING_KEYWORDS[view]),
        )
      : [];
    const parts = Array.isArray(schema.allOf) ? [...schema.allOf] : [];
    if (typeof schema.$ref === 'string') {
      parts.push(this.#references.at(schema.$ref));
    }
    const inner = parts.filter(isObject).flatMap((part) => this.#hiddenBy(part, view, visited));
    return [...hidden.map(([name]) => name), ...inner];
  }

  #isMarked(property: Json, mark: string, hops = 0): boolean {
    if (!isObject(property) || hops > 8) {
      return false;
    }
    if (property[mark] === true) {
      return true;
    }
    const parts = Array.isArray(property.allOf) ? [...property.allOf] : [];
    if (typeof property.$ref === 'string') {
      parts.push(this.#references.at(property.$ref));
    }
    return parts.some((part) => this.#isMarked(part, mark, hops + 1));
  }
}
