import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import { type CountedRows, canReadRowCounts, readRowCount } from '../../database/row-counts.ts';
import type { Schema } from '../../database/schema.ts';
import type { Membership } from '../../identity/access.ts';
import {
  countSpacesSeenBy,
  isSeenSpace,
  MAX_SORTED_VISIBLE,
  spacesSeenBy,
} from '../../identity/visibility.ts';
import { batched } from '../batched.ts';

type Spaces = SelectQueryBuilder<Schema, 'spaces', object>;

/**
 * The spaces of an organization that a member sees: all that are not deleted; for guests, what was granted.
 *
 * @param other another member of the same organization: then the spaces that both see
 */
export function spacesVisibleTo(queries: Queries, member: Membership, other?: Membership): Spaces {
  return seenBy(queries, queries.selectFrom('spaces'), member.organization, guestsOf(member, other));
}

/** The spaces that some members see, with how many they are. */
interface VisibleSpaces {
  rows: Spaces;
  count: CountedRows | number;
  /** Whether they are found first, and then sorted. */
  isFew: boolean;
}

/** {@link spacesVisibleTo} for a list. */
export async function visibleSpaces(
  queries: Queries,
  member: Membership,
  other?: Membership,
): Promise<VisibleSpaces> {
  const { organization } = member;
  const [guest, second] = guestsOf(member, other);
  const all = spacesVisibleTo(queries, member, other);
  if (!guest) return { rows: all, count: { organization, kind: 'spaces' }, isFew: false };
  const count = await countSeenBy(queries, guest, second);
  if (count > MAX_SORTED_VISIBLE) return { rows: all, count, isFew: false };
  // They have the columns of the table, under its name.
  const found = queries.selectFrom(spacesSeenBy(queries, guest).as('spaces')) as unknown as Spaces;
  const rows = seenBy(queries, found, organization, second ? [second] : []);
  return { rows, count, isFew: true };
}

/** A function that makes the condition that a column names a space that a member sees. */
export async function visibleSpaceCondition(
  queries: Queries,
  member: Membership,
): Promise<(column: string) => RawBuilder<SqlBool>> {
  const { rows, isFew } = await visibleSpaces(queries, member);
  const visible = rows.select('spaces.id');
  // Where a guest sees few they are found first. Otherwise only the one that is named is looked at.
  return (column) =>
    isFew
      ? sql`${sql.ref(column)} in ${visible}`
      : sql`exists ${visible.where(sql<SqlBool>`"spaces"."id" = ${sql.ref(column)}`)}`;
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
  batched<string, number>(async (ids) => {
    const { organization } = caller;
    const counts = await countSpacesSeenBy(queries, { organization, kind, ids }, guestsOf(caller)[0]);
    return (subject) => counts.get(subject) ?? 0;
  });

const guestsOf = (...members: Array<Membership | undefined>) =>
  members.flatMap((member) => member ?? []).filter(({ role }) => role === undefined);

function seenBy(queries: Queries, spaces: Spaces, organization: string, guests: Membership[]): Spaces {
  return guests
    .reduce((seen, guest) => seen.where(isSeenSpace(queries, guest)), spaces)
    .where('spaces.organization', '=', organization)
    .where('spaces.deletedAt', 'is', null);
}

async function countSeenBy(queries: Queries, { organization, user }: Membership, other?: Membership) {
  const counts = await countSpacesSeenBy(queries, { organization, kind: 'user', ids: [user] }, other);
  return counts.get(user) ?? 0;
}

async function countSpacesVisibleTo(queries: Queries, member: Membership): Promise<number> {
  const { organization } = member;
  const [guest] = guestsOf(member);
  if (guest) return await countSeenBy(queries, guest);
  if (canReadRowCounts(queries)) return await readRowCount(queries, { organization, kind: 'spaces' });
  const { count } = await spacesVisibleTo(queries, member)
    .select((space) => space.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
