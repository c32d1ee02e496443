// Runs on one engine: the failing database is simulated in the driver of SQLite.
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/* A request that fails after it wrote must not make clients retry it. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Lets all reads after a statement fail, until the test ends. */
function failReads(after: 'begin immediate' | 'commit'): void {
  onTestFinished(() => void vi.restoreAllMocks());
  let isFailing = false;
  const { exec } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, text) {
    exec.call(this, text);
    isFailing ||= text === after;
  });
  const { all } = StatementSync.prototype;
  vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...parameters) {
    if (isFailing) {
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_IOERR });
    }
    return all.apply(this, parameters);
  });
}
const SQLITE_IOERR = 10;

const paramsOf = () => ({ path: { organizationId: server.organization } });
const createSpace = () =>
  server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
    params: paramsOf(),
    body: { title: 'Guide' },
  });

test('does not ask to retry a request if the database failed after the commit', async () => {
  failReads('commit');
  const { response, error } = await createSpace();
  vi.restoreAllMocks();
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toBeNull();
  expect(error?.message).toMatch(/^The request may have been applied/);
  const { items } = await ok(
    server.admin.client.GET('/v1/orgs/{organizationId}/spaces', { params: paramsOf() }),
  );
  expect(items.map(({ title }) => title)).toEqual(['Guide']);
});

test('asks to retry a request if the database failed before anything was written', async () => {
  failReads('begin immediate');
  const { response, error } = await createSpace();
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toBe('10');
  expect(error?.message).toMatch(/Nothing was written/);
});
