import type { OpenApiDocument } from '../server/contract/document.ts';
import { type Position, pointerOf, visitDocument } from '../server/contract/validation/grammar.ts';
import {
  type Hierarchies,
  type Hierarchy,
  hierarchiesOf,
  schemaNameOf,
  schemaRef,
} from '../server/contract/validation/hierarchies.ts';

/** Keywords with schemas that apply to the same value, and whether these have names or numbers. */
const IN_PLACE_KEYWORDS: ReadonlyMap<string, boolean> = new Map([
  ...['allOf', 'anyOf', 'oneOf', 'dependentSchemas'].map((keyword) => [keyword, true] as const),
  ...['not', 'if', 'then', 'else'].map((keyword) => [keyword, false] as const),
]);

/** What a reference refers to instead of a schema: those that inherit from it, or what its variants inherit from it. */
type Target = 'x-hierarchies' | 'x-bases';

/**
 * Makes references to a schema with a discriminator select the schema that a value names, as the server does: validators
 * do not know discriminators of schemas that others inherit from.
 * @param document changed in place
 */
export function selectByDiscriminators(document: OpenApiDocument): void {
  const hierarchies = hierarchiesOf(document);
  const changes: (() => void)[] = [];
  const targets = new Map<string, [target: Target, name: string]>();
  const reach = (name: string, target: Target): string => {
    const ref = schemaRef(name).replace('/schemas/', `/${target}/`);
    if (!targets.has(ref)) {
      targets.set(ref, [target, name]);
    }
    return ref;
  };
  visitDocument(document, ({ object, kind, position }) => {
    const name = kind === 'schema' && typeof object.$ref === 'string' ? schemaNameOf(object.$ref) : undefined;
    const target = name === undefined ? undefined : targetOf(hierarchies, ownerOf(position), name);
    if (name !== undefined && target !== undefined) {
      const ref = reach(name, target);
      changes.push(() => {
        object.$ref = ref;
      });
    }
  });
  const { schemas = {} } = document.components ?? {};
  const parts: Record<Target, Record<string, unknown>> = { 'x-hierarchies': {}, 'x-bases': {} };
  for (const [target, name] of targets.values()) {
    const hierarchy = hierarchies.of(name);
    if (target === 'x-hierarchies' && hierarchy) {
      parts[target][name] = conditionsOf(name, hierarchy, (member) => {
        // A schema with a discriminator of its own selects with another property.
        const inner = hierarchies.of(member);
        const isOther = inner !== undefined && inner.property !== hierarchy.property;
        return isOther ? reach(member, 'x-hierarchies') : schemaRef(member);
      });
    } else {
      // The parts share the objects of the document: their references change below.
      const { oneOf: _oneOf, anyOf: _anyOf, ...base } = Object(schemas[name]);
      parts[target][name] = base;
    }
  }
  for (const change of changes) {
    change();
  }
  document.components = { ...document.components, ...parts };
}

function targetOf(hierarchies: Hierarchies, owner: string | undefined, name: string): Target | undefined {
  if (owner !== undefined && hierarchies.inherits(owner, name)) {
    return hierarchies.isVariant(owner, name) ? 'x-bases' : undefined;
  }
  return hierarchies.of(name) && 'x-hierarchies';
}

/** Returns the name of the schema that a schema is a part of, for the same value. */
function ownerOf(position: Position): string | undefined {
  const [, components, schemas, , ...keywords] = pointerOf(position).split('/');
  if (components !== 'components' || schemas !== 'schemas') {
    return undefined;
  }
  for (let index = 0; index < keywords.length; index += 1) {
    const isNamed = IN_PLACE_KEYWORDS.get(keywords[index] ?? '');
    if (isNamed === undefined) {
      return undefined;
    }
    index += isNamed ? 1 : 0;
  }
  return schemaNameOf(pointerOf(position).split('/').slice(0, 4).join('/'));
}

/** Returns conditions that select the schema which the discriminator of a value names. */
function conditionsOf(
  name: string,
  { property, members }: Hierarchy,
  refOf: (name: string) => string,
): Record<string, unknown> {
  return {
    if: { type: 'object', required: [property] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: {
      properties: { [property]: { enum: members.map(({ value }) => value) } },
      allOf: members.map(({ value, targets }) => ({
        if: { properties: { [property]: { const: value } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { anyOf: targets.map((target) => ({ $ref: refOf(target) })) },
      })),
    },
    else: { $ref: schemaRef(name) },
  };
}
