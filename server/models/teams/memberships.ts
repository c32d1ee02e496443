import { type NotNull, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import { fold } from '../../database/fold.ts';
import { lookUp } from '../../database/lookups.ts';
import type { NameSearch } from '../../database/name-searches.ts';
import { type CountedRows, maintainedCountOf, readRowCount } from '../../database/row-counts.ts';
import { foldedContains } from '../../database/text.ts';

/** A member of an organization. */
interface TeamMember {
  organization: string;
  user: string;
}

/** A search in the titles of a member's teams. */
interface TitleSearch extends TeamMember {
  /** Part of a title. */
  title: string;
}

/**
 * Maximum number of teams of the organization per team of a member for which all titles are searched. Comparing a title
 * in its index takes much less time than looking it up for a team of the member.
 */
const MAX_TITLES_PER_TEAM = 16;

/** Maximum number of teams that are looked up in the teams of a member to count them. */
const MAX_COUNTED_LOOKUPS = 2000;

/** Selects the teams of a member, in which `membership.teamCreatedAt` orders them like the teams of the organization. */
export function membershipsOf(queries: Queries, { organization, user }: TeamMember, title?: string) {
  return queries
    .selectFrom('teamMembers as membership')
    .select(['membership.team', 'membership.role'])
    .where('membership.organization', '=', organization)
    .where('membership.user', '=', user)
    .$if(title !== undefined, (memberships) =>
      memberships
        .innerJoin('teams', 'teams.id', 'membership.team')
        .where(foldedContains(queries, 'teams.searchedText', title ?? '')),
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

/** Returns whether {@link membershipsByTitle} is faster than {@link membershipsOf} for a member. */
export async function isInManyTeams(queries: Queries, { organization, user }: TeamMember): Promise<boolean> {
  const memberships = await readRowCount(queries, { organization, kind: 'teams of member', owner: user });
  const teams = await readRowCount(queries, { organization, kind: 'teams' });
  return memberships * MAX_TITLES_PER_TEAM >= teams;
}

/**
 * Selects the teams of a member whose title contains a text, like {@link membershipsOf}. Compares all titles of the
 * organization in the order of the list, and looks up only matching teams in those of the member.
 */
export function membershipsByTitle(queries: Queries, { organization, user, title }: TitleSearch) {
  return queries
    .selectFrom(({ selectFrom }) =>
      selectFrom('teams')
        .select(['teams.createdAt as teamCreatedAt', 'teams.id as team'])
        // Not a join: without statistics, PostgreSQL would read and sort all teams of the member.
        .select((team) =>
          team
            .selectFrom('teamMembers as memberships')
            .select('memberships.role')
            .where('memberships.organization', '=', organization)
            .where('memberships.user', '=', user)
            .whereRef('memberships.teamCreatedAt', '=', 'teams.createdAt')
            .whereRef('memberships.team', '=', 'teams.id')
            .as('role'),
        )
        .where('teams.organization', '=', organization)
        .where(foldedContains(queries, 'teams.searchedText', title))
        .as('membership'),
    )
    .select(['membership.team', 'membership.role'])
    .where('membership.role', 'is not', null)
    .$narrowType<{ role: NotNull }>();
}

/**
 * Counts the teams of a member whose title contains a text. If few teams of the organization contain it, or few do not,
 * only those are looked up in the teams of the member.
 */
export async function countMemberships(
  queries: Queries,
  { title, ...member }: TitleSearch,
  maxLookups = MAX_COUNTED_LOOKUPS,
): Promise<number> {
  const matches = foldedContains(queries, 'teams.searchedText', title);
  const lookups = { ...member, maxLookups };
  const matching = await readCount(queries, (few) => few, { ...lookups, condition: sql`${matches}` });
  if (matching !== undefined) {
    return matching;
  }
  const all = maintainedCountOf('teams of member', sql`${member.organization}`, sql`${member.user}`);
  const withoutOthers = await readCount(queries, (few) => sql`${all} - ${few}`, {
    ...lookups,
    condition: sql`not (${matches})`,
  });
  if (withoutOthers !== undefined) {
    return withoutOthers;
  }
  const { count } = await membershipsOf(queries, member, title)
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Reads a number that is computed from the number of a member's teams that fulfill a condition; undefined if more teams
 * of the organization fulfill it than may be looked up.
 */
async function readCount(
  queries: Queries,
  compute: (few: RawBuilder<number>) => RawBuilder<number>,
  {
    organization,
    user,
    condition,
    maxLookups,
  }: TeamMember & { condition: RawBuilder<unknown>; maxLookups: number },
): Promise<number | undefined> {
  const isMembership = sql`
    "memberships"."organization" = ${organization} and "memberships"."user" = ${user}
    and "memberships"."teamCreatedAt" = "candidates"."createdAt" and "memberships"."team" = "candidates"."id"`;
  const few = sql<number>`(
    select count(*) from "candidates" ${lookUp(queries, 'teamMembers', ['team'], isMembership, 'memberships')})`;
  const { rows } = await sql<{ count: number | null }>`
    with "candidates" as materialized (
      select "teams"."createdAt", "teams"."id" from "teams"
      where "teams"."organization" = ${organization} and ${condition} limit ${maxLookups + 1})
    select case when (select count(*) from "candidates") <= ${maxLookups} then ${compute(few)} end as "count"`.execute(
    queries,
  );
  return rows[0]?.count ?? undefined;
}
