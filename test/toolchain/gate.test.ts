import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Copy, editsOf, makeCopy } from '../gate/copy.ts';
import { CONFORMING, groups, SPREAD } from '../gate/groups.ts';
import type { ExpectedFailure, Mutation } from '../gate/mutation.ts';
import { mutations } from '../gate/mutations/index.ts';
import { createPartRunner, type PartRunner } from '../gate/parts.ts';
import { problemsOf, tryAlone, tryTogether } from '../gate/run.ts';
import { tableIn, tableOf } from '../gate/table.ts';
import { limitBiome } from '../support/content/repository-copy.ts';
import { ROOT } from '../support/processes/program.ts';

/** Tests that the parts below run or expect type errors in. Checks of all tests would take twice the time. */
const TESTS = [
  ...['vitest.config.ts', 'support', 'fixtures', 'gate/reporter.ts', 'types', 'contract'],
  ...['service/organizations', 'service/spaces', 'toolchain/contract'],
].map((name) => join('test', name));

let copy: Copy;
let runner: PartRunner;
beforeAll(async () => {
  copy = await makeCopy(TESTS);
  const files = mutations.flatMap(editsOf).map(({ file }) => file);
  await limitBiome(copy.root, [...new Set(files)]);
  runner = createPartRunner(copy, { maxRequests: 400 });
});
afterAll(() => copy.remove());

function named(name: string): Mutation {
  const mutation = mutations.find((mutation) => mutation.name === name);
  if (!mutation) {
    throw new Error(`There is no mutation "${name}".`);
  }
  return mutation;
}

describe('the gate turns red', () => {
  test.each(groups)('for $name, each for its own reason', async ({ mutations, parts }) => {
    const results = await tryTogether(copy, runner, mutations, (part) => parts.includes(part));
    expect(results.flatMap(problemsOf)).toEqual([]);
  });

  test.each(SPREAD)('for a mutation: %s', async (name) => {
    const result = await tryAlone(
      copy,
      runner,
      named(name),
      (part) => part !== 'types' && part !== 'conform',
    );
    expect(problemsOf(result)).toEqual([]);
  });

  test(`for a mutation found by a conformance run: ${CONFORMING}`, async () => {
    const result = await tryAlone(copy, runner, named(CONFORMING), (part) => part === 'conform');
    expect(problemsOf(result)).toEqual([]);
  });
});

test('the packages of the repository itself are those of the copy', async () => {
  const client = await realpath(join(copy.root, 'node_modules/@colophon/platform-client'));
  expect(client).toBe(await realpath(join(copy.root, 'client/platform')));
});

test('the configuration of the compiler in the copy has the format that the check requires', async () => {
  const [original, copied] = await Promise.all(
    [ROOT, copy.root].map((root) => readFile(join(root, 'tsconfig.json'), 'utf8')),
  );
  const lines = new Set(copied?.split('\n'));
  expect(original?.split('\n').filter((line) => !lines.has(line))).toEqual([]);
});

describe('the list of mutations', () => {
  test('is long, has unique names, and expects a failure for each', () => {
    expect(mutations.length).toBeGreaterThan(60);
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
    expect(mutations.filter(({ failures }) => failures.length === 0)).toEqual([]);
  });

  test('applies to the repository, and leaves the copy unchanged', async () => {
    for (const mutation of mutations) {
      const before = await readFile(join(copy.root, mutation.file), 'utf8');
      await copy.apply([mutation]);
      expect(await readFile(join(copy.root, mutation.file), 'utf8')).not.toBe(before);
      await copy.restore();
      expect(await readFile(join(copy.root, mutation.file), 'utf8')).toBe(before);
    }
  });

  test('equals the table of the README', async () => {
    const readme = await readFile(join(import.meta.dirname, '..', 'gate', 'README.md'), 'utf8');
    expect(tableIn(readme), 'npm run gate -- --table prints the table to put there').toBe(tableOf(mutations));
  });

  test('expects different reports for the mutations of a group', () => {
    for (const { mutations, parts } of groups) {
      const reports = mutations.flatMap(({ failures }) =>
        failures
          .filter(({ part }) => parts.includes(part))
          .map(({ part, report }) => `${part}: ${String(report)}`),
      );
      expect(new Set(reports).size).toBe(reports.length);
    }
  });
});

describe('a result of the gate', () => {
  const harmless: Mutation = {
    name: 'reword a description',
    file: 'spec/resources/accounts/teams.tsp',
    from: '/** Number of members. */',
    to: '/** Number of people in the team. */',
    failures: [{ part: 'released', report: 'members' }],
  };

  /** A runner with parts that return these reports; all others succeed. */
  const reporting = (reports: Partial<Record<ExpectedFailure['part'], string>>): PartRunner => ({
    generate: async () => {},
    changed: () => {},
    run: async (part) => reports[part] ?? '',
  });

  test('reports a mutation that survives', async () => {
    const result = await tryAlone(copy, reporting({}), harmless);
    expect(problemsOf(result)).toEqual([
      '"reword a description" survives the gate.',
      '"reword a description": released does not report members. It succeeded.',
    ]);
  });

  test('reports a part that turns red unexpectedly', async () => {
    const result = await tryAlone(copy, reporting({ drift: 'outdated' }), { ...harmless, failures: [] });
    expect(problemsOf(result)).toEqual([expect.stringContaining('drift fails unexpectedly.')]);
  });

  test('does not accept a part that fails for another reason', async () => {
    const report = 'maxLength changed from 64 to 63';
    const result = await tryAlone(copy, reporting({ released: report }), harmless);
    expect(result.caught).toEqual([]);
    expect(result.missing).toEqual([{ failure: harmless.failures[0], report }]);
  });

  test('requires that each edited text occurs exactly once', async () => {
    for (const from of ['No such text.', '@operationId']) {
      await expect(copy.apply([{ ...harmless, from }])).rejects.toThrow(/times instead of once/);
    }
  });
});
