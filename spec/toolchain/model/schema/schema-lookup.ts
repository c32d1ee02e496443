import type { AnySchema, Schema } from './keywords.ts';
import type { SchemaFlattener } from './types.ts';

/** Resolves references and unions of schemas, and validates values. Implemented by `SchemaSet`. */
export interface SchemaLookup extends SchemaFlattener {
  /** Resolves a reference. @throws {UnusableSchema} if its target does not exist */
  target(reference: string): Schema;
  /** Returns whether a value is valid. @throws {UnusableSchema} if the schema cannot be compiled */
  accepts(schema: AnySchema, value: unknown): boolean;
  /** Returns the discriminating property of a union; undefined if there is none. */
  tagOf(branches: readonly AnySchema[]): string | undefined;
  /** Returns the fixed values of a required property; undefined if it accepts any value. */
  closed(schema: Schema, name: string): unknown[] | undefined;
  /** Returns a necessary condition for the values of a variant that is fast to validate; undefined without one. */
  guardOf(branch: AnySchema): Schema | undefined;
}
