import { sql } from 'kysely';
import { batches } from '../batches.ts';
import type { Queries, Transaction } from '../database.ts';
import { type MatchedSection, matchSections, SEARCH_LIMIT } from './matches.ts';
import { rankPartly } from './partial.ts';
import type { SearchLanguage } from './stems.ts';
import { readQuery } from './terms.ts';
import { addTitled, orderByTitle } from './titles.ts';
import type { SearchedContent } from './types.ts';

/*
 * Full-text search over the sections of pages. Both engines index the words of words.ts and find the same sections:
 *
 * - searches.ts runs searches in the threads of thread.ts,
 * - terms.ts reads a query, matches.ts finds and ranks the sections that match it,
 * - partial.ts finds sections for a query that no section matches: with the corrections of corrections.ts, or
 *   with most of its words,
 * - titles.ts ranks pages first if their title is, starts with or contains the query, or has all its words.
 */

/** Maximum number of spaces per statement. */
const BATCH = 400;
/** Maximum number of languages per organization for searching word forms. */
export const MAX_SEARCHED_LANGUAGES = 50;

/** Returns the versions of the indexed pages whose IDs start with a prefix; null for incomplete pages. */
export async function findPages(
  queries: Queries,
  { organization, space, prefix }: { organization: string; space: string; prefix: string },
): Promise<Map<string, string | null>> {
  // IDs are compared by code point, so that those with the prefix are contiguous.
  const rows = await queries
    .selectFrom('searchPages')
    .select(['page', 'version'])
    .where('organization', '=', organization)
    .where('space', '=', space)
    .where('page', '>=', prefix)
    .where('page', '<', `${prefix}\u{10FFFF}`)
    .execute();
  return new Map(rows.map(({ page, version }) => [page, version]));
}

/** Maximum number of conditions of the sections of some spaces; sections with others are not found with `conditions`. */
export const MAX_SEARCHED_CONDITIONS = 1000;

/** Lists the conditions of the sections of spaces. */
export async function listConditions(
  queries: Queries,
  { organization, spaces }: { organization: string; spaces: readonly string[] },
): Promise<string[]> {
  if (spaces.length === 0) {
    return [];
  }
  const rows = await queries
    .selectFrom('searchSections')
    .select('condition')
    .distinct()
    .where('organization', '=', organization)
    .where('space', 'in', spaces)
    .where('condition', 'is not', null)
    .orderBy('condition')
    .limit(MAX_SEARCHED_CONDITIONS)
    .execute();
  return rows.flatMap(({ condition }) => condition ?? []);
}

/** Moves the index of spaces to another organization. */
export async function moveSpaces(
  trx: Transaction,
  { spaces, from, to }: { spaces: readonly string[]; from: string; to: string },
): Promise<void> {
  for (const batch of batches(spaces, BATCH)) {
    for (const table of ['searchSections', 'searchPages'] as const) {
      await trx
        .updateTable(table)
        .set({ organization: to })
        .where('organization', '=', from)
        .where('space', 'in', batch)
        .execute();
    }
  }
}

/** Finds and ranks the sections that match a query, at most `SEARCH_LIMIT`. Takes long: see searches.ts. */
export async function rankSections(queries: Queries, request: SearchedContent): Promise<MatchedSection[]> {
  if (Array.isArray(request.spaces) && request.spaces.length === 0) {
    return [];
  }
  const languages = request.languages ?? (await languagesOf(queries, request.organization));
  const query = readQuery(request.query, languages);
  if (query.terms.length === 0) {
    return [];
  }
  let matches = await matchSections(queries, request, query);
  if (matches.length === 0) {
    return await rankPartly(queries, request, query, languages);
  }
  if (matches.length === SEARCH_LIMIT) {
    matches = await addTitled(queries, request, matches);
  }
  return orderByTitle(matches, { ...query, text: request.query }, languages).slice(0, SEARCH_LIMIT);
}

/** Returns the languages of the spaces of an organization, by one lookup in an index for each. */
async function languagesOf(queries: Queries, organization: string): Promise<SearchLanguage[]> {
  const next = sql`select min("language") from "spaces" where "organization" = ${organization}`;
  const { rows } = await sql<{ language: string }>`
    with recursive "languages"("language") as (
      select (${next})
      union all
      select (${next} and "language" > "languages"."language") from "languages" where "language" is not null
    )
    select "language" from "languages" where "language" is not null limit ${MAX_SEARCHED_LANGUAGES}`.execute(
    queries,
  );
  return [null, ...rows.map(({ language }) => language)];
}
