import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { LockError } from './errors.ts';
import type { Schema } from './schema.ts';

/** Maximum time that a writer waits for a lock. */
export const LOCK_WAIT_MS = 30_000;
/** Maximum number of writers of a process that wait for the same lock. */
export const MAX_LOCK_WAITERS = 500;
/** Time before the lock of a killed process is released. */
export const LOCK_LEASE_MS = 5000;

const RENEWAL_MS = LOCK_LEASE_MS / 4;
/** Maximum interval for polling the tickets of other processes. */
const POLL_MS = 20;
/** Maximum time that the writers of a process keep a ticket while other processes wait. */
const TURN_MS = 200;

/** Returned by an attempt that conflicted with another writer and is to be repeated. */
export const COLLIDED = Symbol('collided');

/** The writers of this process that wait for a key, and the ticket that they share. */
interface LocalQueue {
  waiters: Array<() => void>;
  ticket?: Ticket | undefined;
}

/**
 * Locks by key for writers that would otherwise conflict. Writers run one at a time, in order.
 *
 * Within a process, a lock is a queue in memory. Between processes nothing is locked at first. After a conflict, the
 * writer inserts a numbered ticket into a table, and the writers of all processes queue while there are tickets. An
 * uncontended lock therefore costs one read. Tickets provide fairness and progress, not safety: attempts must detect
 * conflicts themselves, with a serializable transaction or a comparison with the previous state, so that a wrong clock
 * or an expired lease does no harm.
 */
export class Locks {
  readonly #queries: Kysely<Schema>;
  readonly #queues = new Map<string, LocalQueue>();

  constructor(queries: Kysely<Schema>) {
    this.#queries = queries;
  }

  /**
   * Repeats an attempt until it does not return {@link COLLIDED}, while no other writer of this process runs under the
   * same key. Holds no connection while waiting. Not reentrant.
   *
   * @param attempt called with `true` if it follows other writers: what was read before the call is probably outdated
   * @throws LockError after {@link LOCK_WAIT_MS}, or if {@link MAX_LOCK_WAITERS} are already waiting
   */
  async inTurn<T>(key: string, attempt: (hasWaited: boolean) => Promise<T | typeof COLLIDED>): Promise<T> {
    const deadline = performance.now() + LOCK_WAIT_MS;
    let hasWaited = this.#queues.has(key);
    const queue = await this.#enter(key, deadline);
    try {
      for (;;) {
        if (queue.ticket || (await this.#first(key)) !== undefined) {
          hasWaited = true;
          queue.ticket ??= await Ticket.issue(this.#queries, key);
          await this.#becomeFirst(key, queue.ticket, deadline);
        }
        const result = await attempt(hasWaited);
        if (result !== COLLIDED) {
          return result;
        }
        if (performance.now() > deadline) {
          throw new LockError();
        }
        hasWaited = true;
        queue.ticket ??= await Ticket.issue(this.#queries, key);
      }
    } finally {
      await this.#leave(key, queue);
    }
  }

  async #enter(key: string, deadline: number): Promise<LocalQueue> {
    const queue = this.#queues.get(key);
    if (!queue) {
      const own: LocalQueue = { waiters: [] };
      this.#queues.set(key, own);
      return own;
    }
    if (queue.waiters.length >= MAX_LOCK_WAITERS) {
      throw new LockError();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.waiters.push(resolve);
    const timer = setTimeout(() => {
      queue.waiters.splice(queue.waiters.indexOf(resolve), 1);
      reject(new LockError());
    }, deadline - performance.now());
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
    return queue;
  }

  async #leave(key: string, queue: LocalQueue): Promise<void> {
    const { ticket } = queue;
    if (ticket && (queue.waiters.length === 0 || ticket.isUsedUp())) {
      queue.ticket = undefined;
      await ticket.end();
    }
    const next = queue.waiters.shift();
    if (next) {
      next();
    } else {
      this.#queues.delete(key);
    }
  }

  async #becomeFirst(key: string, ticket: Ticket, deadline: number): Promise<void> {
    for (;;) {
      const first = await this.#first(key);
      // Undefined if this process was suspended for so long that its own lease expired.
      if (first === undefined || first === ticket.sequence) {
        ticket.use();
        return;
      }
      if (performance.now() > deadline) {
        throw new LockError();
      }
      await delay(1 + Math.random() * POLL_MS);
    }
  }

  /** Returns the lowest live ticket of a key. */
  async #first(key: string): Promise<number | undefined> {
    const row = await this.#queries
      .selectFrom('lockTickets')
      .select('sequence')
      .where('key', '=', key)
      .where('leaseUntil', '>', new Date().toISOString())
      .orderBy('sequence')
      .limit(1)
      .executeTakeFirst();
    return row?.sequence;
  }
}

/** A ticket in the queue of processes, renewed until it is released. */
class Ticket {
  readonly sequence: number;
  readonly #queries: Kysely<Schema>;
  readonly #renewal: NodeJS.Timeout;
  #usedSince: number | undefined;

  private constructor(queries: Kysely<Schema>, sequence: number) {
    this.#queries = queries;
    this.sequence = sequence;
    this.#renewal = setInterval(() => this.#renew(), RENEWAL_MS).unref();
  }

  static async issue(queries: Kysely<Schema>, key: string): Promise<Ticket> {
    await queries.deleteFrom('lockTickets').where('leaseUntil', '<', new Date().toISOString()).execute();
    const { sequence } = await queries
      .insertInto('lockTickets')
      .values({ key, leaseUntil: leaseEnd() })
      .returning('sequence')
      .executeTakeFirstOrThrow();
    return new Ticket(queries, sequence);
  }

  /** Marks the ticket as first in the queue. */
  use(): void {
    this.#usedSince ??= performance.now();
  }

  /** Returns whether the ticket was first for so long that another process is next. */
  isUsedUp(): boolean {
    return this.#usedSince !== undefined && performance.now() - this.#usedSince > TURN_MS;
  }

  async end(): Promise<void> {
    clearInterval(this.#renewal);
    // If it cannot be deleted, it expires with its lease.
    await this.#queries
      .deleteFrom('lockTickets')
      .where('sequence', '=', this.sequence)
      .execute()
      .catch(() => {});
  }

  async #renew(): Promise<void> {
    // A failed renewal is made up for by the next one.
    await this.#queries
      .updateTable('lockTickets')
      .set({ leaseUntil: leaseEnd() })
      .where('sequence', '=', this.sequence)
      .execute()
      .catch(() => {});
  }
}

const leaseEnd = (): string => new Date(Date.now() + LOCK_LEASE_MS).toISOString();
