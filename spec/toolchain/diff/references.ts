import { BadInput } from '../bad-input.ts';
import { isObject, type Json, type JsonObject } from '../document.ts';
import type { Source } from '../source.ts';

/** Follows the references of one document. */
export interface References {
  /** What stands at the end of a chain of references; the value itself when it is none. */
  follow(value: Json): Json;
  /** The name of the component that an object is. */
  nameOf(value: Json): string | undefined;
  /** A number that tells one object of the document from all others. */
  identify(value: Json): number | string;
}

/** References within a document. A reference out of it is bad input: what is not there cannot be compared. */
export function createReferences({ name, root }: Source): References {
  const names = new Map<Json, string>();
  const components = root.components;
  if (isObject(components) && isObject(components.schemas)) {
    for (const [key, schema] of Object.entries(components.schemas)) names.set(schema, key);
  }
  const found = new Map<string, Json>();
  const numbers = new WeakMap<JsonObject | Json[], number>();
  let next = 0;

  function lookUp(reference: string): Json {
    const known = found.get(reference);
    if (known !== undefined) return known;
    if (!reference.startsWith('#')) {
      throw new BadInput(
        `${name} refers to ${reference}, which is in another file. Bundle the document into one file first.`,
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
      throw new BadInput(
        `${name} refers to ${reference}, which is not there. Add it, or mend the reference.`,
      );
    }
    found.set(reference, target);
    return target;
  }

  return {
    follow(value) {
      let target = value;
      for (let hops = 0; isObject(target) && typeof target.$ref === 'string'; hops += 1) {
        if (hops > 64) {
          throw new BadInput(`${name} refers to ${target.$ref}, which refers to itself. Say what it is.`);
        }
        target = lookUp(target.$ref);
      }
      return target;
    },
    nameOf: (value) => names.get(value),
    identify(value) {
      if (typeof value !== 'object' || value === null) return JSON.stringify(value);
      let number = numbers.get(value);
      if (number === undefined) {
        number = next++;
        numbers.set(value, number);
      }
      return number;
    },
  };
}

/** One part of a JSON pointer in a URI fragment (RFC 6901, section 6). */
function unescapePart(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A percent sign that escapes nothing stands for itself.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
