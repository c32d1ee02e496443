import { createHash } from 'node:crypto';
import { vi } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { untilEventsSettle } from '../jobs.ts';

/**
 * Returns a short digest of each table of a database, so that a test can assert that nothing was written, or which
 * table changed. Waits for the jobs and events that are due, because they write too.
 */
export async function digestOf(database: Database): Promise<Record<string, string>> {
  const now = new Date().toISOString();
  const due = database.query
    .selectFrom('jobs')
    .select('id')
    .where((is) =>
      is.or([is('state', '=', 'running'), is.and([is('state', '=', 'queued'), is('runAt', '<=', now)])]),
    );
  await vi.waitFor(
    async () => {
      if ((await due.execute()).length > 0) {
        throw new Error('Some jobs are still due.');
      }
    },
    { timeout: 60_000, interval: 20 },
  );
  await untilEventsSettle(database);
  const digests: Record<string, string> = {};
  for (const name of await tablesOf(database)) {
    // Names come from the database itself, so they are tables; rows are only serialized.
    const rows: unknown[] = await database.query
      .selectFrom(name as 'users')
      .selectAll()
      .execute();
    const hash = createHash('sha256');
    for (const row of rows.map((row) => JSON.stringify(row, withoutUse)).sort()) {
      hash.update(row).update('\n');
    }
    digests[name] = `${rows.length} rows, ${hash.digest('base64url').slice(0, 12)}`;
  }
  return digests;
}

/** Omits the time of last use: every request updates it for its token. */
const withoutUse = (key: string, value: unknown) => (key === 'lastUsedAt' ? undefined : value);

const tables = new WeakMap<Database, Promise<string[]>>();

/**
 * Tables of the engine: its search index and the outcomes of its transactions. The registrations of
 * processes, which renew them. And those of the delivery of events, which is repeated if it fails: a new event is first in
 * another table.
 */
const OWN_TABLES =
  /^(?:searchWords|transaction_outcomes$|countingProcesses$|integrationEvents$|integrationEventStreams$)/;

/** Returns the tables of a database that hold data of the service. */
function tablesOf(database: Database): Promise<string[]> {
  const find = async () => {
    const all = await database.query.introspection.getTables();
    return all.map(({ name }) => name).filter((name) => !OWN_TABLES.test(name));
  };
  const names = tables.get(database) ?? find();
  tables.set(database, names);
  return names;
}
