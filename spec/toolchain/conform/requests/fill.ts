import fc from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import { schemasOf } from '../contract/schemas-of.ts';
import type { Reference, Value } from '../plan/plan.ts';
import type { AnySchema, Schema, SchemaSet } from '../schema/schema.ts';
import { pointerOf, type Spot, walk } from '../schema/walk.ts';
import { identifierFields } from './identifier-fields.ts';
import type { FieldLocation, RequestInputs } from './parts.ts';

/** Values for the identifier fields of a body, by schema. */
export type Picks = ReadonlyMap<AnySchema, readonly Value[]>;

/** A body with its identifier fields filled in. */
export interface Filled {
  value: unknown;
  references: { at: (string | number)[]; value: Reference }[];
  madeUp: string[];
}

/** Number of values chosen per field. They are reused if a body has more such fields. */
const CHOSEN = 3;

/** Fills identifiers into the bodies of a schema. */
export class BodyFiller {
  readonly #schemas: SchemaSet;
  readonly #schema: Schema;
  readonly #places: Map<AnySchema, FieldLocation>;

  constructor(contract: Contract, schema: Schema) {
    this.#schemas = schemasOf(contract);
    this.#schema = schema;
    this.#places = identifierFields(contract, schema);
  }

  /** Chooses values for each field with available values. */
  picks(inputs: RequestInputs): fc.Arbitrary<Picks> {
    const chosen = [...this.#places].flatMap(([schema, location]) => {
      const values = inputs.values?.(location);
      return values
        ? [fc.array(values, { minLength: CHOSEN, maxLength: CHOSEN }).map((some) => [schema, some] as const)]
        : [];
    });
    return fc.tuple(...chosen).map((entries) => new Map(entries));
  }

  /**
   * @param strip whether to omit optional identifiers that would have to be invented
   * @param fault path of the intentionally invalid value, which is unchanged
   */
  fill(generated: unknown, picks: Picks, strip: boolean, fault?: readonly (string | number)[]): Filled {
    const value = fault ? structuredClone(generated) : this.#trimmed(generated, picks, strip);
    const filled: Filled = { value, references: [], madeUp: [] };
    let count = 0;
    const around = new Map<string, readonly Schema[]>();
    walk(this.#schemas, this.#schema, structuredClone(value), (spot) => {
      around.set(pointerOf(spot.path), spot.schemas);
      if (isFreeName(spot, around) || isJudgedOutside(spot)) {
        filled.madeUp.push(`body ${pointerOf(spot.path)}`);
      }
      const schema = this.#placeAt(spot);
      if (schema === undefined || (fault && overlap(spot.path, fault))) {
        return;
      }
      const some = picks.get(schema) ?? [];
      const pick = some[count % Math.max(1, some.length)];
      count += 1;
      const path = [...spot.path];
      if (pick === undefined || path.length === 0) {
        filled.madeUp.push(`body ${pointerOf(path)}`);
      } else if (typeof pick === 'string') {
        put(value, path, typeof spot.value === 'number' ? Number(pick) : pick);
      } else {
        filled.references.push({ at: path, value: pick });
      }
    });
    return filled;
  }

  /** Returns the schema of an identifier field for its value. */
  #placeAt({ value, declared, schemas }: Spot): AnySchema | undefined {
    if (typeof value !== 'string' && typeof value !== 'number') {
      return undefined;
    }
    return [...declared, ...schemas].find((schema) => this.#places.has(schema));
  }

  /** Returns a copy without invented and duplicate identifiers. */
  #trimmed(generated: unknown, picks: Picks, strip: boolean): unknown {
    const value = structuredClone(generated);
    const surplus: (readonly (string | number)[])[] = [];
    const around = new Map<string, readonly Schema[]>();
    walk(this.#schemas, this.#schema, generated, (spot) => {
      around.set(pointerOf(spot.path), spot.schemas);
      const schema = this.#placeAt(spot);
      const last = spot.path.at(-1);
      if (schema === undefined || last === undefined) {
        return;
      }
      const parents = around.get(pointerOf(spot.path.slice(0, -1))) ?? [];
      const hasPick = picks.has(schema);
      if (typeof last === 'number') {
        const least = Math.max(0, ...parents.map(({ minItems = 0 }) => minItems));
        const unique = parents.some(({ uniqueItems }) => uniqueItems);
        if (last >= least && (hasPick ? unique && last > 0 : strip)) {
          surplus.push(spot.path);
        }
      } else if (strip && !hasPick && !parents.some(({ required }) => required?.includes(last))) {
        surplus.push(spot.path);
      }
    });
    // From the end, so that the indexes of remaining items do not change.
    for (const path of surplus.reverse()) {
      remove(value, path);
    }
    return surplus.length === 0 || this.#schemas.accepts(this.#schema, value)
      ? value
      : structuredClone(generated);
  }
}

/** Returns whether a value is an entry of a map with arbitrary keys, which are usually identifiers. */
function isFreeName({ path }: Spot, around: ReadonlyMap<string, readonly Schema[]>): boolean {
  const last = path.at(-1);
  if (typeof last !== 'string') {
    return false;
  }
  const parents = around.get(pointerOf(path.slice(0, -1))) ?? [];
  return parents.every(({ properties }) => !Object.hasOwn(properties ?? {}, last));
}

/** Returns whether the validity of a value depends on more than its schema: URLs, and times that may have to be future. */
const JUDGED_OUTSIDE = new Set(['uri', 'date-time']);

function isJudgedOutside({ declared, schemas }: Spot): boolean {
  return [...declared, ...schemas].some(
    (schema) => typeof schema === 'object' && JUDGED_OUTSIDE.has(schema.format ?? ''),
  );
}

const overlap = (left: readonly (string | number)[], right: readonly (string | number)[]) =>
  left.every((step, index) => index >= right.length || right[index] === step);

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
  if (typeof parent === 'object' && parent !== null) {
    Reflect.set(parent, path.at(-1) ?? '', inner);
  }
}

function remove(value: unknown, path: readonly (string | number)[]): void {
  const parent = parentOf(value, path);
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) {
    parent.splice(Number(last), 1);
  } else if (typeof parent === 'object' && parent !== null) {
    Reflect.deleteProperty(parent, last);
  }
}
