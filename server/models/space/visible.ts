import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import { type CountedRows, canReadRowCounts, readRowCount } from '../../database/row-counts.ts';
import type { Schema } from '../../database/schema.ts';
import type { Membership } from '../../identity/access.ts';
import { countSpacesSeenBy, spacesSeenBy } from '../../identity/visibility.ts';
import { batched } from '../batched.ts';

/**
 * The spaces of an organization that a member sees: all that are not deleted; for guests, what was granted.
 *
 * @param others further members of the same organization: then the spaces that all of them see
 */
export function spacesVisibleTo(queries: Queries, member: Membership, ...others: Membership[]) {
  const [guest, ...guests] = [member, ...others].filter(({ role }) => role === undefined);
  let spaces = guest ? spacesFrom(queries, guest) : queries.selectFrom('spaces');
  for (const other of guests) spaces = spaces.where('spaces.id', 'in', spacesSeenBy(queries, other));
  return spaces.where('spaces.organization', '=', member.organization).where('spaces.deletedAt', 'is', null);
}

/** The condition that a column names a space that a member sees; nothing is read of spaces that it does not name. */
export function isVisibleSpace(queries: Queries, member: Membership, column: string): RawBuilder<SqlBool> {
  const visible = spacesVisibleTo(queries, member).select('spaces.id');
  // A guest sees few spaces: they are found first. Others see all: only the one that is named is looked at.
  if (member.role === undefined) return sql`${sql.ref(column)} in ${visible}`;
  return sql`exists ${visible.where(sql<SqlBool>`"spaces"."id" = ${sql.ref(column)}`)}`;
}

/** A cross join keeps the order of the tables on both engines: a guest has few of an organization's spaces. */
function spacesFrom(queries: Queries, guest: Membership) {
  const spaces = queries
    .selectFrom(spacesSeenBy(queries, guest).as('seen'))
    .crossJoin('spaces')
    .whereRef('spaces.id', '=', 'seen.id');
  // The columns of `spaces` are what they are without the other table.
  return spaces as unknown as SelectQueryBuilder<Schema, 'spaces', object>;
}

/** Counts the spaces that each member of a page sees, as far as the caller sees them too. */
export function visibleSpacesCounter(queries: Queries, caller: Membership) {
  const ofGuest = subjectSpacesCounter(queries, 'user', caller);
  let ofRole: Promise<number> | undefined;
  return async (member: { user: string; role: string | null }): Promise<number> => {
    if (member.role === null) return await ofGuest(member.user);
    // Whoever has a role sees all spaces, so what is left is what the caller sees.
    ofRole ??= countSpacesVisibleTo(queries, caller);
    return await ofRole;
  };
}

/** Counts the spaces that each guest or team of a page has been granted, as far as the caller sees them too. */
export const subjectSpacesCounter = (queries: Queries, kind: 'user' | 'team', caller: Membership) =>
  batched<string, number>(async (subjects) => {
    const counts = await countSpacesSeenBy(queries, kind, subjects, caller);
    return (subject) => counts.get(subject) ?? 0;
  });

/** What to count for {@link spacesVisibleTo}; undefined where a guest is among the members. */
export const visibleSpacesCount = (...members: [Membership, ...Membership[]]): CountedRows | undefined =>
  members.every(({ role }) => role !== undefined)
    ? { organization: members[0].organization, kind: 'spaces' }
    : undefined;

async function countSpacesVisibleTo(queries: Queries, member: Membership): Promise<number> {
  const counted = visibleSpacesCount(member);
  if (counted && canReadRowCounts(queries)) return await readRowCount(queries, counted);
  const { count } = await spacesVisibleTo(queries, member)
    .select((space) => space.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
