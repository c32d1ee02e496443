import { BadInput } from '../../bad-input.ts';
import { isObject, type Json, type JsonObject } from '../../document.ts';
import type { Source } from '../../source.ts';

/** Follows the references of a document (OpenAPI, Reference Object; RFC 6901). */
export class References {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * A reference in the one form that all references to a place have: `#/components/schemas/a~1b`.
   * @throws {BadInput} for one that leads into another file or is no JSON pointer
   */
  pointer(reference: string): string {
    if (reference !== '#' && !reference.startsWith('#/'))
      throw new BadInput(
        `${this.#source.name} refers to ${reference}. Only references by pointer within one document can be ` +
          'followed (#/components/...): bundle the files into one first, for example with "redocly bundle".',
      );
    return toPointer(partsOf(reference));
  }

  /** What stands at a place. @throws {BadInput} where nothing does */
  at(reference: string): Json {
    let found: Json | undefined = this.#source.root;
    for (const part of partsOf(this.pointer(reference))) {
      const parent: Json | undefined = found;
      found = Array.isArray(parent)
        ? parent[Number(part)]
        : isObject(parent) && Object.hasOwn(parent, part)
          ? parent[part]
          : undefined;
    }
    if (found === undefined)
      throw new BadInput(
        `${this.#source.name} refers to ${reference}, where nothing is. Add it, or mend the reference.`,
      );
    return found;
  }

  /**
   * What a value is once its references are followed: an object, or undefined where there is no value.
   * @throws {BadInput} for references in a circle, and where something else stands
   */
  object(value: Json | undefined, what: string): JsonObject | undefined {
    let found = value;
    for (let hops = 0; isObject(found) && typeof found.$ref === 'string'; hops += 1) {
      if (hops > 32) throw new BadInput(`${this.#source.name}: ${found.$ref} leads only to itself.`);
      const { $ref, ...beside } = found;
      const target = this.at(String($ref));
      // A path item may have both; what stands beside a reference comes first.
      found = isObject(target) ? { ...target, ...beside } : target;
    }
    if (found === undefined) return undefined;
    if (!isObject(found))
      throw new BadInput(
        `${this.#source.name} has ${JSON.stringify(found)?.slice(0, 80)} as ${what}, where OpenAPI has an object.`,
      );
    return found;
  }
}

const partsOf = (reference: string): string[] =>
  reference
    .slice(2)
    .split('/')
    .filter((_, index) => index > 0 || reference.length > 2)
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray % stands for itself.
    return part;
  }
}

const toPointer = (parts: readonly string[]): string =>
  ['#', ...parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25'))].join(
    '/',
  );
