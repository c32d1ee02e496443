import fc from 'fast-check';
import { formatPointer, textOrJson } from '../../../../server/contract/json-values.ts';
import { isObject } from '../../document.ts';
import type { Contract } from '../../model/contract/contract.ts';
import { schemasOf } from '../../model/contract/schemas-of.ts';
import type { Reference, Value } from '../../model/plan/plan.ts';
import type { AnySchema, Schema, SchemaSet } from '../../model/schema/schema.ts';
import { type VisitedValue, walk } from '../../model/schema/walk.ts';
import { dependsOnMore, hasFurtherRule } from './further-rules.ts';
import { identifierFields } from './identifier-fields.ts';
import type { FieldLocation, RequestInputs } from './parts.ts';
import { type IdentifierKind, identifierKindOf, isUnused, unusedLike } from './unused.ts';

/** Values for the identifier fields of a body, by schema and type. */
export type IdentifierValues = ReadonlyMap<AnySchema, ReadonlyMap<string | undefined, readonly Value[]>>;

/** A body with its identifier fields filled in. */
export interface Filled {
  value: unknown;
  references: { at: (string | number)[]; value: Reference }[];
  inventedFields: string[];
  /** Whether the invalid value may identify an existing resource on a lenient server. */
  mayIdentify: boolean;
}

/** Names of fields that let clients choose the identifier of a resource. */
const OWN_ID_NAME = /^(_?id|uuid|guid)$/i;

/** Number of values chosen per field. They are reused if a body has more such fields. */
const VALUES_PER_FIELD = 3;

/** Fills identifiers into the bodies of a schema. */
export class BodyFiller {
  readonly #schemas: SchemaSet;
  readonly #schema: Schema;
  readonly #fields: ReadonlyMap<AnySchema, readonly FieldLocation[]>;

  constructor(contract: Contract, schema: Schema) {
    this.#schemas = schemasOf(contract);
    this.#schema = schema;
    this.#fields = identifierFields(contract, schema);
  }

  /** Chooses values for each field with available values. */
  chooseValues(inputs: RequestInputs): fc.Arbitrary<IdentifierValues> {
    const chosen = [...this.#fields].map(([schema, locations]) => {
      const byType = locations.flatMap((location) => {
        const values = inputs.values?.(location);
        const some = { minLength: VALUES_PER_FIELD, maxLength: VALUES_PER_FIELD };
        return values ? [fc.array(values, some).map((values) => [location.type, values] as const)] : [];
      });
      return fc.tuple(...byType).map((entries) => [schema, new Map(entries)] as const);
    });
    return fc.tuple(...chosen).map((entries) => new Map(entries));
  }

  /**
   * @param strip whether to omit optional identifiers that would have to be invented
   * @param fault path of the intentionally invalid value, which is unchanged
   */
  fill(
    generated: unknown,
    identifiers: IdentifierValues,
    strip: boolean,
    fault?: readonly (string | number)[],
  ): Filled {
    const value = this.#trimmed(generated, identifiers, strip, fault);
    const filled: Filled = { value, references: [], inventedFields: [], mayIdentify: false };
    let count = 0;
    const schemasByPointer = new Map<string, readonly Schema[]>();
    walk(this.#schemas, this.#schema, structuredClone(value), (visited) => {
      schemasByPointer.set(formatPointer(visited.path), visited.schemas);
      if (
        isMapEntry(visited, schemasByPointer) ||
        [...visited.declared, ...visited.schemas].some(dependsOnMore)
      ) {
        filled.inventedFields.push(`body ${formatPointer(visited.path)}`);
      }
      if (fault && overlap(visited.path, fault)) {
        filled.mayIdentify ||=
          OWN_ID_NAME.test(String(visited.path.at(-1))) &&
          canIdentify(visited.value, this.#kindOf(visited.declared[0]));
        return;
      }
      const schema = this.#fieldSchemaAt(visited);
      if (schema === undefined) {
        return;
      }
      const values = valuesAt(identifiers, schema, value, visited.path);
      const identifier = values[count % Math.max(1, values.length)];
      count += 1;
      const path = [...visited.path];
      if (identifier === undefined || path.length === 0) {
        filled.inventedFields.push(`body ${formatPointer(path)}`);
        // With a rule, the value may be one of a fixed set, such as an example.
        if (![...visited.declared, ...visited.schemas].some(hasFurtherRule)) {
          this.#putUnused(value, path, visited.value, schema);
        }
      } else if (typeof identifier === 'string') {
        put(value, path, typeof visited.value === 'number' ? Number(identifier) : identifier);
      } else {
        filled.references.push({ at: path, value: identifier });
      }
    });
    return filled;
  }

  /** Replaces an invented identifier by one that no resource has, if its schema allows one. */
  #putUnused(value: unknown, path: (string | number)[], invented: unknown, schema: AnySchema): void {
    if (
      (typeof invented !== 'string' && typeof invented !== 'number') ||
      !canIdentify(invented, this.#kindOf(schema))
    ) {
      return;
    }
    const unused = unusedLike(invented);
    if (path.length > 0 && this.#schemas.accepts(schema, unused)) {
      put(value, path, unused);
    }
  }

  #kindOf(schema: AnySchema | undefined): IdentifierKind {
    return typeof schema === 'object' ? identifierKindOf(this.#schemas, schema) : 'either';
  }

  /** Returns the schema of an identifier field for its value. */
  #fieldSchemaAt({ value, declared, schemas }: VisitedValue): AnySchema | undefined {
    if (typeof value !== 'string' && typeof value !== 'number') {
      return undefined;
    }
    return [...declared, ...schemas].find((schema) => this.#fields.has(schema));
  }

  /** Returns a copy without invented and duplicate identifiers, except at the invalid value. */
  #trimmed(
    generated: unknown,
    identifiers: IdentifierValues,
    strip: boolean,
    fault?: readonly (string | number)[],
  ): unknown {
    const value = structuredClone(generated);
    const surplus: (readonly (string | number)[])[] = [];
    const schemasByPointer = new Map<string, readonly Schema[]>();
    walk(this.#schemas, this.#schema, generated, (visited) => {
      schemasByPointer.set(formatPointer(visited.path), visited.schemas);
      const schema = this.#fieldSchemaAt(visited);
      const last = visited.path.at(-1);
      if (schema === undefined || last === undefined || (fault && isNear(visited.path, fault))) {
        return;
      }
      const parents = schemasByPointer.get(formatPointer(visited.path.slice(0, -1))) ?? [];
      const hasValues = valuesAt(identifiers, schema, generated, visited.path).length > 0;
      if (typeof last === 'number') {
        const least = Math.max(0, ...parents.map(({ minItems = 0 }) => minItems));
        const unique = parents.some(({ uniqueItems }) => uniqueItems);
        if (last >= least && (hasValues ? unique && last > 0 : strip)) {
          surplus.push(visited.path);
        }
      } else if (strip && !hasValues && !parents.some(({ required }) => required?.includes(last))) {
        surplus.push(visited.path);
      }
    });
    // From the end, so that the indexes of remaining items do not change.
    for (const path of surplus.reverse()) {
      remove(value, path);
    }
    return fault || surplus.length === 0 || this.#schemas.accepts(this.#schema, value)
      ? value
      : structuredClone(generated);
  }
}

/** Returns whether a value is an entry of a map with arbitrary keys, which are usually identifiers. */
function isMapEntry(
  { path }: VisitedValue,
  schemasByPointer: ReadonlyMap<string, readonly Schema[]>,
): boolean {
  const last = path.at(-1);
  if (typeof last !== 'string') {
    return false;
  }
  const parents = schemasByPointer.get(formatPointer(path.slice(0, -1))) ?? [];
  return parents.every(({ properties }) => !Object.hasOwn(properties ?? {}, last));
}

/** Returns whether a lenient server may read a value as the identifier of an existing resource. */
const canIdentify = (value: unknown, kind: IdentifierKind): boolean =>
  value !== null && !isUnused(textOrJson(value), kind);

const overlap = (left: readonly (string | number)[], right: readonly (string | number)[]) =>
  left.every((step, index) => index >= right.length || right[index] === step);

/** Returns whether removing a value would remove or move the value at another path. */
const isNear = (path: readonly (string | number)[], other: readonly (string | number)[]) =>
  overlap(typeof path.at(-1) === 'number' ? path.slice(0, -1) : path, other);

/** Returns the values for an identifier field of a body: those of the type next to it, if this decides. */
function valuesAt(
  identifiers: IdentifierValues,
  schema: AnySchema,
  body: unknown,
  path: readonly (string | number)[],
): readonly Value[] {
  const byType = identifiers.get(schema);
  const parent = parentOf(body, path);
  const type: unknown = isObject(parent) ? parent.type : undefined;
  return (typeof type === 'string' ? byType?.get(type) : undefined) ?? byType?.get(undefined) ?? [];
}

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
