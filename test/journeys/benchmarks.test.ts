import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHARED_VARIABLE } from '../bench/engines.ts';
import { processesOf } from '../bench/processes.ts';
import { findBenchmarks } from '../bench/registry.ts';
import { runBenchmarks, type StartedBenchmark } from '../bench/runner.ts';
import { type BenchServices, startBenchServices } from '../support/bench-services.ts';

/** A number that a measurement could not compute. */
const NO_NUMBER = /NaN|undefined|Infinity/;

/** Benchmarks with statements of their own. The others send requests, which tests of the service do on both engines. */
const ON_EACH_ENGINE = ['content', 'cpu', 'lists', 'scale'];

const started = new Set<string>();
let services: BenchServices;

beforeAll(async () => {
  services = await startBenchServices();
});
afterAll(async () => {
  await services.stop();
});

test.each(findBenchmarks())('the benchmark $name reports figures, and nothing is left', async (benchmark) => {
  const shared = services.services.filter(
    ({ engine }) => engine === 'SQLite' || ON_EACH_ENGINE.includes(benchmark.name),
  );
  const left: StartedBenchmark[] = [];
  const [result] = await runBenchmarks([benchmark], {
    size: 'tiny',
    environment: { [SHARED_VARIABLE]: JSON.stringify(shared) },
    onStart: (name, benchmark) => {
      started.add(name);
      left.push(benchmark);
    },
  });
  expect(result?.failure).toBeUndefined();
  const figures = result?.figures ?? [];
  expect(figures.filter(({ result, baseline }) => NO_NUMBER.test(`${result} ${baseline ?? ''}`))).toEqual([]);
  expect(figures.filter(({ ratio }) => ratio !== undefined && !Number.isFinite(ratio))).toEqual([]);
  // On each engine, or on none.
  for (const { engine } of shared) {
    const elsewhere = figures.filter(({ name }) => / on (?:SQLite|PostgreSQL)\b/.test(name));
    expect(elsewhere.length === 0 || elsewhere.some(({ name }) => name.includes(` on ${engine}`))).toBe(true);
  }
  for (const { processes, folders } of left) {
    expect(await processesOf(processes)).toEqual([]);
    expect(folders.filter(existsSync)).toEqual([]);
  }
});

test('each benchmark of npm run bench was started', () => {
  expect([...started].sort()).toEqual(findBenchmarks().map(({ name }) => name));
});
