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

/** The workers of this process, by the kinds of jobs that they do. */
export class Workers implements JobPerformer {
  readonly #registered = new Map<string, Registered>();

  register<Payload>(
    kind: JobKind<Payload>,
    worker: Worker<Payload>,
    onFailure: FailureHook<Payload> | undefined,
  ): void {
    if (this.#registered.has(kind.name)) throw new Error(`Jobs of kind ${kind.name} have a worker already.`);
    this.#registered.set(kind.name, {
      kind: { name: kind.name, timeoutMs: kind.timeoutMs },
      // The kind ties the two: what is enqueued with it is what its worker gets.
      worker: worker as Worker<unknown>,
      onFailure: onFailure as FailureHook<unknown> | undefined,
    });
  }

  kinds(): readonly KindLimits[] {
    return [...this.#registered.values()].map(({ kind }) => kind);
  }

  /** @throws ProcessEnded for a worker that does not heed its signal: only with its process it ends */
  async perform({ kind, ...job }: RunnableJob, signal: AbortSignal): Promise<void> {
    const registered = this.#registered.get(kind);
    if (!registered) throw new JobFailure(`No worker is registered for jobs of kind ${kind}.`);
    const stuck = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      const { reason } = signal;
      if (!(reason instanceof JobTimeout)) return;
      const cause = `${reason.message} It did not stop when its time was over.`;
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

  async recordFailure({ kind, ...job }: RunnableJob): Promise<void> {
    await this.#registered.get(kind)?.onFailure?.(job satisfies Job<unknown>);
  }
}
