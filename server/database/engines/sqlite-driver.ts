import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { statements } from '../../diagnostics/channels.ts';

/** A file with at most one open transaction at a time. */
export interface TransactionalFile {
  open(): Promise<void>;
  /** Runs a query outside a transaction. */
  query<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  /** Begins a transaction. Returns a function that lets the next writer proceed. */
  begin(): Promise<() => void>;
  /** Runs a query of the open transaction. */
  runInTransaction<R>(query: CompiledQuery): QueryResult<R>;
  /** Lets other work proceed before the commit of a large transaction; undefined for others. */
  waitToCommit(): Promise<void> | undefined;
  commit(): void;
  rollback(): void;
  close(): Promise<void>;
}

/** Kysely's driver over one file. */
export class FileDriver implements Driver {
  readonly #file: TransactionalFile;

  constructor(file: TransactionalFile) {
    this.#file = file;
  }

  async init(): Promise<void> {
    await this.#file.open();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new SqliteConnection(this.#file);
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).rollback();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    // Ensures that the next writer can proceed even if ending the transaction failed.
    await own(connection).rollback();
  }

  destroy(): Promise<void> {
    return this.#file.close();
  }
}

function own(connection: DatabaseConnection): SqliteConnection {
  if (connection instanceof SqliteConnection) {
    return connection;
  }
  throw new Error('The connection belongs to another driver.');
}

/** The connection object of Kysely for one query or one transaction. */
class SqliteConnection implements DatabaseConnection {
  readonly #file: TransactionalFile;
  /** Set during a transaction: lets the next writer proceed. */
  #release: (() => void) | undefined;
  #hasEnded = false;

  constructor(file: TransactionalFile) {
    this.#file = file;
  }

  async begin(): Promise<void> {
    this.#release = await this.#file.begin();
    this.#hasEnded = false;
  }

  async commit(): Promise<void> {
    const wait = this.#file.waitToCommit();
    if (wait) {
      await wait;
    }
    // If it fails, Kysely calls `rollback`.
    this.#file.commit();
    this.#end();
  }

  async rollback(): Promise<void> {
    if (!this.#release) {
      return;
    }
    this.#file.rollback();
    this.#end();
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return statements.tracePromise(() => this.#execute<R>(query), { sql: query.sql });
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#release) {
      return this.#file.runInTransaction(query);
    }
    // Queries that run concurrently with a failed one must not run outside the transaction after its rollback.
    if (this.#hasEnded) {
      throw new Error('The transaction of this query has ended.');
    }
    return await this.#file.query(query);
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator, and there is nothing to yield.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported. Use keyset pages for large results.');
  }

  #end(): void {
    this.#release?.();
    this.#release = undefined;
    this.#hasEnded = true;
  }
}
