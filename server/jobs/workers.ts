import { lazily } from '../contract/lazily.ts';
import {
  ABORT_GRACE_MS,
  type FailureHook,
  JOB_TIMEOUT_MS,
  type Job,
  JobFailure,
  type JobKind,
  type JobPerformer,
  JobTimeout,
  jobKind,
  type KindLimits,
  ProcessEnded,
  type RunnableJob,
  type Worker,
} from './kinds.ts';

interface Registered {
  kind: KindLimits;
  worker: Worker<unknown>;
  onFailure: FailureHook<unknown> | undefined;
}

/** The workers of this process by kind of job. */
export class Workers implements JobPerformer {
  readonly #registered = new Map<string, Registered>();
  /** What registers the workers of kinds that have none yet. */
  readonly #later = new Map<string, () => Promise<void>>();

  register<Payload>(
    kind: JobKind<Payload>,
    worker: Worker<Payload>,
    onFailure: FailureHook<Payload> | undefined,
  ): void {
    if (this.#registered.has(kind.name)) {
      throw new Error(`A worker is already registered for jobs of kind ${kind.name}.`);
    }
    if (this.#later.has(kind.name) && kind.timeoutMs !== JOB_TIMEOUT_MS) {
      throw new Error(
        `Jobs of kind ${kind.name} have the default time limit until their worker is registered.`,
      );
    }
    this.#registered.set(kind.name, {
      kind: { name: kind.name, timeoutMs: kind.timeoutMs },
      // The kind guarantees that the worker receives the payload type that was enqueued.
      worker: worker as Worker<unknown>,
      onFailure: onFailure as FailureHook<unknown> | undefined,
    });
  }

  /** See {@link Queue.registerLater}. */
  registerLater(names: readonly string[], load: () => Promise<void>): void {
    const loaded = lazily(load);
    for (const name of names) {
      this.#later.set(name, loaded);
    }
  }

  kinds(): readonly KindLimits[] {
    const registered = [...this.#registered.values()].map(({ kind }) => kind);
    const later = [...this.#later.keys()].filter((name) => !this.#registered.has(name));
    return [...registered, ...later.map((name) => jobKind(name))];
  }

  /** @throws ProcessEnded if the worker ignores its signal, so that only ending the process stops it */
  async perform({ kind, ...job }: RunnableJob, signal: AbortSignal): Promise<void> {
    const registered = await this.#find(kind);
    if (!registered) {
      throw new JobFailure(`No worker is registered for jobs of kind ${kind}.`);
    }
    const stuck = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      const { reason } = signal;
      if (!(reason instanceof JobTimeout)) {
        return;
      }
      const cause = `${reason.message} It did not stop after its time limit.`;
      timer = setTimeout(() => stuck.reject(new ProcessEnded(cause)), ABORT_GRACE_MS);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([registered.worker(job, signal), stuck.promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async recordFailure({ kind, ...job }: RunnableJob, cause: string): Promise<void> {
    const registered = await this.#find(kind);
    await registered?.onFailure?.(job satisfies Job<unknown>, cause);
  }

  async #find(kind: string): Promise<Registered | undefined> {
    if (!this.#registered.has(kind)) {
      await this.#later.get(kind)?.();
    }
    return this.#registered.get(kind);
  }
}
