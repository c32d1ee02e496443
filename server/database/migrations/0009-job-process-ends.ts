import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** Number of times that a job ended its process while the server continued to run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnTypes(db);
  await db.schema
    .alterTable('jobs')
    .addColumn('processEnds', integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
