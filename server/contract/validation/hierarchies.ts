import { type OpenApiDocument, schemaOf, tryResolve } from '../document.ts';
import { escapeToken, isObject, parseReference } from '../json-values.ts';

/** A value of a discriminating property. Those of a mapping are strings; a schema can list others itself. */
export type Tag = string | number | boolean;

/** The schemas that a value of a schema can have, selected by a property (OpenAPI, Discriminator Object). */
export interface Hierarchy {
  /** The discriminating property. */
  property: string;
  /** The schemas of each value, usually one. */
  members: readonly { value: Tag; targets: readonly string[] }[];
}

/** How the schemas of a document inherit from each other by `allOf`. */
export interface Hierarchies {
  /**
   * Returns the schemas that values of a named schema can have: of a schema with a `discriminator` and without a union,
   * all that inherit from it; of a schema that inherits from one, itself and all that inherit from it. Undefined for
   * other schemas.
   */
  of(name: string): Hierarchy | undefined;
  /** Returns whether a schema inherits from another one, by any number of steps. */
  inherits(name: string, base: string): boolean;
  /** Returns whether the union of a schema lists one that inherits from it, or what that one inherits from. */
  isVariant(name: string, base: string): boolean;
}

const cache = new WeakMap<OpenApiDocument, Hierarchies>();

/** Returns how the named schemas of a document inherit from each other. */
export function hierarchiesOf(document: OpenApiDocument): Hierarchies {
  const existing = cache.get(document) ?? createHierarchies(document);
  cache.set(document, existing);
  return existing;
}

/** Returns the name of a schema from a reference to it; undefined for references to other places. */
export function schemaNameOf(ref: string): string | undefined {
  if (!ref.startsWith('#/components/schemas/')) {
    return undefined;
  }
  const [, , name, ...rest] = parseReference(ref);
  return rest.length === 0 ? name : undefined;
}

/** Returns the reference to a named schema. */
export const schemaRef = (name: string) => `#/components/schemas/${encodeURIComponent(escapeToken(name))}`;

/** Returns references to the schemas that values of a referenced schema can have by inheritance. */
export function memberRefs(document: OpenApiDocument, ref: string): string[] {
  const name = schemaNameOf(ref);
  const members = name === undefined ? [] : (hierarchiesOf(document).of(name)?.members ?? []);
  return [...new Set(members.flatMap(({ targets }) => targets))].map(schemaRef);
}

function createHierarchies(document: OpenApiDocument): Hierarchies {
  const schemas = new Map<string, Record<string, unknown>>(
    Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) =>
      isObject(schema) ? [[name, schema] as [string, Record<string, unknown>]] : [],
    ),
  );
  const parents = new Map<string, readonly string[]>();
  const ancestors = new Map<string, ReadonlySet<string>>();
  const parentsOf = (name: string): readonly string[] => {
    const known = parents.get(name) ?? inheritedNames(schemas.get(name), true);
    parents.set(name, known);
    return known;
  };
  const ancestorsOf = (name: string): ReadonlySet<string> => {
    const known = ancestors.get(name);
    if (known) {
      return known;
    }
    const found = new Set<string>();
    const queue = [...parentsOf(name)];
    for (const parent of queue) {
      if (!found.has(parent)) {
        found.add(parent);
        queue.push(...parentsOf(parent));
      }
    }
    found.delete(name);
    ancestors.set(name, found);
    return found;
  };
  /** Returns the schema that a schema is another name of. */
  const originalOf = (name: string): string => {
    let original = name;
    for (let hops = 0; hops < MAX_DEPTH; hops++) {
      const { $ref, ...others } = schemas.get(original) ?? {};
      const target = typeof $ref === 'string' ? schemaNameOf($ref) : undefined;
      if (target === undefined || Object.keys(others).some(isConstraint)) {
        break;
      }
      original = target;
    }
    return original;
  };
  const discriminators = new Map<string, Discriminator>();
  for (const [name, schema] of schemas) {
    const discriminator = discriminatorOf(schema);
    if (discriminator && !schema.oneOf && !schema.anyOf) {
      const { property, mapping } = discriminator;
      const targets = [...mapping].map(([value, target]) => [value, originalOf(target)] as const);
      discriminators.set(name, { property, mapping: new Map(targets) });
    }
  }
  const hierarchies = new Map<string, Hierarchy | undefined>();

  /** Returns the discriminator of a schema, or else of the nearest schema that it inherits from. */
  function effectiveDiscriminator(name: string): { base: string; discriminator: Discriminator } | undefined {
    for (const base of [name, ...ancestorsOf(name)]) {
      const discriminator = discriminators.get(base);
      if (discriminator) {
        return { base, discriminator };
      }
    }
    return undefined;
  }

  /** Returns the names that the discriminators of a schema and of what it inherits from give to schemas. */
  function mappingOf(name: string, property: string): Map<string, string> {
    const mapping = new Map<string, string>();
    for (const base of [name, ...ancestorsOf(name)]) {
      const discriminator = discriminators.get(base);
      if (discriminator?.property === property) {
        for (const [value, target] of discriminator.mapping) {
          mapping.set(value, mapping.get(value) ?? target);
        }
      }
    }
    return mapping;
  }

  function create(name: string): Hierarchy | undefined {
    const effective = effectiveDiscriminator(name);
    if (!effective) {
      return undefined;
    }
    const { base, discriminator } = effective;
    const { property } = discriminator;
    const descendants = [...schemas.keys()].filter((other) => ancestorsOf(other).has(name));
    const mapped =
      base === name ? [...discriminator.mapping.values()].filter((other) => schemas.has(other)) : [];
    const candidates = [...new Set([name, ...descendants, ...mapped])];
    if (base === name && candidates.length === 1) {
      return undefined;
    }
    const permitted = fixedValues(document, schemas.get(base), property);
    const members = new Map<Tag, string[]>();
    for (const candidate of candidates) {
      const own = valuesOf(candidate, base, property);
      for (const value of permitted ? own.filter((value) => permitted.includes(value)) : own) {
        members.set(value, [...(members.get(value) ?? []), candidate]);
      }
    }
    if (members.size === 0) {
      // The property does not name schemas.
      return undefined;
    }
    return { property, members: [...members].map(([value, targets]) => ({ value, targets })) };
  }

  /** Returns the values that name a schema: those that it or the mapping states, or else its name. */
  function valuesOf(name: string, base: string, property: string): Tag[] {
    const mapping = mappingOf(name, property);
    for (const [value, target] of mappingOf(base, property)) {
      mapping.set(value, mapping.get(value) ?? target);
    }
    const mapped = [...mapping].flatMap(([value, target]) => (target === name ? [value] : []));
    const skipped = new Set([...ancestorsOf(name)].flatMap((other) => schemas.get(other) ?? []));
    const declared = name === base ? undefined : fixedValues(document, schemas.get(name), property, skipped);
    if (declared) {
      const both = declared.filter((value) => mapped.includes(String(value)));
      return both.length > 0 ? both : declared;
    }
    // A schema that is not in its own mapping only describes what the others have in common.
    return mapped.length > 0 ? mapped : name === base && mapping.size > 0 ? [] : [name];
  }

  return {
    of(name) {
      if (!hierarchies.has(name)) {
        hierarchies.set(name, create(name));
      }
      return hierarchies.get(name);
    },
    inherits: (name, base) => ancestorsOf(name).has(base),
    isVariant: (name, base) =>
      branchNames(schemas.get(base)).some((branch) => branch === name || ancestorsOf(branch).has(name)),
  };
}

interface Discriminator {
  property: string;
  /** The names of schemas by value. */
  mapping: ReadonlyMap<string, string>;
}

/** Returns the discriminator of a schema. The targets of its mapping are names of schemas, or references to them. */
export function discriminatorOf({ discriminator }: Record<string, unknown>): Discriminator | undefined {
  if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') {
    return undefined;
  }
  const { propertyName, mapping } = discriminator;
  const targets = Object.entries(isObject(mapping) ? mapping : {}).flatMap(([value, target]) => {
    const name = typeof target === 'string' ? (schemaNameOf(target) ?? target) : undefined;
    return name === undefined ? [] : [[value, name] as const];
  });
  return { property: propertyName, mapping: new Map(targets) };
}

/** Returns the names of the schemas that a schema refers to for the same value: by `allOf`, or beside other keywords. */
function inheritedNames(schema: unknown, isRoot: boolean): string[] {
  if (!isObject(schema)) {
    return [];
  }
  const { $ref, allOf } = schema;
  // A schema that is only a reference is another name of its target.
  const own = typeof $ref === 'string' && (!isRoot || Object.keys(schema).some(isConstraint)) ? [$ref] : [];
  const inner = Array.isArray(allOf) ? allOf.flatMap((part) => inheritedNames(part, false)) : [];
  return [...own.flatMap((ref) => schemaNameOf(ref) ?? []), ...inner];
}

/** Returns the names of the schemas that a union lists. */
function branchNames({ oneOf, anyOf }: Record<string, unknown> = {}): string[] {
  const branches = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return branches.flatMap((branch) =>
    isObject(branch) && typeof branch.$ref === 'string' ? (schemaNameOf(branch.$ref) ?? []) : [],
  );
}

const isConstraint = (keyword: string) => ['properties', 'required', 'allOf'].includes(keyword);

/** Maximum number of references and compositions that lead to a schema or a fixed value. */
const MAX_DEPTH = 8;

/**
 * Returns the values that a property can have by the declaration of a schema and the parts of its `allOf`; undefined if
 * it can have any.
 *
 * @param skipped schemas with declarations to ignore
 */
export function fixedValues(
  document: OpenApiDocument,
  schema: unknown,
  property: string,
  skipped: ReadonlySet<unknown> = new Set(),
): Tag[] | undefined {
  const entered = new Set(skipped);
  const search = (part: unknown): Tag[] | undefined => {
    if (!isObject(part) || entered.has(part)) {
      return undefined;
    }
    entered.add(part);
    const { $ref, allOf, properties } = part;
    const isDeclared = isObject(properties) && Object.hasOwn(properties, property);
    const values = isDeclared ? tagsIn(document, properties[property]) : undefined;
    if (values) {
      return values;
    }
    const target = typeof $ref === 'string' ? [tryResolve(document, $ref)] : [];
    for (const inner of [...target, ...(Array.isArray(allOf) ? allOf : [])]) {
      const found = search(inner);
      if (found) {
        return found;
      }
    }
    return undefined;
  };
  return search(schema);
}

function tagsIn(document: OpenApiDocument, schema: unknown, depth = 0): Tag[] | undefined {
  const { const: constant, enum: members, allOf } = schemaOf(document, schema);
  const values = (Array.isArray(members) ? members : [constant]).filter((value) => value !== null);
  if (values.length > 0 && values.every(isTag)) {
    return values;
  }
  const [part, ...others] = Array.isArray(allOf) ? allOf : [];
  return part !== undefined && others.length === 0 && depth < MAX_DEPTH
    ? tagsIn(document, part, depth + 1)
    : undefined;
}

/** Whether a value can distinguish schemas. */
export const isTag = (value: unknown): value is Tag => ['string', 'number', 'boolean'].includes(typeof value);
