import type { Selectable } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { MembersTable, UsersTable } from '../../database/schema.ts';
import { invisible } from '../../identity/errors.ts';
import { FieldError } from '../errors.ts';

/** A member with the user that it is. */
export interface MemberRow extends Selectable<MembersTable> {
  id: string;
  email: UsersTable['email'];
  displayName: string;
  photoURL: UsersTable['photoURL'];
  createdAt: string;
  teams: number;
}

/** The members of an organization, with their users and how many teams they are in. */
export function membersOf(queries: Queries, organization: string) {
  return queries
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user')
    .selectAll(['members', 'users'])
    .select((member) =>
      member
        .selectFrom('teamMembers')
        .select((team) => team.fn.countAll<number>().as('teams'))
        .whereRef('teamMembers.user', '=', 'members.user')
        .whereRef('teamMembers.organization', '=', 'members.organization')
        .$asScalar()
        .$notNull()
        .as('teams'),
    )
    .where('members.organization', '=', organization);
}

/**
 * One member of an organization.
 *
 * @throws AccessError `invisible` for a user who is none
 */
export async function memberOf(queries: Queries, organization: string, user: string): Promise<MemberRow> {
  const row = await membersOf(queries, organization).where('members.user', '=', user).executeTakeFirst();
  if (!row) throw invisible('member');
  return row;
}

/**
 * Holds the users that a request names against the members of an organization.
 *
 * @param field the list in the body that names them
 * @throws FieldError for the first one who is no member
 */
export async function requireMembers(
  queries: Queries,
  organization: string,
  users: string[],
  field: string,
): Promise<void> {
  const members = await queries
    .selectFrom('members')
    .select('user')
    .where('organization', '=', organization)
    .where('user', 'in', users)
    .execute();
  const known = new Set(members.map(({ user }) => user));
  const index = users.findIndex((user) => !known.has(user));
  if (index >= 0) throw new FieldError(`${field}.${index}`, 'must be the id of a member of the organization');
}
