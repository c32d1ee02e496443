import type { Kysely } from 'kysely';
import { columnTypes, defaultsTo, index, key, numbered, required, table, unique } from '../columns.ts';

/** What the service itself needs: settings, counters, jobs, locks, and what it knows about requests. */
export async function createService(db: Kysely<unknown>): Promise<void> {
  await createValues(db);
  await createJobs(db);
  await createRequests(db);
}

async function createValues(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'settings').addColumn('key', text, key).addColumn('value', text, required).execute();

  await table(db, 'counters')
    .addColumn('organization', text, required)
    .addColumn('name', text, required)
    .addColumn('value', integer, required)
    .addPrimaryKeyConstraint('counters_key', ['organization', 'name'])
    .execute();
}

/** Durable background jobs, and locks that processes share. */
async function createJobs(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'jobs')
    .addColumn('sequence', integer, numbered(db))
    .addColumn('id', text, (column) => unique(required(column)))
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
    .addColumn('abandoned', integer, defaultsTo(0))
    .addColumn('processEnds', integer, defaultsTo(0))
    .addColumn('lastError', text)
    .addColumn('finishedAt', text)
    .execute();
  await index(db, 'jobs', ['state', 'runAt', 'sequence']);
  await index(db, 'jobs', ['key', 'state']);
  await index(db, 'jobs', ['finishedAt']);

  await table(db, 'lockTickets')
    .addColumn('sequence', integer, numbered(db))
    .addColumn('key', text, required)
    .addColumn('leaseUntil', text, required)
    .execute();
  await index(db, 'lockTickets', ['key', 'sequence']);
}

/** Responses to requests with an idempotency key, and request counts that several processes share. */
async function createRequests(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'idempotencyKeys')
    .addColumn('user', text, required)
    .addColumn('key', text, required)
    .addColumn('request', text, required)
    .addColumn('response', text)
    .addColumn('createdAt', text, required)
    .addPrimaryKeyConstraint('idempotencyKeys_pk', ['user', 'key'])
    .execute();
  await index(db, 'idempotencyKeys', ['createdAt']);

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
