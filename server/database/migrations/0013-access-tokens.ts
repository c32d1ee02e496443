import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** Access tokens that are limited to scopes; those of earlier releases have all permissions of their user. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('tokens').addColumn('scopes', text).execute();
}
