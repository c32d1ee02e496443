import type { Queries } from '../database/database.ts';
import { isOneOf, type List } from '../database/lookups.ts';
import { type ParametersOf, statement } from '../database/statement.ts';
import type { Role } from './levels.ts';

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
  const rows = ids.size === 0 ? [] : await findChain.rows(queries, { ids: [...ids] });
  return new Map(rows.map(({ id, ...collection }) => [id, collection]));
}

const findChain = statement((queries, { ids }: ParametersOf<{ ids: readonly string[] }>) =>
  selectWithAncestors(queries, ids).compile(),
);

/** Selects some collections and their ancestors. */
export const selectWithAncestors = (queries: Queries, ids: List) =>
  queries
    .withRecursive('chain', (query) =>
      query
        .selectFrom('collections')
        .select(['id', 'parent', 'defaultLevel'])
        .where(isOneOf(queries, 'id', ids))
        .union(
          query
            .selectFrom('collections as parents')
            .innerJoin('chain', 'chain.parent', 'parents.id')
            .select(['parents.id', 'parents.parent', 'parents.defaultLevel']),
        ),
    )
    .selectFrom('chain')
    .select(['chain.id', 'chain.parent', 'chain.defaultLevel']);
