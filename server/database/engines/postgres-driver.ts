import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { statements } from '../../diagnostics/channels.ts';
import { isRead } from '../engine.ts';
import { DatabaseUnavailableError, isOutdatedPlan } from '../errors.ts';
import { callerOfWrites } from '../writes.ts';
import { ServerCompiler } from './compilers.ts';
import { newToken, readOutcome, recordOutcome } from './outcomes.ts';
import type { PooledConnection } from './postgres-pool.ts';

/** Provides connections of a pool, and the dialect of Kysely over them. */
export abstract class ConnectionSource implements Dialect {
  /**
   * Acquires a connection.
   *
   * @throws DatabaseUnavailableError
   */
  abstract acquire(): Promise<PooledConnection>;
  /** Runs `work` with a connection. */
  abstract withConnection<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T>;
  /** Runs idempotent `work` with a connection and retries it after a lost connection. */
  abstract retry<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T>;
  /** Closes all connections. Idempotent. */
  abstract close(): Promise<void>;

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
}

/** Kysely's driver over connections of a pool. */
class PoolDriver implements Driver {
  readonly #source: ConnectionSource;

  constructor(source: ConnectionSource) {
    this.#source = source;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new PostgresConnection(this.#source);
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
    return this.#source.close();
  }
}

function own(connection: DatabaseConnection): PostgresConnection {
  if (connection instanceof PostgresConnection) {
    return connection;
  }
  throw new Error('The connection belongs to another driver.');
}

/** The connection object of Kysely for one query or one transaction. */
class PostgresConnection implements DatabaseConnection {
  readonly #source: ConnectionSource;
  /** Set during a transaction. */
  #connection: PooledConnection | undefined;
  #hasEnded = false;
  #hasWritten = false;

  constructor(source: ConnectionSource) {
    this.#source = source;
  }

  async begin({ isolationLevel }: TransactionSettings): Promise<void> {
    const connection = await this.#source.acquire();
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
        await recordOutcome(connection, token, callerOfWrites());
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

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return statements.tracePromise(() => this.#execute<R>(query), { sql: query.sql });
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#connection || this.#hasEnded) {
      const connection = this.#openConnection();
      this.#hasWritten ||= !isRead(query);
      return resultOf(await connection.execute(query.sql, query.parameters));
    }
    const run = async (connection: PooledConnection) => {
      try {
        return resultOf<R>(await connection.execute(query.sql, query.parameters));
      } catch (error) {
        if (!isOutdatedPlan(error)) {
          throw error;
        }
        return resultOf<R>(await connection.execute(query.sql, query.parameters));
      }
    };
    if (isRead(query)) {
      return await this.#source.retry(run);
    }
    return await this.#source.withConnection(async (connection) => {
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
      committed = await this.#source.retry((connection) => readOutcome(connection, token));
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
