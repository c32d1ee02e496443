import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';

/** Adds the trace that caused a job or an event, which the process that continues the work continues, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  for (const table of ['jobs', 'raisedEvents', 'integrationEvents']) {
    await db.schema.alterTable(table).addColumn('traceParent', text).execute();
  }
}
