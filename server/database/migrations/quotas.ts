import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, defaultsTo, ownedBy, partialIndex, required, table } from './columns.ts';
import {
  type CountedRows,
  column,
  constant,
  countExistingRows,
  createRowCounts,
} from './triggers/row-counts.ts';

/*
 * The quotas of single organizations, and the numbers that quotas limit and that were not maintained before: of pages,
 * of bytes, and of integrations.
 */

const COUNTS: readonly CountedRows[] = [
  {
    table: 'spaces',
    kind: constant('pages'),
    amount: column('pageCount'),
    when: (row) => sql`${row}."deletedAt" is null and ${row}."pageCount" <> 0`,
  },
  {
    table: 'blobs',
    kind: constant('bytes of files'),
    amount: column('size'),
    when: (row) => sql`${row}."size" <> 0`,
  },
  { table: 'integrations', kind: constant('integrations published') },
];

/** By the first part of the names of their triggers. */
export const QUOTA_ROWS = { quotaCounts: COUNTS } satisfies Record<string, readonly CountedRows[]>;

/** Servers that do not know the number of pages of a space would not maintain it. */
export const stopsServers = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'quotas')
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('quota', text, required)
    .addColumn('limit', integer)
    .addPrimaryKeyConstraint('quotas_key', ['organization', 'quota'])
    .execute();
  await db.schema.alterTable('spaces').addColumn('pageCount', integer, defaultsTo(0)).execute();
  await sql`update "spaces" set "pageCount" = coalesce(${pagesOfSpace(db)}, 0)`.execute(db);
  // Why the last run of a translation failed, such as for a quota.
  for (const column of ['failureReason', 'failureMessage']) {
    await db.schema.alterTable('translations').addColumn(column, text).execute();
  }
  // Counts the jobs of an organization that have not ended without reading the others.
  await partialIndex(db, 'jobs', 'unfinished', ['organization', 'kind'], `"state" in ('queued', 'running')`);
  for (const [name, counts] of Object.entries(QUOTA_ROWS)) {
    await createRowCounts(db, name, counts);
    await countExistingRows(db, counts);
  }
}

/**
 * The number of pages in the current revision of a row of the spaces: walks the tree of the pages from its root to its
 * leaves, see `content/tree/trie-nodes.ts`. null if a part of the tree is missing.
 */
export function pagesOfSpace(db: Parameters<typeof engineOf>[0]): RawBuilder<unknown> {
  const isPostgres = engineOf(db) === 'postgres';
  const member = (name: string) =>
    isPostgres
      ? sql`("objects"."data"::json ->> ${sql.lit(name)})`
      : sql`json_extract("objects"."data", ${sql.lit(`$.${name}`)})`;
  const items = (name: string) =>
    isPostgres
      ? sql`json_array_elements_text("objects"."data"::json -> ${sql.lit(name)}) as "item" ("value")`
      : sql`json_each("objects"."data", ${sql.lit(`$.${name}`)}) as "item"`;
  const key = isPostgres ? sql`("item"."value"::json ->> 0)` : sql`json_extract("item"."value", '$[0]')`;
  // A child without entries is 0.
  const isNode = isPostgres ? sql`"item"."value" <> '0'` : sql`"item"."value" <> 0`;
  const ofNode = sql`
    "objects"."organization" = "nodes"."organization" and "objects"."hash" = "nodes"."hash"
    and "objects"."kind" = 'tree'`;
  const root = sql`
    from "revisions"
    inner join "objects" on "objects"."organization" = "revisions"."organization"
      and "objects"."hash" = "revisions"."root" and "objects"."kind" = 'content'
    where "revisions"."id" = "spaces"."revision"`;
  return sql`(
    with recursive "nodes" ("organization", "hash") as (
      select "objects"."organization", ${member('pages')} ${root}
      union all
      select "nodes"."organization", "item"."value"
      from "nodes" inner join "objects" on ${ofNode} cross join ${items('b')}
      where ${isNode}
    )
    select case
      when not exists (select 1 ${root}) then null
      when exists (
        select 1 from "nodes" left join "objects" on ${ofNode}
        where "nodes"."hash" is not null and "objects"."hash" is null
      ) then null
      else (
        select count(*) from "nodes" inner join "objects" on ${ofNode} cross join ${items('l')}
        where ${key} like 'p:%'
      )
    end
  )`;
}
