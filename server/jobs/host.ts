import { writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '../database/log.ts';
import { isolatedJobs } from '../diagnostics/channels.ts';
import { isFinal, JobFailure, type JobPerformer, JobStopped, JobTimeout, type RunnableJob } from './kinds.ts';
import type { ToChild, ToServer } from './messages.ts';
import type { Queue } from './queue.ts';

/** Time for jobs to finish after the job process received a signal. */
export const SIGNAL_GRACE_MS = 5000;
/** Score of a job process for the out-of-memory killer of Linux, of 1000. The server has 0. */
const OUT_OF_MEMORY_SCORE = '500';

/** A job process, as composed by `server/process/job-process.ts`. */
export interface JobProcess {
  queue: Queue;
  log: Log;
  /** Returns what the process has counted; undefined if it counts nothing. */
  metrics?: (() => Promise<unknown>) | undefined;
  /** Closes the resources of the process. */
  close(): Promise<void>;
}

/** Ends this process when the server that forked it ends, and reports uncaught errors to the server. */
export function exitWithServer(log: Log): void {
  const exit = () => process.exit(1);
  process.on('disconnect', exit);
  if (!process.connected) {
    exit();
  }
  // A small heap: it only waits.
  const watch = new Worker(new URL('./parent-watch.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 4 },
    execArgv: [],
  });
  watch.unref();
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'job process ends after an uncaught error');
    const message = error instanceof Error ? error.message : String(error);
    send({ type: 'fault', message }, exit);
  });
  // Only exists on Linux.
  void writeFile('/proc/self/oom_score_adj', OUT_OF_MEMORY_SCORE).catch(() => undefined);
}

/** Runs the jobs of the queue until the server or a signal stops the process. */
export function runQueue({ queue, log, close, metrics }: JobProcess): void {
  let closed: Promise<void> | undefined;
  // A process that was replaced finishes its jobs, until the server or a signal stops it with a shorter grace period.
  const stop = async (grace: number) => {
    await queue.stop({ grace });
    closed ??= close();
    await closed;
    await sendMetrics(true);
    process.exit(0);
  };
  const sendMetrics = async (isLast: boolean) => {
    const current = await metrics?.();
    if (process.connected && (current !== undefined || !isLast)) {
      await new Promise<void>((sent) => send({ type: 'metrics', metrics: current, isLast }, sent));
    }
  };
  const stopOrFail = (grace: number) =>
    stop(grace).catch((error: unknown) => {
      log.error({ err: error }, 'job process failed to stop');
      process.exit(1);
    });
  onMessage((message) => {
    if (message.type === 'wake') {
      queue.wake();
    }
    if (message.type === 'ping') {
      sendHeartbeat(queue.idleMs());
    }
    if (message.type === 'metrics') {
      sendMetrics(false).catch((err: unknown) =>
        log.warn({ err }, 'could not read the metrics of the job process'),
      );
    }
    if (message.type === 'stop') {
      void stopOrFail(message.graceMs);
    }
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void stopOrFail(SIGNAL_GRACE_MS));
  }
  const residentBytes = process.memoryUsage.rss();
  queue.start();
  send({ type: 'ready', kinds: queue.performer.kinds(), residentBytes });
}

/** Runs the job that the server sends, then exits. Errors after the job are logged and do not change its outcome. */
export function runSingleJob({
  queue: { performer },
  log,
  close,
}: Omit<JobProcess, 'queue'> & { queue: Pick<Queue, 'performer'> }): void {
  const abort = new AbortController();
  onMessage((message) => {
    if (message.type === 'ping') {
      sendHeartbeat(0);
    }
    if (message.type === 'abort') {
      const { timeoutMs } = message;
      const isTimeout = timeoutMs !== undefined;
      abort.abort(isTimeout ? new JobTimeout(timeoutMs) : new JobStopped('The server is stopping.'));
    }
    if (message.type !== 'run') {
      return;
    }
    const { job } = message;
    void perform(performer, job, abort.signal, log).then(async (outcome) => {
      await close().catch((err: unknown) => {
        log.error({ err, job: job.id, kind: job.kind }, 'job process failed to close its resources');
      });
      send(outcome, () => process.exit(0));
    });
  });
  // A terminal sends these signals to all processes. The server decides when this process stops.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => undefined);
  }
  send({ type: 'ready', kinds: performer.kinds(), residentBytes: process.memoryUsage.rss() });
}

/** Runs a job. Never rejects. */
async function perform(
  performer: JobPerformer,
  job: RunnableJob,
  signal: AbortSignal,
  log: Log,
): Promise<ToServer> {
  try {
    const { id, kind, traceParent } = job;
    await isolatedJobs.tracePromise(() => performer.perform(job, signal), { id, kind, traceParent });
    return { type: 'done' };
  } catch (error) {
    const isStopped = signal.reason instanceof JobStopped;
    const message = error instanceof Error ? error.message : String(error);
    if (!isStopped && isFinal(job, error)) {
      await performer.recordFailure(job, message).catch((err: unknown) => {
        const details = { job: job.id, kind: job.kind, err };
        log.error(details, 'could not record the failure in the data of the job');
      });
    }
    const isPermanent = error instanceof JobFailure;
    if (!(error instanceof Error)) {
      return { type: 'failed', message, stack: undefined, isPermanent };
    }
    return { type: 'failed', message, stack: error.stack, isPermanent };
  }
}

/** Ends this process because of a job that does not stop. The other jobs restart in the next process. */
export async function exitWithStuckJob({ queue }: { queue: Queue }): Promise<never> {
  await queue.stop({ grace: 0 });
  process.exit(1);
}

// The server sends only messages of this type.
const onMessage = (receive: (message: ToChild) => void) =>
  process.on('message', (message) => receive(message as ToChild));

/** The heap is not reported: it has its own limit, and thread pools limit their threads. */
function sendHeartbeat(idleMs: number | undefined): void {
  const { external: bufferBytes, rss: residentBytes } = process.memoryUsage();
  send({ type: 'pong', bufferBytes, residentBytes, idleMs });
}

const send = (message: ToServer, sent: () => void = () => undefined) =>
  process.send?.(message, undefined, undefined, sent);
