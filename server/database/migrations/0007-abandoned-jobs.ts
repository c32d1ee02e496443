import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** How often a job's process ended without a word, apart from how often the job failed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnTypes(db);
  await db.schema
    .alterTable('jobs')
    .addColumn('abandoned', integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
