import { isExpression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { batched } from '../database/batched.ts';
import type { Queries } from '../database/database.ts';
import { isOneOf, notIndexed } from '../database/lookups.ts';
import { type CountedRows, canReadRowCounts, readRowCount } from '../database/row-counts.ts';
import type { Schema } from '../database/schema.ts';
import { MATCHED_SPACE, type SearchedContent } from '../database/search/types.ts';
import type { Membership } from './membership.ts';
import { isSpaceVisibleToGuest, MAX_SORTED_VISIBLE, spacesVisibleToGuest } from './visibility.ts';
import { countSpacesVisibleBySubject, seesMoreSpacesThan } from './visible-counts.ts';

type Spaces = SelectQueryBuilder<Schema, 'spaces', object>;

/**
 * Selects the spaces that are visible to a member: all of the organization that are not deleted; for guests, the
 * granted ones.
 *
 * @param other another member of the organization, to select the spaces that are visible to both
 */
export function spacesVisibleTo(queries: Queries, member: Membership, other?: Membership): Spaces {
  return whereVisible(queries, queries.selectFrom('spaces'), member.organization, guestsOf(member, other));
}

/** Selects {@link spacesVisibleTo} by ID, with any statistics. */
export function spacesVisibleAmong(
  queries: Queries,
  member: Membership,
  ids: readonly string[] | SelectQueryBuilder<Schema, 'siteSpaces', { space: string }>,
): Spaces {
  const spaces = queries
    .selectFrom('spaces')
    .where((space) =>
      isExpression(ids) ? space('spaces.id', 'in', ids) : isOneOf(queries, 'spaces.id', ids),
    );
  return guestsOf(member)
    .reduce((rows, guest) => rows.where(isSpaceVisibleToGuest(queries, guest)), spaces)
    .where(notIndexed('spaces.organization'), '=', member.organization)
    .where(notIndexed('spaces.deletedAt'), 'is', null);
}

/** Condition that the space of a row is one of {@link spacesVisibleTo}, looked up by its ID with any statistics. */
export function isSpaceOfRowVisible(
  queries: Queries,
  member: Membership,
  column: string,
): RawBuilder<SqlBool> {
  const space = queries
    .selectFrom('spaces')
    .select('spaces.id')
    .where(sql<SqlBool>`"spaces"."id" = ${sql.ref(column)}`);
  const visible = guestsOf(member)
    .reduce((rows, guest) => rows.where(isSpaceVisibleToGuest(queries, guest)), space)
    .where(notIndexed('spaces.organization'), '=', member.organization)
    .where(notIndexed('spaces.deletedAt'), 'is', null);
  return sql<SqlBool>`exists ${visible}`;
}

/** Selects {@link spacesVisibleTo} for a list, with their number. */
export async function visibleSpaces(
  queries: Queries,
  member: Membership,
  other?: Membership,
): Promise<{ rows: Spaces; count: CountedRows | number }> {
  const { organization } = member;
  const [guest, second] = guestsOf(member, other);
  const all = spacesVisibleTo(queries, member, other);
  if (!guest) {
    return { rows: all, count: { organization, kind: 'spaces' } };
  }
  if (guest.installation) {
    return { rows: all, count: await countRows(all) };
  }
  const count = await countVisibleToGuest(queries, guest, second);
  const rows = count > MAX_SORTED_VISIBLE ? all : fewSpacesVisibleTo(queries, guest, second);
  return { rows, count };
}

/**
 * Selects {@link spacesVisibleTo} to look up what belongs to them.
 *
 * @returns the spaces, and whether there are so few that they can be selected first
 */
export async function selectVisibleSpaces(
  queries: Queries,
  member: Membership,
): Promise<{ rows: Spaces; isSmall: boolean }> {
  const [guest] = guestsOf(member);
  const isSmall =
    guest !== undefined &&
    !guest.installation &&
    !(await seesMoreSpacesThan(queries, guest, MAX_SORTED_VISIBLE));
  return { rows: isSmall ? fewSpacesVisibleTo(queries, guest) : spacesVisibleTo(queries, member), isSmall };
}

/** Selects {@link spacesVisibleTo} starting from the grants of a guest. */
function fewSpacesVisibleTo(queries: Queries, guest: Membership, second?: Membership): Spaces {
  // The subquery has the columns and the name of the table.
  const visible = queries.selectFrom(spacesVisibleToGuest(queries, guest).as('spaces')) as unknown as Spaces;
  return whereVisible(queries, visible, guest.organization, second ? [second] : []);
}

/** The spaces visible to a member, for a search in them. */
type SearchedSpaces = Pick<SearchedContent, 'spaces' | 'visibleSpace'>;

/** Selects the spaces visible to a member, if they are few. Otherwise only the spaces of matches are checked. */
export async function searchedSpaces(queries: Queries, member: Membership): Promise<SearchedSpaces> {
  const { rows, isSmall } = await selectVisibleSpaces(queries, member);
  const visible = rows.select('spaces.id');
  return isSmall
    ? { spaces: visible }
    : { visibleSpace: visible.where(sql<SqlBool>`"spaces"."id" = ${sql.ref(MATCHED_SPACE)}`) };
}

/** Creates a function that counts the spaces visible to both a member and the caller. Counts of a page are batched. */
export function visibleSpacesCounter(queries: Queries, caller: Membership) {
  const ofGuest = subjectSpacesCounter(queries, 'user', caller);
  let ofRole: Promise<number> | undefined;
  return async (member: { user: string; role: string | null }): Promise<number> => {
    if (member.role === null) {
      return await ofGuest(member.user);
    }
    // Members with a role see all spaces, so that the count is that of the caller.
    ofRole ??= caller.role === undefined ? ofGuest(caller.user) : countAllSpaces(queries, caller);
    return await ofRole;
  };
}

/**
 * Creates a function that counts the spaces granted to a guest or a team that are also visible to the caller. Counts of
 * a page are batched.
 */
export const subjectSpacesCounter = (queries: Queries, kind: 'user' | 'team', caller: Membership) =>
  batched<string, number>(async (ids) => {
    const { organization } = caller;
    const counts = await countSpacesVisibleBySubject(
      queries,
      { organization, kind, ids },
      guestsOf(caller)[0],
    );
    return (subject) => counts.get(subject) ?? 0;
  });

const guestsOf = (...members: Array<Membership | undefined>) =>
  members.flatMap((member) => member ?? []).filter(({ role }) => role === undefined);

function whereVisible(queries: Queries, spaces: Spaces, organization: string, guests: Membership[]): Spaces {
  return guests
    .reduce((rows, guest) => rows.where(isSpaceVisibleToGuest(queries, guest)), spaces)
    .where('spaces.organization', '=', organization)
    .where('spaces.deletedAt', 'is', null);
}

async function countVisibleToGuest(queries: Queries, { organization, user }: Membership, other?: Membership) {
  const counts = await countSpacesVisibleBySubject(
    queries,
    { organization, kind: 'user', ids: [user] },
    other,
  );
  return counts.get(user) ?? 0;
}

/** Counts the spaces visible to a member with a role. */
async function countAllSpaces(queries: Queries, member: Membership): Promise<number> {
  const { organization } = member;
  if (canReadRowCounts(queries)) {
    return await readRowCount(queries, { organization, kind: 'spaces' });
  }
  return await countRows(spacesVisibleTo(queries, member));
}

async function countRows(spaces: Spaces): Promise<number> {
  const { count } = await spaces
    .select((space) => space.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
