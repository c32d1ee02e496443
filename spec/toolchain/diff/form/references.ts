import { isObject, type Json, type JsonObject, unescapePart } from '../../document.ts';
import type { Source } from '../../source.ts';
import { UsageError } from '../../usage-error.ts';

/** Longest accepted chain of references. */
const MAX_REFERENCE_HOPS = 64;

/** References of a document. */
export interface References {
  /** Follows a chain of references. Returns other values unchanged. */
  follow(value: Json): Json;
  /** Returns the component name of a schema. */
  nameOf(value: Json): string | undefined;
  /** Whether the document has a schema component with a name. */
  hasSchema(name: string): boolean;
  /** Returns a unique identity for an object of the document. */
  identify(value: Json): number | string;
}

/** Creates the references of a document. External references are bad input. */
export function createReferences({ name, root }: Source): References {
  const names = new Map<Json, string>();
  const schemas = new Set<string>();
  const components = root.components;
  if (isObject(components) && isObject(components.schemas)) {
    for (const [key, schema] of Object.entries(components.schemas)) {
      names.set(schema, key);
      schemas.add(key);
    }
  }
  const targets = new Map<string, Json>();
  const numbers = new WeakMap<JsonObject | Json[], number>();
  let next = 0;

  function lookUp(reference: string): Json {
    const cached = targets.get(reference);
    if (cached !== undefined) {
      return cached;
    }
    if (!reference.startsWith('#')) {
      throw new UsageError(
        `${name}: reference ${reference} points to another file. Bundle the document into one file first.`,
      );
    }
    const target = reference
      .slice(1)
      .split('/')
      .slice(1)
      .map((part) => unescapePart(part))
      .reduce<Json | undefined>(
        (parent, part) =>
          Array.isArray(parent)
            ? parent[Number(part)]
            : isObject(parent) && Object.hasOwn(parent, part)
              ? parent[part]
              : undefined,
        root,
      );
    if (target === undefined) {
      throw new UsageError(
        `${name}: reference ${reference} does not resolve. Add its target, or correct the reference.`,
      );
    }
    targets.set(reference, target);
    return target;
  }

  return {
    follow(value) {
      let target = value;
      for (let hops = 0; isObject(target) && typeof target.$ref === 'string'; hops += 1) {
        if (hops > MAX_REFERENCE_HOPS) {
          throw new UsageError(`${name}: reference ${target.$ref} is circular. Replace it with a schema.`);
        }
        target = lookUp(target.$ref);
      }
      return target;
    },
    nameOf: (value) => names.get(value),
    hasSchema: (component) => schemas.has(component),
    identify(value) {
      if (typeof value !== 'object' || value === null) {
        return JSON.stringify(value);
      }
      let number = numbers.get(value);
      if (number === undefined) {
        number = next++;
        numbers.set(value, number);
      }
      return number;
    },
  };
}
