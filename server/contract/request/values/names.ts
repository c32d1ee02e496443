import type { Field } from './field.ts';
import { splitName } from './raw-value.ts';

/** The field that a name belongs to, and the names of the member within its value. */
export interface NamedField {
  field: Field;
  steps: readonly string[];
}

/** A field that cannot be distinguished from another one. */
export interface NameProblem {
  name: string;
  /** Continues a sentence about the field. */
  reason: string;
}

/** Finds the fields of a query, a form or cookies by the names that they are sent with. */
export class FieldNames {
  readonly #exact = new Map<string, NamedField>();
  readonly #bracketed = new Map<string, Field>();
  #collector: Field | undefined;
  readonly #problems: NameProblem[] = [];

  constructor(fields: readonly Field[]) {
    for (const field of fields) {
      this.#add(field);
    }
    for (const name of this.#exact.keys()) {
      const { base = '' } = splitName(name) ?? {};
      const other = this.#bracketed.get(base);
      if (other) {
        this.#problems.push({ name, reason: `has the name of a property of ${other.name}` });
      }
    }
  }

  /** Why some fields cannot be distinguished. */
  get problems(): readonly NameProblem[] {
    return this.#problems;
  }

  /** The declared names, for messages. */
  get known(): string[] {
    return [...this.#exact.keys(), ...[...this.#bracketed.keys()].map((name) => `${name}[…]`)];
  }

  /** Returns the field that a name belongs to; undefined if none has this name. */
  find(name: string): NamedField | undefined {
    const exact = this.#exact.get(name);
    if (exact) {
      return exact;
    }
    const { base, steps } = splitName(name) ?? { base: name, steps: [] };
    const field = steps.length > 0 ? this.#bracketed.get(base) : undefined;
    if (field) {
      return { field, steps };
    }
    // The properties of an exploded object can have properties of their own.
    const property = steps.length > 0 ? this.#exact.get(base) : undefined;
    if (property && property.steps.length > 0) {
      return { field: property.field, steps: [...property.steps, ...steps] };
    }
    return this.#collector && { field: this.#collector, steps: [base, ...steps] };
  }

  #add(field: Field): void {
    const { name, properties, type } = field;
    if (field.hasBrackets) {
      this.#bracketed.set(name, field);
    }
    const hasOwnName = [...(type.kinds ?? [])].some((kind) => kind !== 'object' && kind !== 'null');
    if (!field.isExplodedObject || hasOwnName) {
      this.#claim(name, field, []);
    }
    for (const property of field.isExplodedObject ? properties : []) {
      this.#claim(property, field, [property]);
    }
    if (!field.isExplodedMap) {
      return;
    }
    if (this.#collector) {
      const reason = `accepts properties of any name, and so does ${this.#collector.name}`;
      this.#problems.push({ name, reason });
    }
    this.#collector = field;
  }

  #claim(name: string, field: Field, steps: readonly string[]): void {
    const other = this.#exact.get(name);
    if (!other) {
      this.#exact.set(name, { field, steps });
      return;
    }
    const claimed = other.steps.length > 0 ? `a property of ${other.field.name}` : 'another one';
    const reason =
      steps.length > 0
        ? `has the property ${name}, which is also the name of ${claimed}`
        : `has the name of ${claimed}`;
    this.#problems.push({ name: field.name, reason });
  }
}
