import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finish, ROOT } from '../support/processes/program.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-ci-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const passedTest = { status: 'passed', fullName: 'accepts a page', failureMessages: [] };
const failedTest = {
  status: 'failed',
  fullName: 'rejects a page',
  failureMessages: ['expected 400 to be 200\n    at page.test.ts'],
};
const passed = { status: 'passed', assertionResults: [passedTest] };
const unit = { ...passed, name: '/work/test/unit/config.test.ts' };
const service = { ...passed, name: join(ROOT, 'test/service/spaces/spaces.test.ts') };
const oneEngine = { ...passed, name: join(ROOT, 'test/service/sites/visitors/visitor-table.test.ts') };
const broken = {
  name: '/work/test/unit/broken.test.ts',
  status: 'failed',
  message: 'no such module',
  assertionResults: [],
};
const red = { ...unit, status: 'failed', assertionResults: [failedTest, passedTest] };

interface Run {
  testResults: object[];
  /** Exit codes of `npm run check` and of the tests. */
  check?: number;
  tests?: number;
  failed?: number;
  /** Number of failed tests of the guides. */
  failedGuides?: number;
}

async function writeReport(name: string, report: object): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify(report));
  return file;
}

async function count({ testResults, check = 0, tests = 0, failed = 0, failedGuides = 0 }: Run) {
  const guides = { numPassedTests: 2, numFailedTests: failedGuides, testResults: [unit] };
  const { code, stdout } = await finish(process.execPath, [
    'test/ci/count.ts',
    String(check),
    String(tests),
    await writeReport('tests.json', { numPassedTests: 5, numFailedTests: failed, testResults }),
    await writeReport('guides.json', guides),
  ]);
  return { code, last: stdout.trimEnd().split('\n').at(-1), stdout };
}

test('accepts a run that is green on both engines, or on one for files that state why', async () => {
  expect(await count({ testResults: [unit, service, service, oneEngine] })).toEqual({
    code: 0,
    last: '7 passed, 0 failed',
    stdout: '7 passed, 0 failed\n',
  });
});

test.each<[string, Run, string]>([
  ['a failed test', { testResults: [red, service, service], tests: 1, failed: 1 }, '7 passed, 1 failed'],
  ['a file that fails to run', { testResults: [broken, service, service], tests: 1 }, '7 passed, 1 failed'],
  ['a red check', { testResults: [unit, service, service], check: 1 }, '7 passed, 1 failed'],
  [
    'a failed test of the guides',
    { testResults: [service, service], tests: 1, failedGuides: 1 },
    '7 passed, 1 failed',
  ],
  ['a run on only one engine', { testResults: [unit, service] }, '7 passed, 1 failed'],
  [
    'a run on two engines of a file for one',
    { testResults: [service, service, oneEngine, oneEngine] },
    '7 passed, 1 failed',
  ],
  ['a run without the suite of the service', { testResults: [unit] }, '7 passed, 1 failed'],
  ['an error outside the tests', { testResults: [service, service], tests: 1 }, '7 passed, 1 failed'],
])('fails for %s, and counts one failure', async (_, run, last) => {
  const counted = await count(run);
  expect(counted.code).toBe(1);
  expect(counted.last).toBe(last);
});

test('lists the failed tests at the end, each with its message', async () => {
  const { stdout } = await count({ testResults: [red, service, service], tests: 1, failed: 1 });
  expect(stdout).toMatch(
    /test\/unit\/config\.test\.ts: rejects a page: expected 400 to be 200\n7 passed, 1 failed\n$/,
  );
});

test('fails for a runner without a report', async () => {
  const missing = join(folder, 'nothing.json');
  const { code, stdout } = await finish(process.execPath, ['test/ci/count.ts', '0', '1', missing]);
  expect(code).toBe(1);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('0 passed, 2 failed');
});
