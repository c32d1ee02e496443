import { type HttpMethod, isObject, type OpenApiDocument, resolve, unescapePointer } from './document.ts';
import { COMPILED_ON_USE } from './keywords.ts';
import { branchesOf, variantsOf } from './variants.ts';

/** Keywords that say nothing to a validator, or that it would get wrong: a null body fails on a discriminator. */
const LEFT_OUT = new Set(['discriminator', 'example', 'examples', 'description', 'summary', 'title']);

/** Keywords whose value is data, or a map from names to schemas: no keywords stand directly in it. */
const DATA = new Set(['default', 'const', 'enum']);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'content', 'responses']);

/**
 * Copies schemas of a document for a validator, and collects the components that they reach. The copies
 * mean the same in fewer words, and in time: a union whose variants are told apart by a tag becomes one
 * condition per variant. Else each variant is tried on each value, which takes exponential time on trees
 * of unions: a few kilobytes would keep a processor busy for minutes. It also tells the faults of the
 * variant that was meant, not of all.
 */
export class SchemaCopy {
  readonly #document: OpenApiDocument;
  readonly #reached = new Map<string, unknown>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** A copy of a schema, or of any object that holds schemas. */
  copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.copy(item));
    if (!isObject(value)) return value;
    const result: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      if (LEFT_OUT.has(key)) continue;
      if (key === '$ref' && typeof inner === 'string') this.#reach(inner);
      if (DATA.has(key)) result[key] = inner;
      else if (MAPS.has(key) && isObject(inner)) result[key] = this.#copyMap(inner);
      else result[key] = this.copy(inner);
    }
    return this.#withConditions(value, result);
  }

  /** Copies of the components that the copies so far refer to. */
  components(): Record<string, Record<string, unknown>> {
    const components: Record<string, Record<string, unknown>> = {};
    for (const [ref, value] of this.#reached) {
      const [, , kind = '', name = ''] = ref.split('/');
      components[kind] ??= {};
      components[kind][unescapePointer(name)] = value;
    }
    return components;
  }

  #copyMap(map: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, this.copy(value)]));
  }

  #reach(ref: string): void {
    // A reference may lead into a component: the whole of it comes along.
    const component = ref.split('/').slice(0, 4).join('/');
    if (this.#reached.has(component)) return;
    this.#reached.set(component, undefined);
    this.#reached.set(component, this.copy(resolve(this.#document, component)));
  }

  #withConditions(union: Record<string, unknown>, copied: Record<string, unknown>): Record<string, unknown> {
    const variants = variantsOf(this.#document, union);
    if (!variants) return copied;
    const { tag, values } = variants;
    const { oneOf: _oneOf, anyOf: _anyOf, allOf, ...rest } = copied;
    const branches = branchesOf(copied);
    const conditions = branches.flatMap((branch, index) =>
      values[index]
        ? [
            {
              if: { required: [tag], properties: { [tag]: { enum: values[index] } } },
              // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
              then: compiledOnUse(branch),
            },
          ]
        : [],
    );
    const known = values.flatMap((some) => some ?? []);
    const tagged = { type: 'object', required: [tag], properties: { [tag]: { enum: known } } };
    const others = branches.filter((_branch, index) => !values[index]);
    const object = { allOf: [tagged, ...conditions] };
    const alternatives = others.length > 0 ? [{ anyOf: [...others, object] }] : object.allOf;
    return { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), ...alternatives] };
  }
}

/** A schema that means the same as a variant. Most requests have values of few variants. */
function compiledOnUse(variant: unknown): unknown {
  if (!isObject(variant) || typeof variant.$ref !== 'string') return variant;
  const { $ref, ...beside } = variant;
  return { ...beside, [COMPILED_ON_USE]: $ref };
}

/** The one path of a lean document. */
export const LEAN_PATH = '/operation';

/** A document of one operation. */
export interface LeanDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Partial<Record<HttpMethod, unknown>>>;
  components: Record<string, Record<string, unknown>>;
}

/**
 * A document of one operation, with only the parts of it that are asked for and the components that
 * these reach: a validator walks all it is given, several times.
 */
export function leanDocument(
  document: OpenApiDocument,
  method: HttpMethod,
  parts: Record<string, unknown>,
): LeanDocument {
  const { title, version } = document.info;
  const copy = new SchemaCopy(document);
  const operation = copy.copy(parts);
  return {
    openapi: document.openapi,
    info: { title, version },
    paths: { [LEAN_PATH]: { [method]: operation } },
    components: copy.components(),
  };
}
