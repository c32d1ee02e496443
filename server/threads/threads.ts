import { availableParallelism } from 'node:os';
import { type TaskEvent, tasks } from '../diagnostics/channels.ts';
import { ThreadsBusyError } from './errors.ts';
import { FairQueue, type QueueBounds, type QueuedTask } from './fair-queue.ts';
import { lowerHelperPriority } from './priorities.ts';
import type { Tasks } from './serve.ts';
import { type TaskLimits, Thread } from './thread.ts';

export { TaskLimitError, ThreadsBusyError } from './errors.ts';
export { serveTasks, type Tasks } from './serve.ts';

/** Maximum number of threads per process: one per core, but at least two, so that a long task never blocks all. */
export const MAX_THREADS = Math.max(2, Math.min(8, availableParallelism()));
/** Default limits of a task in a thread. */
export const TASK_LIMITS: TaskLimits = {
  processorMs: 10_000,
  timeMs: 40_000,
  memoryBytes: 768 * 1024 * 1024,
};
/** Maximum number and size of waiting tasks per owner. */
export const MAX_QUEUED_PER_OWNER: QueueBounds = { tasks: 100, bytes: 64 * 1024 * 1024 };
/** Maximum number and size of all waiting tasks. */
export const MAX_QUEUED: QueueBounds = { tasks: 1000, bytes: 256 * 1024 * 1024 };
/** Maximum time that a task waits for a thread before it is rejected. */
export const MAX_QUEUE_WAIT_MS = 30_000;
/** Idle time before a thread ends. */
const IDLE_MS = 10_000;
/** Maximum memory of a retained thread, in bytes. One with more ends: to collect its garbage would discard its code, too. */
export const MAX_RETAINED_THREAD_BYTES = 128 * 1024 * 1024;

/** A thread pool. `All` are the tasks of its entry module. */
export interface Threads<All extends Tasks> {
  /**
   * Runs a task in a thread. Input and output are plain data; the input is copied.
   *
   * @throws ThreadsBusyError if the queue is full or the waiting time is exceeded, TaskLimitError if the task exceeds
   *   a limit, the reason of the signal, and errors of the task
   */
  run<Name extends keyof All & string>(
    name: Name,
    input: Parameters<All[Name]>[0],
    options: RunOptions<Parameters<All[Name]>[1]>,
  ): Promise<Awaited<ReturnType<All[Name]>>>;
  /** Terminates the threads. Running and waiting tasks fail with a ThreadsBusyError. */
  close(): Promise<void>;
}

export interface RunOptions<Host = undefined> {
  /** The owner of the task. Owners are served round-robin, each with its own limits. */
  owner: string;
  /** Approximate memory size of the input. */
  bytes: number;
  /** Aborts the task. */
  signal?: AbortSignal | undefined;
  limits?: Partial<TaskLimits>;
  /** Methods that the task can call. They run in this thread; parameters and results are plain data. */
  host?: Host | undefined;
}

export interface ThreadsOptions {
  /** The entry module of each thread, which calls `serveTasks`. */
  entry: URL;
  threads?: number;
  perOwner?: QueueBounds;
  total?: QueueBounds;
  maxWaitMs?: number;
  idleMs?: number;
  /** Number of threads that remain when idle, so that no task waits for a thread to load its modules. By default, none. */
  retained?: number;
}

/** Creates a thread pool for the tasks of a module. Threads start on demand and end when idle, unless retained. */
export function createThreads<All extends Tasks>(options: ThreadsOptions): Threads<All> {
  const pool = new Pool(options);
  return {
    // `serveTasks` runs the task of this name.
    run: async (name, input, run) => (await pool.run(name, input, run)) as never,
    close: () => pool.close(),
  };
}

interface Item extends QueuedTask {
  run(thread: Thread): Promise<void>;
  reject(error: unknown): void;
}

class Pool {
  readonly #options: Required<ThreadsOptions>;
  readonly #queue: FairQueue<Item>;
  readonly #threads = new Set<Thread>();
  readonly #idle = new Map<Thread, NodeJS.Timeout>();
  /** Threads that were idle and end, which takes a moment. No task waits for that. */
  readonly #ending = new Set<Thread>();
  /** Number of running tasks by owner. */
  readonly #running = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor(options: ThreadsOptions) {
    this.#options = {
      threads: MAX_THREADS,
      perOwner: MAX_QUEUED_PER_OWNER,
      total: MAX_QUEUED,
      maxWaitMs: MAX_QUEUE_WAIT_MS,
      idleMs: IDLE_MS,
      retained: 0,
      ...options,
    };
    this.#queue = new FairQueue(this.#options);
    lowerHelperPriority();
  }

  run(name: string, input: unknown, options: RunOptions<unknown>): Promise<unknown> {
    const event: TaskEvent = { task: name, waitedMs: undefined };
    return tasks.tracePromise(() => this.#run(name, input, options, event), event);
  }

  async #run(name: string, input: unknown, options: RunOptions<unknown>, event: TaskEvent): Promise<unknown> {
    const queuedAt = performance.now();
    const { owner, bytes, signal, host, limits } = options;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#closing.signal.aborted) {
      throw closed();
    }
    signal?.throwIfAborted();
    const stop = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    const leave = (error: unknown) => {
      if (this.#queue.remove(item)) {
        item.reject(error);
      }
    };
    const abort = () => leave(stop.reason);
    const timer = setTimeout(
      () => leave(new ThreadsBusyError(`The task ${name} timed out waiting for a thread. Try again later.`)),
      this.#options.maxWaitMs,
    );
    const settled = () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', abort);
    };
    const item: Item = {
      owner,
      bytes,
      run: async (thread) => {
        settled();
        event.waitedMs = performance.now() - queuedAt;
        const task = { name, input, limits: { ...TASK_LIMITS, ...limits }, signal: stop };
        // The proxy in the thread calls own methods of the host, which is always an object.
        await thread.run({ ...task, host: host as object | undefined }).then(resolve, reject);
      },
      reject: (error) => {
        settled();
        reject(error);
      },
    };
    if (!this.#queue.add(item)) {
      settled();
      throw new ThreadsBusyError(`Too many tasks are waiting for a thread. Try ${name} again later.`);
    }
    stop.addEventListener('abort', abort, { once: true });
    this.#start();
    return await promise;
  }

  async close(): Promise<void> {
    this.#closing.abort(closed());
    for (const item of this.#queue.clear()) {
      item.reject(closed());
    }
    for (const timer of this.#idle.values()) {
      clearTimeout(timer);
    }
    await Promise.all([...this.#threads, ...this.#ending].map((thread) => thread.close()));
    this.#threads.clear();
  }

  /** Assigns waiting tasks to available threads. */
  #start(): void {
    while (
      !this.#closing.signal.aborted &&
      (this.#idle.size > 0 || this.#threads.size < this.#options.threads)
    ) {
      // One thread is always left to other owners.
      const share = Math.max(1, this.#options.threads - 1);
      const item = this.#queue.dequeue((owner) => (this.#running.get(owner) ?? 0) < share);
      if (!item) {
        return;
      }
      void this.#work(this.#acquireThread(), item);
    }
  }

  #acquireThread(): Thread {
    // The one used last: it is warm, and the others end when idle.
    for (const [thread, timer] of [...this.#idle].reverse()) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (thread.isAlive) {
        return thread;
      }
      this.#threads.delete(thread);
    }
    const thread = new Thread(this.#options.entry);
    this.#threads.add(thread);
    return thread;
  }

  async #work(thread: Thread, item: Item): Promise<void> {
    const { owner } = item;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    await item.run(thread);
    const running = (this.#running.get(owner) ?? 1) - 1;
    if (running > 0) {
      this.#running.set(owner, running);
    } else {
      this.#running.delete(owner);
    }
    if (thread.isAlive) {
      this.#park(thread);
    } else {
      this.#threads.delete(thread);
    }
    this.#start();
  }

  /** Keeps an idle thread for the next task until the idle timeout; a retained one longer. */
  #park(thread: Thread): void {
    const timer = setTimeout(() => void this.#endIdle(thread), this.#options.idleMs);
    timer.unref();
    this.#idle.set(thread, timer);
  }

  async #endIdle(thread: Thread): Promise<void> {
    const isRetained =
      this.#threads.size <= this.#options.retained &&
      (await thread.memoryBytes()) <= MAX_RETAINED_THREAD_BYTES;
    // It may have got a task in the meantime.
    if (isRetained || !this.#idle.delete(thread)) {
      return;
    }
    this.#threads.delete(thread);
    this.#ending.add(thread);
    await thread.end();
    this.#ending.delete(thread);
  }
}

const closed = (): ThreadsBusyError => new ThreadsBusyError('The server is stopping. Try again later.');
