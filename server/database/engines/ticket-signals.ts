import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { type ParametersOf, statement } from '../statement.ts';
import type { Signals, Watch } from '../tickets.ts';
import type { Notifications, Subscriber } from './notifications.ts';

const CHANNEL = 'colophon_locks';

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

/** Sends and receives signals when a ticket ends, as notifications of PostgreSQL. */
export class TicketSignals implements Signals, Subscriber {
  readonly #notifications: Notifications;
  readonly #watched = new Map<string, WatchedKey>();

  constructor(notifications: Notifications) {
    this.#notifications = notifications;
    notifications.subscribe(CHANNEL, this);
  }

  async end(queries: Kysely<Schema>, key: string, sequence: number): Promise<void> {
    await endTicket.rows(queries, { key, sequence, now: new Date().toISOString() });
  }

  watch(key: string): Watch | undefined {
    const connection = this.#notifications.connection(CHANNEL);
    if (!connection) {
      return undefined;
    }
    const watched: WatchedKey = { signal: () => {} };
    this.#watched.set(key, watched);
    return {
      signalled: (sequence, timeoutMs) => signalled(watched, sequence, timeoutMs),
      distrust: () => this.#notifications.drop(connection),
      stop: () => this.#watched.delete(key),
    };
  }

  /** @param payload the first ticket of a key, if it has one, and the key */
  receive(payload: string): void {
    const separator = payload.indexOf(' ');
    const first = Number(payload.slice(0, separator));
    const watched = this.#watched.get(payload.slice(separator + 1));
    if (watched) {
      watched.first = first;
      watched.signal();
    }
  }

  interrupted(): void {
    for (const watched of this.#watched.values()) {
      watched.first = 0;
      watched.signal();
    }
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
