import type { Kysely } from 'kysely';
import { columnTypes, index, required, table } from './columns.ts';

/** Idempotency keys of users, with the responses that their creations had. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await table(db, 'idempotencyKeys')
    .addColumn('user', text, required)
    .addColumn('key', text, required)
    .addColumn('request', text, required)
    .addColumn('response', text)
    .addColumn('createdAt', text, required)
    .addPrimaryKeyConstraint('idempotencyKeys_pk', ['user', 'key'])
    .execute();
  await index(db, 'idempotencyKeys', ['createdAt']);
}
