import type { SelectQueryBuilder } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { CountedRows } from '../../database/row-counts.ts';
import type { Schema } from '../../database/schema.ts';
import type { Membership } from '../../identity/access.ts';
import {
  collectionsSeenBy,
  countCollectionsSeenBy,
  isSeenCollection,
  MAX_SORTED_VISIBLE,
} from '../../identity/visibility.ts';

type Collections = SelectQueryBuilder<Schema, 'collections', object>;

/** The collections of an organization that a member sees: all; for guests, what was granted. */
export function collectionsVisibleTo(queries: Queries, member: Membership): Collections {
  const collections = queries
    .selectFrom('collections')
    .where('collections.organization', '=', member.organization);
  return member.role === undefined ? collections.where(isSeenCollection(queries, member)) : collections;
}

/**
 * {@link collectionsVisibleTo} for a list, with how many they are.
 *
 * @param options.nested whether also those in other collections, and not only those at the root
 */
export async function visibleCollections(
  queries: Queries,
  member: Membership,
  { nested }: { nested: boolean },
): Promise<{ rows: Collections; count: CountedRows | number }> {
  const { organization, role } = member;
  const listed = (rows: Collections) => (nested ? rows : rows.where('collections.parent', 'is', null));
  const all = listed(collectionsVisibleTo(queries, member));
  if (role !== undefined)
    return { rows: all, count: { organization, kind: nested ? 'collections' : 'collections at root' } };
  const count = await countCollectionsSeenBy(queries, member, { nested });
  if (count > MAX_SORTED_VISIBLE) return { rows: all, count };
  // They have the columns of the table, under its name.
  const found = queries.selectFrom(
    collectionsSeenBy(queries, member).as('collections'),
  ) as unknown as Collections;
  const ofOrganization = found.where('collections.organization', '=', organization);
  return { rows: listed(ofOrganization), count };
}
