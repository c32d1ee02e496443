import type { AnySchema, Schema } from './keywords.ts';
import { expression } from './merge.ts';
import type { SchemaSet } from './schema.ts';

/** A value within a value, and what is said of it. */
export interface Spot {
  value: unknown;
  /** Names and indexes, from the whole. */
  path: readonly (string | number)[];
  /** The schemas that its place was given, as they stand there. */
  given: readonly AnySchema[];
  /** Those and all that apply with them: through references, `allOf`, and the variants of unions that it is of. */
  schemas: readonly Schema[];
}

/** Visits a value and every value within it, from the outside in. */
export function walk(set: SchemaSet, schema: AnySchema, value: unknown, visit: (spot: Spot) => void): void {
  const enter = (given: readonly AnySchema[], inner: unknown, path: readonly (string | number)[]): void => {
    const schemas = [...given.reduce((all, one) => apply(set, one, inner, all), new Set<Schema>())];
    visit({ value: inner, path, given, schemas });
    if (Array.isArray(inner))
      for (const [index, item] of inner.entries())
        enter(
          schemas.flatMap((one) => ofItem(one, index)),
          item,
          [...path, index],
        );
    else if (typeof inner === 'object' && inner !== null)
      for (const [name, property] of Object.entries(inner))
        enter(
          schemas.flatMap((one) => ofProperty(one, name) ?? ofOthers(one)),
          property,
          [...path, name],
        );
  };
  enter([schema], value, []);
}

/** Adds the schemas that apply to a value along with one. */
function apply(set: SchemaSet, schema: AnySchema, value: unknown, all: Set<Schema>): Set<Schema> {
  if (typeof schema === 'boolean' || all.has(schema)) return all;
  all.add(schema);
  const { $ref, allOf = [], oneOf = [], anyOf = [] } = schema;
  const more = [...branchesThatFit(set, oneOf, value), ...branchesThatFit(set, anyOf, value), ...allOf];
  if ($ref !== undefined) more.push(set.target($ref));
  if (schema.if !== undefined) more.push((set.accepts(schema.if, value) ? schema.then : schema.else) ?? true);
  for (const one of more) apply(set, one, value, all);
  return all;
}

/**
 * The variants of a union that a value is of. Where it can be of one only, by what is told at a glance, that is
 * the one, valid or not.
 */
export function branchesThatFit(set: SchemaSet, branches: readonly AnySchema[], value: unknown): AnySchema[] {
  const likely = likelyBranches(set, branches, value);
  return likely.length === 1 ? likely : likely.filter((branch) => set.accepts(branch, value));
}

/** The variants that a value may be of, by what is told at a glance. */
export function likelyBranches(set: SchemaSet, branches: readonly AnySchema[], value: unknown): AnySchema[] {
  return branches.filter((branch) => {
    const guard = set.guardOf(branch);
    return guard === undefined || set.accepts(guard, value);
  });
}

/** What a schema says of one property by its name; undefined where it does not. */
function ofProperty({ properties, patternProperties = {} }: Schema, name: string): AnySchema[] | undefined {
  const found = Object.entries(patternProperties)
    .filter(([pattern]) => expression(pattern).test(name))
    .map(([, schema]) => schema);
  const own = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (own !== undefined) found.unshift(own);
  return found.length > 0 ? found : undefined;
}

/** What a schema says of the properties that it does not name. */
const ofOthers = ({ additionalProperties, unevaluatedProperties }: Schema): AnySchema[] => {
  const others = additionalProperties ?? unevaluatedProperties;
  return others === undefined ? [] : [others];
};

function ofItem({ items, prefixItems = [] }: Schema, index: number): AnySchema[] {
  const item = index < prefixItems.length ? prefixItems[index] : items;
  return item === undefined ? [] : [item];
}

/** JSON pointers of the fields that no schema names (see `SchemaSet.undeclared`). */
export function undeclaredIn(set: SchemaSet, schema: AnySchema, value: unknown): string[] {
  const found: string[] = [];
  walk(set, schema, value, ({ value: object, path, schemas }) => {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return;
    const open = schemas.some((one) => ofOthers(one).some((others) => others !== false));
    if (open || !schemas.some((one) => one.properties ?? one.patternProperties)) return;
    // A value of no variant of a union may have any of their fields: it is told as invalid elsewhere.
    if (schemas.some((one) => isStrange(set, one, object))) return;
    for (const name of Object.keys(object))
      if (!schemas.some((one) => ofProperty(one, name))) found.push(pointerOf([...path, name]));
  });
  return found;
}

const isStrange = (set: SchemaSet, { oneOf, anyOf }: Schema, value: unknown) =>
  [oneOf, anyOf].some((branches) => branches && branchesThatFit(set, branches, value).length === 0);

/** A JSON pointer (RFC 6901); empty for the whole. */
export const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
