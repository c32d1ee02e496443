import type { Kysely } from 'kysely';
import { columnTypes, index, numbered, required, table } from './columns.ts';

/** Locks that processes share. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'lockTickets')
    .addColumn('sequence', integer, numbered(db))
    .addColumn('key', text, required)
    .addColumn('leaseUntil', text, required)
    .execute();
  await index(db, 'lockTickets', ['key', 'sequence']);
}
