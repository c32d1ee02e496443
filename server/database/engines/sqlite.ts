import { setTimeout as delay, setImmediate as nextTask } from 'node:timers/promises';
import {
  type CompiledQuery,
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
import { Availability } from '../availability.ts';
import { type DatabaseLoad, isRead, type WorkWatch } from '../engine.ts';
import { DatabaseUnavailableError, isBusy, type UnavailableReason } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Checkpoints, startCheckpoints } from './checkpoints.ts';
import { EmbeddedCompiler } from './compilers.ts';
import { OpenTransaction } from './open-transaction.ts';
import { Semaphore } from './semaphore.ts';
import { FileDriver, type TransactionalFile } from './sqlite-driver.ts';
import type { Handle } from './sqlite-handle.ts';
import { Slot } from './sqlite-slot.ts';

/*
 * Kysely over `node:sqlite` with two connections to one file. Writes and transactions run one at a time on the first;
 * selects outside a transaction run on the second, so that a long transaction never blocks readers. In WAL mode the
 * reader sees every commit before its statement.
 *
 * Other processes cannot write while a transaction is open. Statements are synchronous, so a transaction that awaits
 * only database calls ends within one event loop task, and nothing else in this process runs in between. To ensure
 * this, a transaction begins in a new task, and {@link OpenTransaction} reports one that is still open at its end. Only
 * a transaction that wrote megabytes commits in the next task.
 */

/**
 * Maximum time that a write waits for other writes and for the lock of another process. After another process has held
 * the lock for this time, writes fail immediately until it is released.
 */
export const WRITE_WAIT_MS = 15_000;
/** Maximum number of waiting writes. */
export const MAX_WAITING_WRITES = 1000;
/** Size of the write that probes whether a full disk has space again. */
const SPACE_TEST_BYTES = 262_144;
/** Maximum number of rows per index analyzed for the query planner. */
const ANALYSIS_LIMIT = 400;

/** The Kysely dialect of the embedded engine over one file, which is created if it is missing. */
export class SqliteFile implements Dialect, TransactionalFile {
  readonly #semaphore = new Semaphore({ permits: 1, maxWaiting: MAX_WAITING_WRITES });
  readonly #writer: Slot;
  readonly #reader: Slot;
  readonly #log: Log;
  #transaction: OpenTransaction | undefined;
  readonly file: string;
  readonly #stopCheckpoints: () => void;
  readonly availability: Availability;

  constructor(file: string, log: Log, checkpoints: Checkpoints) {
    this.file = file;
    this.#log = log;
    this.#writer = new Slot(file, checkpoints);
    this.#reader = new Slot(file, checkpoints);
    this.#stopCheckpoints =
      checkpoints === 'all' ? startCheckpoints(() => this.#reader.handle(), log) : () => undefined;
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
    // Several processes may switch a new file to WAL mode at once.
    await this.#whileBusy(this.#writer, deadline, () => this.#writer.open());
    await this.#whileBusy(this.#reader, deadline, () => this.#reader.open());
  }

  watchWork(): WorkWatch {
    let last: string | undefined;
    const hasChanged = () => {
      const previous = last;
      try {
        // This connection writes nothing, so that each commit changes its version.
        last = this.#reader.version();
      } catch {
        last = undefined;
      }
      return last === undefined || last !== previous;
    };
    return { isSignalled: () => false, hasChanged, stop: () => undefined };
  }

  /** One connection reads, and one writes. */
  load(): DatabaseLoad {
    return { connections: 2, waiting: this.#semaphore.waiting };
  }

  /** Runs periodic maintenance: updates the statistics of the query planner. */
  async maintain(): Promise<void> {
    // Writers take precedence.
    const release = this.#semaphore.tryAcquire();
    if (!release) {
      return;
    }
    try {
      this.#analyze();
      // Connections read the statistics when they are opened.
      this.#reader.distrust();
    } catch (error) {
      if (!isBusy(error)) {
        throw this.#recordError(this.#writer, error);
      }
    } finally {
      release();
    }
  }

  /** Runs a query outside a transaction. */
  async query<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const deadline = performance.now() + WRITE_WAIT_MS;
    if (isRead(query)) {
      return await this.#whileBusy(this.#reader, deadline, () => this.#reader.handle().run<R>(query));
    }
    const release = await this.#acquire(deadline);
    try {
      return await this.#whileBusy(this.#writer, deadline, () => this.#writer.handle().run<R>(query));
    } finally {
      release();
    }
  }

  /**
   * Begins a transaction.
   *
   * @returns a function that lets the next writer proceed
   */
  async begin(): Promise<() => void> {
    const deadline = performance.now() + WRITE_WAIT_MS;
    const release = await this.#acquire(deadline);
    // Lets the current task finish its other work first, which would block the writers of all processes while the
    // transaction is open.
    await nextTask();
    try {
      // Acquiring the write lock immediately prevents conflicts with other processes at a later statement.
      await this.#whileBusy(this.#writer, deadline, () => this.#writer.handle().exec('begin immediate'));
      this.#transaction = new OpenTransaction(this.#log);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Runs a query of the open transaction. */
  runInTransaction<R>(query: CompiledQuery): QueryResult<R> {
    try {
      this.#transaction?.record(query);
      return this.#openTransaction().run<R>(query);
    } catch (error) {
      throw this.#recordError(this.#writer, error);
    }
  }

  waitToCommit(): Promise<void> | undefined {
    return this.#transaction?.waitToCommit();
  }

  commit(): void {
    try {
      this.#openTransaction().exec('commit');
      this.#transaction?.end();
    } catch (error) {
      const recorded = this.#recordError(this.#writer, error);
      // The commit may have reached the disk.
      const isUnknown = recorded instanceof DatabaseUnavailableError && recorded.reason === 'input-output';
      throw isUnknown ? recorded.withUnknownOutcome() : recorded;
    }
  }

  /** Rolls back the transaction. If the rollback fails, reopens the file. */
  rollback(): void {
    this.#transaction?.end();
    try {
      const handle = this.#writer.handle();
      if (handle.isTransaction) {
        handle.exec('rollback');
      }
    } catch {
      // The caller receives the original error.
      this.#writer.drop();
    }
  }

  /** Closes the file after the open transaction has ended. Idempotent. */
  async close(): Promise<void> {
    this.#stopCheckpoints();
    this.availability.close();
    const release = await this.#semaphore.acquire(performance.now() + WRITE_WAIT_MS).catch(() => () => {});
    this.#reader.close();
    try {
      this.#analyze();
    } catch {
      // The statistics are updated at the next start.
    }
    this.#writer.close();
    release();
  }

  #analyze(): void {
    // 0x10000 includes tables that this connection has not queried.
    this.#writer.handle().exec(`pragma analysis_limit = ${ANALYSIS_LIMIT}; pragma optimize = 0x10002`);
  }

  async #acquire(deadline: number): Promise<() => void> {
    try {
      return await this.#semaphore.acquire(deadline);
    } catch (error) {
      throw this.availability.recordError(error);
    }
  }

  #openTransaction(): Handle {
    const handle = this.#writer.handle();
    // Otherwise further statements would be committed individually.
    if (!handle.isTransaction) {
      throw new Error('The database rolled the transaction back after a failure.');
    }
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
        const isFinal = !isBusy(error) || this.#isLockedOut(slot) || performance.now() >= deadline;
        if (isFinal) {
          throw this.#recordError(slot, error);
        }
        await delay(2 + Math.random() * 8);
      }
    }
  }

  /** Records that another process holds the lock. Returns whether it has for {@link WRITE_WAIT_MS}. */
  #isLockedOut(slot: Slot): boolean {
    const now = performance.now();
    slot.busySince ??= now;
    return now - slot.busySince >= WRITE_WAIT_MS;
  }

  #recordError(slot: Slot, error: unknown): unknown {
    const recorded = this.availability.recordError(error);
    if (recorded instanceof DatabaseUnavailableError && DISTRUSTED.has(recorded.reason)) {
      slot.distrust();
    }
    return recorded;
  }

  /** Performs a small write, or a larger one if the disk was full. */
  async #probe(reasons: ReadonlySet<UnavailableReason>): Promise<void> {
    const permit = this.#semaphore.tryAcquire();
    // The running transaction of this process reports failures itself.
    if (!permit && reasons.size === 0) {
      return;
    }
    const release = permit ?? (await this.#semaphore.acquire(performance.now() + WRITE_WAIT_MS));
    try {
      const handle = this.#writer.handle();
      const write = (value: string) =>
        handle.run({
          sql: `insert into settings (key, value) values ('write test', ?)
                on conflict (key) do update set value = excluded.value`,
          parameters: [value],
        });
      if (reasons.has('full')) {
        write('x'.repeat(SPACE_TEST_BYTES));
      }
      write(new Date().toISOString());
      this.#writer.busySince = undefined;
    } catch (error) {
      // Another process is writing, such as the job process. Only an outage if it lasts.
      if (isBusy(error) && reasons.size === 0 && !this.#isLockedOut(this.#writer)) {
        return;
      }
      throw this.#recordError(this.#writer, error);
    } finally {
      release();
    }
  }
}

/** Reasons to reopen a connection, since its cached state may be wrong. */
const DISTRUSTED: ReadonlySet<UnavailableReason> = new Set(['input-output', 'corrupt', 'read-only']);

class TransactionalSqliteAdapter extends SqliteAdapter {
  // The driver serializes writers itself: Kysely's mutex would block readers during transactions.
  override get supportsMultipleConnections(): boolean {
    return true;
  }
  // Migrations run in one `begin immediate` transaction: if several processes start at once, one migrates and the
  // others wait.
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
