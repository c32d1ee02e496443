import { type OpenApiDocument, tryResolve } from '../../document.ts';
import { isObject } from '../../json-values.ts';
import { type Hierarchies, hierarchiesOf, schemaNameOf } from '../hierarchies.ts';

/** A schema that is applied to a value, within the named schema that contains it. */
interface Applied {
  schema: Record<string, unknown>;
  owner: string | undefined;
  /** Whether its union is not applied, because it lists the schema that inherits from it. */
  isBase: boolean;
}

/** Returns whether a schema refers to itself. */
type IsEndless = (schema: Record<string, unknown>) => boolean;

/**
 * Creates a function that returns whether a schema refers to itself without going into the value, such as
 * `A: { anyOf: [A, B] }`: its validation would not end (JSON Schema 2020-12, section 9.4.1).
 */
export function endlessSchemas(document: OpenApiDocument): IsEndless {
  const { isEndless, size } = search(document, undefined);
  // A schema with a union of its inheriting schemas refers to itself only by its keywords.
  return size === 0 ? isEndless : search(document, hierarchiesOf(document)).isEndless;
}

function search(
  document: OpenApiDocument,
  hierarchies: Hierarchies | undefined,
): { isEndless: IsEndless; size: number } {
  const finished = new Set<string>();
  const endless = new Set<object>();
  const ids = new Map<object, number>();
  // Thousands of references have a few hundred targets.
  const resolved = new Map<string, unknown>();
  const targetOf = (ref: string): unknown => {
    const target = resolved.get(ref) ?? tryResolve(document, ref);
    resolved.set(ref, target);
    return target;
  };
  const keyOf = ({ schema, isBase }: Applied): string => {
    const id = ids.get(schema) ?? ids.size;
    ids.set(schema, id);
    return `${id}${isBase ? ' base' : ''}`;
  };

  function next({ schema, owner, isBase }: Applied): Applied[] {
    const { $ref, allOf, oneOf, anyOf, dependentSchemas } = schema;
    const lists = [allOf, ...(isBase ? [] : [oneOf, anyOf])];
    const inner = [
      ...lists.flatMap((list) => (Array.isArray(list) ? list : [])),
      ...[schema.not, schema.if, schema.then, schema.else],
      ...(isObject(dependentSchemas) ? Object.values(dependentSchemas) : []),
    ];
    const targets = inner.filter(isObject).map((part) => ({ schema: part, owner, isBase: false }));
    const target = typeof $ref === 'string' ? targetOf($ref) : undefined;
    if (typeof $ref !== 'string' || !isObject(target)) {
      return targets;
    }
    const name = schemaNameOf($ref);
    const isUnionOfOwner =
      hierarchies !== undefined &&
      owner !== undefined &&
      name !== undefined &&
      hierarchies.inherits(owner, name) &&
      hierarchies.isVariant(owner, name);
    return [...targets, { schema: target, owner: name ?? owner, isBase: isUnionOfOwner }];
  }

  /** Follows what a schema applies to the same value, without recursion, since references can form long chains. */
  function follow(start: Applied): void {
    const path = new Set<string>();
    const stack = [{ applied: start, key: keyOf(start), rest: undefined as Applied[] | undefined }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      if (top.rest === undefined) {
        path.add(top.key);
        top.rest = next(top.applied);
      }
      const applied = top.rest.pop();
      if (applied === undefined) {
        path.delete(top.key);
        finished.add(top.key);
        stack.pop();
        continue;
      }
      const key = keyOf(applied);
      if (path.has(key)) {
        endless.add(top.applied.schema);
      } else if (!finished.has(key)) {
        stack.push({ applied, key, rest: undefined });
      }
    }
  }

  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (isObject(schema)) {
      follow({ schema, owner: name, isBase: false });
    }
  }
  return {
    isEndless: (schema) => {
      const applied = { schema, owner: undefined, isBase: false };
      if (!finished.has(keyOf(applied))) {
        follow(applied);
      }
      return endless.has(schema);
    },
    size: endless.size,
  };
}
