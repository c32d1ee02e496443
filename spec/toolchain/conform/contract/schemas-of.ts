import { SchemaSet } from '../schema/schema.ts';
import type { Contract } from './contract.ts';

const cache = new WeakMap<Contract, SchemaSet>();

/** What follows the references of a contract's schemas and judges values by them: the same one each time. */
export function schemasOf(contract: Contract): SchemaSet {
  let schemas = cache.get(contract);
  if (!schemas) {
    schemas = new SchemaSet(contract.components);
    cache.set(contract, schemas);
  }
  return schemas;
}
