import { type Kysely, sql } from 'kysely';

/** Creates the index of words of the embedded engine. */
export async function createWordIndex(db: Kysely<unknown>): Promise<void> {
  await sql`
    create virtual table "searchWords" using fts5(
      title, page, body, content = '', contentless_delete = 1,
      tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
    )`.execute(db);
}
