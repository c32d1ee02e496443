import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resolveProject, startMock } from '../../../spec/toolchain/main.ts';
import { PACKAGE, runCommand } from '../run-command.ts';

// A mock conforms to its contract: `colophon conform` finds nothing.

const root = join(import.meta.dirname, '../../..');

interface Report {
  failures: { operation: string; check: string }[];
  coverage: { operation: string; state: string }[];
}

/** Runs `colophon conform` against a mock of a contract, relative to the root. */
async function testMock(contract: string, document: string, requests: number): Promise<Report> {
  const project = resolveProject({ root, contract });
  const mock = await startMock(project, {
    port: 0,
    host: '127.0.0.1',
    token: 'secret-token',
    log: () => undefined,
  });
  const folder = await mkdtemp(join(tmpdir(), 'colophon-mock-'));
  onTestFinished(async () => {
    await mock.close();
    await rm(folder, { recursive: true });
  });
  const file = join(folder, 'report.json');
  const target = ['--url', mock.url, '--contract', join(root, document), '--token', 'secret-token'];
  const bounds = ['--seed', '7', '--max-requests', String(requests), '--max-seconds', '120'];
  const files = ['--json', file, '--save-replay', join(folder, 'replay.json')];
  await runCommand(PACKAGE, folder, ['conform', ...target, ...bounds, ...files]);
  // The documented output of the command.
  return JSON.parse(await readFile(file, 'utf8')) as Report;
}

test('serves the shop as its contract declares', async () => {
  const { failures, coverage } = await testMock(
    'test/fixtures/shop/main.tsp',
    'test/fixtures/shop/generated/openapi.json',
    500,
  );
  expect(failures).toEqual([]);
  expect(coverage.filter(({ state }) => state !== 'tested')).toEqual([]);
});

test('serves each operation of the platform with valid responses', async () => {
  const released = 'spec/released/openapi.json';
  const checks = [
    'no-server-error',
    'valid-input-accepted',
    'declared-status',
    'declared-body',
    'undeclared-fields',
  ];
  const { failures, coverage } = await testMock(released, released, 500);
  expect(coverage.filter(({ state }) => state !== 'tested')).toEqual([]);
  expect(failures.filter(({ check }) => checks.includes(check))).toEqual([]);
});
