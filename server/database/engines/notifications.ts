import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { createClient } from './postgres-pool.ts';

/** Maximum time that a notification takes before its connection counts as unable to receive any. */
const DELIVERY_TIMEOUT_MS = 2000;
/** Minimum interval between attempts to listen. Doubles with each failure. */
const LISTEN_INTERVAL_MS = 5000;
/** Maximum of this interval, such as through a pooler that delivers no notifications. */
const MAX_LISTEN_INTERVAL_MS = 5 * 60_000;

/** Receives the notifications of a channel. */
export interface Subscriber {
  receive(payload: string): void;
  /** Called when notifications are no longer received, or are received again: some may have been missed. */
  interrupted(): void;
}

type Send = (text: string, values: readonly unknown[]) => Promise<unknown>;

/**
 * Receives notifications of PostgreSQL ("NOTIFY" in its manual) on one connection outside the pool, which is opened when
 * they are first needed.
 */
export class Notifications {
  readonly #url: string | undefined;
  readonly #send: Send;
  readonly #log: Log;
  readonly #subscribers = new Map<string, Subscriber>();
  /** The channels that were requested, and those of them that are listened to. */
  readonly #requested = new Set<string>();
  readonly #listened = new Set<string>();
  #client: pg.Client | undefined;
  #isListening = false;
  #openedAt = Number.NEGATIVE_INFINITY;
  #intervalMs = LISTEN_INTERVAL_MS;
  #isClosed = false;

  /**
   * @param url undefined to receive none
   * @param send executes a statement on another connection
   */
  constructor(url: string | undefined, send: Send, log: Log) {
    this.#url = url;
    this.#send = send;
    this.#log = log;
  }

  /** Adds the subscriber of a channel, which is not listened to before it is requested. */
  subscribe(channel: string, subscriber: Subscriber): void {
    this.#subscribers.set(channel, subscriber);
  }

  /** Returns the connection if it listens to a channel. Otherwise, lets it begin to, and returns undefined. */
  connection(channel: string): pg.Client | undefined {
    const client = this.#client;
    if (client && this.#listened.has(channel)) {
      return client;
    }
    const isNew = !this.#requested.has(channel);
    this.#requested.add(channel);
    if (client && this.#isListening) {
      if (isNew) {
        void this.#add(client, channel);
      }
    } else {
      this.#listen();
    }
    return undefined;
  }

  /** Closes a connection, for example because it missed a notification. */
  drop(client: pg.Client): void {
    if (this.#client === client) {
      const wasListening = this.#isListening;
      this.#client = undefined;
      this.#isListening = false;
      this.#listened.clear();
      if (wasListening) {
        this.#interrupt();
      }
    }
    client.end().catch(() => {});
  }

  /** Closes the connection. Idempotent. */
  close(): void {
    this.#isClosed = true;
    if (this.#client) {
      this.drop(this.#client);
    }
  }

  /** Never rejects. */
  async #add(client: pg.Client, channel: string): Promise<void> {
    try {
      await client.query({ text: `listen ${channel}` });
      if (this.#client === client) {
        this.#listened.add(channel);
        this.#subscribers.get(channel)?.interrupted();
      }
    } catch {
      this.drop(client);
    }
  }

  /** Opens the connection, unless there is one or the last attempt was recent. */
  #listen(): void {
    const isDue = performance.now() - this.#openedAt >= this.#intervalMs;
    if (this.#url !== undefined && !this.#client && !this.#isClosed && isDue) {
      this.#openedAt = performance.now();
      this.#client = createClient(this.#url);
      void this.#open(this.#client);
    }
  }

  /** Never rejects: whoever receives no notifications polls. */
  async #open(client: pg.Client): Promise<void> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    client.once('end', () => {
      reject(new Error('The connection for notifications was closed.'));
      this.drop(client);
    });
    try {
      const channels = [...this.#requested];
      await Promise.race([ended, this.#connect(client, channels)]);
      if (this.#client === client) {
        for (const channel of channels) {
          this.#listened.add(channel);
        }
        this.#isListening = true;
        this.#intervalMs = LISTEN_INTERVAL_MS;
        this.#interrupt();
        // Those that were requested meanwhile.
        for (const channel of this.#requested) {
          if (!this.#listened.has(channel)) {
            void this.#add(client, channel);
          }
        }
      }
    } catch (err) {
      this.#intervalMs = Math.min(MAX_LISTEN_INTERVAL_MS, this.#intervalMs * 2);
      this.#log.debug({ err }, 'notifications are not received: locks and job queues poll');
      this.drop(client);
    }
  }

  /**
   * Connects, and listens until a notification of another connection arrives. Through a pooler that shares connections
   * between transactions, none does.
   */
  async #connect(client: pg.Client, channels: readonly string[]): Promise<void> {
    await client.connect();
    const token = randomUUID();
    const { promise: delivered, resolve, reject } = Promise.withResolvers<void>();
    client.on('notification', ({ channel, payload = '' }) =>
      payload === token ? resolve() : this.#subscribers.get(channel)?.receive(payload),
    );
    await client.query({ text: channels.map((channel) => `listen ${channel}`).join(';') });
    const timer = setTimeout(reject, DELIVERY_TIMEOUT_MS, new Error('The notification did not arrive.'));
    try {
      await Promise.all([delivered, this.#send('select pg_notify($1, $2)', [channels[0], token])]);
    } finally {
      clearTimeout(timer);
    }
  }

  #interrupt(): void {
    for (const subscriber of this.#subscribers.values()) {
      subscriber.interrupted();
    }
  }
}
