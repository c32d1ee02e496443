import type { CreateId } from '../database/seams.ts';
import { currentTraceParent } from '../diagnostics/trace-parent.ts';
import { JobChild, type JobProgram } from './child.ts';
import {
  ABORT_GRACE_MS,
  JobFailure,
  type JobPerformer,
  JobTimeout,
  type KindLimits,
  ProcessEnded,
  type RunnableJob,
} from './kinds.ts';
import type { ToServer } from './messages.ts';

/** Time for an isolated process to exit after its job. */
export const ISOLATED_EXIT_GRACE_MS = 5000;

/**
 * Time without a heartbeat before an isolated process is killed. Longer than {@link UNRESPONSIVE_MS}, since it blocks
 * no other job: a job that was killed on a busy machine can complete in isolation.
 */
export const ISOLATED_UNRESPONSIVE_MS = 60_000;

/** Runs each job in a separate process, so that a crash affects only that job. */
export class IsolatedPerformer implements JobPerformer {
  readonly #program: JobProgram;
  readonly #createId: CreateId;
  readonly #kinds: () => readonly KindLimits[];

  /** @param kinds returns the kinds of jobs of the program; empty before its first start */
  constructor(program: JobProgram, createId: CreateId, kinds: () => readonly KindLimits[]) {
    this.#program = { unresponsiveMs: ISOLATED_UNRESPONSIVE_MS, ...program };
    this.#createId = createId;
    this.#kinds = kinds;
  }

  kinds(): readonly KindLimits[] {
    return this.#kinds();
  }

  async perform(job: RunnableJob, signal: AbortSignal): Promise<void> {
    const outcome = Promise.withResolvers<void>();
    const child = new JobChild(this.#program, 'single', this.#createId('job'), (message) => {
      if (message.type === 'ready') {
        child.send({ type: 'run', job: { ...job, traceParent: currentTraceParent() ?? null } });
      }
      if (message.type === 'done') {
        outcome.resolve();
      }
      if (message.type === 'failed') {
        outcome.reject(errorOf(message));
      }
    });
    void child.ended.then(({ cause }) => outcome.reject(new ProcessEnded(cause)));
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      const { reason } = signal;
      const timeoutMs = reason instanceof JobTimeout ? reason.timeoutMs : undefined;
      child.send({ type: 'abort', timeoutMs });
      timer = setTimeout(() => child.kill(reason.message), ABORT_GRACE_MS);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await outcome.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      const exit = setTimeout(() => child.kill('its job has ended'), ISOLATED_EXIT_GRACE_MS);
      void child.ended.then(() => clearTimeout(exit));
    }
  }

  /** Does nothing: the isolated process records the failure before it reports it. */
  async recordFailure(): Promise<void> {}
}

function errorOf({ message, stack, isPermanent }: ToServer & { type: 'failed' }): Error {
  const error = isPermanent ? new JobFailure(message) : new Error(message);
  if (stack !== undefined) {
    error.stack = stack;
  }
  return error;
}
