/** Purges find their rows by an index, so that their time does not depend on the size of the table. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineOf } from '../../../../server/database/engine.ts';
import { pruneSessions } from '../../../../server/identity/sessions.ts';
import { JOB_RETENTION_MS } from '../../../../server/jobs/queue.ts';
import { JobStore } from '../../../../server/jobs/store.ts';
import { pruneAuditEvents } from '../../../../server/platform/accounts/audit-events/queries.ts';
import { deleteExpiredEvents } from '../../../../server/platform/integrations/events/jobs/sweep.ts';
import { pruneVisitorSessions } from '../../../../server/platform/sites/visitors/sessions.ts';
import { openTestDatabase, type TestDatabase } from '../../../support/database/engines.ts';
import { statementsOf } from '../../../support/database/statements.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.close());

const now = new Date();
const purges: Record<string, (database: TestDatabase['db']) => Promise<void>> = {
  auditEvents: (database) => pruneAuditEvents(database, now),
  sessions: (database) => pruneSessions(database.query, now),
  visitorSessions: (database) => pruneVisitorSessions(database, now),
  integrationEvents: (database) => deleteExpiredEvents(database, now),
  jobs: (db) => {
    const store = { db, clock: () => now, createId: () => 'job_1', lease: 1, lane: 'unsuspected', owner: '' };
    return new JobStore({ ...store, lane: 'unsuspected' }).prune(JOB_RETENTION_MS);
  },
};

test.each(Object.keys(purges))('%s are purged by an index', async (table) => {
  const { db } = opened;
  const recorded = await statementsOf(async () => purges[table]?.(db));
  const position = recorded.sql.findIndex((text) => text.startsWith(`delete from "${table}"`));
  const parameters = recorded.parameters[position] ?? [];
  // Both drivers number the parameters in the order of the text.
  const [first = '', ...rest] = (recorded.sql[position] ?? '').split(/\$\d+|\?/);
  const statement = rest.reduce(
    (text, part, index) => sql`${text}${sql.val(parameters[index])}${sql.raw(part)}`,
    sql.raw(first),
  );
  const plan = await db.transaction(async (trx) => {
    if (engineOf(trx) === 'postgres') {
      // The tables of the test are small.
      await sql`set local enable_seqscan = off`.execute(trx);
      const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${statement}`.execute(trx);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }
    const { rows } = await sql<{ detail: string }>`explain query plan ${statement}`.execute(trx);
    return rows.map(({ detail }) => detail).join('\n');
  });
  expect(plan).toMatch(/index/i);
  expect(plan).not.toMatch(/Seq Scan|SCAN \w+$/m);
});
