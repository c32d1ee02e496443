import { sql } from 'kysely';
import type { Queries } from '../database.ts';
import { engineOf } from '../engine.ts';
import type { SearchedSpace } from '../search/rows.ts';

/** A page whose rows in the search index are not complete. */
export interface IncompletePage {
  organization: string;
  space: string;
  page: string;
}

/**
 * Finds the indexed pages without sections, with missing sections, or with sections without words; and sections of pages
 * that are not indexed. Pages that are being indexed are excluded.
 *
 * @param space only of this space
 */
export async function incompletePages(queries: Queries, space?: string): Promise<IncompletePage[]> {
  const ofSpace = (table: string) =>
    space === undefined ? sql`1 = 1` : sql`${sql.ref(`${table}.space`)} = ${space}`;
  const withoutWords =
    engineOf(queries) === 'postgres' ? sql`0` : sql`sum(case when "words"."id" is null then 1 else 0 end)`;
  const words =
    engineOf(queries) === 'postgres'
      ? sql``
      : // The size of each row of the index, without reading its words.
        sql`left join "searchWords_docsize" as "words" on "words"."id" = "searchSections"."id"`;
  const { rows } = await sql<IncompletePage>`
    with "counted" as (
      select "organization", "space", "page", count(*) as "found", max("ordinal") + 1 as "expected",
        ${withoutWords} as "wordless"
      from "searchSections" ${words} where ${ofSpace('searchSections')}
      group by "organization", "space", "page"
    )
    select "searchPages"."organization", "searchPages"."space", "searchPages"."page"
    from "searchPages" left join "counted" using ("organization", "space", "page")
    where "searchPages"."version" is not null and ${ofSpace('searchPages')}
      and (coalesce("found", 0) <> coalesce("searchPages"."sections", "expected", -1) or "wordless" <> 0)
    union
    select "organization", "space", "page" from "counted"
    where not exists (
      select 1 from "searchPages" where "searchPages"."organization" = "counted"."organization"
        and "searchPages"."space" = "counted"."space" and "searchPages"."page" = "counted"."page"
    )`.execute(queries);
  return rows;
}

/** Finds the spaces in the search index that do not exist, or not in that organization. */
export async function strayedSpaces(queries: Queries): Promise<SearchedSpace[]> {
  const { rows } = await sql<SearchedSpace>`
    select "organization", "space" from (
      select "organization", "space" from "searchPages" union select "organization", "space" from "searchSections"
    ) as "indexed"
    where not exists (
      select 1 from "spaces"
      where "spaces"."id" = "indexed"."space" and "spaces"."organization" = "indexed"."organization"
    )`.execute(queries);
  return rows;
}

/** Marks pages as incomplete, so that the next indexing of their spaces replaces them. */
export async function markIncomplete(queries: Queries, pages: readonly IncompletePage[]): Promise<void> {
  for (const { organization, space, page } of pages) {
    await queries
      .insertInto('searchPages')
      .values({ organization, space, page, version: null, titleWords: null, sections: null })
      .onConflict((conflict) =>
        conflict
          .columns(['organization', 'space', 'page'])
          .doUpdateSet({ version: null, titleWords: null, sections: null }),
      )
      .execute();
  }
}
