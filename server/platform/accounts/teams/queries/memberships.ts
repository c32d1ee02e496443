import { type SqlBool, sql } from 'kysely';
import type { Queries } from '../../../../database/database.ts';
import { fold } from '../../../../database/fold.ts';
import type { NameSearch } from '../../../../database/lists/name-searches.ts';
import type { CountedRows } from '../../../../database/row-counts.ts';
import { foldedContains } from '../../../../database/text.ts';

/** A member of an organization. */
interface TeamMember {
  organization: string;
  user: string;
}

/**
 * Selects the teams of a member. `membership.teamCreatedAt` orders them like the teams of the organization.
 *
 * @param title part of the titles
 */
export function membershipsOf(queries: Queries, { organization, user }: TeamMember, title?: string) {
  const outdated = sql`
    select "teams"."id" from "teams"
    where "teams"."organization" = ${organization} and "teams"."hasOutdatedCopies" = 1`;
  // Titles are only looked up for the few teams with outdated copies. If there are none, teams are not compared.
  const searchedText = sql`
    case when exists (${outdated}) and "membership"."team" in (${outdated}) then (
      select "teams"."searchedText" from "teams" where "teams"."id" = "membership"."team"
    ) else "membership"."teamSearchedText" end`;
  return queries
    .selectFrom('teamMembers as membership')
    .select(['membership.team', 'membership.role'])
    .where('membership.organization', '=', organization)
    .where('membership.user', '=', user)
    .$if(title !== undefined, (memberships) =>
      memberships.where(foldedContains(queries, searchedText, title ?? '')),
    );
}

/** Returns the count of {@link membershipsOf}. */
export function membershipsCount(
  queries: Queries,
  { organization, user }: TeamMember,
  title: string | undefined,
): CountedRows | NameSearch {
  if (title === undefined) {
    return { organization, kind: 'teams of member', owner: user };
  }
  const matches = foldedContains(queries, 'nameChanges.searchedText', title);
  return {
    organization,
    names: 'teams',
    user,
    key: `teams of ${user} ${fold(title)}`,
    matches: sql<SqlBool>`(${matches} and exists (
      select 1 from "teamMembers"
      where "teamMembers"."team" = "nameChanges"."id" and "teamMembers"."user" = ${user}))`,
  };
}
