/** Compares the schemas of two OpenAPI documents for the same values, in both directions. */

import { isDeepStrictEqual } from 'node:util';

/** A JSON Schema, as far as it is compared. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  [keyword: string]: unknown;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** A kind of values that a schema allows: a type, a literal, or an object with a literal in a property. */
type Variants = Map<string, Schema>;

/** Keywords that limit values without an effect on their types. */
const LIMITS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'format', 'minimum', 'maximum'];

/** Properties with literals that distinguish objects. */
const DISCRIMINATORS = ['object', 'type', 'action', 'source', 'kind', 'fragment'];

/** A named side of a comparison. */
export interface Side {
  name: string;
  schemas: Schemas;
}

/**
 * Lists the differences between two schemas, as `place: side: difference`. The place of a property of an element begins with
 * the type of the element, so that elements are compared once, wherever they are.
 */
export function schemaDifferences(left: Side, right: Side, roots: { left: Schema; right: Schema }): string[] {
  return new Comparison(left, right).run(roots.left, roots.right);
}

class Comparison {
  readonly #left: Side;
  readonly #right: Side;
  readonly #found = new Set<string>();
  readonly #compared = new Set<string>();

  constructor(left: Side, right: Side) {
    this.#left = left;
    this.#right = right;
  }

  run(left: Schema, right: Schema): string[] {
    this.#compare('result', left, right);
    return [...this.#found].toSorted();
  }

  #compare(place: string, left: Schema, right: Schema): void {
    const [ours, theirs] = [variantsOf(this.#left.schemas, left), variantsOf(this.#right.schemas, right)];
    this.#reportMissing(place, this.#left.name, ours, theirs);
    this.#reportMissing(place, this.#right.name, theirs, ours);
    for (const [kind, schema] of ours) {
      const other = theirs.get(kind);
      if (other) {
        this.#compareVariant(place, kind, schema, other);
      }
    }
  }

  #reportMissing(place: string, name: string, variants: Variants, others: Variants): void {
    for (const kind of variants.keys()) {
      if (!isCovered(kind, others)) {
        this.#found.add(`${place}: ${name}: ${kind}`);
      }
    }
  }

  #compareVariant(place: string, kind: string, left: Schema, right: Schema): void {
    for (const limit of LIMITS) {
      if (left[limit] !== right[limit] && left[limit] !== 'double') {
        const [side, value] =
          right[limit] === undefined ? [this.#left.name, left[limit]] : [this.#right.name, right[limit]];
        this.#found.add(`${place}: ${side}: ${limit} ${value}`);
      }
    }
    if (kind === 'array') {
      this.#compare(`${place}[]`, left.items ?? {}, right.items ?? {});
    } else if (kind.startsWith('object')) {
      const name = kind.match(/^object (.+)$/)?.[1] ?? place;
      const key = JSON.stringify([name, left, right]);
      if (!this.#compared.has(key)) {
        this.#compared.add(key);
        this.#compareObjects(name, left, right, kind !== 'object');
      }
    }
  }

  #compareObjects(place: string, left: Schema, right: Schema, isNamed: boolean): void {
    const names = new Set([...Object.keys(left.properties ?? {}), ...Object.keys(right.properties ?? {})]);
    for (const name of names) {
      const [ours, theirs] = [left.properties?.[name], right.properties?.[name]];
      if (!ours || !theirs) {
        this.#found.add(`${place}.${name}: ${ours ? this.#left.name : this.#right.name}: property`);
        continue;
      }
      const isRequired = [left, right].map(({ required }) => required?.includes(name) ?? false);
      if (isRequired[0] !== isRequired[1]) {
        this.#found.add(`${place}.${name}: ${isRequired[0] ? this.#left.name : this.#right.name}: required`);
      }
      // The types of named objects are their names.
      if (name !== 'type' || !isNamed) {
        this.#compare(`${place}.${name}`, ours, theirs);
      }
    }
    const [ours, theirs] = [restOf(left), restOf(right)];
    if (ours && theirs) {
      this.#compare(`${place}.*`, ours, theirs);
    } else if (ours || theirs) {
      this.#found.add(`${place}: ${ours ? this.#left.name : this.#right.name}: any property`);
    }
  }
}

/** Returns the schema of the properties that an object does not name; undefined if there are none. */
function restOf({ properties, additionalProperties }: Schema): Schema | undefined {
  if (typeof additionalProperties === 'object') {
    return additionalProperties;
  }
  return additionalProperties || (additionalProperties === undefined && !properties) ? {} : undefined;
}

function isCovered(kind: string, variants: Variants): boolean {
  return (
    variants.has(kind) ||
    variants.has('any') ||
    (kind.startsWith('"') && variants.has('string')) ||
    (kind === 'integer' && variants.has('number'))
  );
}

/** Returns what a schema allows, without the alternatives and references in it. */
function variantsOf(schemas: Schemas, schema: Schema): Variants {
  const resolved = resolve(schemas, schema);
  const alternatives = resolved.oneOf ?? resolved.anyOf;
  if (alternatives) {
    return alternatives.reduce(
      (all, alternative) => joinVariants(all, variantsOf(schemas, alternative)),
      new Map(),
    );
  }
  const literals = resolved.enum ?? ('const' in resolved ? [resolved.const] : undefined);
  if (literals) {
    return new Map(literals.map((literal) => [JSON.stringify(literal), resolved]));
  }
  if (resolved.properties || resolved.additionalProperties) {
    return new Map(objectKinds(schemas, resolved).map((kind) => [kind, resolved]));
  }
  const types = [resolved.type ?? 'any'].flat();
  return new Map(types.map((type) => [type, resolved]));
}

/** Alternatives of the same kind must be distinguishable; lists are joined to one of the items of both. */
function joinVariants(all: Variants, added: Variants): Variants {
  for (const [kind, schema] of added) {
    const existing = all.get(kind);
    if (existing && kind === 'array') {
      all.set(kind, { ...existing, items: { anyOf: [existing.items ?? {}, schema.items ?? {}] } });
    } else if (existing && kind.startsWith('object') && !isDeepStrictEqual(existing, schema)) {
      throw new Error(`Two alternatives are of the kind "${kind}".`);
    } else {
      all.set(kind, schema);
    }
  }
  return all;
}

/** Objects with literals are named by them. An object with several types is one of each. */
function objectKinds(schemas: Schemas, { properties = {} }: Schema): string[] {
  const literals = DISCRIMINATORS.map((name) => {
    const { enum: values = [], const: value } = resolve(schemas, properties[name] ?? {});
    const texts = (value === undefined ? values : [value]).filter((text) => typeof text === 'string');
    return name === 'type' ? texts : texts.slice(0, texts.length === 1 ? 1 : 0);
  });
  const combined = literals.reduce<string[][]>(
    (all, texts) => (texts.length === 0 ? all : all.flatMap((kind) => texts.map((text) => [...kind, text]))),
    [[]],
  );
  return combined.map((kind) => ['object', ...new Set(kind)].join(' '));
}

/** Follows references, and joins what `allOf` combines. */
function resolve(schemas: Schemas, schema: Schema): Schema {
  const { $ref, allOf, ...rest } = schema;
  const parts = [
    ...(allOf ?? []),
    ...($ref ? [schemas[$ref.replace('#/components/schemas/', '')] ?? {}] : []),
  ];
  const joined = parts.reduce<Schema>((all, part) => join(all, resolve(schemas, part)), rest);
  const { oneOf, ...common } = joined;
  return oneOf && common.properties ? withAlternatives(schemas, common, oneOf) : joined;
}

/** Adds the properties of alternatives to an object that also has common ones. */
function withAlternatives(schemas: Schemas, common: Schema, alternatives: readonly Schema[]): Schema {
  const { required, ...object } = common;
  const joined = alternatives.reduce<Schema>((all, part) => join(all, resolve(schemas, part)), object);
  return { ...joined, ...(required && { required }) };
}

function join(left: Schema, right: Schema): Schema {
  const joined = { ...right, ...left };
  if (left.properties || right.properties) {
    joined.properties = { ...left.properties };
    for (const [name, schema] of Object.entries(right.properties ?? {})) {
      // What is added is the narrower one.
      joined.properties[name] = { ...left.properties?.[name], ...schema };
    }
    joined.required = [...(left.required ?? []), ...(right.required ?? [])];
  }
  return joined;
}

/**
 * Splits differences into those without a reason, and the reasons without a difference. `*` in a reason's difference is
 * any text.
 */
export function explained(found: readonly string[], reasons: Readonly<Record<string, string>>) {
  const patterns = Object.keys(reasons).map((text) => ({
    text,
    parts: new RegExp(`^${text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`),
  }));
  return {
    unexplained: found.filter((difference) => !patterns.some(({ parts }) => parts.test(difference))),
    obsolete: patterns.flatMap(({ text, parts }) =>
      found.some((difference) => parts.test(difference)) ? [] : [text],
    ),
  };
}

/** Returns the schemas of an OpenAPI document. */
export function schemasIn(document: object): Schemas {
  // OpenAPI documents have schemas at this place.
  return (document as { components: { schemas: Schemas } }).components.schemas;
}
