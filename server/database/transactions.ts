import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely, KyselyPlugin, Transaction as KyselyTransaction } from 'kysely';
import { engineOf } from './engine.ts';
import type { Log } from './log.ts';
import type { Schema } from './schema.ts';
import { endDryRun, followTransaction } from './writes.ts';

/** Query builder for reading: the `query` of a database, or a transaction. */
export type Queries = Kysely<Schema>;

/** Query builder for writing. Created only by `Database.transaction`. */
export type Transaction = KyselyTransaction<Schema>;

interface Running {
  active: boolean;
}

const running = new AsyncLocalStorage<Running>();
const commitCallbacks = new WeakMap<object, Array<() => void>>();

/** Returns whether the caller runs inside a transaction, where only database calls may be awaited. */
export const isInTransaction = (): boolean => running.getStore()?.active === true;

/**
 * Calls `callback` after the transaction is committed, not if it is rolled back. For side effects that may be lost in a
 * crash, such as waking a worker. Use a job for others.
 */
export function afterCommit(trx: Transaction, callback: () => void): void {
  const callbacks = commitCallbacks.get(trx);
  if (!callbacks) {
    throw new Error('afterCommit requires a transaction of Database.transaction.');
  }
  callbacks.push(callback);
}

/**
 * Rejects queries outside the transaction from within it. They would not see its writes, and on the embedded engine a
 * write would deadlock.
 */
export const rejectInsideTransaction: KyselyPlugin = {
  transformQuery({ node }) {
    if (isInTransaction()) {
      throw new Error(
        'Database.query was used inside a transaction, where it does not see the writes of the transaction. ' +
          'Use the transaction instead.',
      );
    }
    return node;
  },
  async transformResult({ result }) {
    return result;
  },
};

/** Plugin of the queries outside transactions, which end a dry run if they write. */
export const outsideTransactions: KyselyPlugin = {
  ...rejectInsideTransaction,
  transformQuery(args) {
    endDryRun(args);
    return rejectInsideTransaction.transformQuery(args);
  },
};

/**
 * Runs a transaction once, then its callbacks.
 *
 * @throws errors of `work`, and of the engine if it conflicts with another one
 */
export async function runTransaction<T>(
  kysely: Kysely<Schema>,
  log: Log,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  const state: Running = { active: true };
  const callbacks: Array<() => void> = [];
  let begin = kysely.transaction();
  // Rules such as "an organization has at least one admin" require serializable isolation. The embedded engine runs
  // one writer at a time.
  if (engineOf(kysely) === 'postgres') {
    begin = begin.setIsolationLevel('serializable');
  }
  const { plugin, beforeCommit, committed } = followTransaction();
  let result: T;
  try {
    result = await running.run(state, () =>
      begin.execute(async (transaction) => {
        const trx = transaction.withPlugin(plugin);
        commitCallbacks.set(trx, callbacks);
        const returned = await work(trx);
        await beforeCommit(trx);
        return returned;
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
      // The transaction is committed and must not be retried.
      log.error({ err }, 'callback after commit failed');
    }
  }
  return result;
}
