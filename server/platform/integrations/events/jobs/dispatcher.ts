import type { Expression } from 'kysely';
import type { Queries } from '../../../../database/database.ts';
import { isOneOf } from '../../../../database/lookups.ts';
import { type ParametersOf, statement } from '../../../../database/statement.ts';
import { type DeliveryEvent, deliveries } from '../../../../diagnostics/channels.ts';
import type { BackgroundLoop } from '../../../../jobs/loops.ts';
import { settled } from '../../../../jobs/settled.ts';
import { earliest, WorkSearch } from '../../../../jobs/work-search.ts';
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
  readonly #search: WorkSearch;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #changed = Promise.withResolvers<void>();

  constructor(services: Services) {
    this.#services = services;
    this.#owner = services.createId('own');
    const { database, clock, log } = services;
    this.#search = new WorkSearch({
      database,
      clock,
      log,
      search: () => this.#startWork(),
      onEnd: () => this.#notify(),
      failure: 'could not look for events to deliver',
    });
  }

  start(): void {
    this.#search.start();
  }

  wake(): void {
    this.#search.wake();
  }

  isBusy(): boolean {
    return this.#lanes.size > 0;
  }

  async idle(): Promise<void> {
    for (;;) {
      const { promise } = this.#changed;
      if (!this.#search.isSearching && !this.isBusy() && !(await this.#hasWork())) {
        return;
      }
      this.wake();
      await promise;
    }
  }

  async stop(graceMs: number): Promise<void> {
    await this.#search.stop();
    const runs = [...this.#attempts.keys()].map((done) => ({ done }));
    await settled(new Set(runs), graceMs);
    for (const abort of this.#attempts.values()) {
      abort.abort();
    }
    await settled(new Set(runs), Math.min(graceMs, 1000));
  }

  /** Returns when the next event becomes due. */
  async #startWork(): Promise<number> {
    const startedAt = this.#services.clock().getTime();
    while (this.#isStarted() && (await assignRaisedEvents(this.#services))) {}
    await this.#startAttempts('prompt');
    await this.#startAttempts('retry');
    await this.#sweep();
    // Events that are due may wait for others to leave their places.
    return this.#lanes.isFull() ? startedAt : await this.#nextDueAt();
  }

  async #nextDueAt(): Promise<number> {
    const { database, clock } = this.#services;
    return earliest(await findNextTimes.rows(database.query, { now: clock().toISOString() }));
  }

  #isStarted(): boolean {
    return this.#search.state === 'started';
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
      if (!this.#isStarted()) {
        return;
      }
      // Another stream of this batch may have taken its last place.
      if (this.#lanes.fullIntegrations().includes(stream.integration)) {
        this.#search.wake();
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
      const { stream, event } = delivery;
      const attempt: DeliveryEvent = {
        integration: stream.integration,
        type: event.type,
        traceParent: event.traceParent,
        outcome: undefined,
      };
      await deliveries.tracePromise(async () => {
        const outcome = await sendEvent(this.#services, delivery, signal);
        attempt.outcome = outcome.kind;
        await recordAttempt(this.#services, delivery, outcome);
      }, attempt);
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

const findStreams = { prompt: findStreamsOf('prompt'), retry: findStreamsOf('retry') };

/** Finds when the next attempt becomes due, and when the next of another process could have lost it. */
const findNextTimes = statement((queries, { now }: ParametersOf<{ now: string }>) =>
  queries
    .selectFrom('integrationEventStreams')
    .select(({ fn }) => fn.min<string | null>('dueAt').as('time'))
    .where('leaseUntil', 'is', null)
    .unionAll(
      queries
        .selectFrom('integrationEventStreams')
        .select(({ fn }) => fn.min<string | null>('leaseUntil').as('time'))
        // Attempts begin when they are due: reads only these rows.
        .where('dueAt', '<=', now)
        .where('leaseUntil', 'is not', null),
    )
    .compile(),
);

/** Selects the installations with events to deliver now. */
const dueStreams = (queries: Queries, now: string | Expression<string>) =>
  queries
    .selectFrom('integrationEventStreams')
    .select(['installation', 'integration', 'organization'])
    .where('dueAt', '<=', now)
    .where((row) => row.or([row('leaseUntil', 'is', null), row('leaseUntil', '<=', now)]));
