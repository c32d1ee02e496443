import type { SelectQueryBuilder } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { CountedRows } from '../../database/row-counts.ts';
import type { Schema } from '../../database/schema.ts';
import type { Membership } from '../../identity/access.ts';
import { collectionsSeenBy } from '../../identity/visibility.ts';

/** The collections of an organization that a member sees: all; for guests, what was granted. */
export function collectionsVisibleTo(queries: Queries, member: Membership) {
  const collections =
    member.role === undefined ? collectionsFrom(queries, member) : queries.selectFrom('collections');
  return collections.where('collections.organization', '=', member.organization);
}

/** What to count for {@link collectionsVisibleTo}, or for those at the root; undefined for a guest. */
export const visibleCollectionsCount = (
  { role, organization }: Membership,
  { nested }: { nested: boolean },
): CountedRows | undefined =>
  role === undefined ? undefined : { organization, kind: nested ? 'collections' : 'collections at root' };

/** A cross join keeps the order of the tables on both engines: a guest has few of an organization's collections. */
function collectionsFrom(queries: Queries, guest: Membership) {
  const collections = queries
    .selectFrom(collectionsSeenBy(queries, guest).as('seen'))
    .crossJoin('collections')
    .whereRef('collections.id', '=', 'seen.id');
  // The columns of `collections` are what they are without the other table.
  return collections as unknown as SelectQueryBuilder<Schema, 'collections', object>;
}
