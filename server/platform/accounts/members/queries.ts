import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { fold } from '../../../database/fold.ts';
import type { NameSearch } from '../../../database/lists/name-searches.ts';
import { type CountedRows, rowCountOf } from '../../../database/row-counts.ts';
import type { MembersTable } from '../../../database/schema/accounts/members.ts';
import type { UsersTable } from '../../../database/schema/accounts/users.ts';
import { foldedContains } from '../../../database/text.ts';
import { fieldInvalid, notFound } from '../../../errors/errors.ts';
import type { Role } from '../../../identity/levels.ts';
import type { Membership } from '../../../identity/membership.ts';

/** A member with its user and the number of its teams. */
export interface MemberRow extends Selectable<MembersTable> {
  id: string;
  email: UsersTable['email'];
  displayName: string;
  photoURL: UsersTable['photoURL'];
  createdAt: string;
  teams: number;
}

/** A member with the caller's membership in the organization. */
export interface MemberWithAccess {
  row: MemberRow;
  access: Membership;
}

/** Selects the members of an organization as {@link MemberRow}s. */
export function membersOf(queries: Queries, organization: string) {
  return queries
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user')
    .selectAll(['members', 'users'])
    .select(rowCountOf(queries, 'teams of member', 'members.organization', 'members.user').as('teams'))
    .where('members.organization', '=', organization);
}

/** IDs of a member and its organization. */
export interface MemberName {
  organization: string;
  user: string;
}

/** Filters of a list of members. */
interface MembersFilter {
  role?: Role | 'guest';
  search?: string;
  sort: 'joinedAt' | 'lastSeenAt';
}

/** Selects the members of an organization that match a filter. */
export function membersMatching(queries: Queries, organization: string, filter: MembersFilter) {
  const members = queries
    .selectFrom('members')
    .select('members.user')
    .where('members.organization', '=', organization);
  return conditionsOf(queries, 'members', filter).reduce(
    (matching, condition) => matching.where(condition),
    members,
  );
}

/** Returns the count of {@link membersMatching}. */
export function membersCount(
  queries: Queries,
  organization: string,
  filter: MembersFilter,
): CountedRows | NameSearch {
  const { role, search } = filter;
  const isSeen = filter.sort === 'lastSeenAt';
  if (search === undefined && role === undefined) {
    return { organization, kind: isSeen ? 'members seen' : 'members' };
  }
  if (search === undefined && !isSeen) {
    return { organization, kind: `members ${role ?? 'guest'}` };
  }
  return {
    organization,
    names: 'members',
    key: `members ${JSON.stringify([role, isSeen, search && fold(search)])}`,
    matches: sql<SqlBool>`(${sql.join(conditionsOf(queries, 'nameChanges', filter), sql` and `)})`,
  };
}

/** Creates the conditions of a filter on members, or on changes of members. */
function conditionsOf(
  queries: Queries,
  table: 'members' | 'nameChanges',
  { role, search, sort }: MembersFilter,
): Expression<SqlBool>[] {
  const ofRole = sql.ref(`${table}.role`);
  const isSeen =
    table === 'members' ? sql`"members"."lastSeenAt" is not null` : sql`"nameChanges"."isSeen" = 1`;
  return [
    ...(role === undefined
      ? []
      : [role === 'guest' ? sql<SqlBool>`${ofRole} is null` : sql<SqlBool>`${ofRole} = ${role}`]),
    ...(search === undefined ? [] : [foldedContains(queries, `${table}.searchedText`, search)]),
    ...(sort === 'lastSeenAt' ? [sql<SqlBool>`${isSeen}`] : []),
  ];
}

/** Creates a function that finds members of an organization. Those of a list page are read together. */
export const memberFinder = (queries: Queries, organization: string) =>
  batched<string, MemberRow | undefined>(async (users) => {
    const rows = await membersOf(queries, organization).where('members.user', 'in', users).execute();
    const members = new Map(rows.map((row) => [row.user, row]));
    return (user) => members.get(user);
  });

/**
 * Finds a member of an organization.
 *
 * @throws ContractError 404 if the user is not a member
 */
export async function memberOf(queries: Queries, { organization, user }: MemberName): Promise<MemberRow> {
  const row = await membersOf(queries, organization).where('members.user', '=', user).executeTakeFirst();
  if (!row) {
    throw notFound('member');
  }
  return row;
}

/**
 * Requires users of a request to be members of an organization.
 *
 * @param field the field of the body that contains them
 * @throws ContractError 400 for the first user who is not a member
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
  const memberIds = new Set(members.map(({ user }) => user));
  const index = users.findIndex((user) => !memberIds.has(user));
  if (index >= 0) {
    throw fieldInvalid(`${field}.${index}`, 'must be the ID of a member of the organization');
  }
}
