import type { OpenApiDocument } from '../document.ts';
import type { Fault } from '../errors.ts';
import { type CheckValue, compileSchema } from './schema-check.ts';

/** Validates a value against a named schema and returns its faults. Throws for an unknown schema name. */
export type CheckSchema = (name: string, value: unknown) => Fault[];

/**
 * Creates a validator over the named schemas of a contract, for values that are not request bodies: a compressed
 * query, a stored document, a file. Schemas are compiled on first use. For large values only the first fault is
 * reported, as for request bodies.
 */
export function createSchemas(document: OpenApiDocument): CheckSchema {
  const checks = new Map<string, CheckValue>();
  return (name, value) => {
    if (!document.components?.schemas || !Object.hasOwn(document.components.schemas, name)) {
      throw new Error(`The contract has no schema ${name}.`);
    }
    const check = checks.get(name) ?? compileSchema(document, { $ref: `#/components/schemas/${name}` });
    checks.set(name, check);
    return check(value);
  };
}
