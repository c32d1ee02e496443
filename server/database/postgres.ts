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
import { createOutcomes, forgetOutcomes, newToken, readOutcome, recordOutcome } from './outcomes.ts';
import { Turns } from './turns.ts';

/*
 * Kysely over a pool of connections to PostgreSQL. A query takes a connection when it is sent, a transaction when
 * it begins, so that what was lost with a connection can be run again on another one.
 */

/** Connections of one process. */
export const MAX_CONNECTIONS = 10;
/** Calls that may wait for a connection at the same time. */
export const MAX_WAITING_CALLS = 1000;
/** How long a call waits for a connection. */
export const CONNECTION_WAIT_MS = 10_000;
/** How long opening a connection may take. */
export const CONNECT_TIMEOUT_MS = 5000;
/** How long a statement may take until the server ends it. */
export const STATEMENT_TIMEOUT_MS = 30_000;
/** How long a transaction may wait for its next statement until the server ends it. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** How long an answer is waited for: beyond the server's own limit the connection counts as dead. */
export const QUERY_TIMEOUT_MS = 35_000;
/** Silence after which the system asks whether the server is still there. */
const KEEP_ALIVE_MS = 10_000;

/** Type numbers (pg_type.oid) of what counting and adding up answer with. */
const INT8 = 20;
const NUMERIC = 1700;

/**
 * For statements that are many and short: compiling one costs more than it saves, and reading by an index costs
 * little more than reading in order (PostgreSQL's default is that of a spinning disk). `options` in the URL of the
 * database take their place.
 */
const PLANNER_OPTIONS = '-c jit=off -c random_page_cost=1.1';

/** A client whose connection may end at any moment: whoever uses it learns of it by the query that fails. */
class HardyClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // Without a listener this event ends the process. The pool listens only while a client is idle.
    this.on('error', () => {});
  }
}

function optionsOf(url: string): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: 'colophon',
    Client: HardyClient,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // Numbers that PostgreSQL sends as text for their size: ours stay below 2^53.
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format),
    },
  };
}

/**
 * PostgreSQL for what runs before serving, such as migrations: one connection after the other, which may take as
 * long as they need.
 */
export async function withMaintenance<T, DB>(
  url: string,
  work: (kysely: Kysely<DB>) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ ...optionsOf(url), max: 2 });
  pool.on('error', () => {});
  const kysely = new Kysely<DB>({ dialect: new StorableDialect({ pool }) });
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

/** PostgreSQL for serving: every wait has a limit, and what a lost connection took with it is run again. */
export class PostgresServer implements Dialect {
  readonly #pool: pg.Pool;
  readonly #turns = new Turns({ places: MAX_CONNECTIONS, maxWaiting: MAX_WAITING_CALLS });
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
    // An idle connection that the server closes is replaced at the next query.
    this.#pool.on('error', (err) => log.debug({ err }, 'an idle database connection was closed'));
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

  /** Regular upkeep, off the path of requests. */
  async maintain(): Promise<void> {
    await this.borrow((client) => forgetOutcomes(client));
  }

  /**
   * Waits for a connection of the pool.
   *
   * @throws DatabaseUnavailableError
   */
  async checkOut(): Promise<Loan> {
    this.availability.refuseWhileAway();
    try {
      const endTurn = await this.#turns.take(performance.now() + CONNECTION_WAIT_MS);
      try {
        return new Loan(await this.#pool.connect(), endTurn, this.availability);
      } catch (error) {
        endTurn();
        throw error;
      }
    } catch (error) {
      throw this.availability.noted(error);
    }
  }

  /** Runs `work` on a connection, and gives the connection back. */
  async borrow<T>(work: (loan: Loan) => Promise<T>): Promise<T> {
    const loan = await this.checkOut();
    try {
      return await work(loan);
    } finally {
      loan.end();
    }
  }

  /** Runs what may be run any number of times, again after each connection that was lost. */
  async retry<T>(work: (loan: Loan) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (;;) {
      try {
        return await this.borrow(work);
      } catch (error) {
        if (!(await this.availability.mayRetry(error, startedAt))) throw error;
      }
    }
  }

  /** Closes all connections. Closing again does nothing. */
  async close(): Promise<void> {
    this.availability.close();
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #probe(): Promise<void> {
    const endTurn = await this.#turns.take(performance.now() + CONNECTION_WAIT_MS);
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
      endTurn();
    }
  }
}

/** A connection that is held until {@link Loan.end}. */
export class Loan {
  readonly #client: pg.PoolClient;
  readonly #endTurn: () => void;
  readonly #availability: Availability;
  #lost = false;
  #ended = false;

  constructor(client: pg.PoolClient, endTurn: () => void, availability: Availability) {
    this.#client = client;
    this.#endTurn = endTurn;
    this.#availability = availability;
  }

  async query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      // A copy: the driver's type asks for an array that it may change.
      return await this.#client.query(text, values && [...values]);
    } catch (error) {
      const noted = this.#availability.noted(error);
      // The server rolls back what runs on a connection that is closed: nothing on it has to be ended first.
      if (noted instanceof DatabaseUnavailableError) this.#lost = true;
      throw noted;
    }
  }

  /** Gives the connection back, or closes it where it was lost or `broken`. */
  end(broken = false): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#client.release(this.#lost || broken);
    this.#endTurn();
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
    // Kysely has ended the transaction by now; where that failed, its connection must not be used again.
    own(connection).abandon();
  }

  destroy(): Promise<void> {
    return this.#server.close();
  }
}

function own(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection;
  throw new Error('This connection belongs to another driver.');
}

/** What Kysely holds while it runs one query or one transaction. */
class Connection implements DatabaseConnection {
  readonly #server: PostgresServer;
  /** Set during a transaction. */
  #loan: Loan | undefined;
  #over = false;
  #wrote = false;

  constructor(server: PostgresServer) {
    this.#server = server;
  }

  async begin({ isolationLevel }: TransactionSettings): Promise<void> {
    const loan = await this.#server.checkOut();
    try {
      await loan.query(isolationLevel ? `begin isolation level ${isolationLevel}` : 'begin');
      this.#loan = loan;
    } catch (error) {
      loan.end(true);
      throw error;
    }
  }

  async commit(): Promise<void> {
    const loan = this.#running();
    this.#over = true;
    if (!this.#wrote) {
      await loan.query('commit');
    } else {
      const token = newToken();
      try {
        await recordOutcome(loan, token);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) throw error;
        loan.end(true);
        await this.#settle(token, error);
      }
    }
    loan.end();
    this.#loan = undefined;
  }

  async rollback(): Promise<void> {
    const loan = this.#loan;
    this.#over = true;
    this.#loan = undefined;
    try {
      await loan?.query('rollback');
      loan?.end();
    } catch {
      // The failure that led here is what the caller gets. A closed connection is rolled back by the server.
      loan?.end(true);
    }
  }

  abandon(): void {
    this.#loan?.end(true);
    this.#loan = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#loan || this.#over) {
      const loan = this.#running();
      this.#wrote ||= !isRead(query);
      return resultOf(await loan.query(query.sql, query.parameters));
    }
    const run = async (loan: Loan) => resultOf<R>(await loan.query(query.sql, query.parameters));
    if (isRead(query)) return await this.#server.retry(run);
    return await this.#server.borrow(async (loan) => {
      try {
        return await run(loan);
      } catch (error) {
        // The connection was lost after the statement was sent.
        throw error instanceof DatabaseUnavailableError && error.transient
          ? error.withUnknownOutcome()
          : error;
      }
    });
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator, and there is nothing to yield.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported. Read large results in keyset pages instead.');
  }

  /** Returns where the transaction was committed; throws where it was not, or where that cannot be learned. */
  async #settle(token: string, failure: DatabaseUnavailableError): Promise<void> {
    let committed: boolean;
    try {
      committed = await this.#server.retry((loan) => readOutcome(loan, token));
    } catch {
      throw failure.withUnknownOutcome();
    }
    if (!committed) throw failure;
  }

  #running(): Loan {
    // Queries that were made side by side with one that failed must not run by themselves after the rollback.
    if (!this.#loan || this.#over) throw new Error('The transaction of this query has ended.');
    return this.#loan;
  }
}

function resultOf<R>({ command, rowCount, rows }: pg.QueryResult): QueryResult<R> {
  const changes = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command);
  // What a row looks like is Kysely's knowledge: R is inferred from the query that was compiled.
  return { rows: rows as R[], ...(changes && { numAffectedRows: BigInt(rowCount ?? 0) }) };
}
