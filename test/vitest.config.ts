import { defineConfig } from 'vitest/config';
import { findPostgres, postgresRequired } from './support/postgres.ts';

// The suite that touches data runs on each engine. Without a PostgreSQL server that half is left out, said
// plainly; where it is required the project stays, and its setup fails.
const withPostgres = findPostgres() !== undefined || postgresRequired();
if (!withPostgres) {
  console.warn(
    'The tests on PostgreSQL are left out: there is no DATABASE_URL and no PostgreSQL on this machine.',
  );
}

// Bounds for a test that hangs, far above what any takes on a busy machine. Projects inherit nothing.
const patience = { testTimeout: 120_000, hookTimeout: 300_000 };

// A process keeps what it acknowledged on either engine, too.
const service = {
  ...patience,
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
          ...patience,
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
          ...patience,
          name: 'journeys',
          include: ['test/journeys/**/*.test.ts'],
          exclude: ['test/journeys/process-*.test.ts'],
        },
      },
    ],
  },
});
