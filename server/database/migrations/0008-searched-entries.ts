import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** Which computed pages of a space search knows, and as what. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('spaces').addColumn('searchedEntries', text).execute();
}
