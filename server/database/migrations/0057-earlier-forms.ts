import { type Kysely, sql } from 'kysely';
import { columnNames, dependentNames } from '../catalog.ts';
import { engineOf } from '../engine.ts';
import { columnTypes, index } from './columns.ts';
import { indexAllSpaces } from './index-spaces.ts';
import { constant, createRowCounts } from './row-count-triggers.ts';
import { addTeamTitles } from './team-titles.ts';
import { createWordIndex } from './word-index.ts';

/**
 * Some migrations were changed after they had landed. Brings databases that ran an earlier form of them to the schema
 * that the current form creates. 0024-search-forms.ts adds the column that it requires.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await dropUnusedColumn(db);
  await sortRevisions(db);
  await addWordsOfPages(db);
  await addFormats(db);
  for (const [name, earlier, columns] of INDEXES) {
    await replaceIndexes(db, name, earlier, columns);
  }
  await replaceIndexOfSites(db);
  if (!(await columnNames(db, 'teamMembers')).has('teamSearchedText')) {
    await addTeamTitles(db);
  }
  const ofSites = await dependentNames(db, 'sites');
  if (!ofSites.has(engineOf(db) === 'postgres' ? 'siteCounts_sites_insert' : 'siteCounts_0_insert')) {
    await createRowCounts(db, 'siteCounts', [{ table: 'sites', kind: constant('sites') }]);
  }
}

/** Indexes of 0011, 0014 and 0018: table, columns of the earlier indexes, and columns. */
const INDEXES: ReadonlyArray<readonly [table: string, earlier: readonly string[][], columns: string[]]> = [
  [
    'grants',
    [['organization', 'subjectKind', 'subject']],
    ['organization', 'subjectKind', 'subject', 'targetKind', 'target'],
  ],
  ['spaces', [], ['organization', 'deletedAt', 'createdAt', 'id']],
  ['auditEvents', [], ['organization', 'resourceType', 'occurredAt', 'id']],
  [
    'members',
    [
      ['organization', 'joinedAt', 'user'],
      ['organization', 'searchedText'],
    ],
    ['organization', 'joinedAt', 'user', 'searchedText', 'role'],
  ],
  [
    'teams',
    [
      ['organization', 'createdAt', 'id'],
      ['organization', 'searchedText'],
    ],
    ['organization', 'createdAt', 'id', 'searchedText'],
  ],
];

async function replaceIndexes(
  db: Kysely<unknown>,
  table: string,
  earlier: readonly string[][],
  columns: string[],
): Promise<void> {
  const existing = await dependentNames(db, table);
  if (existing.has(`${table}_${columns.join('_')}`)) {
    return;
  }
  for (const dropped of earlier) {
    await db.schema.dropIndex(`${table}_${dropped.join('_')}`).execute();
  }
  await index(db, table, columns);
}

/** 0049: the index had the column `id` instead of that of its condition. */
async function replaceIndexOfSites(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('spaces_of_sites').execute();
  await sql`
    create index "spaces_of_sites" on "spaces" ("organization", "deletedAt")
    where "siteCount" <> 1 and "deletedAt" is null`.execute(db);
}

/** 0001: no release set this column. */
async function dropUnusedColumn(db: Kysely<unknown>): Promise<void> {
  if ((await columnNames(db, 'linkInvites')).has('revokedAt')) {
    await db.schema.alterTable('linkInvites').dropColumn('revokedAt').execute();
  }
}

/** 0002: on PostgreSQL, the column was compared in the locale of the server. */
async function sortRevisions(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) !== 'postgres') {
    return;
  }
  const { rows } = await sql`
    select 1 from pg_attribute join pg_collation on pg_collation.oid = attcollation
    where attrelid = '"spaces"'::regclass and attname = 'searchedRevision' and collname <> 'C'`.execute(db);
  if (rows.length > 0) {
    await sql`alter table "spaces" alter column "searchedRevision" type text collate "C"`.execute(db);
  }
}

/** 0004: words of titles of pages were not indexed. */
async function addWordsOfPages(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === 'postgres' || (await columnNames(db, 'searchWords')).has('page')) {
    return;
  }
  await sql`drop table "searchWords"`.execute(db);
  await createWordIndex(db);
  await indexAllSpaces(db, 'job_page_words_');
}

/** 0006: the format of specifications was not stored. */
async function addFormats(db: Kysely<unknown>): Promise<void> {
  if ((await columnNames(db, 'openAPISpecVersions')).has('format')) {
    return;
  }
  const { text } = columnTypes(db);
  await db.schema
    .alterTable('openAPISpecVersions')
    .addColumn('format', text, (column) => column.notNull().defaultTo('yaml'))
    .execute();
  // A document in JSON is an object.
  await sql`update "openAPISpecVersions" set "format" = 'json' where ltrim("text", ${'\uFEFF \t\r\n'}) like '{%'`.execute(
    db,
  );
  if (engineOf(db) === 'postgres') {
    await sql`alter table "openAPISpecVersions" alter column "format" drop default`.execute(db);
  }
}
