import { createHash } from 'node:crypto';
import { vi } from 'vitest';
import type { Database } from '../../server/database/database.ts';

/**
 * Everything that a database holds, as one short text for each table, so that a test can tell that nothing was
 * written, or where. Waits for the jobs that are due: they write on their own.
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
        throw new Error('There are still jobs that are due.');
      }
    },
    { timeout: 10_000, interval: 20 },
  );
  const digests: Record<string, string> = {};
  for (const name of await tablesOf(database)) {
    // Names come from the database itself, so they are tables, of rows that are only put into text.
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

/** Any request is a use of its token, which is written on its own. */
const withoutUse = (key: string, value: unknown) => (key === 'lastUsedAt' ? undefined : value);

const tables = new WeakMap<Database, Promise<string[]>>();

/** The engine's own tables: of its search index, and of the transactions that it committed, empty ones too. */
const OWN_TABLES = /^(?:searchWords|transaction_outcomes$)/;

/** The tables of a database that hold data of the service. */
function tablesOf(database: Database): Promise<string[]> {
  const find = async () => {
    const all = await database.query.introspection.getTables();
    return all.map(({ name }) => name).filter((name) => !OWN_TABLES.test(name));
  };
  const known = tables.get(database) ?? find();
  tables.set(database, known);
  return known;
}
