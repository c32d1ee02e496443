import { channel, tracingChannel } from 'node:diagnostics_channel';

/*
 * What the server publishes about its work, in channels of Node (https://nodejs.org/api/diagnostics_channel.html).
 * `telemetry/` subscribes to them; without subscribers, they cost next to nothing. Requests that the server sends are
 * published by undici (https://undici.nodejs.org/#/docs/api/DiagnosticsChannel).
 */

/** An executed statement of the database. */
export interface StatementEvent {
  /** Its text, without the values of its parameters. */
  readonly sql: string;
}

/** How an attempt of a job ended. */
export type JobAttemptOutcome = 'done' | 'retried' | 'failed' | 'stopped' | 'postponed' | 'crashed';

/** An attempt of a background job. */
export interface JobEvent {
  readonly id: string;
  readonly kind: string;
  readonly attempt: number;
  /** The trace in which it was enqueued, see `trace-parent.ts`; null if there is none. */
  readonly traceParent: string | null;
  /** Undefined until it has ended. */
  outcome: JobAttemptOutcome | undefined;
}

/** A job in a process of its own, within an attempt that the server records. */
export interface IsolatedJobEvent extends Pick<JobEvent, 'id' | 'kind'> {
  /** The trace of the attempt; null if there is none. */
  readonly traceParent: string | null;
}

/** A task of a worker thread, including its wait for a thread. */
export interface TaskEvent {
  readonly task: string;
  /** Time that it waited for a thread, in milliseconds; undefined if it was not started. */
  waitedMs: number | undefined;
}

/** A run of the Git program. */
export interface GitEvent {
  /** Name of its command, such as `fetch`. */
  readonly command: string;
}

/** A call of an integration. */
export interface IntegrationCallEvent {
  readonly integration: string;
  /** Type of the event that it receives. */
  readonly type: string;
}

/** An attempt to deliver an event to an installation. */
export interface DeliveryEvent {
  readonly integration: string;
  /** Type of the delivered event. */
  readonly type: string;
  /** The trace in which it was raised; null if there is none. */
  readonly traceParent: string | null;
  /** Undefined until the attempt has ended. */
  outcome: 'success' | 'failed' | 'postponed' | undefined;
}

/** Executions of statements. */
export const statements = tracingChannel<unknown, StatementEvent>('colophon:statement');
/** Attempts of jobs. */
export const jobAttempts = tracingChannel<unknown, JobEvent>('colophon:job');
/** Jobs in processes of their own. */
export const isolatedJobs = tracingChannel<unknown, IsolatedJobEvent>('colophon:isolated-job');
/** Tasks of worker threads. */
export const tasks = tracingChannel<unknown, TaskEvent>('colophon:task');
/** Runs of Git. */
export const gitRuns = tracingChannel<unknown, GitEvent>('colophon:git');
/** Calls of integrations. */
export const integrationCalls = tracingChannel<unknown, IntegrationCallEvent>('colophon:integration-call');
/** Attempts to deliver events. */
export const deliveries = tracingChannel<unknown, DeliveryEvent>('colophon:delivery');
/** Transactions that conflicted with others and run again. The message is the error. */
export const conflicts = channel('colophon:conflict');
