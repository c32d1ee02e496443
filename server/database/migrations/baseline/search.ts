import { type Kysely, sql } from 'kysely';
import { engineOf } from '../../engine.ts';
import { columnTypes, index, numbered, partialIndex, required, table } from '../columns.ts';

/**
 * Full-text search: pages, their sections, and an index of their words. search/words.ts splits texts into words for both
 * engines, so that neither index contains a copy of the text.
 */
export async function createSearch(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  const isPostgres = engineOf(db) === 'postgres';

  await table(db, 'searchPages')
    .addColumn('organization', text, required)
    .addColumn('space', text, required)
    .addColumn('page', text, required)
    .addColumn('version', text)
    .addColumn('titleWords', text)
    .addPrimaryKeyConstraint('searchPages_key', ['organization', 'space', 'page'])
    .execute();
  await index(db, 'searchPages', ['organization', 'titleWords']);

  const sections = table(db, 'searchSections')
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
    .addColumn('condition', text);
  await (isPostgres ? sections.addColumn('words', sql`tsvector`, required) : sections).execute();
  await index(db, 'searchSections', ['organization', 'space', 'page', 'ordinal']);
  await (isPostgres ? createWordsOfPostgres(db) : createWordsOfSqlite(db));
  const isConditional = '"condition" is not null';
  await partialIndex(
    db,
    'searchSections',
    'condition',
    ['organization', 'space', 'condition'],
    isConditional,
  );
}

async function createWordsOfPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`create index "searchSections_words" on "searchSections" using gin ("words")`.execute(db);
}

async function createWordsOfSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`
    create virtual table "searchWords" using fts5(
      title, page, body, content = '', contentless_delete = 1,
      tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
    )`.execute(db);
  await sql`create virtual table "searchVocabulary" using fts5vocab("searchWords", 'row')`.execute(db);
}

/**
 * Creates the function `fold` on PostgreSQL, which `containsText` and triggers call. For the embedded engine, the program
 * defines it, see sqlite.ts.
 */
export async function createFold(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) !== 'postgres') {
    return;
  }
  const { rows } = await sql`select 1 from pg_collation where collname = 'und-x-icu'`.execute(db);
  // Without ICU, only the letters of the locale of the server are folded.
  const collation = rows.length > 0 ? sql`collate "und-x-icu"` : sql`collate "default"`;
  await sql`
    create function fold(value text) returns text language sql immutable parallel safe
    return lower(normalize(value, NFKC) ${collation})`.execute(db);
}
