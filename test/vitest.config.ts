import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { runsInBrowser } from './support/find-browser.ts';
import { findPostgres, postgresRequired } from './support/postgres.ts';
import { testSeed } from './support/seed.ts';

// Every worker inherits it; a requested seed is printed, since a random one is needed to repeat the run.
const asked = process.env.COLOPHON_TEST_SEED;
const seed = testSeed(asked);
process.env.COLOPHON_TEST_SEED = String(seed);
if (asked !== undefined) {
  console.log(`What is random in the tests follows from COLOPHON_TEST_SEED=${seed}.`);
}

// Programs that the tests start read what they run compiled, which halves their start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/colophon-tests');
// The type checks that the tests run are by a Go program: with more memory, it collects garbage less often.
process.env.GOGC ??= '400';

// The suite that touches data runs on each engine. Without a PostgreSQL server that half is left out, said
// plainly; where it is required the project stays, and its setup fails.
const withPostgres = findPostgres() !== undefined || postgresRequired();
if (!withPostgres) {
  console.warn(
    'The tests on PostgreSQL are left out: there is no DATABASE_URL and no PostgreSQL on this machine.',
  );
}

if (!runsInBrowser) {
  console.warn(
    'The tests in a browser are left out: there is no Chrome or Chromium on this machine that they can find. ' +
      'Install one, or name it in COLOPHON_BROWSER.',
  );
}

// Projects inherit nothing. The bounds are for a test that hangs, far above what any takes on a busy machine.
const shared = {
  testTimeout: 120_000,
  hookTimeout: 300_000,
  setupFiles: ['test/support/set-seed.ts'],
  // The server is imported once a worker, not once a file.
  isolate: false,
  restoreMocks: true,
};

// A process keeps what it acknowledged on either engine, too.
const service = {
  ...shared,
  include: ['test/{service,attack}/**/*.test.ts', 'test/journeys/process-*.test.ts'],
};

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // More than there are cores: many tests wait for other processes and for time to pass.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/{unit,toolchain,contract,client}/**/*.test.ts'],
        },
      },
      {
        test: {
          ...service,
          name: 'sqlite',
          env: { COLOPHON_TEST_ENGINE: 'sqlite' },
          globalSetup: ['test/support/sqlite.ts'],
        },
      },
      ...(withPostgres
        ? [
            {
              test: {
                ...service,
                name: 'postgres',
                env: { COLOPHON_TEST_ENGINE: 'postgres' },
                globalSetup: ['test/support/postgres.ts'],
              },
            },
          ]
        : []),
      {
        test: {
          ...shared,
          name: 'journeys',
          include: ['test/journeys/**/*.test.ts'],
          exclude: ['test/journeys/process-*.test.ts'],
        },
      },
    ],
  },
});
