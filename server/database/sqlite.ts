import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { EmbeddedCompiler } from './compilers.ts';
import { isBusy } from './errors.ts';
import { Mutex } from './mutex.ts';
import { fold } from './text.ts';

/*
 * Kysely over `node:sqlite`. Two connections to one file: all writes and transactions take turns on the first;
 * selects outside a transaction run at once on the second, so that a long transaction (an import) never keeps
 * a reader waiting. In WAL mode the reader sees every commit that happened before its statement.
 */

/** How long SQLite itself waits for another process, which blocks this one. Longer waits are asynchronous. */
const BLOCKING_WAIT = 50;
/** How long a write waits for another process in all, in milliseconds. */
const BUSY_LIMIT = 15_000;
/** Compiled statements kept per connection. */
const STATEMENTS = 400;

/** The embedded engine as a Kysely dialect. `file` is created when missing. */
export class NodeSqliteDialect implements Dialect {
  readonly #file: string;
  constructor(file: string) {
    this.#file = file;
  }
  createDriver(): Driver {
    return new NodeSqliteDriver(this.#file);
  }
  createQueryCompiler(): QueryCompiler {
    return new EmbeddedCompiler();
  }
  createAdapter(): DialectAdapter {
    return new TransactionalSqliteAdapter();
  }
  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  // The driver takes turns by itself: Kysely's own turn-taking would keep readers waiting for transactions.
  override get supportsMultipleConnections(): boolean {
    return true;
  }
  // Migrations run in one `begin immediate` transaction: of several processes that start at once one migrates,
  // the others wait and find nothing left to do.
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** One open file handle with its compiled statements, the least recently used dropped first. */
class Handle {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: BLOCKING_WAIT, enableForeignKeyConstraints: true });
    this.#database.exec('pragma journal_mode = wal');
    this.#database.exec('pragma synchronous = full');
    this.#database.function('fold', { deterministic: true }, (text) => fold(String(text ?? '')));
  }

  run<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    // Columns are typed as text, numbers, bytes or null; SQLite refuses anything else that gets here.
    const parameters = query.parameters as SQLInputValue[];
    // What a row looks like is Kysely's knowledge: R is inferred from the query that was compiled.
    if (returnsRows) return { rows: statement.all(...parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#statements.get(sql);
    if (prepared) {
      this.#statements.delete(sql);
    } else {
      const statement = this.#database.prepare(sql);
      prepared = { statement, returnsRows: statement.columns().length > 0 };
      const oldest = this.#statements.keys().next();
      if (this.#statements.size >= STATEMENTS && !oldest.done) this.#statements.delete(oldest.value);
    }
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #file: string;
  readonly #turns = new Mutex();
  #writer: Handle | undefined;
  #reader: Handle | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {
    // Several processes may switch a new file to WAL at the same moment.
    this.#writer = await retryWhileBusy(() => new Handle(this.#file));
    this.#reader = await retryWhileBusy(() => new Handle(this.#file));
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#writer || !this.#reader) throw new Error('The database is not open.');
    return new Connection(this.#writer, this.#reader, this.#turns);
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).end('commit');
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).end('rollback');
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    const done = await this.#turns.lock();
    this.#reader?.close();
    this.#writer?.close();
    done();
  }
}

function own(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection;
  throw new Error('This connection belongs to another driver.');
}

/** What Kysely holds while it runs one query or one transaction; it takes its turn only when it writes. */
class Connection implements DatabaseConnection {
  readonly #writer: Handle;
  readonly #reader: Handle;
  readonly #turns: Mutex;
  /** Set during a transaction: ends this connection's turn. */
  #endTurn: (() => void) | undefined;

  constructor(writer: Handle, reader: Handle, turns: Mutex) {
    this.#writer = writer;
    this.#reader = reader;
    this.#turns = turns;
  }

  async begin(): Promise<void> {
    const endTurn = await this.#turns.lock();
    try {
      // Taking the write lock at once, not at the first write, means that a transaction never fails half-way
      // because another process wrote in between.
      await retryWhileBusy(() => this.#writer.exec('begin immediate'));
      this.#endTurn = endTurn;
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    // After a failed commit Kysely rolls back, so the turn goes on until one of the two succeeded.
    this.#writer.exec(how);
    this.#endTurn?.();
    this.#endTurn = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#endTurn) return this.#writer.run(query);
    if (reads(query)) return retryWhileBusy(() => this.#reader.run<R>(query));
    const endTurn = await this.#turns.lock();
    try {
      return await retryWhileBusy(() => this.#writer.run<R>(query));
    } finally {
      endTurn();
    }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator, and there is nothing to yield.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported. Read large results in keyset pages instead.');
  }
}

function reads({ query, sql }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) || /^\s*select\s/i.test(sql);
}

async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const giveUp = performance.now() + BUSY_LIMIT;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUp) throw error;
      await delay(5 + Math.random() * 20);
    }
  }
}
