import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** The computed pages in the search index of a space, with their state. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('spaces').addColumn('searchedEntries', text).execute();
}
