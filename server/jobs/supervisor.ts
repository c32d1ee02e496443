import type { Log } from '../database/log.ts';
import type { MakeId } from '../database/seams.ts';
import { type ChildEnd, JobChild, type JobProgram } from './child.ts';
import type { KindLimits } from './kinds.ts';
import type { ToServer } from './messages.ts';

/** Initial delay before the job process is restarted. Doubles with each restart. */
const FIRST_PAUSE_MS = 250;
/** Maximum delay before the job process is restarted. */
export const MAX_RESTART_PAUSE_MS = 30_000;
/** Uptime after which the restart delay is reset. */
const STABLE_MS = 60_000;
/** Time for the job process to exit after its jobs have stopped. */
export const EXIT_GRACE_MS = 3000;

export interface SupervisorOptions {
  program: JobProgram;
  log: Log;
  makeId: MakeId;
  /** Called after each start. */
  onReady: () => void;
  /** Called after an unexpected end, before the restart. */
  onEnd: (owner: string, cause: string) => Promise<void>;
}

/** Supervises the job process: starts it, kills it if it hangs, and restarts it. */
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

  /** Returns the kinds of jobs of the program; empty before its first start. */
  kinds(): readonly KindLimits[] {
    return this.#kinds;
  }

  start(): void {
    const { program, makeId, log } = this.#options;
    const owner = makeId('own');
    const startedAt = performance.now();
    const onMessage = (message: ToServer) => {
      if (message.type !== 'ready') {
        return;
      }
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
      if (this.#stopping) {
        return;
      }
      await this.#ended({ owner, jobProcess: child.pid, ms: Math.round(performance.now() - startedAt) }, end);
    });
  }

  /** Notifies the process of new jobs. */
  wake(): void {
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
    clearTimeout(this.#restart);
    if (!this.#current) {
      return;
    }
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
    if (life.ms >= STABLE_MS) {
      this.#pauseMs = FIRST_PAUSE_MS;
    }
    log.error({ ...life, cause, stderr, pause: this.#pauseMs }, `job process ended: ${cause}`);
    await onEnd(life.owner, cause).catch((error: unknown) =>
      // The leases of these jobs expire, which marks them as suspected, too.
      log.error({ err: error }, 'could not record the jobs of the ended job process'),
    );
    if (this.#stopping) {
      return;
    }
    this.#restart = setTimeout(() => this.start(), this.#pauseMs);
    this.#pauseMs = Math.min(MAX_RESTART_PAUSE_MS, this.#pauseMs * 2);
  }
}
