import pg from 'pg';
import type { Availability } from '../availability.ts';
import { DatabaseUnavailableError, isOutdatedPlan } from '../errors.ts';
import type { Log } from '../log.ts';
import type { PreparedStatements } from './prepared-statements.ts';

/*
 * The connection pool of PostgreSQL. Every wait has a time limit.
 */

/** Maximum number of database connections of a process, in addition to one for notifications. */
export const MAX_CONNECTIONS = 10;
/** Maximum number of calls that wait for a connection. */
export const MAX_WAITING_CALLS = 1000;
/** Maximum time that a call waits for a connection. */
export const CONNECTION_WAIT_MS = 10_000;
/**
 * Number of connections that a process which serves requests opens at its start and keeps. The first queries of a new
 * connection take up to 100 ms under load: PostgreSQL starts a process, which reads the catalog.
 */
export const MIN_CONNECTIONS = 6;
/** Idle time before a connection is closed if the pool has more than its minimum. */
export const IDLE_CONNECTION_MS = 60_000;
/** Time limit for opening a database connection. */
export const CONNECT_TIMEOUT_MS = 5000;
/** Time limit of a statement, enforced by PostgreSQL. */
export const STATEMENT_TIMEOUT_MS = 30_000;
/** Maximum idle time within a transaction, enforced by PostgreSQL. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** Maximum time that a query waits for its result. Beyond the statement timeout: the connection counts as lost. */
export const QUERY_TIMEOUT_MS = 35_000;
/** Idle time before TCP keep-alive probes are sent. */
const KEEP_ALIVE_MS = 10_000;

/** Type OIDs of the results of `count` and `sum`. */
const INT8 = 20;
const NUMERIC = 1700;

/**
 * Planner options for many short statements: JIT compilation and the start of parallel workers cost more than they save,
 * and the default cost of random reads is that of a spinning disk. Overridden by `options` in the database URL.
 */
const PLANNER_OPTIONS = '-c jit=off -c max_parallel_workers_per_gather=0 -c random_page_cost=1.1';

/** A client that tolerates connection errors. They are reported by the query that fails. */
class TolerantClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // An unhandled `error` event would end the process. The pool handles it only for idle clients.
    this.on('error', () => {});
  }
}

/** Returns the options of every connection. */
export function optionsOf(url: string): pg.PoolConfig {
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

/** Creates a client for a connection outside the pool, which is not connected. */
export function createClient(url: string): pg.Client {
  return new TolerantClient({ ...optionsOf(url), query_timeout: QUERY_TIMEOUT_MS });
}

/** Opens a pool, which keeps `min` of the connections that it has opened. */
export function openPool(url: string, log: Log, min: number): pg.Pool {
  const pool = new pg.Pool({
    ...optionsOf(url),
    min,
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    options: PLANNER_OPTIONS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  // A closed idle connection is replaced at the next query.
  pool.on('error', (err) => log.debug({ err }, 'idle database connection closed'));
  return pool;
}

/** Reads the definition of each table into the caches of a new connection. */
export async function readCatalog(connection: PooledConnection): Promise<void> {
  const { rows } = await connection.query(
    `select format('select from %I limit 0', tablename) as statement from pg_tables where schemaname = current_schema()`,
  );
  await connection.query(rows.map(({ statement }) => statement).join(';'));
}

/** A connection that is held until {@link PooledConnection.release}. */
export class PooledConnection {
  readonly #client: pg.PoolClient;
  readonly #releasePermit: () => void;
  readonly #availability: Pick<Availability, 'recordError'>;
  readonly #statements: PreparedStatements | undefined;
  #isLost = false;
  #isReleased = false;

  /** @param statements undefined to prepare none */
  constructor(
    client: pg.PoolClient,
    releasePermit: () => void,
    availability: Pick<Availability, 'recordError'>,
    statements: PreparedStatements | undefined,
  ) {
    this.#client = client;
    this.#releasePermit = releasePermit;
    this.#availability = availability;
    this.#statements = statements;
  }

  /** Sends statements without parameters. */
  async query(text: string): Promise<pg.QueryResult> {
    return await this.#send({ text });
  }

  /** Executes a statement with parameters, which is prepared if it is executed repeatedly. */
  async execute(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const { name, deallocation } = this.#statements?.next(this.#client, text) ?? {};
    if (deallocation !== undefined) {
      await this.#send({ text: deallocation });
    }
    try {
      // A copy, since the driver's type requires a mutable array.
      return await this.#send({ text, values: [...values], ...(name !== undefined && { name }) });
    } catch (error) {
      if (isOutdatedPlan(error)) {
        this.#statements?.renew();
      }
      throw error;
    }
  }

  async #send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(config);
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
