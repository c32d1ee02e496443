import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, index, numbered, required, table } from './columns.ts';
import { createWordIndex } from './word-index.ts';

/**
 * Full-text search: sections of pages, and an index of their words. search/words.ts splits texts into words for both
 * engines, so that neither index contains a copy of the text.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'searchSections')
    .addColumn('id', integer, numbered(db))
    .addColumn('organization', text, required)
    .addColumn('space', text, required)
    .addColumn('page', text, required)
    .addColumn('section', text, required)
    .addColumn('ordinal', integer, required)
    .addColumn('title', text, required)
    .addColumn('pageTitle', text, required)
    .addColumn('pagePath', text, required)
    .addColumn('anchor', text, required)
    .addColumn('body', text, required)
    .execute();
  await index(db, 'searchSections', ['organization', 'space', 'page', 'ordinal']);

  if (engineOf(db) === 'postgres') {
    await sql`alter table "searchSections" add column "words" tsvector not null`.execute(db);
    await sql`create index "searchSections_words" on "searchSections" using gin ("words")`.execute(db);
    await createFold(db);
  } else {
    await createWordIndex(db);
  }
}

/** Creates the function that `containsText` calls. For the embedded engine, the program defines it, see sqlite.ts. */
async function createFold(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select 1 from pg_collation where collname = 'und-x-icu'`.execute(db);
  // Without ICU, only the letters of the locale of the server are folded.
  const collation = rows.length > 0 ? sql`collate "und-x-icu"` : sql`collate "default"`;
  await sql`
    create function fold(value text) returns text language sql immutable parallel safe
    return lower(normalize(value, NFKC) ${collation})`.execute(db);
}
