import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** The integrations that authenticate the visitors of sites. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('sites').addColumn('authIntegration', text).execute();
}
