import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseLocation } from '../../server/database/database.ts';
import { administer, findPostgres, start, withDatabase } from '../support/database/postgres.ts';
import { type Child, startServer } from './child.ts';
import { RUN_VARIABLE, usageOf } from './processes.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Database of a measured service on one of the engines. */
export interface BenchEngine {
  engine: 'SQLite' | 'PostgreSQL';
  location: DatabaseLocation;
  /**
   * Starts the service on this database: that of this repository, or of a copy with another commit; with more variables
   * on request.
   */
  startService(repository?: string, variables?: Readonly<Record<string, string>>): Promise<Child>;
  /** Creates another database on this engine. */
  createAnother(): Promise<BenchEngine>;
  /** ID of the first process of PostgreSQL, if it runs only for this benchmark. */
  postgresId: number | undefined;
}

/** Variable with a list of {@link SharedService}, which benchmarks use instead of starting their own: for tests. */
export const SHARED_VARIABLE = 'COLOPHON_BENCH_SERVICES';

/** A running service that benchmarks share. */
export interface SharedService extends Pick<BenchEngine, 'engine' | 'location'> {
  service: Pick<Child, 'url' | 'pid' | 'token'>;
}

/** Engine to measure, SQLite or PostgreSQL; both by default. */
const ONLY = process.env.COLOPHON_BENCH_ENGINE;

/** Secret key of the measured services. */
export const SECRET_KEY = 'a secret key for measurements, 32 characters or more';

/**
 * Runs work with a new database on each available engine, or with the databases and services that benchmarks share. The
 * runner removes them with the other files and processes of the benchmark.
 */
export async function onEachEngine<Result>(
  work: (engine: BenchEngine) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const shared = process.env[SHARED_VARIABLE];
  if (shared) {
    const services: SharedService[] = JSON.parse(shared);
    for (const service of services) {
      results.push(await work(sharedEngine(service)));
    }
    return results;
  }
  if (ONLY !== 'PostgreSQL') {
    results.push(await work(await createEngine()));
  }
  if (ONLY !== 'SQLite' && findPostgres()) {
    const postgres = await servePostgres();
    results.push(await work(await createEngine({ postgres })));
    await postgres.stop();
  }
  return results;
}

/** A PostgreSQL server. */
export interface Postgres {
  url: string;
  /** ID of its first process, if it was started here. */
  id: number | undefined;
  stop(): Promise<void>;
}

/** Returns the PostgreSQL server of this machine, or starts one. */
export async function servePostgres(): Promise<Postgres> {
  const postgres = findPostgres();
  if (!postgres) {
    throw new Error('PostgreSQL is not installed.');
  }
  if ('url' in postgres) {
    return { url: postgres.url, id: undefined, stop: async () => undefined };
  }
  const server = await start(postgres.binaries);
  return { url: server.url, id: server.id(), stop: server.stop };
}

/** Options of {@link createEngine}. */
interface EngineOptions {
  /** Server for the database; without one, it is a file of SQLite. */
  postgres?: Postgres | undefined;
  /** Parent of the data folder. */
  parent?: string;
  /** Variables for the service. */
  variables?: Readonly<Record<string, string>>;
}

/** Creates a database on one of the engines. */
export async function createEngine(options: EngineOptions = {}): Promise<BenchEngine> {
  const { postgres, parent = tmpdir(), variables } = options;
  const engine = postgres ? 'PostgreSQL' : 'SQLite';
  const folder = await mkdtemp(join(parent, 'data-'));
  const url = postgres && (await createDatabase(postgres.url));
  const environment = {
    COLOPHON_DATA: folder,
    COLOPHON_SECRET_KEY: SECRET_KEY,
    COLOPHON_RATE_LIMIT: 'off',
    COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8',
    ...(url !== undefined && { DATABASE_URL: url }),
    ...variables,
  };
  return {
    engine,
    location: url === undefined ? { folder } : { url },
    startService: (repository = ROOT, more = {}) => startServer(repository, { ...environment, ...more }),
    createAnother: () => createEngine(options),
    postgresId: postgres?.id,
  };
}

/** Returns an engine with a running service, which benchmarks share and do not stop. */
function sharedEngine({ engine, location, service }: SharedService): BenchEngine {
  const child: Child = {
    ...service,
    usage: async () => {
      const { cpuMs, rss } = await usageOf(service.pid);
      return { cpu: cpuMs * 1000, rss, turn: { cpu: 0, blocked: 0 } };
    },
    stop: async () => undefined,
  };
  return {
    engine,
    location,
    startService: async () => child,
    createAnother: async () =>
      await createEngine({ postgres: engine === 'PostgreSQL' ? await servePostgres() : undefined }),
    postgresId: undefined,
  };
}

/** Prefix of the names of databases; the ID of the run follows. */
const DATABASE_PREFIX = 'colophon_bench_';

/** Creates a database on the server at `server`. Returns its URL. */
async function createDatabase(server: string): Promise<string> {
  const name = `${DATABASE_PREFIX}${process.env[RUN_VARIABLE] ?? ''}_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name}`);
  return withDatabase(server, name);
}

/** Deletes the databases of a run from the server of `DATABASE_URL`. */
export async function dropDatabases(run: string): Promise<void> {
  const postgres = findPostgres();
  if (!postgres || !('url' in postgres)) {
    return;
  }
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [`${DATABASE_PREFIX}${run}_`],
    );
    for (const { name } of rows) {
      await client.query(`drop database ${name} with (force)`);
    }
  } finally {
    await client.end();
  }
}
