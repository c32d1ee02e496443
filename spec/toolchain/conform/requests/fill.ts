import fc from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import { schemasOf } from '../contract/schemas-of.ts';
import type { Reference, Value } from '../plan/plan.ts';
import type { AnySchema, Schema, SchemaSet } from '../schema/schema.ts';
import { pointerOf, type Spot, walk } from '../schema/walk.ts';
import type { Given, Place } from './parts.ts';
import { placesIn } from './places.ts';

/** Values for the places of one body that name something, by the schema that stands there. */
export type Picks = ReadonlyMap<AnySchema, readonly Value[]>;

/** A body with the values of places that name something. */
export interface Filled {
  value: unknown;
  references: { at: (string | number)[]; value: Reference }[];
  madeUp: string[];
}

/** So many values are chosen of each place; where a body has more such places, they are used again. */
const CHOSEN = 3;

/** Puts values that name something into the bodies of one schema. */
export class BodyFiller {
  readonly #schemas: SchemaSet;
  readonly #schema: Schema;
  readonly #places: Map<AnySchema, Place>;

  constructor(contract: Contract, schema: Schema) {
    this.#schemas = schemasOf(contract);
    this.#schema = schema;
    this.#places = placesIn(contract, schema);
  }

  /** Chooses values for every place that there are some for. */
  picks(given: Given): fc.Arbitrary<Picks> {
    const chosen = [...this.#places].flatMap(([schema, place]) => {
      const values = given.values?.(place);
      return values
        ? [fc.array(values, { minLength: CHOSEN, maxLength: CHOSEN }).map((some) => [schema, some] as const)]
        : [];
    });
    return fc.tuple(...chosen).map((entries) => new Map(entries));
  }

  /**
   * @param strip whether to leave out, as far as the schema lets it, what would have to be made up
   * @param fault the path of the value that is wrong on purpose, which stays as it is
   */
  fill(made: unknown, picks: Picks, strip: boolean, fault?: readonly (string | number)[]): Filled {
    const value = fault ? structuredClone(made) : this.#trimmed(made, picks, strip);
    const filled: Filled = { value, references: [], madeUp: [] };
    let count = 0;
    const around = new Map<string, readonly Schema[]>();
    walk(this.#schemas, this.#schema, structuredClone(value), (spot) => {
      around.set(pointerOf(spot.path), spot.schemas);
      if (isFreeName(spot, around) || isJudgedOutside(spot))
        filled.madeUp.push(`body ${pointerOf(spot.path)}`);
      const schema = this.#placeAt(spot);
      if (schema === undefined || (fault && overlap(spot.path, fault))) return;
      const some = picks.get(schema) ?? [];
      const pick = some[count % Math.max(1, some.length)];
      count += 1;
      const path = [...spot.path];
      if (pick === undefined || path.length === 0) filled.madeUp.push(`body ${pointerOf(path)}`);
      else if (typeof pick === 'string')
        put(value, path, typeof spot.value === 'number' ? Number(pick) : pick);
      else filled.references.push({ at: path, value: pick });
    });
    return filled;
  }

  /** The schema of a place that names something, where a value stands there. */
  #placeAt({ value, given, schemas }: Spot): AnySchema | undefined {
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    return [...given, ...schemas].find((schema) => this.#places.has(schema));
  }

  /** A copy without what would be made up, and without what would be there twice. */
  #trimmed(made: unknown, picks: Picks, strip: boolean): unknown {
    const value = structuredClone(made);
    const surplus: (readonly (string | number)[])[] = [];
    const around = new Map<string, readonly Schema[]>();
    walk(this.#schemas, this.#schema, made, (spot) => {
      around.set(pointerOf(spot.path), spot.schemas);
      const schema = this.#placeAt(spot);
      const last = spot.path.at(-1);
      if (schema === undefined || last === undefined) return;
      const parents = around.get(pointerOf(spot.path.slice(0, -1))) ?? [];
      const known = picks.has(schema);
      if (typeof last === 'number') {
        const least = Math.max(0, ...parents.map(({ minItems = 0 }) => minItems));
        const unique = parents.some(({ uniqueItems }) => uniqueItems);
        if (last >= least && (known ? unique && last > 0 : strip)) surplus.push(spot.path);
      } else if (strip && !known && !parents.some(({ required }) => required?.includes(last)))
        surplus.push(spot.path);
    });
    // From the end, so that the indexes of items stay what they are.
    for (const path of surplus.reverse()) remove(value, path);
    return surplus.length === 0 || this.#schemas.accepts(this.#schema, value) ? value : structuredClone(made);
  }
}

/** Whether a value stands in a map under a name of the caller's choice: as a rule such names are those of something. */
function isFreeName({ path }: Spot, around: ReadonlyMap<string, readonly Schema[]>): boolean {
  const last = path.at(-1);
  if (typeof last !== 'string') return false;
  const parents = around.get(pointerOf(path.slice(0, -1))) ?? [];
  return parents.every(({ properties }) => !Object.hasOwn(properties ?? {}, last));
}

/** An address names a resource elsewhere, and a time may have to be in the future: no schema states either. */
const JUDGED_OUTSIDE = new Set(['uri', 'date-time']);

function isJudgedOutside({ given, schemas }: Spot): boolean {
  return [...given, ...schemas].some(
    (schema) => typeof schema === 'object' && JUDGED_OUTSIDE.has(schema.format ?? ''),
  );
}

const overlap = (one: readonly (string | number)[], other: readonly (string | number)[]) =>
  one.every((step, index) => index >= other.length || other[index] === step);

function parentOf(value: unknown, path: readonly (string | number)[]): unknown {
  return path
    .slice(0, -1)
    .reduce<unknown>(
      (parent, step) =>
        typeof parent === 'object' && parent !== null ? Reflect.get(parent, step) : undefined,
      value,
    );
}

function put(value: unknown, path: readonly (string | number)[], inner: unknown): void {
  const parent = parentOf(value, path);
  if (typeof parent === 'object' && parent !== null) Reflect.set(parent, path.at(-1) ?? '', inner);
}

function remove(value: unknown, path: readonly (string | number)[]): void {
  const parent = parentOf(value, path);
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, last);
}
