import { type Kysely, sql } from 'kysely';
import { columnNames } from '../catalog.ts';
import { engineOf } from '../engine.ts';
import { columnTypes, index } from './columns.ts';

/**
 * Search finds forms of words in the language of a space, and titles first. Enqueues the indexing of all spaces; until
 * then, their pages are found by the words of the earlier index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('searchPages').addColumn('titleWords', text).execute();
  await index(db, 'searchPages', ['organization', 'titleWords']);
  await index(db, 'spaces', ['organization', 'language']);
  if (engineOf(db) === 'sqlite') {
    await sql`create virtual table "searchVocabulary" using fts5vocab("searchWords", 'row')`.execute(db);
  }
  // The first form of 0002-content.ts created spaces without it.
  if (!(await columnNames(db, 'spaces')).has('searchedRevision')) {
    await db.schema.alterTable('spaces').addColumn('searchedRevision', text).execute();
  }
  const now = new Date().toISOString();
  await sql`
    insert into "jobs" (
      "id", "organization", "kind", "key", "orderKey", "payload", "state", "createdAt", "runAt", "attempts", "maxAttempts"
    )
    select 'job_search_' || "id", "organization", 'index-space', 'space ' || "id", '',
      '{"space":"' || "id" || '"}', 'queued', ${now}, ${now}, 0, 5
    from "spaces"`.execute(db);
  await sql`update "spaces" set "searchedRevision" = null`.execute(db);
}
