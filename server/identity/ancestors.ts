import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import type { Role } from './levels.ts';

/** Maximum number of IDs in one statement. */
const BATCH_SIZE = 512;

/** A collection that contains the resources to load access for. */
export interface AncestorCollection {
  parent: string | null;
  defaultLevel: Role | null;
}

/** Finds some collections and their ancestors, by ID. */
export async function findAncestors(
  queries: Queries,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, AncestorCollection>> {
  const collections = new Map<string, AncestorCollection>();
  for (const batch of batches(ids, BATCH_SIZE)) {
    for (const { id, ...collection } of await selectWithAncestors(queries, batch).execute()) {
      collections.set(id, collection);
    }
  }
  return collections;
}

/** Selects some collections and their ancestors. */
export const selectWithAncestors = (queries: Queries, ids: readonly string[]) =>
  queries
    .withRecursive('chain', (query) =>
      query
        .selectFrom('collections')
        .select(['id', 'parent', 'defaultLevel'])
        .where('id', 'in', ids)
        .union(
          query
            .selectFrom('collections as parents')
            .innerJoin('chain', 'chain.parent', 'parents.id')
            .select(['parents.id', 'parents.parent', 'parents.defaultLevel']),
        ),
    )
    .selectFrom('chain')
    .select(['chain.id', 'chain.parent', 'chain.defaultLevel']);
