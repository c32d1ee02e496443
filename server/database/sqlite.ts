import { setTimeout as delay, setImmediate as nextTask } from 'node:timers/promises';
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
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { Availability } from './availability.ts';
import { type Checkpoints, makeCheckpoints } from './checkpoints.ts';
import { EmbeddedCompiler } from './compilers.ts';
import { isRead } from './engine.ts';
import { DatabaseUnavailableError, isBusy, type UnavailableReason } from './errors.ts';
import type { Log } from './log.ts';
import { OpenTransaction } from './open-transaction.ts';
import type { Handle } from './sqlite-handle.ts';
import { Slot } from './sqlite-slot.ts';
import { Turns } from './turns.ts';

/*
 * Kysely over `node:sqlite`. Two connections to one file: all writes and transactions take turns on the first;
 * selects outside a transaction run at once on the second, so that a long transaction (an import) never keeps
 * a reader waiting. In WAL mode the reader sees every commit that happened before its statement.
 *
 * While a transaction is open, other processes cannot write. Every statement returns at once, so a transaction that
 * awaits nothing but the database ends within the task of the event loop in which it began, and nothing else of this
 * process runs in between. Two things keep that so: a transaction begins in a task of its own, and
 * {@link OpenTransaction} reports one that is still open when its task is over.
 */

/**
 * How long a write waits in all, for its turn and for the lock of another process. A lock that has been foreign
 * for so long is not waited for again until it was free.
 */
export const WRITE_WAIT_MS = 15_000;
/** Writes that may wait for their turn at the same time. */
export const MAX_WAITING_WRITES = 1000;
/** What is written to learn whether a full disk has space again. */
const SPACE_TEST_BYTES = 262_144;
/** Rows that are looked at per index for the statistics of the query planner. */
const ANALYSIS_LIMIT = 400;

/** The embedded engine as a Kysely dialect over one file, which is created when missing. */
export class SqliteFile implements Dialect {
  readonly #turns = new Turns({ places: 1, maxWaiting: MAX_WAITING_WRITES });
  readonly #writer: Slot;
  readonly #reader: Slot;
  readonly #log: Log;
  #transaction: OpenTransaction | undefined;
  readonly #stopCheckpoints: () => void;
  readonly availability: Availability;

  constructor(file: string, log: Log, checkpoints: Checkpoints) {
    this.#log = log;
    this.#writer = new Slot(file, checkpoints);
    this.#reader = new Slot(file, checkpoints);
    this.#stopCheckpoints =
      checkpoints === 'for all' ? makeCheckpoints(() => this.#reader.handle(), log) : () => undefined;
    this.availability = new Availability(log, (reasons) => this.#probe(reasons));
  }

  createDriver(): Driver {
    return new FileDriver(this);
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

  async open(): Promise<void> {
    const deadline = performance.now() + WRITE_WAIT_MS;
    // Several processes may switch a new file to WAL at the same moment.
    await this.#whileBusy(this.#writer, deadline, () => this.#writer.open());
    await this.#whileBusy(this.#reader, deadline, () => this.#reader.open());
  }

  /** Regular upkeep: statistics for the query planner, where tables grew since they were last made. */
  async maintain(): Promise<void> {
    // Writers first: there is a next time.
    const endTurn = this.#turns.tryTake();
    if (!endTurn) return;
    try {
      this.#analyze();
      // A connection reads the statistics when it opens.
      this.#reader.distrust();
    } catch (error) {
      if (!isBusy(error)) throw this.#failed(this.#writer, error);
    } finally {
      endTurn();
    }
  }

  /** Runs a query that is no part of a transaction. */
  async query<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const deadline = performance.now() + WRITE_WAIT_MS;
    if (isRead(query))
      return await this.#whileBusy(this.#reader, deadline, () => this.#reader.handle().run<R>(query));
    const endTurn = await this.#turn(deadline);
    try {
      return await this.#whileBusy(this.#writer, deadline, () => this.#writer.handle().run<R>(query));
    } finally {
      endTurn();
    }
  }

  /**
   * Begins a transaction in its turn.
   *
   * @returns the function that ends the turn
   */
  async begin(): Promise<() => void> {
    const deadline = performance.now() + WRITE_WAIT_MS;
    const endTurn = await this.#turn(deadline);
    // Whatever else this task still computes, such as what follows the transaction before, comes first: with the
    // transaction open, it would keep the writers of all processes waiting.
    await nextTask();
    try {
      // Taking the write lock at once, not at the first write, means that a transaction never fails half-way
      // because another process wrote in between.
      await this.#whileBusy(this.#writer, deadline, () => this.#writer.handle().exec('begin immediate'));
      this.#transaction = new OpenTransaction(this.#log);
      return endTurn;
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  /** Runs a query of the transaction that is open. */
  runInTransaction<R>(query: CompiledQuery): QueryResult<R> {
    try {
      this.#transaction?.note(query.sql);
      return this.#openTransaction().run<R>(query);
    } catch (error) {
      throw this.#failed(this.#writer, error);
    }
  }

  commit(): void {
    try {
      this.#openTransaction().exec('commit');
      this.#transaction?.end();
    } catch (error) {
      const failed = this.#failed(this.#writer, error);
      // What was written may be on the disk although SQLite could not learn of it.
      const unknown = failed instanceof DatabaseUnavailableError && failed.reason === 'input-output';
      throw unknown ? failed.withUnknownOutcome() : failed;
    }
  }

  /** Ends the transaction in any case: where a rollback fails, by opening the file anew. */
  rollback(): void {
    this.#transaction?.end();
    try {
      const handle = this.#writer.handle();
      if (handle.isTransaction) handle.exec('rollback');
    } catch {
      // The failure that led here is what the caller gets.
      this.#writer.drop();
    }
  }

  /** Waits for the transaction that is open and closes. Closing again does nothing. */
  async close(): Promise<void> {
    this.#stopCheckpoints();
    this.availability.close();
    const endTurn = await this.#turns.take(performance.now() + WRITE_WAIT_MS).catch(() => () => {});
    this.#reader.close();
    try {
      this.#analyze();
    } catch {
      // The next start makes up for it.
    }
    this.#writer.close();
    endTurn();
  }

  #analyze(): void {
    // 0x10000 looks at all tables, not only at those that this connection has read.
    this.#writer.handle().exec(`pragma analysis_limit = ${ANALYSIS_LIMIT}; pragma optimize = 0x10002`);
  }

  async #turn(deadline: number): Promise<() => void> {
    try {
      return await this.#turns.take(deadline);
    } catch (error) {
      throw this.availability.noted(error);
    }
  }

  #openTransaction(): Handle {
    const handle = this.#writer.handle();
    // Without this check what follows would be written by itself, outside any transaction.
    if (!handle.isTransaction) throw new Error('The database rolled the transaction back after a failure.');
    return handle;
  }

  /** Repeats `work` while another process holds the lock. */
  async #whileBusy<T>(slot: Slot, deadline: number, work: () => T): Promise<T> {
    for (;;) {
      try {
        const result = work();
        slot.busySince = undefined;
        return result;
      } catch (error) {
        const givesUp = !isBusy(error) || this.#isLockedOut(slot) || performance.now() >= deadline;
        if (givesUp) throw this.#failed(slot, error);
        await delay(2 + Math.random() * 8);
      }
    }
  }

  /** Takes note that another process holds the lock. True where it has for {@link WRITE_WAIT_MS}. */
  #isLockedOut(slot: Slot): boolean {
    const now = performance.now();
    slot.busySince ??= now;
    return now - slot.busySince >= WRITE_WAIT_MS;
  }

  #failed(slot: Slot, error: unknown): unknown {
    const noted = this.availability.noted(error);
    if (noted instanceof DatabaseUnavailableError && DISTRUSTED.has(noted.reason)) slot.distrust();
    return noted;
  }

  /** Writes something small; where the disk was full, something larger. */
  async #probe(reasons: ReadonlySet<UnavailableReason>): Promise<void> {
    const endTurn = this.#turns.tryTake();
    // A transaction of this process is at work: it will report a failure by itself.
    if (!endTurn && reasons.size === 0) return;
    const end = endTurn ?? (await this.#turns.take(performance.now() + WRITE_WAIT_MS));
    try {
      const handle = this.#writer.handle();
      const write = (value: string) =>
        handle.run({
          sql: `insert into settings (key, value) values ('write test', ?)
                on conflict (key) do update set value = excluded.value`,
          parameters: [value],
        });
      if (reasons.has('full')) write('x'.repeat(SPACE_TEST_BYTES));
      write(new Date().toISOString());
      this.#writer.busySince = undefined;
    } catch (error) {
      // Another process writes, such as the one for jobs: an outage only where that lasts, as for every write.
      if (isBusy(error) && reasons.size === 0 && !this.#isLockedOut(this.#writer)) return;
      throw this.#failed(this.#writer, error);
    } finally {
      end();
    }
  }
}

/** After these a connection is opened anew: what it knows of the file may be wrong. */
const DISTRUSTED: ReadonlySet<UnavailableReason> = new Set(['input-output', 'corrupt', 'read-only']);

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

class FileDriver implements Driver {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async init(): Promise<void> {
    await this.#file.open();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(this.#file);
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
    // Kysely has ended the transaction by now; the turn must not outlive it whatever failed.
    await own(connection).rollback();
  }

  destroy(): Promise<void> {
    return this.#file.close();
  }
}

function own(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection;
  throw new Error('This connection belongs to another driver.');
}

/** What Kysely holds while it runs one query or one transaction; it takes its turn only when it writes. */
class Connection implements DatabaseConnection {
  readonly #file: SqliteFile;
  /** Set during a transaction: ends this connection's turn. */
  #endTurn: (() => void) | undefined;
  #over = false;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async begin(): Promise<void> {
    this.#endTurn = await this.#file.begin();
    this.#over = false;
  }

  async commit(): Promise<void> {
    // Where it fails Kysely rolls back, so the turn goes on.
    this.#file.commit();
    this.#end();
  }

  async rollback(): Promise<void> {
    if (!this.#endTurn) return;
    this.#file.rollback();
    this.#end();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#endTurn) return this.#file.runInTransaction(query);
    // Queries that were made side by side with one that failed must not run by themselves after the rollback.
    if (this.#over) throw new Error('The transaction of this query has ended.');
    return await this.#file.query(query);
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator, and there is nothing to yield.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported. Read large results in keyset pages instead.');
  }

  #end(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
    this.#over = true;
  }
}
