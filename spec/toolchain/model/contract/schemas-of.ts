import { SchemaSet } from '../schema/schema.ts';
import type { Contract } from './contract.ts';

const cache = new WeakMap<Contract, SchemaSet>();

/** Returns the schema set of a contract, which is created once. */
export function schemasOf(contract: Contract): SchemaSet {
  let schemas = cache.get(contract);
  if (!schemas) {
    schemas = new SchemaSet(contract.components);
    cache.set(contract, schemas);
  }
  return schemas;
}
