import { type RawBuilder, sql } from 'kysely';
import { batched } from '../database/batched.ts';
import type { Queries } from '../database/database.ts';
import { cachedCounts } from '../database/lists/cached-counts.ts';
import { lookUp } from '../database/lookups.ts';
import { readRowCount } from '../database/row-counts.ts';
import type { Membership } from './membership.ts';
import { isSpaceVisibleToGuest } from './visibility.ts';
import { countSpacesVisibleBySubject } from './visible-counts.ts';

/** Maximum number of sites with several spaces, and of spaces that are not on one site, that a count reads. */
export const MAX_READ_EXCEPTIONS = 1000;

/**
 * Counts the sites that each guest sees by the visible spaces: their number, since most of them are on one site, which
 * shows no other space, corrected by the exceptions.
 *
 * @param guests user IDs of guests of the organization
 * @returns undefined if the exceptions are too many, so that the sites must be read
 */
async function countVisibleSites(
  queries: Queries,
  organization: string,
  guests: readonly string[],
): Promise<Map<string, number> | undefined> {
  const irregularSpaces = sql`
    from "spaces"
    where "spaces"."organization" = ${organization} and "siteCount" <> 1 and "deletedAt" is null`;
  const largeSites = sql`
    from "sites" where "sites"."organization" = ${organization} and "spaceCount" > 1`;
  const limited = (rows: RawBuilder<unknown>) => sql`(
    select count(*) from (select 1 ${rows} limit ${MAX_READ_EXCEPTIONS + 1}) as "limited")`;
  const exceptions = await readNumber(
    queries,
    sql`select ${limited(irregularSpaces)} + ${limited(largeSites)} as "value"`,
  );
  if (exceptions > MAX_READ_EXCEPTIONS) {
    return undefined;
  }
  const spaces = await countSpacesVisibleBySubject(queries, { organization, kind: 'user', ids: guests });
  const isShown = sql`"spaces"."id" = "siteSpaces"."space" and "spaces"."deletedAt" is null`;
  const readCorrections = async (user: string): Promise<number> => {
    const guest = { user, organization, role: undefined };
    const visibleOnSite = sql`
      select count(*) from "siteSpaces" ${lookUp(queries, 'spaces', ['id', 'parent'], isShown)}
      where "siteSpaces"."site" = "sites"."id" and ${isSpaceVisibleToGuest(queries, guest)}`;
    return await readNumber(
      queries,
      sql`
        select coalesce((
            select sum("siteCount" - 1) ${irregularSpaces} and ${isSpaceVisibleToGuest(queries, guest)}), 0)
          - coalesce((
            select sum("visible" - 1) from (select (${visibleOnSite}) as "visible" ${largeSites}) as "large"
            where "visible" > 1), 0) as "value"`,
    );
  };
  const counts = new Map<string, number>();
  for (const user of guests) {
    const visible = spaces.get(user) ?? 0;
    counts.set(user, visible + (visible > 0 && exceptions > 0 ? await readCorrections(user) : 0));
  }
  return counts;
}

/** Returns the count of {@link countVisibleSites} of one guest. */
export const countVisibleSitesOf = async (queries: Queries, { organization, user }: Membership) =>
  (await countVisibleSites(queries, organization, [user]))?.get(user);

/** Marks counts in the cache that would take too long. */
const UNCOUNTED = -1;

/**
 * Creates a function that counts the sites visible to both a member and the caller, who sees no counts of other guests
 * as a guest. Counts of a page are batched. Those of guests are undefined if they would take too long.
 */
export function visibleSitesCounter(queries: Queries, caller: Membership) {
  const { organization } = caller;
  const ofGuest = batched<string, number | undefined>(async (users) => {
    const views = [...new Set(users)].map((user) => ({
      user,
      key: `sites of user ${user}`,
      // Changes of teams and of places affect all users: their version is that of ''.
      owners: ['', 'sites', 'site spaces', user],
    }));
    const counts = await cachedCounts(queries, organization, views, async (missing) => {
      const guests = missing.map(({ user }) => user);
      const counted = await countVisibleSites(queries, organization, guests);
      return guests.map((user) => counted?.get(user) ?? UNCOUNTED);
    });
    const byUser = new Map(views.map(({ user }, at) => [user, counts[at]]));
    return (user) => (byUser.get(user) === UNCOUNTED ? undefined : byUser.get(user));
  });
  let ofRole: Promise<number> | undefined;
  return async (member: { user: string; role: string | null }): Promise<number | undefined> => {
    if (caller.role === undefined) {
      const isOther =
        caller.installation !== undefined || (member.role === null && member.user !== caller.user);
      return isOther ? undefined : await ofGuest(caller.user);
    }
    if (member.role === null) {
      return await ofGuest(member.user);
    }
    ofRole ??= readRowCount(queries, { organization, kind: 'sites' });
    return await ofRole;
  };
}

async function readNumber(queries: Queries, query: RawBuilder<unknown>): Promise<number> {
  // The queries of this module select one row with this column.
  const { rows } = await (query as RawBuilder<{ value: number }>).execute(queries);
  return Number(rows[0]?.value ?? 0);
}
