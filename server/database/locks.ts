import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { LockError } from './errors.ts';
import type { Schema } from './schema.ts';

/** How long a writer waits for a lock in all, in milliseconds. */
export const LOCK_WAIT_MS = 30_000;
/** Writers of one process that may wait for the same lock at the same time. */
export const MAX_LOCK_WAITERS = 500;
/** How long the lock of a process that was killed keeps others waiting, in milliseconds. */
export const LOCK_LEASE_MS = 5000;

const RENEWAL_MS = LOCK_LEASE_MS / 4;
/** The longest pause between two looks at what other processes do. */
const POLL_MS = 20;
/** How long the writers of one process go on with one ticket while other processes wait. */
const TURN_MS = 200;

/** What an attempt returns when another writer came first: it is made again. */
export const COLLIDED = Symbol('collided');

/** The writers of this process that work under a key, one at a time, and the ticket that they share. */
interface Line {
  waiters: Array<() => void>;
  ticket?: Ticket | undefined;
}

/**
 * Locks by name, for writers that would otherwise collide: they take turns, first come first served.
 *
 * Within a process the turn is a queue in memory. Between processes nothing is locked at first: an attempt that
 * collides shows that another process writes too, and only then its writer takes a numbered ticket in a table,
 * which makes the writers of all processes queue for as long as any of them has one. A lock without contention
 * thus costs one read. The tickets make writers fair and sure to get through; they do not protect data. That is
 * up to the attempt, by a serializable transaction or a comparison with what was read, so that a clock that is
 * wrong or a lease that ended too early does no harm.
 */
export class Locks {
  readonly #queries: Kysely<Schema>;
  readonly #lines = new Map<string, Line>();

  constructor(queries: Kysely<Schema>) {
    this.#queries = queries;
  }

  /**
   * Makes attempts until one does not return {@link COLLIDED}, while no other writer of this process works under
   * the same key. No connection is held while waiting. An attempt must not ask for the key that it runs under.
   *
   * @throws LockError after {@link LOCK_WAIT_MS}, or when {@link MAX_LOCK_WAITERS} wait already
   */
  async inTurn<T>(key: string, attempt: () => Promise<T | typeof COLLIDED>): Promise<T> {
    const deadline = performance.now() + LOCK_WAIT_MS;
    const line = await this.#enter(key, deadline);
    try {
      for (;;) {
        if (line.ticket || (await this.#first(key)) !== undefined) {
          line.ticket ??= await Ticket.take(this.#queries, key);
          await this.#becomeFirst(key, line.ticket, deadline);
        }
        const result = await attempt();
        if (result !== COLLIDED) return result;
        if (performance.now() > deadline) throw new LockError();
        line.ticket ??= await Ticket.take(this.#queries, key);
      }
    } finally {
      await this.#leave(key, line);
    }
  }

  async #enter(key: string, deadline: number): Promise<Line> {
    const line = this.#lines.get(key);
    if (!line) {
      const own: Line = { waiters: [] };
      this.#lines.set(key, own);
      return own;
    }
    if (line.waiters.length >= MAX_LOCK_WAITERS) throw new LockError();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    line.waiters.push(resolve);
    const timer = setTimeout(() => {
      line.waiters.splice(line.waiters.indexOf(resolve), 1);
      reject(new LockError());
    }, deadline - performance.now());
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
    return line;
  }

  async #leave(key: string, line: Line): Promise<void> {
    const { ticket } = line;
    if (ticket && (line.waiters.length === 0 || ticket.isUsedUp())) {
      line.ticket = undefined;
      await ticket.end();
    }
    const next = line.waiters.shift();
    if (next) next();
    else this.#lines.delete(key);
  }

  async #becomeFirst(key: string, ticket: Ticket, deadline: number): Promise<void> {
    for (;;) {
      const first = await this.#first(key);
      // No ticket at all: this process stood still so long that its own lease ended.
      if (first === undefined || first === ticket.sequence) {
        ticket.use();
        return;
      }
      if (performance.now() > deadline) throw new LockError();
      await delay(1 + Math.random() * POLL_MS);
    }
  }

  /** The ticket of whoever is first in line between the processes. */
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

/** A place in the line between the processes, which is renewed until it is given back. */
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

  static async take(queries: Kysely<Schema>, key: string): Promise<Ticket> {
    await queries.deleteFrom('lockTickets').where('leaseUntil', '<', new Date().toISOString()).execute();
    const { sequence } = await queries
      .insertInto('lockTickets')
      .values({ key, leaseUntil: leaseEnd() })
      .returning('sequence')
      .executeTakeFirstOrThrow();
    return new Ticket(queries, sequence);
  }

  /** It is first in line. */
  use(): void {
    this.#usedSince ??= performance.now();
  }

  /** Whether it was first for long enough, so that it is another process's turn. */
  isUsedUp(): boolean {
    return this.#usedSince !== undefined && performance.now() - this.#usedSince > TURN_MS;
  }

  async end(): Promise<void> {
    clearInterval(this.#renewal);
    // Where it cannot be deleted it ends with its lease.
    await this.#queries
      .deleteFrom('lockTickets')
      .where('sequence', '=', this.sequence)
      .execute()
      .catch(() => {});
  }

  async #renew(): Promise<void> {
    // The next renewal makes up for one that failed.
    await this.#queries
      .updateTable('lockTickets')
      .set({ leaseUntil: leaseEnd() })
      .where('sequence', '=', this.sequence)
      .execute()
      .catch(() => {});
  }
}

const leaseEnd = (): string => new Date(Date.now() + LOCK_LEASE_MS).toISOString();
