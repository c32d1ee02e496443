import { isObject, type Json, type JsonObject } from '../../document.ts';
import type { Source } from '../../source.ts';
import { UsageError } from '../../usage-error.ts';

/** Resolves the references of a document (OpenAPI, Reference Object; RFC 6901). */
export class References {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * Normalizes a reference: `#/components/schemas/a~1b`.
   * @throws {UsageError} for a reference to another file, or one that is not a JSON pointer
   */
  pointer(reference: string): string {
    if (reference !== '#' && !reference.startsWith('#/')) {
      throw new UsageError(
        `${this.#source.name} refers to ${reference}. Only references within one document are supported ` +
          '(#/components/...). Bundle the files into one, for example with "redocly bundle".',
      );
    }
    return toPointer(partsOf(reference));
  }

  /** Returns the value at a reference. @throws {UsageError} when it does not exist */
  at(reference: string): Json {
    let resolved: Json | undefined = this.#source.root;
    for (const part of partsOf(this.pointer(reference))) {
      const parent: Json | undefined = resolved;
      resolved = Array.isArray(parent)
        ? parent[Number(part)]
        : isObject(parent) && Object.hasOwn(parent, part)
          ? parent[part]
          : undefined;
    }
    if (resolved === undefined) {
      throw new UsageError(
        `${this.#source.name} refers to ${reference}, which does not exist. Add it, or fix the reference.`,
      );
    }
    return resolved;
  }

  /**
   * Resolves the references of a value: an object, or undefined without a value.
   * @throws {UsageError} for circular references, and for a value that is not an object
   */
  object(value: Json | undefined, subject: string): JsonObject | undefined {
    let resolved = value;
    for (let hops = 0; isObject(resolved) && typeof resolved.$ref === 'string'; hops += 1) {
      if (hops > 32) {
        throw new UsageError(`${this.#source.name}: ${resolved.$ref} refers only to itself.`);
      }
      const { $ref, ...siblings } = resolved;
      const target = this.at(String($ref));
      // A path item may have both. Properties next to a reference take precedence.
      resolved = isObject(target) ? { ...target, ...siblings } : target;
    }
    if (resolved === undefined) {
      return undefined;
    }
    if (!isObject(resolved)) {
      throw new UsageError(
        `${this.#source.name} has ${JSON.stringify(resolved)?.slice(0, 80)} as ${subject}, where OpenAPI requires an object.`,
      );
    }
    return resolved;
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
    // A stray % is literal.
    return part;
  }
}

const toPointer = (parts: readonly string[]): string =>
  ['#', ...parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25'))].join(
    '/',
  );
