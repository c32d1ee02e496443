import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dialect, Kysely } from 'kysely';
import { conflicts } from '../diagnostics/channels.ts';
import type { Availability } from './availability.ts';
import { tableNames } from './catalog.ts';
import type { DatabaseLoad, WorkWatch } from './engine.ts';
import type { Checkpoints } from './engines/checkpoints.ts';
import { isRetryable } from './errors.ts';
import { DATABASE_FILE, rejectKey, requireDatabaseFile } from './folder/data-folder.ts';
import { createPrivateFile, createPrivateFolder } from './folder/private-folder.ts';
import { COLLIDED, Locks } from './locks.ts';
import type { Log } from './log.ts';
import { migrate } from './migrate.ts';
import { leaveReplica } from './replicas/places.ts';
import type { Replicas } from './replicas/replicas.ts';
import type { Schema } from './schema.ts';
import { type Signals, Tickets } from './tickets.ts';
import {
  isInTransaction,
  outsideTransactions,
  type Queries,
  rejectInsideTransaction,
  runTransaction,
  type Transaction,
} from './transactions.ts';

export type { Queries, Transaction } from './transactions.ts';

/** Location of the data: a folder for the embedded engine, or a PostgreSQL server. */
export type DatabaseLocation = { folder: string } | ServerLocation;

interface ServerLocation {
  url: string;
  /**
   * Whether connections prepare statements: by default, they do. Poolers that share a connection between transactions
   * may not support it.
   */
  preparesStatements?: boolean;
}

/**
 * An open database, independent of its engine.
 *
 * If the database is unavailable, every call throws a `DatabaseUnavailableError`. If a connection is lost, selects
 * outside a transaction and whole transactions are first retried for up to 10 seconds. Single writes outside a
 * transaction are not, since they may have been applied.
 */
export interface Database {
  /** Query builder for reads and single statements outside a transaction. */
  readonly query: Queries;
  /**
   * Runs `work` in a serializable transaction. It is run again after a conflict with another transaction (several
   * times, with increasing delays), and after its connection was lost before the commit. `work` must have no side
   * effects beyond the database: use `afterCommit`. It must await only database calls, since other writers wait
   * for it: use threads, files, timers and long computations before the transaction, and check in it that their input
   * is unchanged.
   *
   * @param options.lock key with many expected writers: transactions with the same lock run one at a time instead of
   *   conflicting
   * @throws errors of `work`; LockError if it kept conflicting; DatabaseUnavailableError
   * @example
   * const team = await database.transaction(async (trx) => {
   *   await trx.insertInto('teams').values(row).execute()
   *   return readTeam(trx, row.id)
   * })
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>, options?: { lock?: string }): Promise<T>;
  /** Runs attempts under a lock, see {@link Locks.inTurn}. Must not be called inside a transaction. */
  inTurn: Locks['inTurn'];
  /** Replicas, which can execute reads; undefined without. */
  readonly replicas?: Pick<Replicas, 'reading'> | undefined;
  /** How threads read the database. Only for this folder. */
  readonly threadAccess: ThreadAccess;
  /** Watches for work, such as jobs, that any process commits. `onChange` is called if the engine signals it. */
  watchWork(onChange: () => void): WorkWatch;
  /** Returns the current use of the connections of this process. */
  load(): DatabaseLoad;
  /** Returns whether the database accepts writes. Probes it at most once a second. */
  ready(): Promise<boolean>;
  /** Closes the database after the running calls have ended. */
  close(): Promise<void>;
}

/** How threads of this process read a database. */
export interface ThreadAccess {
  /** The file that they read; undefined if the main thread sends their statements to a server. */
  readonly file: string | undefined;
  /** Records an error of a thread, see {@link Availability.recordError}. */
  recordError(error: unknown): unknown;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Number of conflicts before a transaction runs under the lock of conflicting transactions. */
const UNLOCKED_ATTEMPTS = 4;
/** The lock of transactions that conflicted repeatedly. */
const CONFLICTS_LOCK = 'collisions';
/** Interval of maintenance, such as statistics for the query planner. */
const MAINTENANCE_INTERVAL_MS = 10 * 60_000;

/** A dialect with availability and maintenance. */
interface DatabaseEngine extends Dialect {
  /** The file of the embedded engine. */
  readonly file?: string;
  readonly availability: Availability;
  /** Signals for locks; undefined if other processes must poll. */
  readonly signals?: Signals;
  readonly replicas?: Replicas | undefined;
  /** See {@link Database.watchWork}. */
  watchWork(onChange: () => void): WorkWatch;
  /** See {@link Database.load}. */
  load(): DatabaseLoad;
  maintain(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  log?: Log;
  /** Whether another process of this release has already migrated the database. */
  migrated?: boolean;
  /** Whether data of an earlier release is migrated, which only servers do. Otherwise it is rejected. */
  upgrades?: boolean;
  /** Whether connections are opened in advance and kept, for a process that serves requests. */
  keepsConnections?: boolean;
  /** URLs of replicas of the server, see {@link Database.replicas}. */
  replicas?: readonly string[];
  /** The process that runs checkpoints of the embedded engine; each its own by default. */
  checkpoints?: Checkpoints;
}

/**
 * Opens and migrates the database. Creates the folder if it is missing. Safe to call in several processes at once.
 *
 * @throws DatabaseUnavailableError; Error if the folder cannot be made private, the database is missing although its
 *   secret key exists, or the data is from another release
 */
export async function openDatabase(
  location: DatabaseLocation,
  {
    log = silent,
    migrated = false,
    upgrades = false,
    keepsConnections = false,
    replicas = [],
    checkpoints = 'own',
  }: DatabaseOptions = {},
): Promise<Database> {
  if ('folder' in location) {
    await createPrivateFolder(location.folder);
    // SQLite creates the other files with the same mode.
    if (!migrated) {
      await requireDatabaseFile(location.folder);
      await createPrivateFile(join(location.folder, DATABASE_FILE));
    }
  } else if (!migrated) {
    const { withMaintenance } = await import('./engines/postgres.ts');
    await withMaintenance<void, Schema>(location.url, (kysely) => migrate(kysely, log, { upgrades }));
  }
  const engine = await openEngine(location, { log, keepsConnections, replicas, checkpoints });
  const kysely = new Kysely<Schema>({ dialect: engine });
  try {
    if ('folder' in location && !migrated) {
      if ((await tableNames(kysely)).size === 0) {
        await rejectKey(location.folder);
      }
      await migrate(kysely, log, { upgrades });
    }
  } catch (error) {
    await kysely.destroy();
    await engine.close();
    throw error;
  }
  const database = new OpenDatabase(kysely, engine, log);
  if (!migrated) {
    await database.maintain();
  }
  return database;
}

/** Opens the engine of a location. The driver of the other one is not loaded. */
async function openEngine(
  location: DatabaseLocation,
  { log, keepsConnections, replicas, checkpoints }: Required<Omit<DatabaseOptions, 'migrated' | 'upgrades'>>,
): Promise<DatabaseEngine> {
  if ('folder' in location) {
    const { SqliteFile } = await import('./engines/sqlite.ts');
    return new SqliteFile(join(location.folder, DATABASE_FILE), log, checkpoints);
  }
  const { PostgresServer } = await import('./engines/postgres.ts');
  const { url, preparesStatements = true } = location;
  return new PostgresServer(url, log, { keepsConnections, preparesStatements, replicas });
}

class OpenDatabase implements Database {
  readonly query: Queries;
  readonly replicas: Replicas | undefined;
  readonly threadAccess: ThreadAccess;
  readonly #kysely: Kysely<Schema>;
  readonly #engine: DatabaseEngine;
  readonly #log: Log;
  readonly #locks: Locks;
  readonly #maintenance: NodeJS.Timeout;

  constructor(kysely: Kysely<Schema>, engine: DatabaseEngine, log: Log) {
    this.#kysely = kysely;
    this.#engine = engine;
    this.#log = log;
    this.#maintenance = setInterval(() => this.maintain(), MAINTENANCE_INTERVAL_MS).unref();
    this.replicas = engine.replicas;
    const reads = engine.replicas ? new Kysely<Schema>({ dialect: engine.replicas }) : kysely;
    this.query = reads.withPlugin(outsideTransactions);
    this.threadAccess = {
      file: engine.file,
      recordError: (error) => engine.availability.recordError(error),
    };
    // Dry runs wait their turn, too.
    this.#locks = new Locks(new Tickets(kysely.withPlugin(rejectInsideTransaction), engine.signals));
  }

  async transaction<T>(work: (trx: Transaction) => Promise<T>, { lock }: { lock?: string } = {}): Promise<T> {
    if (isInTransaction()) {
      throw new Error('Transactions must not be nested. Use the outer transaction.');
    }
    leaveReplica();
    const startedAt = performance.now();
    const attempt = () => this.#unlessCollided(work, startedAt);
    if (lock !== undefined) {
      return (await this.#locks.inTurn(lock, attempt)).result;
    }
    for (let number = 1; number <= UNLOCKED_ATTEMPTS; number++) {
      const outcome = await attempt();
      if (outcome !== COLLIDED) {
        return outcome.result;
      }
      // Random delays avoid further conflicts.
      await delay(Math.random() * 5 * 2 ** number);
    }
    return (await this.#locks.inTurn(CONFLICTS_LOCK, attempt)).result;
  }

  async inTurn<T>(key: string, attempt: (hasWaited: boolean) => Promise<T | typeof COLLIDED>): Promise<T> {
    if (isInTransaction()) {
      throw new Error('Locks must not be acquired inside a transaction. Acquire the lock before it.');
    }
    leaveReplica();
    return await this.#locks.inTurn(key, attempt);
  }

  watchWork(onChange: () => void): WorkWatch {
    return this.#engine.watchWork(onChange);
  }

  load(): DatabaseLoad {
    return this.#engine.load();
  }

  ready(): Promise<boolean> {
    return this.#engine.availability.ready();
  }

  async close(): Promise<void> {
    clearInterval(this.#maintenance);
    await this.#kysely.destroy();
    // Kysely does not close an unused driver.
    await this.#engine.close();
  }

  /** Runs maintenance. Failures are logged. */
  async maintain(): Promise<void> {
    try {
      await this.#engine.maintain();
    } catch (err) {
      this.#log.debug({ err }, 'database maintenance failed and will be retried');
    }
  }

  /** Wraps the result, since `work` itself may return COLLIDED. */
  async #unlessCollided<T>(
    work: (trx: Transaction) => Promise<T>,
    startedAt: number,
  ): Promise<{ result: T } | typeof COLLIDED> {
    for (;;) {
      try {
        return { result: await runTransaction(this.#kysely, this.#log, work) };
      } catch (error) {
        if (isRetryable(error)) {
          conflicts.publish(error);
          this.#log.debug({ err: error }, 'transaction conflicted with another one and is retried');
          return COLLIDED;
        }
        if (!(await this.#engine.availability.mayRetry(error, startedAt))) {
          throw error;
        }
      }
    }
  }
}
