import {
  brief,
  followReferences,
  formatReference,
  parseReference,
} from '../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject, jsonAt } from './document.ts';
import type { Source } from './source.ts';
import { UsageError } from './usage-error.ts';

/** Resolves the references of a document (OpenAPI, Reference Object; RFC 6901). */
export class References {
  readonly #source: Source;
  readonly #targets = new Map<string, Json>();

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
    return formatReference(parseReference(reference));
  }

  /** Returns the value at a reference. @throws {UsageError} when it does not exist */
  at(reference: string): Json {
    const target =
      this.#targets.get(reference) ?? jsonAt(this.#source.root, parseReference(this.pointer(reference)));
    if (target === undefined) {
      throw new UsageError(
        `${this.#source.name} refers to ${reference}, which does not exist. Add it, or fix the reference.`,
      );
    }
    this.#targets.set(reference, target);
    return target;
  }

  /** Follows references to a value that is not one. @throws {UsageError} for circular references */
  follow(value: Json): Json {
    const target = followReferences(value, (reference) => this.at(reference));
    if (target === undefined) {
      throw new UsageError(`${this.#source.name}: ${brief(value)} refers only to itself.`);
    }
    // Members of JSON are JSON.
    return target as Json;
  }

  /**
   * Resolves the references of a value: an object, or undefined without a value.
   * @throws {UsageError} for circular references, and for a value that is not an object
   */
  object(value: Json | undefined, subject: string): JsonObject | undefined {
    if (value === undefined) {
      return undefined;
    }
    if (!isObject(value)) {
      throw new UsageError(
        `${this.#source.name} has ${brief(value)} as ${subject}, where OpenAPI requires an object.`,
      );
    }
    if (typeof value.$ref !== 'string') {
      return value;
    }
    this.follow(value);
    const { $ref, ...siblings } = value;
    // A path item may have both. Properties next to a reference take precedence.
    return { ...this.object(this.at(String($ref)), subject), ...siblings };
  }
}
