import { LockError } from './errors.ts';
import { Ticket, type Tickets } from './tickets.ts';

/** Maximum time that a writer waits for a lock. */
export const LOCK_WAIT_MS = 30_000;
/** Maximum number of writers of a process that wait for the same lock. */
export const MAX_LOCK_WAITERS = 500;

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
 * uncontended lock therefore costs one read. The end of a ticket is signalled to the next one, if the engine has
 * signals; otherwise it polls. Tickets provide fairness and progress, not safety: attempts must detect conflicts
 * themselves, with a serializable transaction or a comparison with the previous state, so that a wrong clock or an
 * expired lease does no harm.
 */
export class Locks {
  readonly #tickets: Tickets;
  readonly #queues = new Map<string, LocalQueue>();

  constructor(tickets: Tickets) {
    this.#tickets = tickets;
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
    let hasCollided = false;
    const queue = await this.#enter(key, deadline);
    try {
      for (;;) {
        if (hasCollided || queue.ticket || (await this.#tickets.first(key)) !== undefined) {
          hasWaited = true;
          queue.ticket ??= new Ticket(this.#tickets, key);
          await queue.ticket.becomeFirst(deadline);
        }
        const result = await attempt(hasWaited);
        if (result !== COLLIDED) {
          return result;
        }
        if (performance.now() > deadline) {
          throw new LockError();
        }
        hasCollided = true;
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
}
