import type { Expression } from 'kysely';
import type { Queries } from '../../../../database/database.ts';
import { DatabaseUnavailableError } from '../../../../database/errors.ts';
import { isOneOf } from '../../../../database/lookups.ts';
import { type ParametersOf, statement } from '../../../../database/statement.ts';
import type { BackgroundLoop } from '../../../../jobs/loops.ts';
import { settled } from '../../../../jobs/settled.ts';
import type { Services } from '../../../kit/slice.ts';
import {
  claimEvent,
  type Delivery,
  EVENT_LEASE_MS,
  recordAttempt,
  renewClaim,
  sendEvent,
} from './deliver.ts';
import { assignRaisedEvents } from './fan-out.ts';
import { type Lane, Lanes } from './lanes.ts';
import { deleteExpiredEvents } from './sweep.ts';

/** Interval between deletions of expired events. */
const SWEEP_INTERVAL_MS = 10 * 60 * 1000;

/**
 * Delivers the events of integrations: assigns raised events to installations, and sends each installation its events
 * one at a time, in order. Any number of processes share the work.
 */
export class EventDispatcher implements BackgroundLoop {
  readonly #services: Services;
  readonly #owner: string;
  readonly #lanes = new Lanes(() => this.wake());
  readonly #attempts = new Map<Promise<void>, AbortController>();
  #state: 'new' | 'started' | 'stopped' = 'new';
  /** The current search for work, and whether to search again afterwards. */
  #search: Promise<void> | undefined;
  #searchAgain = false;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #changed = Promise.withResolvers<void>();

  constructor(services: Services) {
    this.#services = services;
    this.#owner = services.createId('own');
  }

  start(): void {
    this.#state = 'started';
    this.wake();
  }

  wake(): void {
    if (this.#state !== 'started') {
      return;
    }
    this.#searchAgain = true;
    this.#search ??= this.#searchForWork().finally(() => {
      this.#search = undefined;
      this.#notify();
    });
  }

  isBusy(): boolean {
    return this.#lanes.size > 0;
  }

  async idle(): Promise<void> {
    for (;;) {
      const { promise } = this.#changed;
      if (this.#search === undefined && !this.isBusy() && !(await this.#hasWork())) {
        return;
      }
      this.wake();
      await promise;
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#state = 'stopped';
    await this.#search;
    const runs = [...this.#attempts.keys()].map((done) => ({ done }));
    await settled(new Set(runs), graceMs);
    for (const abort of this.#attempts.values()) {
      abort.abort();
    }
    await settled(new Set(runs), Math.min(graceMs, 1000));
  }

  async #searchForWork(): Promise<void> {
    while (this.#searchAgain && this.#state === 'started') {
      this.#searchAgain = false;
      try {
        while (this.#state === 'started' && (await assignRaisedEvents(this.#services))) {}
        await this.#startAttempts('prompt');
        await this.#startAttempts('retry');
        await this.#sweep();
      } catch (error) {
        // The next poll tries again. The database logs its own outages.
        if (!(error instanceof DatabaseUnavailableError)) {
          this.#services.log.error({ err: error }, 'could not look for events to deliver');
        }
      }
    }
  }

  /** Claims the next events of the installations that have waited the longest. */
  async #startAttempts(lane: Lane): Promise<void> {
    const free = this.#lanes.free(lane);
    if (free <= 0) {
      return;
    }
    const streams = await findStreams[lane].rows(this.#services.database.query, {
      now: this.#services.clock().toISOString(),
      full: this.#lanes.fullIntegrations(),
      limit: free,
    });
    for (const stream of streams) {
      if (this.#state !== 'started') {
        return;
      }
      // Another stream of this batch may have taken its last place.
      if (this.#lanes.fullIntegrations().includes(stream.integration)) {
        this.#searchAgain = true;
        continue;
      }
      const delivery = await claimEvent(this.#services, stream, this.#owner);
      if (delivery) {
        this.#begin(lane, delivery);
      }
    }
  }

  #begin(lane: Lane, delivery: Delivery): void {
    const abort = new AbortController();
    const attempt = this.#lanes.run(lane, delivery.stream.integration, () =>
      this.#attempt(delivery, abort.signal),
    );
    this.#attempts.set(attempt, abort);
    void attempt.finally(() => {
      this.#attempts.delete(attempt);
      this.#notify();
    });
  }

  /** Delivers an event and records the result. Never rejects. */
  async #attempt(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { log } = this.#services;
    const renewal = setInterval(() => {
      renewClaim(this.#services, delivery).catch(() => undefined);
    }, EVENT_LEASE_MS / 3);
    try {
      const outcome = await sendEvent(this.#services, delivery, signal);
      await recordAttempt(this.#services, delivery, outcome);
    } catch (error) {
      // The event is sent again after the claim expires.
      log.warn({ err: error, event: delivery.event.id }, 'could not record the delivery of an event');
    } finally {
      clearInterval(renewal);
    }
  }

  async #sweep(): Promise<void> {
    const now = this.#services.clock();
    if (now.getTime() - this.#sweptAt >= SWEEP_INTERVAL_MS) {
      this.#sweptAt = now.getTime();
      await deleteExpiredEvents(this.#services.database, now);
    }
  }

  async #hasWork(): Promise<boolean> {
    const { database, clock } = this.#services;
    const raised = await database.query.selectFrom('raisedEvents').select('sequence').limit(1).execute();
    const due = await dueStreams(database.query, clock().toISOString()).limit(1).execute();
    return raised.length > 0 || due.length > 0;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

interface DueStreams {
  /** Time in ISO 8601. */
  now: string;
  /** Names of the integrations to omit. */
  full: readonly string[];
  limit: number;
}

const findStreamsOf = (lane: Lane) =>
  statement((queries, { now, full, limit }: ParametersOf<DueStreams>) =>
    dueStreams(queries, now)
      .where('failures', lane === 'prompt' ? '=' : '>', 0)
      .where(({ not }) => not(isOneOf(queries, 'integration', full)))
      .orderBy('dueAt')
      .limit(limit)
      .compile(),
  );

/** Executed each second by every process that delivers events. */
const findStreams = { prompt: findStreamsOf('prompt'), retry: findStreamsOf('retry') };

/** Selects the installations with events to deliver now. */
const dueStreams = (queries: Queries, now: string | Expression<string>) =>
  queries
    .selectFrom('integrationEventStreams')
    .select(['installation', 'integration', 'organization'])
    .where('dueAt', '<=', now)
    .where((row) => row.or([row('leaseUntil', 'is', null), row('leaseUntil', '<=', now)]));
