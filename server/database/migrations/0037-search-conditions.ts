import { type Kysely, sql } from 'kysely';
import { columnTypes } from './columns.ts';
import { indexAllSpaces } from './index-spaces.ts';

/**
 * Search distinguishes what visitors see under a condition. Enqueues the indexing of all spaces; until then, parts of
 * pages with conditions are indexed with the others.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('searchSections').addColumn('condition', text).execute();
  await sql`
    create index "searchSections_condition" on "searchSections" ("organization", "space", "condition")
    where "condition" is not null`.execute(db);
  await indexAllSpaces(db, 'job_conditions_');
}
