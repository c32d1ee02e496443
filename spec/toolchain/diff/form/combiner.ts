import { isObject, type JsonObject } from '../../document.ts';
import type { Alternative, Atom, Schema } from './form.ts';
import { MARKERS } from './origin.ts';
import { typesOf, valuesOf } from './parts.ts';
import type { SchemaReferences } from './references.ts';

/** Largest number of variants that unions within `allOf` are combined to. */
export const MAX_VARIANTS = 512;
/** Largest number of combinations that are tested for contradictions. */
const MAX_COMBINATIONS = 65_536;

/** Part of an `allOf`, or the unions of a schema. */
export interface Conjunct {
  alternatives: readonly Alternative[];
  /** Schema of the conjunct. */
  schema: Schema;
}

/** Alternatives of all conjuncts together. */
export interface Combined {
  alternatives: Alternative[];
  /** Number of combinations, if they are too many. The unions are then factors of the alternatives. */
  uncombined?: number;
}

/** Values that an alternative allows, as far as other alternatives can contradict them. */
interface Summary {
  types: ReadonlySet<string>[];
  /** Allowed values by property. */
  tags: Map<string, ReadonlySet<string>>;
  required: Set<string>;
}

/**
 * Combines the alternatives of conjuncts for a document. Combinations without values, such as two variants with
 * different tags, are omitted.
 */
export class Combiner {
  readonly #references: SchemaReferences;
  readonly #summaries = new WeakMap<Alternative, Summary>();
  readonly #tags = new WeakMap<JsonObject, [string, ReadonlySet<string>][]>();

  constructor(references: SchemaReferences) {
    this.#references = references;
  }

  /** @param apart whether to keep all unions apart, however few combinations they have */
  combine(conjuncts: readonly Conjunct[], apart: boolean): Combined {
    const unions = conjuncts.filter(({ alternatives }) => alternatives.length > 1);
    if (apart && unions.length > 0) {
      return this.#separate(conjuncts, unions);
    }
    let alternatives: Alternative[] = [[]];
    for (const conjunct of conjuncts) {
      const size = alternatives.length * conjunct.alternatives.length;
      const next = size > MAX_COMBINATIONS ? undefined : this.#multiply(alternatives, conjunct.alternatives);
      if (unions.length > 1 && (next === undefined || next.length > MAX_VARIANTS)) {
        return this.#separate(conjuncts, unions);
      }
      alternatives = next ?? [...conjunct.alternatives];
    }
    return { alternatives };
  }

  #separate(conjuncts: readonly Conjunct[], unions: readonly Conjunct[]): Combined {
    const rest = conjuncts.filter((conjunct) => !unions.includes(conjunct));
    const factors = unions.map(
      ({ schema, alternatives }): JsonObject => ({
        [MARKERS.factors]: [schema],
        ...typesOfUnion(alternatives),
      }),
    );
    const alternatives = rest.reduce<Alternative[]>(
      (left, { alternatives: right }) => this.#multiply(left, right),
      [factors],
    );
    return {
      alternatives,
      uncombined: unions.reduce((count, union) => count * union.alternatives.length, 1),
    };
  }

  #tagsOf(properties: JsonObject): [string, ReadonlySet<string>][] {
    let list = this.#tags.get(properties);
    if (list === undefined) {
      list = Object.entries(properties).flatMap(([name, schema]): [string, ReadonlySet<string>][] => {
        const target = this.#references.follow(schema);
        const values = isObject(target) ? valuesOf(target) : undefined;
        return values === undefined ? [] : [[name, values]];
      });
      this.#tags.set(properties, list);
    }
    return list;
  }

  #summaryOf(alternative: Alternative): Summary {
    let summary = this.#summaries.get(alternative);
    if (summary === undefined) {
      summary = { types: [], tags: new Map(), required: new Set() };
      for (const plain of alternative) {
        const types = typesOf(plain);
        if (types) {
          summary.types.push(types);
        }
        for (const [name, values] of isObject(plain.properties) ? this.#tagsOf(plain.properties) : []) {
          const before = summary.tags.get(name);
          summary.tags.set(name, before ? before.intersection(values) : values);
        }
        for (const name of Array.isArray(plain.required) ? plain.required : []) {
          summary.required.add(String(name));
        }
      }
      this.#summaries.set(alternative, summary);
    }
    return summary;
  }

  #contradict(one: Alternative, other: Alternative): boolean {
    const [left, right] = [this.#summaryOf(one), this.#summaryOf(other)];
    if (left.types.some((types) => right.types.some((others) => types.isDisjointFrom(others)))) {
      return true;
    }
    for (const [name, values] of left.tags) {
      const others = right.tags.get(name);
      const isRequired = left.required.has(name) || right.required.has(name);
      if (isRequired && others?.isDisjointFrom(values)) {
        return true;
      }
    }
    return false;
  }

  #multiply(left: readonly Alternative[], right: readonly Alternative[]): Alternative[] {
    // A single alternative is not omitted: its contradictions are contradictions of the whole schema.
    const isUnion = left.length > 1 || right.length > 1;
    const marks: JsonObject[] = left.length > 1 && right.length > 1 ? [{ [MARKERS.combined]: true }] : [];
    return left.flatMap((one) =>
      right
        .filter((other) => !isUnion || !this.#contradict(one, other))
        .map((other) => [...one, ...other, ...marks]),
    );
  }
}

/** Types of the values that a union allows, if all of its alternatives restrict them. */
function typesOfUnion(alternatives: readonly Alternative[]): JsonObject {
  const types = alternatives.map((alternative) =>
    alternative
      .flatMap((plain) => typesOf(plain) ?? [])
      .reduce<ReadonlySet<Atom> | undefined>((left, right) => left?.intersection(right) ?? right, undefined),
  );
  const names = types.flatMap((atoms) =>
    [...(atoms ?? [])].map((atom) => (atom === 'fraction' ? 'number' : atom)),
  );
  return types.includes(undefined) ? {} : { type: [...new Set(names)] };
}
