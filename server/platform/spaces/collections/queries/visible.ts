import type { SelectQueryBuilder } from 'kysely';
import type { Queries } from '../../../../database/database.ts';
import type { CountedRows } from '../../../../database/row-counts.ts';
import type { Schema } from '../../../../database/schema.ts';
import type { Membership } from '../../../../identity/membership.ts';
import {
  collectionsVisibleToGuest,
  isCollectionVisibleToGuest,
  MAX_SORTED_VISIBLE,
} from '../../../../identity/visibility.ts';
import { countCollectionsVisibleToGuest } from '../../../../identity/visible-counts.ts';

type Collections = SelectQueryBuilder<Schema, 'collections', object>;

/** Selects the collections that are visible to a member: all of the organization; for guests, the granted ones. */
export function collectionsVisibleTo(queries: Queries, member: Membership): Collections {
  const collections = queries
    .selectFrom('collections')
    .where('collections.organization', '=', member.organization);
  return member.role === undefined
    ? collections.where(isCollectionVisibleToGuest(queries, member))
    : collections;
}

/**
 * Selects {@link collectionsVisibleTo} for a list, with their number.
 *
 * @param options.nested whether to include collections in other collections
 */
export async function visibleCollections(
  queries: Queries,
  member: Membership,
  { nested }: { nested: boolean },
): Promise<{ rows: Collections; count: CountedRows | number }> {
  const { organization, role } = member;
  const listed = (rows: Collections) => (nested ? rows : rows.where('collections.parent', 'is', null));
  const all = listed(collectionsVisibleTo(queries, member));
  if (role !== undefined) {
    return { rows: all, count: { organization, kind: nested ? 'collections' : 'collections at root' } };
  }
  const count = await countCollectionsVisibleToGuest(queries, member, { nested });
  if (count > MAX_SORTED_VISIBLE) {
    return { rows: all, count };
  }
  // The subquery has the columns and the name of the table.
  const visible = queries.selectFrom(
    collectionsVisibleToGuest(queries, member).as('collections'),
  ) as unknown as Collections;
  const ofOrganization = visible.where('collections.organization', '=', organization);
  return { rows: listed(ofOrganization), count };
}
