import {
  ABORT_GRACE_MS,
  type FailureHook,
  type Job,
  JobFailure,
  type JobKind,
  type JobPerformer,
  JobTimeout,
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

  register<Payload>(
    kind: JobKind<Payload>,
    worker: Worker<Payload>,
    onFailure: FailureHook<Payload> | undefined,
  ): void {
    if (this.#registered.has(kind.name)) {
      throw new Error(`A worker is already registered for jobs of kind ${kind.name}.`);
    }
    this.#registered.set(kind.name, {
      kind: { name: kind.name, timeoutMs: kind.timeoutMs },
      // The kind guarantees that the worker receives the payload type that was enqueued.
      worker: worker as Worker<unknown>,
      onFailure: onFailure as FailureHook<unknown> | undefined,
    });
  }

  kinds(): readonly KindLimits[] {
    return [...this.#registered.values()].map(({ kind }) => kind);
  }

  /** @throws ProcessEnded if the worker ignores its signal, so that only ending the process stops it */
  async perform({ kind, ...job }: RunnableJob, signal: AbortSignal): Promise<void> {
    const registered = this.#registered.get(kind);
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
    await this.#registered.get(kind)?.onFailure?.(job satisfies Job<unknown>, cause);
  }
}
