import type { MakeId } from '../database/seams.ts';
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

/** How long an isolated process may take to end after its job, in milliseconds. */
export const ISOLATED_EXIT_GRACE_MS = 5000;

/**
 * How long an isolated process may give no sign of life, in milliseconds. It holds up no other job, so it has longer:
 * a job that was ended for standing still gets through when that was due to a busy machine.
 */
export const ISOLATED_UNRESPONSIVE_MS = 60_000;

/** Does each job in a process that it forks for it, so that it can end nothing but itself. */
export class IsolatedPerformer implements JobPerformer {
  readonly #program: JobProgram;
  readonly #makeId: MakeId;
  readonly #kinds: () => readonly KindLimits[];

  /** @param kinds the kinds that the program does, as far as is known yet */
  constructor(program: JobProgram, makeId: MakeId, kinds: () => readonly KindLimits[]) {
    this.#program = { unresponsiveMs: ISOLATED_UNRESPONSIVE_MS, ...program };
    this.#makeId = makeId;
    this.#kinds = kinds;
  }

  kinds(): readonly KindLimits[] {
    return this.#kinds();
  }

  async perform(job: RunnableJob, signal: AbortSignal): Promise<void> {
    const outcome = Promise.withResolvers<void>();
    const child = new JobChild(this.#program, 'single', this.#makeId('job'), (message) => {
      if (message.type === 'ready') child.send({ type: 'run', job });
      if (message.type === 'done') outcome.resolve();
      if (message.type === 'failed') outcome.reject(errorOf(message));
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
      const exit = setTimeout(() => child.kill('its job was over'), ISOLATED_EXIT_GRACE_MS);
      void child.ended.then(() => clearTimeout(exit));
    }
  }

  /** The process that did the job has done this before it said that it failed. */
  async recordFailure(): Promise<void> {}
}

function errorOf({ message, stack, isPermanent }: ToServer & { type: 'failed' }): Error {
  const error = isPermanent ? new JobFailure(message) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
