// Runs on one engine: bad-input.test.ts sends values at the limits to both.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finish, ROOT } from '../../support/processes/program.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let folder: string;

beforeAll(async () => {
  // The run must find errors of a handler, so the server must not turn them into a 500.
  server = await startTestServer({ COLOPHON_VALIDATE_RESPONSES: 'off' });
  folder = await mkdtemp(join(tmpdir(), 'colophon-conform-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Relevant part of the report. */
interface Report {
  failures: { operation: string; check: string; message: string }[];
  coverage: { operation: string; state: string }[];
}

test('conforms to the contract in each operation', async () => {
  const other = await server.person('Other');
  const report = join(folder, 'report.json');
  const bounds = ['--seed', '1', '--max-requests', '2500', '--max-seconds', '90'];
  const files = ['--json', report, '--save-replay', join(folder, 'replay.json')];
  const { code, stdout, stderr } = await finish(
    process.execPath,
    ['spec/toolchain/cli.ts', 'conform', '--url', server.url, ...bounds, ...files],
    { COLOPHON_TOKEN: server.admin.token, COLOPHON_SECOND_TOKEN: other.token },
    ROOT,
  );
  expect(code, stdout + stderr).toBe(0);
  // The documented output of the command.
  const { failures, coverage } = JSON.parse(await readFile(report, 'utf8')) as Report;
  expect(failures).toEqual([]);
  expect(coverage.filter(({ state }) => state !== 'tested')).toEqual([]);
});
