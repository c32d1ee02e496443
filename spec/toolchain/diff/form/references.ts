import { isObject, type Json, type JsonObject } from '../../document.ts';
import { References } from '../../references.ts';
import type { Source } from '../../source.ts';

/** Questions about the references and schemas of a document. */
export type SchemaLookup = Pick<SchemaReferences, 'follow' | 'nameOf' | 'hasSchema' | 'identify'>;

/** References of a document, with the names and identities of its schemas. */
export class SchemaReferences extends References {
  readonly #names = new Map<Json, string>();
  readonly #schemas = new Set<string>();
  readonly #numbers = new WeakMap<JsonObject | Json[], number>();
  #next = 0;

  constructor(source: Source) {
    super(source);
    const { components } = source.root;
    if (isObject(components) && isObject(components.schemas)) {
      for (const [name, schema] of Object.entries(components.schemas)) {
        this.#names.set(schema, name);
        this.#schemas.add(name);
      }
    }
  }

  /** Returns the component name of a schema. */
  nameOf(schema: Json): string | undefined {
    return this.#names.get(schema);
  }

  /** Whether the document has a schema component with a name. */
  hasSchema(name: string): boolean {
    return this.#schemas.has(name);
  }

  /** Returns a unique identity for an object of the document. */
  identify(value: Json): number | string {
    if (typeof value !== 'object' || value === null) {
      return JSON.stringify(value);
    }
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#next;
      this.#next += 1;
      this.#numbers.set(value, number);
    }
    return number;
  }
}
