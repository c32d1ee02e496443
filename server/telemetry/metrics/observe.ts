import type { TracingChannel } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import {
  conflicts,
  deliveries,
  gitRuns,
  integrationCalls,
  jobAttempts,
  statements,
  tasks,
} from '../../diagnostics/channels.ts';
import { listen, type Stop, stopAll } from '../subscriptions.ts';
import type { Instruments } from './instruments.ts';

/**
 * Counts what the channels of this process publish.
 *
 * @returns a function that ends this
 */
export function observeChannels(counted: Instruments): Stop {
  const stops = [
    observe(statements, (_, seconds, isFailed) => {
      counted.statementDuration.add(seconds);
      if (isFailed) {
        counted.failedStatements.inc();
      }
    }),
    observe(jobAttempts, ({ kind, outcome }, seconds) => {
      counted.jobs.inc({ kind, outcome: outcome ?? 'failed' });
      counted.jobDuration.observe({ kind }, seconds);
    }),
    observe(deliveries, ({ outcome }, seconds) => {
      counted.deliveries.inc({ outcome: outcome ?? 'failed' });
      counted.deliveryDuration.observe(seconds);
    }),
    observe(integrationCalls, ({ type }, seconds, isFailed) => {
      counted.integrationCalls.inc({ type, outcome: outcomeOf(isFailed) });
      counted.integrationCallDuration.observe(seconds);
    }),
    observe(gitRuns, ({ command }, seconds, isFailed) => {
      counted.gitRuns.inc({ command, outcome: outcomeOf(isFailed) });
      counted.gitDuration.observe(seconds);
    }),
    observe(
      tasks,
      ({ task, waitedMs }, seconds, isFailed) => {
        counted.runningTasks.dec();
        counted.tasks.inc({ task, outcome: outcomeOf(isFailed) });
        counted.taskDuration.observe({ task }, seconds);
        counted.taskWait.observe(waitedMs === undefined ? seconds : waitedMs / 1000);
      },
      () => counted.runningTasks.inc(),
    ),
    listen(conflicts.name, () => counted.conflicts.inc()),
    observeOutgoing(counted),
    observeThreads(counted),
  ];
  return stopAll(stops);
}

const outcomeOf = (isFailed: boolean): string => (isFailed ? 'failed' : 'done');

/** Calls `record` with each traced call that has ended, and the time that it took. */
function observe<Event extends object>(
  channel: TracingChannel<unknown, Event>,
  record: (event: Event, seconds: number, isFailed: boolean) => void,
  begin: () => void = () => undefined,
): Stop {
  const startedAt = new WeakMap<object, number>();
  const ignore = () => undefined;
  const subscribers = {
    start: (event: Event) => {
      startedAt.set(event, performance.now());
      begin();
    },
    asyncEnd: (event: Event) => {
      const since = startedAt.get(event);
      // Otherwise, it had started before.
      if (since !== undefined) {
        record(event, (performance.now() - since) / 1000, 'error' in event);
      }
    },
    end: ignore,
    asyncStart: ignore,
    error: ignore,
  };
  channel.subscribe(subscribers);
  return () => channel.unsubscribe(subscribers);
}

/** Counts requests of undici, the client of all outgoing requests and of `fetch`. */
function observeOutgoing({ outgoingRequests, outgoingRequestDuration }: Instruments): Stop {
  const startedAt = new WeakMap<object, number>();
  const end = (request: object, outcome: string) => {
    const since = startedAt.get(request);
    if (since !== undefined) {
      startedAt.delete(request);
      outgoingRequests.inc({ outcome });
      outgoingRequestDuration.observe((performance.now() - since) / 1000);
    }
  };
  const stops = [
    listen<{ request: object }>('undici:request:create', ({ request }) =>
      startedAt.set(request, performance.now()),
    ),
    listen<{ request: object; response: { statusCode: number } }>(
      'undici:request:headers',
      ({ request, response }) => end(request, `${Math.floor(response.statusCode / 100)}xx`),
    ),
    listen<{ request: object }>('undici:request:error', ({ request }) => end(request, 'error')),
  ];
  return stopAll(stops);
}

/** Counts the worker threads that run. */
const observeThreads = ({ threads }: Instruments): Stop =>
  listen<{ worker: Worker }>('worker_threads', ({ worker }) => {
    threads.inc();
    worker.once('exit', () => threads.dec());
  });
