import type { SelectQueryBuilder } from 'kysely';
import type { Queries } from '../../database/database.ts';
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

async function countSpacesVisibleTo(queries: Queries, member: Membership): Promise<number> {
  const { count } = await spacesVisibleTo(queries, member)
    .select((space) => space.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
