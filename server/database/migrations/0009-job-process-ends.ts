import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** How often a job ended its process while the server that watched it lived on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnTypes(db);
  await db.schema
    .alterTable('jobs')
    .addColumn('processEnds', integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
