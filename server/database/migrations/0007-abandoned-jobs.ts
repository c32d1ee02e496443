import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** Number of times that the process of a job ended without a report, in addition to the failures of the job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnTypes(db);
  await db.schema
    .alterTable('jobs')
    .addColumn('abandoned', integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
