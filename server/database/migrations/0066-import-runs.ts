import type { Kysely } from 'kysely';
import { columnTypes, index } from './columns.ts';

/** What import runs were requested with, and by whom. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('runs').addColumn('request', text).execute();
  await db.schema.alterTable('runs').addColumn('createdBy', text).execute();
  await index(db, 'runs', ['organization', 'kind', 'createdAt', 'id']);
}
