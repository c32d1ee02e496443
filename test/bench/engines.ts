import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseLocation } from '../../server/database/database.ts';
import { administer, findPostgres, start, withDatabase } from '../support/postgres.ts';

/** Database of a measured service: a new one on one of the engines. */
export interface BenchEngine {
  engine: 'SQLite' | 'PostgreSQL';
  location: DatabaseLocation;
  environment: Record<string, string>;
}

/** Engine to measure, SQLite or PostgreSQL; both by default. */
const ONLY = process.env.COLOPHON_BENCH_ENGINE;

/** Secret key of the measured services. */
export const SECRET_KEY = 'a secret key for measurements, 32 characters or more';

/** Runs work with a new database on each available engine. */
export async function onEachEngine<Result>(
  work: (location: BenchEngine) => Promise<Result>,
): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-bench-'));
  const shared = {
    COLOPHON_DATA: folder,
    COLOPHON_SECRET_KEY: SECRET_KEY,
    COLOPHON_RATE_LIMIT: 'off',
    COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8',
  };
  const results: Result[] = [];
  try {
    if (ONLY !== 'PostgreSQL') {
      results.push(await work({ engine: 'SQLite', location: { folder }, environment: shared }));
    }
    const postgres = ONLY === 'SQLite' ? undefined : await servePostgres();
    if (postgres) {
      try {
        const location = { url: postgres.url };
        const environment = { ...shared, DATABASE_URL: postgres.url };
        results.push(await work({ engine: 'PostgreSQL', location, environment }));
      } finally {
        await postgres.stop();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

/** Creates a database on the PostgreSQL server of this machine; undefined if there is none. */
async function servePostgres(): Promise<{ url: string; stop(): Promise<void> } | undefined> {
  const postgres = findPostgres();
  if (!postgres) {
    return undefined;
  }
  const server =
    'url' in postgres ? { url: postgres.url, stop: async () => undefined } : await start(postgres.binaries);
  const name = `colophon_bench_${randomBytes(6).toString('hex')}`;
  await administer(server.url, `create database ${name}`);
  return {
    url: withDatabase(server.url, name),
    stop: async () => {
      await administer(server.url, `drop database ${name} with (force)`);
      await server.stop();
    },
  };
}
