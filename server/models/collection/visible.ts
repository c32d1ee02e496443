import type { SelectQueryBuilder } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { Schema } from '../../database/schema.ts';
import type { Membership } from '../../identity/access.ts';
import { collectionsSeenBy } from '../../identity/visibility.ts';

/** The collections of an organization that a member sees: all; for guests, what was granted. */
export function collectionsVisibleTo(queries: Queries, member: Membership) {
  const collections =
    member.role === undefined ? collectionsFrom(queries, member) : queries.selectFrom('collections');
  return collections.where('collections.organization', '=', member.organization);
}

/** A cross join keeps the order of the tables on both engines: a guest has few of an organization's collections. */
function collectionsFrom(queries: Queries, guest: Membership) {
  const collections = queries
    .selectFrom(collectionsSeenBy(queries, guest).as('seen'))
    .crossJoin('collections')
    .whereRef('collections.id', '=', 'seen.id');
  // The columns of `collections` are what they are without the other table.
  return collections as unknown as SelectQueryBuilder<Schema, 'collections', object>;
}
