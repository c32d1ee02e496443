import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHARED_VARIABLE } from '../bench/engines.ts';
import { processesOf } from '../bench/processes.ts';
import { findBenchmarks } from '../bench/registry.ts';
import { runBenchmarks, type StartedBenchmark } from '../bench/runner.ts';
import { type BenchService, startBenchService } from '../support/bench-service.ts';
import { isFirstEngine } from '../support/database/engines.ts';

/** A number that a measurement could not compute. */
const NO_NUMBER = /NaN|undefined|Infinity/;
/** A baseline that is a duration, or processor time. */
const DURATION = /\d (?:ms|µs)/;
/** Such a baseline for which the clock of a processor has counted nothing. */
const NO_TICK = /\b0(?:\.0+)? (?:ms|µs)/;

/** Benchmarks with statements of their own. The others send requests, which tests of the service do on both engines. */
const ON_EACH_ENGINE = ['content', 'cpu', 'growth', 'lists', 'scale'];
/** Benchmarks of several servers, which an embedded database does not have. */
const ON_POSTGRES = ['contention', 'replicas'];

const benchmarks = findBenchmarks().filter(
  ({ name }) => ON_EACH_ENGINE.includes(name) || isFirstEngine !== ON_POSTGRES.includes(name),
);
let service: BenchService;

beforeAll(async () => {
  service = await startBenchService();
});
afterAll(async () => {
  await service.stop();
});

test.each(benchmarks)('the benchmark $name reports figures, and nothing is left', async (benchmark) => {
  const { shared } = service;
  const left: StartedBenchmark[] = [];
  const [result] = await runBenchmarks([benchmark], {
    size: 'tiny',
    environment: { [SHARED_VARIABLE]: JSON.stringify([shared]) },
    onStart: (_, benchmark) => left.push(benchmark),
  });
  expect(result?.failure).toBeUndefined();
  const figures = result?.figures ?? [];
  expect(figures.filter(({ result, baseline }) => NO_NUMBER.test(`${result} ${baseline ?? ''}`))).toEqual([]);
  expect(figures.filter(({ ratio }) => ratio !== undefined && !Number.isFinite(ratio))).toEqual([]);
  const notCompared = figures.flatMap(({ ratio, baseline }) => (ratio === undefined ? (baseline ?? []) : []));
  expect(notCompared.filter((baseline) => DURATION.test(baseline) && !NO_TICK.test(baseline))).toEqual([]);
  const engines = figures.flatMap(({ name }) => / on (SQLite|PostgreSQL)\b/.exec(name)?.[1] ?? []);
  expect(new Set(engines).difference(new Set([shared.engine]))).toEqual(new Set());
  if (ON_EACH_ENGINE.includes(benchmark.name)) {
    expect(engines).toContain(shared.engine);
  }
  for (const { processes, folders } of left) {
    expect(await processesOf(processes)).toEqual([]);
    expect(folders.filter(existsSync)).toEqual([]);
  }
});
