import { brief } from '../../../../server/contract/json-values.ts';
import { type AnySchema, branchesOf, type Schema, UnusableSchema } from './keywords.ts';
import { kindsOf, type SchemaFlattener } from './types.ts';

/** Maximum number of values within a generated value, including itself. */
export const MAX_VALUES = 10_000;

/** Computes the sizes of the smallest values of schemas: required properties can double with each nested schema. */
export class LeastSizes {
  readonly #schemas: SchemaFlattener;
  readonly #sizes = new WeakMap<Schema, number>();

  constructor(schemas: SchemaFlattener) {
    this.#schemas = schemas;
  }

  /** @throws {UnusableSchema} if all values of a schema are larger than {@link MAX_VALUES} */
  assertUsable(schema: AnySchema): void {
    if (this.isTooLarge(schema)) {
      throw new UnusableSchema(
        `Each value of the schema ${brief(schema)} consists of more than ${MAX_VALUES} values. Require fewer properties or items, or refer to fewer schemas that require others.`,
      );
    }
  }

  /** Returns whether all values of a schema are larger than {@link MAX_VALUES}. */
  isTooLarge(schema: AnySchema): boolean {
    const size = this.of(schema);
    return size > MAX_VALUES && size !== Number.POSITIVE_INFINITY;
  }

  /** Returns the number of values in the smallest value of a schema; infinite if it contains itself. */
  of(source: AnySchema): number {
    const schema = this.#schemas.flat(source);
    let size = this.#sizes.get(schema);
    if (size === undefined) {
      // A value cannot contain itself.
      this.#sizes.set(schema, Number.POSITIVE_INFINITY);
      size = this.#compute(schema);
      this.#sizes.set(schema, size);
    }
    return size;
  }

  #compute(schema: Schema): number {
    if (schema.enum || 'const' in schema) {
      return 1;
    }
    const branches = branchesOf(schema);
    if (branches.length > 0) {
      return Math.min(...branches.map((branch) => this.of(branch)));
    }
    const types = kindsOf(schema);
    return types.length === 0 ? 1 : Math.min(...types.map((type) => this.#ofType(schema, type)));
  }

  #ofType(schema: Schema, type: string): number {
    if (type === 'object') {
      const { properties = {}, required = [] } = schema;
      return required.reduce((sum, name) => sum + this.of(properties[name] ?? true), 1);
    }
    if (type === 'array') {
      const { minItems = 0, prefixItems = [], items = true } = schema;
      const first = prefixItems.slice(0, minItems).reduce<number>((sum, item) => sum + this.of(item), 1);
      const others = Math.max(0, minItems - prefixItems.length);
      return others === 0 ? first : first + others * this.of(items);
    }
    return 1;
  }
}
