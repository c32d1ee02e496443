import type { Kysely } from 'kysely';
import { columnTypes, index, numbered, required, table } from './columns.ts';

/** Durable background jobs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'jobs')
    .addColumn('sequence', integer, numbered(db))
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('organization', text, required)
    .addColumn('kind', text, required)
    .addColumn('key', text)
    .addColumn('orderKey', text, required)
    .addColumn('payload', text, required)
    .addColumn('state', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('runAt', text, required)
    .addColumn('leaseUntil', text)
    .addColumn('leaseOwner', text)
    .addColumn('attempts', integer, required)
    .addColumn('maxAttempts', integer, required)
    .addColumn('lastError', text)
    .addColumn('finishedAt', text)
    .execute();
  await index(db, 'jobs', ['state', 'runAt', 'sequence']);
  await index(db, 'jobs', ['key', 'state']);
  await index(db, 'jobs', ['finishedAt']);
}
