import type { Log } from '../database/log.ts';
import type { CreateId } from '../database/seams.ts';
import { type ChildEnd, JobChild, type JobProgram } from './child.ts';
import { ABORT_GRACE_MS, JOB_TIMEOUT_MS, type KindLimits } from './kinds.ts';
import type { Heartbeat, ToServer } from './messages.ts';

/** Initial delay before the job process is restarted. Doubles with each restart. */
const FIRST_PAUSE_MS = 250;
/** Maximum delay before the job process is restarted. */
export const MAX_RESTART_PAUSE_MS = 30_000;
/** Uptime before the restart delay is reset. */
const STABLE_MS = 60_000;
/** Time for the job process to exit after its jobs have stopped. */
export const EXIT_GRACE_MS = 3000;
/** Time without jobs before the job process is replaced if its memory has grown. */
export const REPLACEMENT_IDLE_MS = 30_000;
/** Maximum growth of the memory of an idle job process since its start. Beyond it, the process is replaced. */
export const MAX_IDLE_GROWTH_BYTES = 64 * 1024 * 1024;
/**
 * Minimum time between the start of the server's last request and a replacement: forking the successor pauses the
 * server, for about 50 ms for each gigabyte of its memory.
 */
export const REPLACEMENT_QUIET_MS = 500;
/** Maximum time that requests delay a replacement. */
export const MAX_REPLACEMENT_DELAY_MS = 600_000;
/** Delay before another replacement attempt if the successor did not start. */
export const REPLACEMENT_RETRY_MS = 60_000;
/** Time for a replaced job process to finish the jobs that it claimed last: as much as a job can take. */
export const DRAIN_GRACE_MS = JOB_TIMEOUT_MS + ABORT_GRACE_MS;

/** Maximum number of ended processes whose last metrics are retained until they are read. */
export const MAX_ENDED_METRICS = 100;

/** What the processes have counted, as plain data of `telemetry/`. */
export interface ProcessesMetrics {
  running: readonly unknown[];
  /** The last values of the processes that have ended since the previous call. */
  ended: readonly unknown[];
}

/** When an idle job process is replaced. */
export interface ReplacementLimits {
  /** {@link REPLACEMENT_IDLE_MS} by default. */
  idleMs?: number;
  /** {@link MAX_IDLE_GROWTH_BYTES} by default. */
  growthBytes?: number;
  /** {@link MAX_REPLACEMENT_DELAY_MS} by default. */
  delayMs?: number;
}

export interface SupervisorOptions {
  program: JobProgram;
  log: Log;
  createId: CreateId;
  /** Overrides of the default limits. */
  replacement?: ReplacementLimits | undefined;
  /** Returns the milliseconds since the server's last request began. */
  quietMs: () => number;
  /** Called after each start. */
  onReady: () => void;
  /** Called after an unexpected end, before the restart. */
  onEnd: (owner: string, cause: string) => Promise<void>;
}

/** A running job process. */
interface SupervisedProcess {
  child: JobChild;
  owner: string;
  startedAt: number;
  /** Its memory before its first job; undefined until it is ready. */
  initialBytes: number | undefined;
  /** Whether a successor runs the jobs, so that this process exits after those that it has claimed. */
  isReplaced: boolean;
}

/**
 * Supervises the job process: starts it, kills it if it hangs, restarts it if it ends, and replaces it if it is idle and
 * has grown. The allocator of a process that ran large jobs returns little of their memory to the system.
 *
 * A successor runs before its predecessor stops claiming jobs, so that none waits. Like the job processes of several
 * servers, they share the queue.
 */
export class JobSupervisor {
  readonly #options: SupervisorOptions;
  readonly #limits: Required<ReplacementLimits>;
  #kinds: readonly KindLimits[] = [];
  /** All running processes, including those that were replaced. */
  readonly #processes = new Set<SupervisedProcess>();
  #current: SupervisedProcess | undefined;
  /** The successor of the current process, until it is ready. */
  #successor: SupervisedProcess | undefined;
  /** Time before which no process is replaced. */
  #replaceableAt = 0;
  /** Time when the replacement of the current process became due; undefined if it is not due. */
  #dueAt: number | undefined;
  #endedMetrics: unknown[] = [];
  /** The start of the first process. */
  #delayed: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #waking = false;
  #stopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#limits = {
      idleMs: REPLACEMENT_IDLE_MS,
      growthBytes: MAX_IDLE_GROWTH_BYTES,
      delayMs: MAX_REPLACEMENT_DELAY_MS,
      ...options.replacement,
    };
  }

  /** Returns the kinds of jobs of the program; empty before its first start. */
  kinds(): readonly KindLimits[] {
    return this.#kinds;
  }

  /** Returns the metrics of all processes, without those that do not respond within `timeoutMs`. */
  async metrics(timeoutMs: number): Promise<ProcessesMetrics> {
    const all = await Promise.all([...this.#processes].map(({ child }) => child.metrics(timeoutMs)));
    const ended = this.#endedMetrics;
    this.#endedMetrics = [];
    return { running: all.filter((metrics) => metrics !== undefined), ended };
  }

  /** @param delayMs Delay of the start, unless there are jobs before: the server serves its first requests meanwhile. */
  start(delayMs = 0): void {
    if (delayMs === 0) {
      this.#startNow();
    } else {
      this.#delayed = setTimeout(() => this.#startNow(), delayMs);
    }
  }

  #startNow(): void {
    clearTimeout(this.#delayed);
    this.#delayed = undefined;
    this.#current = this.#fork();
  }

  /** Notifies the process of new jobs. */
  wake(): void {
    if (this.#delayed) {
      this.#startNow();
    }
    if (this.#waking) {
      return;
    }
    this.#waking = true;
    // Coalesces notifications of concurrent commits.
    setImmediate(() => {
      this.#waking = false;
      this.#current?.child.send({ type: 'wake' });
    });
  }

  /** Stops the process. Jobs that do not finish within `graceMs` are returned to the queue. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#delayed);
    this.#delayed = undefined;
    clearTimeout(this.#restart);
    await Promise.all([...this.#processes].map(({ child }) => stop(child, graceMs)));
  }

  #fork(): SupervisedProcess {
    const { program, createId } = this.#options;
    const owner = createId('own');
    const child = new JobChild(program, 'queue', owner, (message) => this.#receive(forked, message));
    const forked: SupervisedProcess = {
      child,
      owner,
      startedAt: performance.now(),
      initialBytes: undefined,
      isReplaced: false,
    };
    this.#processes.add(forked);
    void child.ended.then((end) => this.#ended(forked, end));
    return forked;
  }

  #receive(from: SupervisedProcess, message: ToServer): void {
    if (message.type === 'pong' && from === this.#current && this.#isToReplace(from, message)) {
      this.#successor = this.#fork();
    }
    if (message.type === 'metrics' && message.isLast) {
      this.#endedMetrics = [...this.#endedMetrics, message.metrics].slice(-MAX_ENDED_METRICS);
    }
    if (message.type !== 'ready') {
      return;
    }
    this.#kinds = message.kinds;
    from.initialBytes = message.residentBytes;
    this.#options.log.info({ jobProcess: from.child.pid, ms: uptimeMs(from) }, 'job process started');
    if (from === this.#successor && !this.#stopping) {
      this.#promote(from);
    }
    this.#options.onReady();
  }

  /** Whether a process is replaced now: it is due, and its successor pauses no requests, or has waited long enough. */
  #isToReplace(from: SupervisedProcess, heartbeat: Heartbeat): boolean {
    if (!this.#isDue(from, heartbeat)) {
      this.#dueAt = undefined;
      return false;
    }
    const now = performance.now();
    this.#dueAt ??= now;
    return this.#options.quietMs() >= REPLACEMENT_QUIET_MS || now - this.#dueAt >= this.#limits.delayMs;
  }

  #isDue({ initialBytes }: SupervisedProcess, { idleMs, residentBytes }: Heartbeat): boolean {
    const limits = this.#limits;
    return (
      !this.#stopping &&
      this.#successor === undefined &&
      performance.now() >= this.#replaceableAt &&
      idleMs !== undefined &&
      idleMs >= limits.idleMs &&
      initialBytes !== undefined &&
      residentBytes > initialBytes + limits.growthBytes
    );
  }

  /** Replaces the current process with its successor. */
  #promote(successor: SupervisedProcess): void {
    const replaced = this.#current;
    this.#current = successor;
    this.#successor = undefined;
    if (!replaced) {
      return;
    }
    replaced.isReplaced = true;
    this.#resetPause(replaced);
    this.#options.log.info(
      { jobProcess: successor.child.pid, replaced: replaced.child.pid },
      'job process replaced to release its memory',
    );
    void stop(replaced.child, DRAIN_GRACE_MS);
    // The replaced process may have received a notification that it no longer serves.
    successor.child.send({ type: 'wake' });
  }

  async #ended(ended: SupervisedProcess, end: ChildEnd): Promise<void> {
    this.#processes.delete(ended);
    if (ended === this.#successor) {
      this.#successor = undefined;
      this.#replaceableAt = performance.now() + REPLACEMENT_RETRY_MS;
    }
    if (ended === this.#current) {
      this.#current = this.#successor;
      this.#successor = undefined;
    }
    if (this.#stopping || (ended.isReplaced && end.isExpected)) {
      return;
    }
    const { log, onEnd } = this.#options;
    const ms = uptimeMs(ended);
    // Only the end of the current process without a successor interrupts the queue.
    const isRestarted = this.#current === undefined;
    const { cause, stderr } = end;
    if (isRestarted) {
      this.#resetPause(ended);
    }
    const details = { owner: ended.owner, jobProcess: ended.child.pid, ms, cause, stderr };
    log.error({ ...details, ...(isRestarted && { pause: this.#pauseMs }) }, `job process ended: ${cause}`);
    await onEnd(ended.owner, cause).catch((error: unknown) =>
      // The leases of these jobs expire, which marks them as suspected, too.
      log.error({ err: error }, 'could not record the jobs of the ended job process'),
    );
    if (!isRestarted || this.#stopping) {
      return;
    }
    this.#restart = setTimeout(() => this.start(), this.#pauseMs);
    this.#pauseMs = Math.min(MAX_RESTART_PAUSE_MS, this.#pauseMs * 2);
  }

  #resetPause(current: SupervisedProcess): void {
    if (uptimeMs(current) >= STABLE_MS) {
      this.#pauseMs = FIRST_PAUSE_MS;
    }
  }
}

const uptimeMs = ({ startedAt }: SupervisedProcess): number => Math.round(performance.now() - startedAt);

/** Stops a process: its jobs within `graceMs`, and the process shortly afterwards. */
async function stop(child: JobChild, graceMs: number): Promise<void> {
  child.send({ type: 'stop', graceMs });
  const timer = setTimeout(() => child.kill('it did not stop'), graceMs + EXIT_GRACE_MS);
  await child.ended;
  clearTimeout(timer);
}
