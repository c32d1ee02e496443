import { type AnySchema, branchesOf, type Schema } from './keywords.ts';
import type { SchemaLookup } from './schema-lookup.ts';

/** Maximum nesting of unions in a guard. */
const MAX_UNION_DEPTH = 4;

/**
 * Guards of variants: cheap necessary conditions for their values, namely their type, required properties, and
 * properties with fixed values.
 */
export class VariantGuards {
  readonly #schemas: SchemaLookup;
  readonly #guards = new WeakMap<Schema, { guard: Schema | undefined }>();

  constructor(schemas: SchemaLookup) {
    this.#schemas = schemas;
  }

  /** Returns the guard of a variant; undefined for variants without nesting, which are equally fast to validate. */
  of(branch: AnySchema): Schema | undefined {
    if (typeof branch === 'boolean') {
      return undefined;
    }
    let cached = this.#guards.get(branch);
    if (!cached) {
      cached = { guard: this.#create(branch, 0) };
      this.#guards.set(branch, cached);
    }
    return cached.guard;
  }

  #create(branch: AnySchema, depth: number): Schema | undefined {
    let flat: Schema;
    try {
      flat = this.#schemas.flat(branch);
    } catch {
      // Reported when values are generated.
      return undefined;
    }
    const branches = branchesOf(flat);
    if (branches.length > 0) {
      const guards =
        depth > MAX_UNION_DEPTH ? [] : branches.map((variant) => this.#create(variant, depth + 1));
      const anyOf = guards.filter((guard) => guard !== undefined);
      return anyOf.length === branches.length ? { anyOf } : undefined;
    }
    const { type, required = [], properties } = flat;
    if (type === undefined && required.length === 0) {
      return undefined;
    }
    if (depth === 0 && !properties && !flat.items && !flat.additionalProperties && !flat.allOf) {
      return undefined;
    }
    const closed = required.flatMap((name) => {
      const values = this.#schemas.closed(flat, name);
      return values && values.length > 0 ? [[name, { enum: values }] as const] : [];
    });
    return { ...(type !== undefined && { type }), required, properties: Object.fromEntries(closed) };
  }
}
