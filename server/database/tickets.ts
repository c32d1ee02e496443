import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { LockError } from './errors.ts';
import type { Schema } from './schema.ts';
import { type ParametersOf, statement } from './statement.ts';

/** Time before the lock of a killed process is released. */
export const LOCK_LEASE_MS = 5000;

const RENEWAL_MS = LOCK_LEASE_MS / 4;
/** Maximum interval for polling the tickets of other processes, without signals. */
const POLL_MS = 20;
/** Interval for polling them with signals, since the ticket of a killed process expires without one. */
const SIGNALLED_POLL_MS = 1000;
/** Maximum time that the writers of a process keep a ticket while other processes wait. */
const TURN_MS = 200;

/** Signals between processes when a ticket ends. One may be lost: whoever waits for it also polls. */
export interface Signals {
  /** Ends a ticket, deletes expired ones, and signals which ticket of the key is the first now. */
  end(queries: Kysely<Schema>, key: string, sequence: number): Promise<void>;
  /** Begins to watch the signals of a key. Returns undefined if none are received yet, or at present. */
  watch(key: string): Watch | undefined;
}

/** Watches the signals of a key, from its creation on. */
export interface Watch {
  /**
   * Waits until a ticket is first according to a signal. Returns whether it is; false if it may be; undefined if there
   * was no signal in time.
   */
  signalled(sequence: number, timeoutMs: number): Promise<boolean | undefined>;
  /** Notes that a signal was missed: the connection that receives them is not reliable. */
  distrust(): void;
  stop(): void;
}

type Live = ParametersOf<{ key: string; now: string }>;

const liveTickets = (queries: Kysely<Schema>, { key, now }: Live) =>
  queries
    .selectFrom('lockTickets')
    .select('sequence')
    .where('key', '=', key)
    .where('leaseUntil', '>', now)
    .orderBy('sequence')
    .limit(1);

const findFirst = statement((queries, live: Live) => liveTickets(queries, live).compile());

const insertTicket = statement((queries, live: Live & ParametersOf<{ leaseUntil: string }>) =>
  queries
    .insertInto('lockTickets')
    .values({ key: live.key, leaseUntil: live.leaseUntil })
    // Engines differ in whether this reads the new ticket.
    .returning(['sequence', liveTickets(queries, live).as('first')])
    .compile(),
);

/** Numbered tickets of the writers of all processes, in a table. The lowest live ticket of a key is the first. */
export class Tickets {
  readonly signals: Signals | undefined;
  readonly #queries: Kysely<Schema>;

  /** @param signals undefined to poll */
  constructor(queries: Kysely<Schema>, signals: Signals | undefined) {
    this.#queries = queries;
    this.signals = signals;
  }

  /** Returns the first ticket of a key. */
  async first(key: string): Promise<number | undefined> {
    return (await findFirst.first(this.#queries, { key, now: now() }))?.sequence;
  }

  /** Issues the last ticket of a key. Returns it and the first one. */
  async issue(key: string): Promise<{ sequence: number; first: number }> {
    const [ticket] = await insertTicket.rows(this.#queries, { key, now: now(), leaseUntil: leaseEnd() });
    if (!ticket) {
      throw new Error('The ticket was not inserted.');
    }
    return { sequence: ticket.sequence, first: ticket.first ?? ticket.sequence };
  }

  async renew(sequence: number): Promise<void> {
    await this.#queries
      .updateTable('lockTickets')
      .set({ leaseUntil: leaseEnd() })
      .where('sequence', '=', sequence)
      .execute();
  }

  /** Lets the next ticket be the first. */
  async end(key: string, sequence: number): Promise<void> {
    if (this.signals) {
      await this.signals.end(this.#queries, key, sequence);
    } else {
      await this.#queries
        .deleteFrom('lockTickets')
        .where(({ or, eb }) => or([eb('sequence', '=', sequence), eb('leaseUntil', '<', now())]))
        .execute();
    }
  }
}

/** A ticket of this process, renewed until it ends. */
export class Ticket {
  readonly #tickets: Tickets;
  readonly #key: string;
  /** Undefined until it is issued. */
  #sequence: number | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #firstSince: number | undefined;

  constructor(tickets: Tickets, key: string) {
    this.#tickets = tickets;
    this.#key = key;
  }

  /**
   * Waits until the ticket is the first of its key, and issues it at the first call.
   *
   * @throws LockError after the deadline
   */
  async becomeFirst(deadline: number): Promise<void> {
    let hasMissed = false;
    while (this.#firstSince === undefined) {
      // Before the read, so that no signal after it is missed.
      const watch = this.#tickets.signals?.watch(this.#key);
      try {
        const { sequence, first } = await this.#read();
        // Undefined if this process was suspended for so long that its own lease expired.
        let isFirst: boolean | undefined = first === undefined || first === sequence;
        if (isFirst && hasMissed) {
          watch?.distrust();
        }
        if (!isFirst) {
          isFirst = await this.#untilChanged(sequence, watch, deadline);
          hasMissed = isFirst === undefined;
        }
        this.#firstSince = isFirst ? performance.now() : undefined;
      } finally {
        watch?.stop();
      }
    }
  }

  /** Returns whether the ticket was first for so long that another process is next. */
  isUsedUp(): boolean {
    return this.#firstSince !== undefined && performance.now() - this.#firstSince > TURN_MS;
  }

  async end(): Promise<void> {
    clearInterval(this.#renewal);
    if (this.#sequence !== undefined) {
      // If it cannot be deleted, it expires with its lease.
      await this.#tickets.end(this.#key, this.#sequence).catch(() => {});
    }
  }

  /** Returns this ticket and the first one. */
  async #read(): Promise<{ sequence: number; first: number | undefined }> {
    if (this.#sequence !== undefined) {
      return { sequence: this.#sequence, first: await this.#tickets.first(this.#key) };
    }
    const issued = await this.#tickets.issue(this.#key);
    const { sequence } = issued;
    this.#sequence = sequence;
    // A failed renewal is made up for by the next one.
    this.#renewal = setInterval(() => this.#tickets.renew(sequence).catch(() => {}), RENEWAL_MS).unref();
    return issued;
  }

  /** Waits until the ticket may be first; the result is that of {@link Watch.signalled}. */
  async #untilChanged(
    sequence: number,
    watch: Watch | undefined,
    deadline: number,
  ): Promise<boolean | undefined> {
    const remainingMs = deadline - performance.now();
    if (remainingMs <= 0) {
      throw new LockError();
    }
    if (watch) {
      return await watch.signalled(sequence, Math.min(SIGNALLED_POLL_MS, remainingMs));
    }
    return await delay(1 + Math.random() * POLL_MS, false);
  }
}

const now = (): string => new Date().toISOString();
const leaseEnd = (): string => new Date(Date.now() + LOCK_LEASE_MS).toISOString();
