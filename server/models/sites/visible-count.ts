import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import { lookUp } from '../../database/lookups.ts';
import type { Membership } from '../../identity/membership.ts';
import { isSpaceVisibleToGuest } from '../../identity/visibility.ts';
import { countSpacesVisibleBySubject } from '../../identity/visible-counts.ts';

/** Maximum number of sites with several spaces, and of spaces that are not on one site, that a count reads. */
export const MAX_READ_EXCEPTIONS = 1000;

/**
 * Counts the sites that a guest sees by the visible spaces: their number, since most of them are on one site, which
 * shows no other space, corrected by the exceptions.
 *
 * @returns undefined if the exceptions are too many, so that the sites must be read
 */
export async function countVisibleSites(queries: Queries, guest: Membership): Promise<number | undefined> {
  const { organization, user } = guest;
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
  const spaces = await countSpacesVisibleBySubject(queries, { organization, kind: 'user', ids: [user] });
  const isShown = sql`"spaces"."id" = "siteSpaces"."space" and "spaces"."deletedAt" is null`;
  const visibleOnSite = sql`
    select count(*) from "siteSpaces" ${lookUp(queries, 'spaces', ['id', 'parent'], isShown)}
    where "siteSpaces"."site" = "sites"."id" and ${isSpaceVisibleToGuest(queries, guest)}`;
  const corrections = await readNumber(
    queries,
    sql`
      select coalesce((
          select sum("siteCount" - 1) ${irregularSpaces} and ${isSpaceVisibleToGuest(queries, guest)}), 0)
        - coalesce((
          select sum("visible" - 1) from (select (${visibleOnSite}) as "visible" ${largeSites}) as "large"
          where "visible" > 1), 0) as "value"`,
  );
  return (spaces.get(user) ?? 0) + corrections;
}

async function readNumber(queries: Queries, query: RawBuilder<unknown>): Promise<number> {
  // The queries of this module select one row with this column.
  const { rows } = await (query as RawBuilder<{ value: number }>).execute(queries);
  return Number(rows[0]?.value ?? 0);
}
