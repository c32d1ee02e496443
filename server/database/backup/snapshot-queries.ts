import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import type { Database, DatabaseLocation, Queries } from '../database.ts';
import type { Engine } from '../engine.ts';
import { EmbeddedCompiler, ServerCompiler } from '../engines/compilers.ts';
import type { Schema } from '../schema.ts';
import { BackupError } from './errors.ts';
import { openSnapshot, readMigrations } from './open-snapshot.ts';

/** A query builder that reads the state of a database at one time. */
export interface SnapshotQueries {
  query: Queries;
  close(): Promise<void>;
}

/**
 * Opens a snapshot of a database of this release for queries, also while servers write to it.
 *
 * @throws BackupError if there is no database, or it was not migrated to this release; DatabaseUnavailableError
 */
export async function openSnapshotQueries(location: DatabaseLocation): Promise<SnapshotQueries> {
  const snapshot = await openSnapshot(location);
  try {
    const executed = new Set(await readMigrations(snapshot, await snapshot.columns()));
    const { migrations } = await import('../migrations/index.ts');
    if (executed.size !== migrations.length || migrations.some(([name]) => !executed.has(name))) {
      throw new BackupError(
        'The data are not those of this release. Use the release of the server, or start this one first.',
      );
    }
    const dialect = new SnapshotDialect(snapshot.engine, (query) => snapshot.run(query));
    return { query: new Kysely<Schema>({ dialect }), close: () => snapshot.close() };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

/** Returns a database that reads a snapshot and refuses transactions. Closing it does not close the snapshot. */
export const snapshotDatabase = ({ query }: Pick<SnapshotQueries, 'query'>): Database => ({
  query,
  transaction: rejectWrite,
  inTurn: rejectWrite,
  threadAccess: { file: undefined, recordError: (error) => error },
  watchWork: () => ({ isSignalled: () => true, hasChanged: () => false, stop: () => undefined }),
  load: () => ({ connections: 1, waiting: 0 }),
  ready: async () => false,
  close: async () => undefined,
});

type Run = (query: CompiledQuery) => Promise<unknown[]>;

/** Kysely over one connection, whose transaction is open. */
class SnapshotDialect implements Dialect {
  readonly #engine: Engine;
  readonly #run: Run;

  constructor(engine: Engine, run: Run) {
    this.#engine = engine;
    this.#run = run;
  }

  createDriver(): Driver {
    return new SnapshotDriver(this.#run);
  }
  createQueryCompiler() {
    return this.#engine === 'postgres' ? new ServerCompiler() : new EmbeddedCompiler();
  }
  createAdapter() {
    return this.#engine === 'postgres' ? new PostgresAdapter() : new SqliteAdapter();
  }
  createIntrospector(db: Kysely<unknown>) {
    return this.#engine === 'postgres' ? new PostgresIntrospector(db) : new SqliteIntrospector(db);
  }
}

class SnapshotDriver implements Driver, DatabaseConnection {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this;
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Kysely infers R from the compiled query.
    return { rows: (await this.#run(query)) as R[] };
  }
  beginTransaction = rejectWrite;
  commitTransaction = rejectWrite;
  rollbackTransaction = rejectWrite;
  // biome-ignore lint/correctness/useYield: the interface requires a generator, and there is nothing to yield.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported. Use keyset pages for large results.');
  }
}

async function rejectWrite(): Promise<never> {
  throw new Error('A snapshot is read without further transactions.');
}
