import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Dialect,
  HandleEmptyInListsPlugin,
  Kysely,
  type KyselyPlugin,
  type Transaction as KyselyTransaction,
  replaceWithNoncontingentExpression,
} from 'kysely';
import type { Availability } from './availability.ts';
import type { Checkpoints } from './checkpoints.ts';
import { engineOf } from './engine.ts';
import { isRetryable } from './errors.ts';
import { COLLIDED, Locks } from './locks.ts';
import type { Log } from './log.ts';
import { migrate } from './migrate.ts';
import { PostgresServer, withMaintenance } from './postgres.ts';
import { makePrivateFile, makePrivateFolder } from './private-folder.ts';
import type { Schema } from './schema.ts';
import { SqliteFile } from './sqlite.ts';
import { followTransaction } from './writes.ts';

/** What reading code takes: the handle's `query`, or a transaction. */
export type Queries = Kysely<Schema>;

/** What writing code takes: it can only be had from {@link Database.transaction}. */
export type Transaction = KyselyTransaction<Schema>;

/** Where the data is: a folder for the embedded engine, or the address of a PostgreSQL server. */
export type DatabaseLocation = { folder: string } | { url: string };

/**
 * An open database. Which engine serves it does not show.
 *
 * Where the database cannot serve, every call throws a `DatabaseUnavailableError`. Before that, selects outside a
 * transaction and whole transactions are run again for up to 10 seconds where a connection was lost; a single
 * write outside a transaction is not, since it may have happened.
 */
export interface Database {
  /** For reads and single statements outside a transaction. Inside one use the transaction. */
  readonly query: Queries;
  /**
   * Runs `work` as if no other transaction ran at the same time, all or nothing. When it collides with another
   * one it is run again from the start (several times, with growing pauses), and so it is when its connection is
   * lost before it was committed. It must do nothing that a rollback does not undo: leave that to
   * {@link afterCommit}. And it must await nothing but the database, since other writers wait for it: what takes a
   * thread, a file, a timer or long computing comes before, and the transaction compares what it was based on.
   *
   * @param options.lock names what is written to, where many writers are to be expected: transactions with the
   *   same lock take turns instead of colliding
   * @throws what `work` throws; LockError when it never got through; DatabaseUnavailableError.
   * @example
   * const team = await database.transaction(async (trx) => {
   *   await trx.insertInto('teams').values(row).execute()
   *   return readTeam(trx, row.id)
   * })
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>, options?: { lock?: string }): Promise<T>;
  /** Takes turns with the other writers of a key, see {@link Locks.inTurn}. Not inside a transaction. */
  inTurn: Locks['inTurn'];
  /** Whether the database takes writes now. It is tested once a second at most, however often this is called. */
  ready(): Promise<boolean>;
  /** Waits for what is running and closes. */
  close(): Promise<void>;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** How often a transaction collides before it takes turns with others that do. */
const FREE_ATTEMPTS = 4;
/** The lock of transactions that collided again and again with whatever it was. */
const COLLISIONS = 'collisions';
/** The time between two rounds of upkeep, such as statistics for the query planner. */
const UPKEEP_INTERVAL_MS = 10 * 60_000;

/** What an engine brings beside its dialect. */
interface Engine extends Dialect {
  readonly availability: Availability;
  maintain(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  log?: Log;
  /** Whether another process of this release has opened it, so that its tables are there: then nothing is tried. */
  migrated?: boolean;
  /** Who makes the checkpoints of the embedded engine; each process its own, where left out. */
  checkpoints?: Checkpoints;
}

/**
 * Opens the database, creating the folder and the tables that are missing. Safe when several processes start at
 * once.
 *
 * @throws Error when the server cannot be reached, the folder cannot be made private, or the data is of a newer
 *   release.
 */
export async function openDatabase(
  location: DatabaseLocation,
  { log = silent, migrated = false, checkpoints = 'own' }: DatabaseOptions = {},
): Promise<Database> {
  if ('folder' in location) {
    await makePrivateFolder(location.folder);
    // Its companions get its mode.
    if (!migrated) await makePrivateFile(join(location.folder, 'colophon.sqlite'));
  } else if (!migrated) await withMaintenance<void, Schema>(location.url, (kysely) => migrate(kysely, log));
  const engine =
    'folder' in location
      ? new SqliteFile(join(location.folder, 'colophon.sqlite'), log, checkpoints)
      : new PostgresServer(location.url, log);
  // Nothing is in an empty list; not every engine takes one.
  const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });
  const kysely = new Kysely<Schema>({ dialect: engine, plugins: [emptyLists] });
  try {
    if ('folder' in location && !migrated) await migrate(kysely, log);
  } catch (error) {
    await kysely.destroy();
    await engine.close();
    throw error;
  }
  const database = new OpenDatabase(kysely, engine, log);
  if (!migrated) await database.maintain();
  return database;
}

interface Running {
  active: boolean;
}

const running = new AsyncLocalStorage<Running>();
const commitCallbacks = new WeakMap<object, Array<() => void>>();

/** Whether this runs inside a transaction, where nothing may be awaited but the database. */
export const isInTransaction = (): boolean => running.getStore()?.active === true;

/**
 * Has `callback` called once the transaction is committed, never when it is rolled back. For what reaches beyond
 * the database and may get lost in a crash, such as waking a worker; what must not get lost is a job.
 */
export function afterCommit(trx: Transaction, callback: () => void): void {
  const callbacks = commitCallbacks.get(trx);
  if (!callbacks) throw new Error('afterCommit needs a transaction that Database.transaction opened.');
  callbacks.push(callback);
}

/**
 * Refuses queries that go to the handle from within a transaction. They would not see what the transaction
 * wrote, and on the embedded engine a write would wait for the transaction that waits for it.
 */
const refuseInsideTransaction: KyselyPlugin = {
  transformQuery({ node }) {
    if (isInTransaction()) {
      throw new Error(
        'A query went to the database handle inside a transaction, where it would miss what the transaction wrote. ' +
          'Pass the transaction on and query that.',
      );
    }
    return node;
  },
  async transformResult({ result }) {
    return result;
  },
};

class OpenDatabase implements Database {
  readonly query: Queries;
  readonly #kysely: Kysely<Schema>;
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #locks: Locks;
  readonly #upkeep: NodeJS.Timeout;

  constructor(kysely: Kysely<Schema>, engine: Engine, log: Log) {
    this.#kysely = kysely;
    this.#engine = engine;
    this.#log = log;
    this.#upkeep = setInterval(() => this.maintain(), UPKEEP_INTERVAL_MS).unref();
    this.query = kysely.withPlugin(refuseInsideTransaction);
    this.#locks = new Locks(this.query);
  }

  async transaction<T>(work: (trx: Transaction) => Promise<T>, { lock }: { lock?: string } = {}): Promise<T> {
    if (isInTransaction()) {
      throw new Error('A transaction was opened inside a transaction. Pass the outer one on instead.');
    }
    const startedAt = performance.now();
    const attempt = () => this.#unlessCollided(work, startedAt);
    if (lock !== undefined) return (await this.#locks.inTurn(lock, attempt)).result;
    for (let number = 1; number <= FREE_ATTEMPTS; number++) {
      const outcome = await attempt();
      if (outcome !== COLLIDED) return outcome.result;
      // Random pauses keep those that collided from colliding again.
      await delay(Math.random() * 5 * 2 ** number);
    }
    return (await this.#locks.inTurn(COLLISIONS, attempt)).result;
  }

  async inTurn<T>(key: string, attempt: () => Promise<T | typeof COLLIDED>): Promise<T> {
    if (isInTransaction()) {
      throw new Error('A lock was asked for inside a transaction. Take it before the transaction begins.');
    }
    return await this.#locks.inTurn(key, attempt);
  }

  ready(): Promise<boolean> {
    return this.#engine.availability.ready();
  }

  async close(): Promise<void> {
    clearInterval(this.#upkeep);
    await this.#kysely.destroy();
    // Kysely closes only what it has used.
    await this.#engine.close();
  }

  /** Does the upkeep. It never fails: there is a next time. */
  async maintain(): Promise<void> {
    try {
      await this.#engine.maintain();
    } catch (err) {
      this.#log.debug({ err }, 'the upkeep of the database is left to the next time');
    }
  }

  /** The result is wrapped: `work` may return COLLIDED itself, to those who take turns around the transaction. */
  async #unlessCollided<T>(
    work: (trx: Transaction) => Promise<T>,
    startedAt: number,
  ): Promise<{ result: T } | typeof COLLIDED> {
    for (;;) {
      try {
        return { result: await this.#attempt(work) };
      } catch (error) {
        if (isRetryable(error)) {
          this.#log.debug({ err: error }, 'a transaction collided with another one and is run again');
          return COLLIDED;
        }
        if (!(await this.#engine.availability.mayRetry(error, startedAt))) throw error;
      }
    }
  }

  async #attempt<T>(work: (trx: Transaction) => Promise<T>): Promise<T> {
    const state: Running = { active: true };
    const callbacks: Array<() => void> = [];
    let begin = this.#kysely.transaction();
    // PostgreSQL checks for us that what was read still holds at commit, which rules such as "never without an
    // admin" need; the embedded engine runs writers one after the other anyway.
    if (engineOf(this.#kysely) === 'postgres') begin = begin.setIsolationLevel('serializable');
    const { plugin, committed } = followTransaction();
    let result: T;
    try {
      result = await running.run(state, () =>
        begin.execute((begun) => {
          const trx = begun.withPlugin(plugin);
          commitCallbacks.set(trx, callbacks);
          return work(trx);
        }),
      );
    } finally {
      state.active = false;
    }
    committed();
    for (const callback of callbacks) {
      try {
        callback();
      } catch (err) {
        // It is committed: a failure here must not look like one of the transaction, which would be run again.
        this.#log.error({ err }, 'a callback after a commit failed');
      }
    }
    return result;
  }
}
