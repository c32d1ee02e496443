import { defineConfig } from 'vitest/config';
import { findPostgres, postgresRequired } from './support/postgres.ts';
import { testSeed } from './support/seed.ts';

// Every worker inherits it; a seed that was asked for is told, since a random one is needed to repeat the run.
const asked = process.env.COLOPHON_TEST_SEED;
const seed = testSeed(asked);
process.env.COLOPHON_TEST_SEED = String(seed);
if (asked !== undefined) console.log(`What is random in the tests follows from COLOPHON_TEST_SEED=${seed}.`);

// The suite that touches data runs on each engine. Without a PostgreSQL server that half is left out, said
// plainly; where it is required the project stays, and its setup fails.
const withPostgres = findPostgres() !== undefined || postgresRequired();
if (!withPostgres) {
  console.warn(
    'The tests on PostgreSQL are left out: there is no DATABASE_URL and no PostgreSQL on this machine.',
  );
}

// Projects inherit nothing. The bounds are for a test that hangs, far above what any takes on a busy machine.
const shared = {
  testTimeout: 120_000,
  hookTimeout: 300_000,
  setupFiles: ['test/support/set-seed.ts'],
};

// A process keeps what it acknowledged on either engine, too.
const service = {
  ...shared,
  include: ['test/{service,attack}/**/*.test.ts', 'test/journeys/process-*.test.ts'],
};

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // Every core, also where there are only two: most tests wait for other processes.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/{unit,toolchain,contract,client}/**/*.test.ts'],
        },
      },
      { test: { ...service, name: 'sqlite', env: { COLOPHON_TEST_ENGINE: 'sqlite' } } },
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
