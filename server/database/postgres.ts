import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  type QueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import { Availability } from './availability.ts';
import { ServerCompiler } from './compilers.ts';
import { isRead } from './engine.ts';
import { DatabaseUnavailableError } from './errors.ts';
import type { Log } from './log.ts';
import { createOutcomes, deleteExpiredOutcomes, newToken, readOutcome, recordOutcome } from './outcomes.ts';
import { Semaphore } from './semaphore.ts';

/*
 * Kysely over a connection pool of PostgreSQL. A connection is acquired when a query is sent or a transaction begins,
 * so that a call that lost its connection can be retried on another one.
 */

/** Maximum number of connections of a process. */
export const MAX_CONNECTIONS = 10;
/** Maximum number of calls that wait for a connection. */
export const MAX_WAITING_CALLS = 1000;
/** Maximum time that a call waits for a connection. */
export const CONNECTION_WAIT_MS = 10_000;
/** Time limit for opening a connection. */
export const CONNECT_TIMEOUT_MS = 5000;
/** Time limit of a statement, enforced by PostgreSQL. */
export const STATEMENT_TIMEOUT_MS = 30_000;
/** Maximum idle time within a transaction, enforced by PostgreSQL. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** Maximum time that a query waits for its result. Beyond the statement timeout: the connection counts as lost. */
export const QUERY_TIMEOUT_MS = 35_000;
/** Idle time after which TCP keep-alive probes are sent. */
const KEEP_ALIVE_MS = 10_000;

/** Type OIDs of the results of `count` and `sum`. */
const INT8 = 20;
const NUMERIC = 1700;

/**
 * Planner options for many short statements: JIT compilation costs more than it saves, and the default cost of random
 * reads is that of a spinning disk. Overridden by `options` in the database URL.
 */
const PLANNER_OPTIONS = '-c jit=off -c random_page_cost=1.1';

/** A client that tolerates connection errors. They are reported by the query that fails. */
class TolerantClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // An unhandled `error` event would end the process. The pool handles it only for idle clients.
    this.on('error', () => {});
  }
}

function optionsOf(url: string): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: 'colophon',
    Client: TolerantClient,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // PostgreSQL sends these as text because of their range. Values of this application are below 2^53.
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format),
    },
  };
}

/**
 * Runs work on PostgreSQL before serving, such as migrations, without time limits.
 */
export async function withMaintenance<T, Schema>(
  url: string,
  work: (kysely: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ ...optionsOf(url), max: 2 });
  pool.on('error', () => {});
  const kysely = new Kysely<Schema>({ dialect: new StorableDialect({ pool }) });
  try {
    const result = await work(kysely);
    await createOutcomes(pool);
    return result;
  } finally {
    await kysely.destroy();
  }
}

class StorableDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new ServerCompiler();
  }
}

/** PostgreSQL for serving requests: all waiting is limited, and calls are retried after a lost connection. */
export class PostgresServer implements Dialect {
  readonly #pool: pg.Pool;
  readonly #semaphore = new Semaphore({ permits: MAX_CONNECTIONS, maxWaiting: MAX_WAITING_CALLS });
  readonly availability: Availability;

  constructor(url: string, log: Log) {
    this.#pool = new pg.Pool({
      ...optionsOf(url),
      max: MAX_CONNECTIONS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
      options: PLANNER_OPTIONS,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    // A closed idle connection is replaced at the next query.
    this.#pool.on('error', (err) => log.debug({ err }, 'idle database connection closed'));
    this.availability = new Availability(log, () => this.#probe());
  }

  createDriver(): Driver {
    return new PoolDriver(this);
  }
  createQueryCompiler(): QueryCompiler {
    return new ServerCompiler();
  }
  createAdapter(): DialectAdapter {
    return new PostgresAdapter();
  }
  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }

  /** Runs periodic maintenance. */
  async maintain(): Promise<void> {
    await this.withConnection((connection) => deleteExpiredOutcomes(connection));
  }

  /**
   * Acquires a connection of the pool.
   *
   * @throws DatabaseUnavailableError
   */
  async acquire(): Promise<PooledConnection> {
    this.availability.requireAvailable();
    try {
      const release = await this.#semaphore.acquire(performance.now() + CONNECTION_WAIT_MS);
      try {
        return new PooledConnection(await this.#pool.connect(), release, this.availability);
      } catch (error) {
        release();
        throw error;
      }
    } catch (error) {
      throw this.availability.recordError(error);
    }
  }

  /** Runs `work` with a connection of the pool. */
  async withConnection<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const connection = await this.acquire();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  /** Runs idempotent `work` with a connection and retries it after a lost connection. */
  async retry<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (;;) {
      try {
        return await this.withConnection(work);
      } catch (error) {
        if (!(await this.availability.mayRetry(error, startedAt))) {
          throw error;
        }
      }
    }
  }

  /** Closes all connections. Idempotent. */
  async close(): Promise<void> {
    this.availability.close();
    if (!this.#pool.ending) {
      await this.#pool.end();
    }
  }

  async #probe(): Promise<void> {
    const release = await this.#semaphore.acquire(performance.now() + CONNECTION_WAIT_MS);
    try {
      const client = await this.#pool.connect();
      let failed: true | undefined = true;
      try {
        await client.query(
          `insert into settings (key, value) values ('write test', $1)
           on conflict (key) do update set value = excluded.value`,
          [new Date().toISOString()],
        );
        failed = undefined;
      } finally {
        client.release(failed);
      }
    } finally {
      release();
    }
  }
}

/** A connection that is held until {@link PooledConnection.release}. */
export class PooledConnection {
  readonly #client: pg.PoolClient;
  readonly #releasePermit: () => void;
  readonly #availability: Availability;
  #isLost = false;
  #isReleased = false;

  constructor(client: pg.PoolClient, releasePermit: () => void, availability: Availability) {
    this.#client = client;
    this.#releasePermit = releasePermit;
    this.#availability = availability;
  }

  async query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      // A copy, since the driver's type requires a mutable array.
      return await this.#client.query(text, values && [...values]);
    } catch (error) {
      const recorded = this.#availability.recordError(error);
      // PostgreSQL rolls back the transaction of a closed connection.
      if (recorded instanceof DatabaseUnavailableError) {
        this.#isLost = true;
      }
      throw recorded;
    }
  }

  /** Returns the connection to the pool, or closes it if it is lost or `isBroken`. Idempotent. */
  release(isBroken = false): void {
    if (this.#isReleased) {
      return;
    }
    this.#isReleased = true;
    this.#client.release(this.#isLost || isBroken);
    this.#releasePermit();
  }
}

class PoolDriver implements Driver {
  readonly #server: PostgresServer;

  constructor(server: PostgresServer) {
    this.#server = server;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(this.#server);
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return own(connection).begin(settings);
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).rollback();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    // The transaction has ended. If ending it failed, its connection must not be reused.
    own(connection).abandon();
  }

  destroy(): Promise<void> {
    return this.#server.close();
  }
}

function own(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) {
    return connection;
  }
  throw new Error('The connection belongs to another driver.');
}

/** The connection object of Kysely for one query or one transaction. */
class Connection implements DatabaseConnection {
  readonly #server: PostgresServer;
  /** Set during a transaction. */
  #connection: PooledConnection | undefined;
  #hasEnded = false;
  #hasWritten = false;

  constructor(server: PostgresServer) {
    this.#server = server;
  }

  async begin({ isolationLevel }: TransactionSettings): Promise<void> {
    const connection = await this.#server.acquire();
    try {
      await connection.query(isolationLevel ? `begin isolation level ${isolationLevel}` : 'begin');
      this.#connection = connection;
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  async commit(): Promise<void> {
    const connection = this.#openConnection();
    this.#hasEnded = true;
    if (!this.#hasWritten) {
      await connection.query('commit');
    } else {
      const token = newToken();
      try {
        await recordOutcome(connection, token);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) {
          throw error;
        }
        connection.release(true);
        await this.#settle(token, error);
      }
    }
    connection.release();
    this.#connection = undefined;
  }

  async rollback(): Promise<void> {
    const connection = this.#connection;
    this.#hasEnded = true;
    this.#connection = undefined;
    try {
      await connection?.query('rollback');
      connection?.release();
    } catch {
      // The caller receives the original error. PostgreSQL rolls back the transaction of a closed connection.
      connection?.release(true);
    }
  }

  abandon(): void {
    this.#connection?.release(true);
    this.#connection = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#connection || this.#hasEnded) {
      const connection = this.#openConnection();
      this.#hasWritten ||= !isRead(query);
      return resultOf(await connection.query(query.sql, query.parameters));
    }
    const run = async (connection: PooledConnection) =>
      resultOf<R>(await connection.query(query.sql, query.parameters));
    if (isRead(query)) {
      return await this.#server.retry(run);
    }
    return await this.#server.withConnection(async (connection) => {
      try {
        return await run(connection);
      } catch (error) {
        // The connection was lost after the statement was sent.
        throw error instanceof DatabaseUnavailableError && error.transient
          ? error.withUnknownOutcome()
          : error;
      }
    });
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator, and there is nothing to yield.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported. Use keyset pages for large results.');
  }

  /** Returns if the transaction was committed; throws if it was not or the outcome is unknown. */
  async #settle(token: string, failure: DatabaseUnavailableError): Promise<void> {
    let committed: boolean;
    try {
      committed = await this.#server.retry((connection) => readOutcome(connection, token));
    } catch {
      throw failure.withUnknownOutcome();
    }
    if (!committed) {
      throw failure;
    }
  }

  #openConnection(): PooledConnection {
    // Queries that run concurrently with a failed one must not run outside the transaction after its rollback.
    if (!this.#connection || this.#hasEnded) {
      throw new Error('The transaction of this query has ended.');
    }
    return this.#connection;
  }
}

function resultOf<R>({ command, rowCount, rows }: pg.QueryResult): QueryResult<R> {
  const changes = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command);
  // Kysely infers R from the compiled query.
  return { rows: rows as R[], ...(changes && { numAffectedRows: BigInt(rowCount ?? 0) }) };
}
