import { writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '../database/log.ts';
import { isFinal, JobFailure, type JobPerformer, JobStopped, JobTimeout, type RunnableJob } from './kinds.ts';
import type { ToChild, ToServer } from './messages.ts';
import type { Queue } from './queue.ts';

/** How long jobs may take to end where the process itself is asked to stop, in milliseconds. */
export const SIGNAL_GRACE_MS = 5000;
/** How ready the system is to choose this process where memory runs out, of 1000; the server has 0. */
const OUT_OF_MEMORY_SCORE = '500';

/** The process in which jobs are done, as `server/jobs-main.ts` puts it together. */
export interface Host {
  queue: Queue;
  log: Log;
  /** Closes what the process has open. */
  close(): Promise<void>;
}

/** Ties this process to the server that forked it: it ends with the server, and reports what nothing caught. */
export function tieToServer(log: Log): void {
  const exit = () => process.exit(1);
  process.on('disconnect', exit);
  if (!process.connected) exit();
  // A small heap: it only compares two numbers.
  const watch = new Worker(new URL('./parent-watch.ts', import.meta.url), {
    workerData: process.ppid,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    execArgv: [],
  });
  watch.unref();
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'a job process ends by an error that nothing caught');
    const message = error instanceof Error ? error.message : String(error);
    send({ type: 'fault', message }, exit);
  });
  // Only Linux has it.
  void writeFile('/proc/self/oom_score_adj', OUT_OF_MEMORY_SCORE).catch(() => undefined);
}

/** Works the queue until the server, or a signal, says to stop. */
export function hostQueue({ queue, log, close }: Host): void {
  let stopping = false;
  const stop = async (grace: number) => {
    if (stopping) return;
    stopping = true;
    await queue.stop({ grace });
    await close();
    process.exit(0);
  };
  const stopOrFail = (grace: number) =>
    stop(grace).catch((error: unknown) => {
      log.error({ err: error }, 'the job process could not stop as it should');
      process.exit(1);
    });
  onMessage((message) => {
    if (message.type === 'wake') queue.wake();
    if (message.type === 'ping') sendSign();
    if (message.type === 'stop') void stopOrFail(message.graceMs);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stopOrFail(SIGNAL_GRACE_MS));
  queue.start();
  send({ type: 'ready', kinds: queue.performer.kinds() });
}

/** Does the one job that the server sends, and ends. */
export function hostJob({ queue: { performer }, close }: Host): void {
  const abort = new AbortController();
  onMessage((message) => {
    if (message.type === 'ping') sendSign();
    if (message.type === 'abort') {
      const { timeoutMs } = message;
      const isOver = timeoutMs !== undefined;
      abort.abort(isOver ? new JobTimeout(timeoutMs) : new JobStopped('The server is stopping.'));
    }
    if (message.type !== 'run') return;
    void perform(performer, message.job, abort.signal).then(async (outcome) => {
      await close();
      send(outcome, () => process.exit(0));
    });
  });
  // A terminal sends these to all processes at once: the server decides.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  send({ type: 'ready', kinds: performer.kinds() });
}

async function perform(performer: JobPerformer, job: RunnableJob, signal: AbortSignal): Promise<ToServer> {
  try {
    await performer.perform(job, signal);
    return { type: 'done' };
  } catch (error) {
    const isStopped = signal.reason instanceof JobStopped;
    if (!isStopped && isFinal(job, error)) await performer.recordFailure(job);
    const isPermanent = error instanceof JobFailure;
    if (!(error instanceof Error))
      return { type: 'failed', message: String(error), stack: undefined, isPermanent };
    return { type: 'failed', message: error.message, stack: error.stack, isPermanent };
  }
}

/** Ends this process after a job that does not: the others start over in the next one. */
export async function endWithJob({ queue }: { queue: Queue }): Promise<never> {
  await queue.stop({ grace: 0 });
  process.exit(1);
}

// Only the server at the other end sends messages, and it sends what its types say.
const onMessage = (receive: (message: ToChild) => void) =>
  process.on('message', (message) => receive(message as ToChild));

/** The heap has a limit of its own; threads are watched by who started them. */
const sendSign = () => send({ type: 'pong', bufferBytes: process.memoryUsage().external });

const send = (message: ToServer, sent: () => void = () => undefined) =>
  process.send?.(message, undefined, undefined, sent);
