import { availableParallelism } from 'node:os';
import type { ResolvedConfig } from 'vite';
import { defineConfig } from 'vitest/config';
import { runsInBrowser } from './support/browser/find-browser.ts';
import { ENGINE_TESTS, filesOfOneEngine } from './support/database/one-engine.ts';
import { setCompilerVariables } from './support/environment.ts';
import { COMMAND_LINE_FOLDER, runsCommandLine } from './support/find-command-line.ts';
import { testSeed } from './support/seed.ts';
import { BalancedSequencer } from './support/sequencer.ts';

// Every worker inherits it. A requested seed is printed, because a random one is required to repeat the run.
const requestedSeed = process.env.COLOPHON_TEST_SEED;
const seed = testSeed(requestedSeed);
process.env.COLOPHON_TEST_SEED = String(seed);
if (requestedSeed !== undefined) {
  console.log(`Random values of the tests depend on COLOPHON_TEST_SEED=${seed}.`);
}

setCompilerVariables();

/** Refuses what a database that is sharded by organization cannot do. */
const shardedSetup = process.env.COLOPHON_TEST_SHARDED ? ['test/support/database/sharded/refuse.ts'] : [];

if (!runsInBrowser) {
  console.warn(
    'The tests in a browser are skipped: no Chrome or Chromium was found. Install one, or set COLOPHON_BROWSER.',
  );
}

if (!runsCommandLine) {
  console.warn(
    `The tests of the public command line are skipped: npm ci --ignore-scripts --prefix ${COMMAND_LINE_FOLDER}`,
  );
}

// Projects inherit nothing. The timeouts are for tests that hang, and far exceed the duration of any test.
const shared = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ['test/support/set-seed.ts', 'test/support/git/launch-git.ts'],
  // The server is imported once per worker, not once per file.
  isolate: false,
  // Node imports modules as in production, instead of Vite: transformed modules take more CPU time.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Tests allocate much and retain little. With more space for new objects, a worker takes a sixth less CPU time. The
  // workers share the processors, so that one helper thread of V8 is enough for each.
  execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64', '--v8-pool-size=1'],
  restoreMocks: true,
};

/** Without this, Node imports what packages export for their own development, which is slower or not JavaScript. */
const plugins = [
  {
    name: 'packages-as-in-production',
    configResolved: ({ ssr }: ResolvedConfig) => {
      ssr.resolve = { ...ssr.resolve, conditions: ['node'] };
    },
  },
];

const root = new URL('..', import.meta.url).pathname;

export default defineConfig({
  test: {
    root,
    globalSetup: ['test/support/browser/unpack-browser.ts'],
    // One more than there are cores, since many tests wait for other processes. With three, two cores are busy nine tenths
    // of the time; a fourth costs CPU time, and saves little.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: BalancedSequencer },
    projects: [
      // All tests except `guides/`. One project, so that those that wait, for browsers or programs, run next to those that
      // compute.
      {
        plugins,
        test: {
          ...shared,
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{guides,fixtures}/**'],
          env: { COLOPHON_TEST_ENGINE: 'sqlite' },
          globalSetup: ['test/support/database/sqlite.ts'],
        },
      },
      // Tests of the service run on each engine, unless their file states why not.
      {
        plugins,
        test: {
          ...shared,
          name: 'postgres',
          include: ENGINE_TESTS,
          exclude: filesOfOneEngine(root),
          env: { COLOPHON_TEST_ENGINE: 'postgres' },
          globalSetup: ['test/support/database/postgres.ts'],
          setupFiles: [...shared.setupFiles, ...shardedSetup],
        },
      },
      // Not a test: `npm run record-release`.
      {
        plugins,
        test: {
          ...shared,
          name: 'release',
          include: ['test/support/releases/record.ts'],
          env: { COLOPHON_TEST_ENGINE: 'sqlite' },
          globalSetup: ['test/support/database/sqlite.ts'],
        },
      },
      {
        plugins,
        test: {
          ...shared,
          setupFiles: ['test/support/set-seed.ts'],
          name: 'guides',
          include: ['test/guides/**/*.test.ts'],
        },
      },
    ],
  },
});
