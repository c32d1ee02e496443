import { isObject, type JsonObject } from '../../document.ts';
import type { Source } from '../../source.ts';
import { isAny, type Schema } from './form.ts';
import { type Inheritance, inheritancesOf } from './inheritance.ts';
import { SchemaReferences } from './references.ts';

/** Schemas of a document by identity: equal schemas, and equal combinations of schemas, are the same one. */
export class SchemaIdentities {
  readonly references: SchemaReferences;
  /** OpenAPI 3.0 has the keyword `nullable`, and ignores keywords next to a reference. */
  readonly isVersion30: boolean;
  /** Schemas that others inherit from, by name. */
  readonly inheritances: ReadonlyMap<string, Inheritance>;
  readonly #merged = new Map<string, Schema>();
  readonly #members = new Map<Schema, Schema[]>();

  constructor(source: Source) {
    this.references = new SchemaReferences(source);
    this.inheritances = inheritancesOf(source);
    this.isVersion30 = /^3\.0/.test(String(source.root.openapi));
  }

  /** Number of combined schemas. */
  get combinedCount(): number {
    return this.#members.size;
  }

  /** Returns the schemas of a combination. */
  membersOf(schema: Schema): Schema[] | undefined {
    return this.#members.get(schema);
  }

  /**
   * Combines schemas with `allOf`. Equal inputs have the same result, and results are never nested, so that recursive
   * schemas terminate.
   */
  intersect(schemas: readonly Schema[]): Schema {
    const flat = schemas.flatMap((schema) => this.#members.get(schema) ?? [schema]);
    const distinct = new Map(
      flat.filter((schema) => !isAny(schema)).map((schema) => [String(this.identify(schema)), schema]),
    );
    const [only, ...more] = distinct.values();
    if (only === undefined) {
      return true;
    }
    if (more.length === 0) {
      return only;
    }
    const key = [...distinct.keys()].sort().join(' ');
    let schema = this.#merged.get(key);
    if (schema === undefined) {
      schema = { allOf: [...distinct.values()] };
      this.#merged.set(key, schema);
      this.#members.set(schema, [...distinct.values()]);
    }
    return schema;
  }

  /** Returns a unique identity for a schema. A reference with only annotations next to it is its target. */
  identify(schema: Schema): number | string {
    const bare =
      isObject(schema) &&
      typeof schema.$ref === 'string' &&
      Object.keys(this.siblingsOf(schema)).every(isAnnotation);
    return this.references.identify(bare ? this.references.follow(schema) : schema);
  }

  /** Keywords next to a reference. */
  siblingsOf({ $ref, ...siblings }: JsonObject): JsonObject {
    // OpenAPI 3.0 formally ignores all of them, but authors intend these.
    const { default: value, deprecated } = siblings;
    return this.isVersion30
      ? { ...(value !== undefined && { default: value }), ...(deprecated !== undefined && { deprecated }) }
      : siblings;
  }
}

/** Whether a keyword does not affect the allowed values. */
export function isAnnotation(keyword: string): boolean {
  return (
    ['$ref', 'title', 'description', 'summary', 'example', 'examples'].includes(keyword) ||
    keyword.startsWith('x-')
  );
}
