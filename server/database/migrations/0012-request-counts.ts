import type { Kysely } from 'kysely';
import { columnTypes, index, key, required, table } from './columns.ts';

/** Request counts that several processes share, so that a rate limit applies to all of them together. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'requestCounts')
    .addColumn('key', text, required)
    .addColumn('minute', integer, required)
    .addColumn('count', integer, required)
    .addPrimaryKeyConstraint('requestCounts_key_minute', ['key', 'minute'])
    .execute();
  await index(db, 'requestCounts', ['minute']);
  await table(db, 'countingProcesses')
    .addColumn('id', text, key)
    .addColumn('seenAt', text, required)
    .execute();
}
