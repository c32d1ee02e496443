import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../server/app/config.ts';
import { createId } from '../../../server/database/seams.ts';
import { createToken } from '../../../server/identity/tokens.ts';
import { createQueue, type Queue } from '../../../server/jobs/queue.ts';
import {
  pruneAudit,
  registerAuditPruning,
  requestAuditPruning,
} from '../../../server/platform/accounts/audit-events/jobs.ts';
import { auditorOf } from '../../../server/platform/kit/audit/record.ts';
import { pruneVisitorSessions } from '../../../server/platform/sites/visitors/sessions.ts';
import { start } from '../../../server/process/start.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { testParts } from '../../support/server-parts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION_DAYS = 30;

let opened: TestDatabase;
let queue: Queue;
let now: Date;
const clock = () => now;
const pass = (days: number) => {
  now = new Date(now.getTime() + days * DAY_MS);
};

beforeEach(async () => {
  now = new Date('2030-01-01T00:00:00.000Z');
  opened = await openTestDatabase();
  queue = createQueue({ database: opened.db, clock, createId, log: silent });
  // The worker needs no other services.
  registerAuditPruning(
    { queue, database: opened.db, clock } as Parameters<typeof registerAuditPruning>[0],
    pruneVisitorSessions,
  );
  queue.start();
});
afterEach(async () => {
  await queue.stop();
  await opened.close();
});
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const record = (id: string) =>
  opened.db.transaction((trx) =>
    auditorOf({ clock, createId }, { actor: 'system' })(trx, {
      organization: 'org_one',
      action: 'space.purged',
      resource: { type: 'space', id },
    }),
  );
const recorded = async () =>
  (await opened.db.query.selectFrom('auditEvents').select('resource').orderBy('occurredAt').execute()).map(
    ({ resource }) => resource,
  );
const requested = async () =>
  (await opened.db.query.selectFrom('jobs').select('id').where('kind', '=', pruneAudit.name).execute())
    .length;
/** Starts a day, and runs its jobs. */
const request = async () => {
  await requestAuditPruning({ database: opened.db, clock, queue }, RETENTION_DAYS);
  queue.wake();
  await queue.idle();
};

test('deletes events that are older than the retention, with a daily job', async () => {
  await request();
  await record('first');
  pass(1);
  await record('second');
  pass(RETENTION_DAYS - 1);
  await request();
  expect(await recorded()).toEqual(['first', 'second']);
  pass(1);
  await request();
  expect(await recorded()).toEqual(['second']);
  pass(1);
  await request();
  expect(await recorded()).toEqual([]);
});

test('enqueues the job once a day for any number of processes', async () => {
  await request();
  expect(await requested()).toBe(0);
  pass(1);
  await Promise.all([request(), request(), request()]);
  expect(await requested()).toBe(1);
  pass(0.9);
  await request();
  expect(await requested()).toBe(1);
  pass(0.1);
  await request();
  expect(await requested()).toBe(2);
});

test('deletes a long trail completely', async () => {
  await request();
  await opened.db.transaction(async (trx) => {
    const audit = auditorOf({ clock, createId }, { actor: 'system' });
    for (let count = 0; count < 1200; count++) {
      await audit(trx, {
        organization: 'org_one',
        action: 'space.purged',
        resource: { type: 'space', id: `spc_${count}` },
      });
    }
  });
  pass(RETENTION_DAYS + 1);
  await record('kept');
  await request();
  expect(await recorded()).toEqual(['kept']);
});

test('deletes tokens that ended before that, and no others', async () => {
  await request();
  const user = 'usr_ada';
  await opened.db.transaction(async (trx) => {
    const createdAt = now.toISOString();
    await trx
      .insertInto('users')
      .values({ id: user, email: null, displayName: 'Ada', photoURL: null, createdAt })
      .execute();
    const create = (label: string, expiresAt?: Date) =>
      createToken(trx, { user, label, now, createId, expiresAt });
    await create('living');
    await create('expired', new Date(now.getTime() + DAY_MS));
    await create('expired lately', new Date(now.getTime() + 3 * DAY_MS));
    const { row } = await create('revoked');
    await trx.updateTable('tokens').set({ revokedAt: createdAt }).where('id', '=', row.id).execute();
  });
  pass(RETENTION_DAYS + 2);
  await request();
  const left = await opened.db.query.selectFrom('tokens').select('label').orderBy('label').execute();
  expect(left.map(({ label }) => label)).toEqual(['expired lately', 'living']);
});

test('uses the configured retention', async () => {
  now = new Date();
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  await request();
  now = daysAgo(4);
  await record('old');
  pass(2);
  await record('recent');
  pass(2);
  await opened.db.query
    .updateTable('settings')
    .set({ value: daysAgo(2).toISOString() })
    .where('key', '=', 'auditPruningRequestedAt')
    .execute();
  await queue.stop();
  const config = readConfig({
    PORT: '0',
    COLOPHON_AUDIT_RETENTION_DAYS: '3',
    COLOPHON_SECRET_KEY: SECRET_KEY,
    ...('url' in opened.location
      ? { DATABASE_URL: opened.location.url, COLOPHON_DATA: join(tmpdir(), 'colophon-audit-retention') }
      : { COLOPHON_DATA: opened.location.folder }),
  });
  const server = await start(config, pino({ level: 'silent' }), () => undefined, testParts());
  try {
    await expect.poll(recorded).not.toContain('old');
    expect(await recorded()).toContain('recent');
  } finally {
    await server.stop();
  }
});
