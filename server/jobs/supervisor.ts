import type { Log } from '../database/log.ts';
import type { MakeId } from '../database/seams.ts';
import { type ChildEnd, JobChild, type JobProgram } from './child.ts';
import type { KindLimits } from './kinds.ts';
import type { ToServer } from './messages.ts';

/** The pauses before it is started again, in milliseconds; they double from the first to the longest. */
const FIRST_PAUSE_MS = 250;
/** The longest pause before the process of jobs is started again, in milliseconds. */
export const MAX_RESTART_PAUSE_MS = 30_000;
/** After a life of this length, in milliseconds, the pauses start over. */
const STABLE_MS = 60_000;
/** How long the process of jobs may take to end after it stopped its jobs, in milliseconds. */
export const EXIT_GRACE_MS = 3000;

export interface SupervisorOptions {
  program: JobProgram;
  log: Log;
  makeId: MakeId;
  /** Called with each start. */
  onReady: () => void;
  /** Called before the next start with what ended, where nobody asked for its end. */
  onEnd: (owner: string, cause: string) => Promise<void>;
}

/** Keeps a job process running: starts it, wakes it, ends it where it hangs, and starts it again. */
export class JobSupervisor {
  readonly #options: SupervisorOptions;
  #kinds: readonly KindLimits[] = [];
  #current: { child: JobChild; owner: string } | undefined;
  #restart: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #waking = false;
  #stopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** The kinds of jobs that its program does; none before its first start. */
  kinds(): readonly KindLimits[] {
    return this.#kinds;
  }

  start(): void {
    const { program, makeId, log } = this.#options;
    const owner = makeId('own');
    const startedAt = performance.now();
    const onMessage = (message: ToServer) => {
      if (message.type !== 'ready') return;
      this.#kinds = message.kinds;
      log.info(
        { jobProcess: child.pid, ms: Math.round(performance.now() - startedAt) },
        'job process started',
      );
      this.#options.onReady();
    };
    const child = new JobChild(program, 'queue', owner, onMessage);
    this.#current = { child, owner };
    void child.ended.then(async (end) => {
      this.#current = undefined;
      if (this.#stopping) return;
      await this.#ended({ owner, jobProcess: child.pid, ms: Math.round(performance.now() - startedAt) }, end);
    });
  }

  /** Has the process look for jobs now. */
  wake(): void {
    if (this.#waking) return;
    this.#waking = true;
    // Commits of the same moment wake once.
    setImmediate(() => {
      this.#waking = false;
      this.#current?.child.send({ type: 'wake' });
    });
  }

  /** Ends the process, which first lets its jobs end for as long as `graceMs`, and then gives them back. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    if (!this.#current) return;
    const { child } = this.#current;
    child.send({ type: 'stop', graceMs });
    const timer = setTimeout(() => child.kill('it did not stop'), graceMs + EXIT_GRACE_MS);
    await child.ended;
    clearTimeout(timer);
  }

  async #ended(
    life: { owner: string; jobProcess: number | undefined; ms: number },
    { cause, stderr }: ChildEnd,
  ): Promise<void> {
    const { log, onEnd } = this.#options;
    if (life.ms >= STABLE_MS) this.#pauseMs = FIRST_PAUSE_MS;
    log.error({ ...life, cause, stderr, pause: this.#pauseMs }, `job process ended: ${cause}`);
    await onEnd(life.owner, cause).catch((error: unknown) =>
      // Their leases run out, and they are suspected all the same.
      log.error({ err: error }, 'could not record which jobs ended with their process'),
    );
    if (this.#stopping) return;
    this.#restart = setTimeout(() => this.start(), this.#pauseMs);
    this.#pauseMs = Math.min(MAX_RESTART_PAUSE_MS, this.#pauseMs * 2);
  }
}
