import { request } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/app/config.ts';
import { FAILED_CREDENTIAL_COST } from '../../../server/contract/limits/rate-limit.ts';
import { createId } from '../../../server/database/seams.ts';
import { registerServer } from '../../../server/database/servers/registration.ts';
import { shareRequestCounts } from '../../../server/database/servers/request-counts.ts';
import { REGISTRATION_TIMEOUT_MS } from '../../../server/database/servers/stops.ts';
import { type Running, start } from '../../../server/process/start.ts';
import { openTestDatabase, type TestDatabase, testEngine } from '../../support/database/engines.ts';
import { ADMIN_TOKEN, SECRET_KEY } from '../../support/environment.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { testParts } from '../../support/server-parts.ts';

const LIMIT = 400;
const PROCESSES = 4;

let stored: TestDatabase;
beforeAll(async () => {
  stored = await openTestDatabase();
});
afterAll(() => stored.close());

describe.skipIf(testEngine() === 'sqlite')('servers on one database', () => {
  const servers: Running[] = [];
  beforeAll(async () => {
    // Only SQLite has a folder, and several servers never share one.
    const { url } = stored.location as { url: string };
    for (let index = 0; index < PROCESSES; index++) {
      const config = readConfig({
        PORT: '0',
        DATABASE_URL: url,
        COLOPHON_BOOTSTRAP_TOKEN: ADMIN_TOKEN,
        COLOPHON_RATE_LIMIT: String(LIMIT),
        COLOPHON_COMPILE_AHEAD: 'off',
        COLOPHON_SECRET_KEY: SECRET_KEY,
      });
      servers.push(await start(config, pino({ level: 'silent' }), () => undefined, testParts()));
    }
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  test('share the limit of a token, to within a tenth', async () => {
    // The first servers learn about the last one with their next update.
    const startedAt = new Date().toISOString();
    const seen = async () => {
      const rows = await stored.db.query.selectFrom('countingProcesses').select('seenAt').execute();
      return rows.filter(({ seenAt }) => seenAt > startedAt).length;
    };
    await expect.poll(seen).toBe(PROCESSES);
    const passed = new Map<string, number>();
    let rejected = 0;
    const caller = async (server: Running) => {
      for (let index = 0; index < LIMIT / 2; index++) {
        const { status, reset } = await get(`${server.url}/v1/user`);
        if (status === 200) {
          passed.set(reset, (passed.get(reset) ?? 0) + 1);
        } else if (status === 429) {
          rejected++;
        }
      }
    };
    await Promise.all(servers.flatMap((server) => [server, server, server, server].map(caller)));
    expect(rejected).toBeGreaterThan(0);
    // By minute: the test may run across the end of one.
    for (const count of passed.values()) {
      expect(count).toBeLessThanOrEqual(LIMIT * 1.1);
    }
    expect(Math.max(...passed.values())).toBeGreaterThanOrEqual(LIMIT);
  });
});

describe('a server', () => {
  const limit = 40;
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ COLOPHON_RATE_LIMIT: String(limit) });
  });
  afterAll(() => server.stop());

  /** Counts the statuses of requests that were counted in one minute: it starts again when another one begins. */
  async function statuses(count: number, headersOf: (index: number) => Record<string, string>) {
    let minute: string | null = null;
    let counted: number[] = [];
    while (counted.length < count) {
      const { status, headers } = await fetch(`${server.url}/v1/user`, {
        headers: headersOf(counted.length),
      });
      const reset = headers.get('x-ratelimit-reset');
      expect(reset).not.toBeNull();
      counted = reset === minute ? [...counted, status] : [status];
      minute = reset;
    }
    return Object.fromEntries(
      [...Map.groupBy(counted, (status) => status)].map(([status, { length }]) => [status, length]),
    );
  }

  test('counts by token, regardless of its header and of the forwarded address', async () => {
    const { token } = await server.person('Counted');
    const headers = (index: number) => ({
      authorization: `Bearer${' '.repeat(1 + index)}${token}`,
      'x-forwarded-for': `203.0.113.${index}`,
    });
    expect(await statuses(limit + 10, headers)).toEqual({ 200: limit, 429: 10 });
  });

  test('counts invalid tokens by their address, without affecting valid ones of it', async () => {
    const { token } = await server.person('Known');
    const good = () => ({ authorization: `Bearer ${token}` });
    expect(await statuses(1, good)).toEqual({ 200: 1 });
    const invented = (index: number) => ({
      authorization: `Bearer invented-${index}`,
      'x-forwarded-for': `203.0.113.${index}`,
    });
    const lookups = limit / FAILED_CREDENTIAL_COST;
    expect(await statuses(20, invented)).toEqual({ 401: lookups, 429: 20 - lookups });
    expect(await statuses(1, good)).toEqual({ 200: 1 });
  });
});

describe('counts shared between processes', () => {
  const log = { debug() {}, info() {}, warn() {}, error() {} };

  test('are summed by caller and minute, and deleted afterwards', async () => {
    let now = new Date('2026-01-01T00:00:30.000Z');
    const options = { database: stored.db, clock: () => now, createId, log };
    const [one, other] = [await registerServer(options), await registerServer(options)];
    const [first, second] = [shareRequestCounts(stored.db, one), shareRequestCounts(stored.db, other)];
    try {
      await one.renew();
      expect([first.processes, second.processes]).toEqual([2, 2]);
      const minute = Math.floor(now.getTime() / 60_000);
      const count = (key: string, by: number) => ({ key, minute, count: by });
      expect(await first.exchange([count('a', 5), count('b', 1)])).toHaveLength(2);
      expect(await second.exchange([count('a', 7)])).toEqual([count('a', 12)]);
      expect(await first.exchange([])).toEqual([]);
      now = new Date(now.getTime() + 2 * 60_000 + REGISTRATION_TIMEOUT_MS);
      await one.renew();
      // The other process has not reported for long.
      expect(first.processes).toBe(1);
      const counts = stored.db.query.selectFrom('requestCounts').where('minute', '=', minute);
      expect(await counts.selectAll().execute()).toEqual([]);
      await other.renew();
      expect(second.processes).toBe(2);
    } finally {
      await Promise.all([one.stop(), other.stop()]);
    }
    const left = await stored.db.query.selectFrom('countingProcesses').selectAll().execute();
    expect(left).toEqual([]);
  });
});

/** Returns the status of a request and the end of the minute that counted it. */
function get(url: string): Promise<{ status: number; reset: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }, (response) => {
      response.resume().on('end', () => {
        const reset = String(response.headers['x-ratelimit-reset']);
        resolve({ status: response.statusCode ?? 0, reset });
      });
    });
    sent.on('error', reject).end();
  });
}
