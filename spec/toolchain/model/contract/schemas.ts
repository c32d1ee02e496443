import type { OpenApiDocument as ServedDocument } from '../../../../server/contract/document.ts';
import {
  type Hierarchies,
  hierarchiesOf,
  schemaNameOf,
} from '../../../../server/contract/validation/hierarchies.ts';
import { upgradeSchema } from '../../contract/upgrade.ts';
import { isObject, type Json, type JsonObject, modelReference } from '../../document.ts';
import type { References } from '../../references.ts';
import { UsageError } from '../../usage-error.ts';
import { isSchema, mapChildren } from '../schema/keywords.ts';
import type { AnySchema, Components, Schema } from '../schema/schema.ts';
import { discriminated, inheriting } from './discriminator.ts';

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
  readonly #hierarchies: Hierarchies;

  /** @param old whether the document is of OpenAPI 3.0 */
  constructor(references: References, schemas: JsonObject, old: boolean) {
    this.#references = references;
    // Only named schemas inherit.
    this.#hierarchies = hierarchiesOf({ components: { schemas } } as unknown as ServedDocument);
    this.#old = old;
    for (const name of Object.keys(schemas)) {
      this.#enter(modelReference(name), 'request');
      this.#enter(modelReference(name), 'response');
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

  /**
   * @param hidden names that schemas around this one hide of the same value
   * @param owner name of the schema that this one is a part of, for the same value
   */
  #convert(
    source: AnySchema | Json,
    view: View | undefined,
    hidden: ReadonlySet<string>,
    owner?: string,
  ): AnySchema {
    if (typeof source === 'boolean') {
      return source;
    }
    if (!isSchema(source)) {
      throw new UsageError(`The document has ${JSON.stringify(source)} where OpenAPI requires a schema.`);
    }
    // Values of a document are JSON.
    const raw = source as JsonObject;
    if (typeof raw.$ref === 'string') {
      const referred = this.#refer(raw.$ref, view, owner);
      if (this.#old || Object.keys(raw).length === 1) {
        return referred;
      }
    }
    const names = new Set([...hidden, ...(view ? this.#hiddenBy(raw, view) : [])]);
    const { $ref, discriminator, allOf, ...rest } = this.#old ? upgradeSchema(raw) : raw;
    // The rest of a schema of the document is a schema, too.
    const result = mapChildren(rest as Schema, (child) => this.#convert(child, view, new Set()));
    const parts = Array.isArray(allOf) ? allOf.map((part) => this.#convert(part, view, names, owner)) : [];
    const referred = typeof $ref === 'string' ? this.#refer($ref, view, owner) : undefined;
    if (referred?.$ref !== undefined) {
      result.$ref = referred.$ref;
    } else if (referred) {
      parts.unshift(referred);
    }
    if (parts.length > 0) {
      result.allOf = parts;
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

  /** Converts a reference, which means the schemas that inherit from its target, except within one of them. */
  #refer(reference: string, view: View | undefined, owner: string | undefined): Schema {
    const name = schemaNameOf(reference);
    if (name === undefined) {
      return { $ref: this.#enter(reference, view) };
    }
    if (owner !== undefined && this.#hierarchies.inherits(owner, name)) {
      return { $ref: this.#enter(reference, view, this.#hierarchies.isVariant(owner, name)) };
    }
    const hierarchy = this.#hierarchies.of(name);
    if (!hierarchy) {
      return { $ref: this.#enter(reference, view) };
    }
    const { required } = (this.#references.object(this.#references.at(reference), name) ?? {}) as JsonObject;
    const isOptional = !(Array.isArray(required) && required.includes(hierarchy.property));
    const { variants, untagged } = inheriting(hierarchy, isOptional);
    const branches = variants.map(({ name: variant, tag }): Schema => {
      const inner = this.#hierarchies.of(variant);
      const target = modelReference(variant);
      // A schema with a discriminator of its own selects with another property.
      const isNested = variant !== name && inner !== undefined && inner.property !== hierarchy.property;
      return {
        allOf: [isNested ? this.#refer(target, view, undefined) : { $ref: this.#enter(target, view) }, tag],
      };
    });
    if (untagged) {
      branches.push({ allOf: [{ $ref: this.#enter(reference, view) }, untagged] });
    }
    return branches.length === 1 ? (branches[0] ?? {}) : { oneOf: branches };
  }

  /**
   * Reads the target of a reference once, and returns the reference to the result.
   *
   * @param isBase whether the target is read without its union, which lists the schemas that inherit from it
   */
  #enter(reference: string, view: View | undefined, isBase = false): string {
    const pointer = this.#references.pointer(reference);
    this.#visit(pointer);
    const differs = view !== undefined && this.#closure(pointer).has(view);
    const key = (differs ? `#${view}${pointer.slice(1)}` : pointer) + (isBase ? '~base' : '');
    if (!this.#read.has(key)) {
      // Ends the recursion for recursive schemas.
      this.#read.set(key, {});
      const target = this.#references.at(pointer);
      const { oneOf: _oneOf, anyOf: _anyOf, ...base } = isObject(target) ? target : {};
      const raw = isBase ? base : target;
      const read = this.#convert(raw, differs ? view : undefined, new Set(), schemaNameOf(pointer));
      this.#read.set(key, typeof read === 'boolean' ? (read ? {} : { not: {} }) : read);
    }
    return key;
  }

  /** Records the views that a schema itself differs in, and the schemas that it refers to. */
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
        for (const member of this.#membersOf(raw.$ref)) {
          visited.references.add(this.#references.pointer(member));
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

  /** Returns references to the schemas that values of a referenced schema can have. */
  #membersOf(reference: string): string[] {
    const name = schemaNameOf(reference);
    const members = name === undefined ? [] : (this.#hierarchies.of(name)?.members ?? []);
    return members.flatMap(({ targets }) => targets).map(modelReference);
  }

  /** Returns the views that a schema, or one that it refers to, differs in. */
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
