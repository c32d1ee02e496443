import {
  followReferences,
  parseReference,
  unescapeFragmentToken,
} from '../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject, jsonAt } from '../document.ts';

/** Keywords with schemas, lists of schemas or maps of schemas as their value. */
const SCHEMA_KEYWORDS = new Set(['items', 'additionalProperties', 'not', 'additionalItems']);
const LIST_KEYWORDS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAP_KEYWORDS = new Set(['properties', 'patternProperties', 'definitions']);

/** Converts the schemas of a Swagger 2.0 document to OpenAPI 3.0. */
export class SwaggerSchemas {
  readonly #root: JsonObject;
  readonly #definitions: JsonObject;
  /** Converted schemas by name. Some are added while others are converted. */
  readonly schemas: JsonObject = {};
  readonly #hoisted = new Map<string, string>();

  constructor(root: JsonObject) {
    this.#root = root;
    this.#definitions = isObject(root.definitions) ? root.definitions : {};
  }

  /** Converts all definitions. */
  convertDefinitions(): void {
    for (const [name, schema] of Object.entries(this.#definitions)) {
      this.schemas[name] = this.convert(schema, name);
    }
  }

  /**
   * Converts a schema and its nested schemas.
   * @param name name, if it is a definition
   */
  convert(schema: Json, name?: string): Json {
    if (!isObject(schema)) {
      return schema;
    }
    if (typeof schema.$ref === 'string') {
      const reference = { $ref: this.#reference(schema.$ref) };
      return schema['x-nullable'] === true ? { nullable: true, allOf: [reference] } : reference;
    }
    const converted: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      converted[keyword] = this.#keyword(keyword, value);
    }
    return this.#adjusted(converted, name);
  }

  #keyword(keyword: string, value: Json): Json {
    if (SCHEMA_KEYWORDS.has(keyword)) {
      return this.convert(value);
    }
    if (LIST_KEYWORDS.has(keyword) && Array.isArray(value)) {
      return value.map((item) => this.convert(item));
    }
    if (MAP_KEYWORDS.has(keyword) && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, this.convert(schema)]));
    }
    return value;
  }

  /** Converts the keywords that OpenAPI 3.0 expresses differently. */
  #adjusted(schema: JsonObject, name: string | undefined): JsonObject {
    const { 'x-nullable': nullable, discriminator, collectionFormat: _, ...rest } = schema;
    return {
      ...rest,
      ...(rest.type === 'file' && { type: 'string', format: 'binary' }),
      ...(nullable === true && { nullable }),
      ...(typeof discriminator === 'string' && {
        discriminator: { propertyName: discriminator, ...this.#mapping(name) },
      }),
    };
  }

  /** Mapping of the values that Azure declares for the definitions that inherit from one. */
  #mapping(base: string | undefined): { mapping?: JsonObject } {
    const mapping: JsonObject = {};
    for (const [name, definition] of Object.entries(base === undefined ? {} : this.#definitions)) {
      const value = isObject(definition) ? definition['x-ms-discriminator-value'] : undefined;
      if (typeof value === 'string' && (name === base || this.#inherits(name, base ?? ''))) {
        mapping[value] = `#/components/schemas/${name}`;
      }
    }
    return Object.keys(mapping).length === 0 ? {} : { mapping };
  }

  #inherits(name: string, base: string, visited = new Set<string>()): boolean {
    const definition = this.#definitions[name];
    const parts = isObject(definition) && Array.isArray(definition.allOf) ? definition.allOf : [];
    visited.add(name);
    return parts.some((part) => {
      const parent = isObject(part) && typeof part.$ref === 'string' ? definitionIn(part.$ref) : undefined;
      return (
        parent !== undefined &&
        (parent === base || (!visited.has(parent) && this.#inherits(parent, base, visited)))
      );
    });
  }

  /** Converts a reference to a schema. Targets that are elsewhere become schemas of their own. */
  #reference(reference: string): string {
    if (/^#\/definitions\/[^/]+/.test(reference)) {
      return reference.replace('#/definitions/', '#/components/schemas/');
    }
    let name = this.#hoisted.get(reference);
    if (name === undefined) {
      const words = reference.match(/[\w-]+/g) ?? [];
      name = words.join('_');
      for (let number = 2; name in this.#definitions || name in this.schemas; number += 1) {
        name = `${words.join('_')}_${number}`;
      }
      this.#hoisted.set(reference, name);
      this.schemas[name] = {};
      this.schemas[name] = this.convert(this.target(reference) ?? {});
    }
    return `#/components/schemas/${name}`;
  }

  /** Target of a reference. */
  target(reference: string): Json | undefined {
    return jsonAt(this.#root, parseReference(reference));
  }

  /** Follows references to a value that is not one. */
  resolve(value: Json): Json | undefined {
    // Members of JSON are JSON.
    return followReferences(value, (reference) => this.target(reference)) as Json | undefined;
  }
}

function definitionIn(reference: string): string | undefined {
  const [, name] = /^#\/definitions\/([^/]+)$/.exec(reference) ?? [];
  return name === undefined ? undefined : unescapeFragmentToken(name);
}
