import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { Log } from '../log.ts';
import type { Schema } from '../schema.ts';
import { type ParametersOf, statement } from '../statement.ts';
import type { Signals, Watch } from '../tickets.ts';
import { createClient } from './postgres-pool.ts';

/*
 * Signals for locks as notifications of PostgreSQL ("NOTIFY" in its manual). They are received on a connection outside
 * the pool, which is opened when a writer first waits for another process.
 */

const CHANNEL = 'colophon_locks';
/** Maximum time that a notification takes before its connection counts as unable to receive any. */
const DELIVERY_TIMEOUT_MS = 2000;
/** Minimum interval between attempts to listen. */
const LISTEN_INTERVAL_MS = 5000;

/** The notification is sent even if no ticket follows: one that is being inserted is not visible to this statement. */
const endTicket = statement((queries, values: ParametersOf<{ key: string; sequence: number; now: string }>) =>
  sql`
    with "ended" as (
      delete from "lockTickets" where "sequence" = ${values.sequence} or "leaseUntil" < ${values.now}
    )
    select pg_notify(${sql.lit(CHANNEL)}, concat(min("sequence"), ' ', ${values.key}::text)) from "lockTickets"
    where "key" = ${values.key} and "sequence" <> ${values.sequence} and "leaseUntil" > ${values.now}`.compile(
    queries,
  ),
);

/** A watched key. In a process, only the first writer of a key waits for other processes. */
interface WatchedKey {
  /** The first ticket according to the latest signal; 0 without one. Undefined without a signal. */
  first?: number;
  signal(): void;
}

type Send = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** Sends and receives signals when a ticket ends. */
export class TicketSignals implements Signals {
  readonly #url: string | undefined;
  readonly #send: Send;
  readonly #log: Log;
  readonly #watched = new Map<string, WatchedKey>();
  #client: pg.Client | undefined;
  #isListening = false;
  #openedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /**
   * @param url undefined to receive no signals
   * @param send executes a statement on another connection
   */
  constructor(url: string | undefined, send: Send, log: Log) {
    this.#url = url;
    this.#send = send;
    this.#log = log;
  }

  async end(queries: Kysely<Schema>, key: string, sequence: number): Promise<void> {
    await endTicket.rows(queries, { key, sequence, now: new Date().toISOString() });
  }

  watch(key: string): Watch | undefined {
    const client = this.#client;
    if (!client || !this.#isListening) {
      this.#listen();
      return undefined;
    }
    const watched: WatchedKey = { signal: () => {} };
    this.#watched.set(key, watched);
    return {
      signalled: (sequence, timeoutMs) => signalled(watched, sequence, timeoutMs),
      distrust: () => this.#drop(client),
      stop: () => this.#watched.delete(key),
    };
  }

  /** Closes the connection. Idempotent. */
  close(): void {
    this.#isClosed = true;
    if (this.#client) {
      this.#drop(this.#client);
    }
  }

  /** Opens the connection, unless there is one or the last attempt was recent. */
  #listen(): void {
    const isDue = performance.now() - this.#openedAt >= LISTEN_INTERVAL_MS;
    if (this.#url !== undefined && !this.#client && !this.#isClosed && isDue) {
      this.#openedAt = performance.now();
      this.#client = createClient(this.#url);
      void this.#open(this.#client);
    }
  }

  /** Never rejects: without signals, waiting writers poll. */
  async #open(client: pg.Client): Promise<void> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    client.once('end', () => {
      reject(new Error('The connection for notifications was closed.'));
      this.#drop(client);
    });
    try {
      await Promise.race([ended, this.#connect(client)]);
      this.#isListening = this.#client === client;
    } catch (err) {
      this.#log.debug({ err }, 'notifications are not received, and writers that wait for a lock poll');
      this.#drop(client);
    }
  }

  /**
   * Connects, and listens until a notification of another connection arrives. Through a pooler that shares connections
   * between transactions, none does.
   */
  async #connect(client: pg.Client): Promise<void> {
    await client.connect();
    const token = randomUUID();
    const { promise: delivered, resolve, reject } = Promise.withResolvers<void>();
    client.on('notification', ({ payload = '' }) => (payload === token ? resolve() : this.#receive(payload)));
    await client.query({ text: `listen ${CHANNEL}` });
    const timer = setTimeout(reject, DELIVERY_TIMEOUT_MS, new Error('The notification did not arrive.'));
    try {
      await Promise.all([delivered, this.#send('select pg_notify($1, $2)', [CHANNEL, token])]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param payload the first ticket of a key, if it has one, and the key */
  #receive(payload: string): void {
    const separator = payload.indexOf(' ');
    const first = Number(payload.slice(0, separator));
    const watched = this.#watched.get(payload.slice(separator + 1));
    if (watched) {
      watched.first = first;
      watched.signal();
    }
  }

  #drop(client: pg.Client): void {
    if (this.#client === client) {
      this.#client = undefined;
      this.#isListening = false;
      for (const watched of this.#watched.values()) {
        watched.first = 0;
        watched.signal();
      }
    }
    client.end().catch(() => {});
  }
}

/** Waits for a signal from which a ticket is, or may be, first. See {@link Watch.signalled}. */
async function signalled(
  watched: WatchedKey,
  sequence: number,
  timeoutMs: number,
): Promise<boolean | undefined> {
  const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
  watched.signal = () => {
    // After another ticket that is first, another signal follows.
    if (watched.first !== undefined && (watched.first === 0 || watched.first >= sequence)) {
      resolve(watched.first === sequence);
    }
  };
  // It may have arrived since the watch began.
  watched.signal();
  const timer = setTimeout(resolve, timeoutMs, undefined);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
