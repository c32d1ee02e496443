import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { main } from '../bench/main.ts';
import { processesOf } from '../bench/processes.ts';
import { findBenchmarks } from '../bench/registry.ts';
import {
  type BenchmarkResult,
  type RunOptions,
  runBenchmarks,
  type StartedBenchmark,
} from '../bench/runner.ts';
import { childrenOf, hasEnded } from '../support/processes/kill-tree.ts';
import { ROOT, run } from '../support/processes/program.ts';

const fixtures = findBenchmarks(join(ROOT, 'test/fixtures/benchmarks'));

/** Runs benchmarks of the fixtures, and verifies that none of their processes and files is left. */
async function runFixtures(
  names: readonly string[],
  options: Partial<RunOptions> = {},
): Promise<BenchmarkResult[]> {
  const started: StartedBenchmark[] = [];
  const selected = names.flatMap((name) => fixtures.filter((benchmark) => benchmark.name === name));
  const results = await runBenchmarks(selected, {
    size: 'tiny',
    onStart: (_, benchmark) => started.push(benchmark),
    ...options,
  });
  for (const { processes, folders } of started) {
    expect(await processesOf(processes)).toEqual([]);
    expect(folders.filter(existsSync)).toEqual([]);
  }
  // The fixtures report the IDs of their processes.
  const ids = results.flatMap(({ figures }) =>
    figures.flatMap(({ result }) => result.split(' ').map(Number)),
  );
  expect(ids.filter((id) => !hasEnded(id))).toEqual([]);
  return results;
}

test('a failed benchmark and one that crashes leave nothing, and the others still report figures', async () => {
  const results = await runFixtures(['fails', 'crashes', 'measures']);
  expect(results).toMatchObject([
    {
      name: 'fails',
      figures: [{ name: 'before the failure' }],
      failure: expect.stringMatching(/The measurement failed\.[\s\S]*There is no disk\./),
    },
    {
      name: 'crashes',
      figures: [{ name: 'before the crash' }],
      failure: expect.stringMatching(/ended with status 3\.\nThe last words\./),
    },
    { name: 'measures', figures: [{ name: 'measured' }] },
  ]);
  expect(results[2]).not.toHaveProperty('failure');
});

test('a benchmark that exceeds its deadline is stopped', async () => {
  const [result] = await runFixtures(['hangs'], { deadlineMs: 1 });
  expect(result?.failure).toMatch(/^It did not end within 0\.001 seconds/);
});

test('an interrupted benchmark leaves nothing, whatever its processes ignore, and no other starts', async () => {
  const interrupt = new AbortController();
  const results = await runFixtures(['hangs', 'measures'], {
    signal: interrupt.signal,
    onFigure: () => interrupt.abort(),
  });
  expect(results).toMatchObject([{ name: 'hangs', figures: [{}], failure: 'It was interrupted.' }]);
});

test('the command prints the figures, names the failed benchmarks, and fails', async () => {
  const print = vi.spyOn(console, 'log').mockReturnValue();
  const progress = vi.spyOn(console, 'error').mockReturnValue();
  expect(await main(['fails', 'measures', '--size', 'tiny'], fixtures)).toBe(1);
  const printed = print.mock.calls.join('\n');
  expect(printed).toMatch(/^before the failure /m);
  expect(printed).toMatch(/^measured /m);
  expect(printed).toContain('1 of 2 benchmarks failed: fails.');
  expect(progress.mock.calls.join('\n')).toContain('failed: Error: The measurement failed.');
  expect(await main(['measures', '--size', 'tiny'], fixtures)).toBe(0);
});

test.each([
  [['unknown'], /^Unknown benchmark unknown\. Specify some of: crashes, fails, hangs, measures\.$/],
  [['--size', 'huge'], /^Unknown size huge\. Specify one of: full, small, tiny\.$/],
  [['--unknown'], /Unknown option '--unknown'/],
])('the command rejects %j', async (args, message) => {
  await expect(main(args, fixtures)).rejects.toThrow(message);
});

test('Ctrl-C ends the program and its processes', async () => {
  const program = run(process.execPath, ['test/bench/main.ts', 'client', '--size', 'tiny']);
  await program.until('stderr', /^client$/m);
  const id = program.child.pid ?? 0;
  const descendants = () => childrenOf(id).flatMap((child) => [child, ...childrenOf(child)]);
  await expect.poll(descendants).not.toEqual([]);
  const ids = descendants();
  program.child.kill('SIGINT');
  expect(await program.ended).toEqual({ code: 130, signal: null });
  expect(ids.filter((id) => !hasEnded(id))).toEqual([]);
});
