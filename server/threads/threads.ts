import { availableParallelism } from 'node:os';
import { ThreadsBusyError } from './errors.ts';
import { FairQueue, type QueueBounds, type Waiting } from './fair-queue.ts';
import type { Tasks } from './serve.ts';
import { type TaskLimits, Thread } from './thread.ts';

export { TaskLimitError, ThreadsBusyError } from './errors.ts';
export { serveTasks, type Tasks } from './serve.ts';

/** Threads per process: all cores but at least two, so that a long task leaves one to others. */
export const MAX_THREADS = Math.max(2, Math.min(8, availableParallelism()));
/** What a task may take unless it says otherwise. */
export const TASK_LIMITS: TaskLimits = {
  processorMs: 10_000,
  timeMs: 40_000,
  memoryBytes: 768 * 1024 * 1024,
};
/** What one owner may have waiting at a time. */
export const MAX_QUEUED_PER_OWNER: QueueBounds = { tasks: 100, bytes: 64 * 1024 * 1024 };
/** What may wait at a time in all. */
export const MAX_QUEUED: QueueBounds = { tasks: 1000, bytes: 256 * 1024 * 1024 };
/** How long a task waits for a thread before its caller is sent away. */
export const MAX_QUEUE_WAIT_MS = 30_000;
/** How long a thread without work stays. */
const IDLE_MS = 30_000;

/** A pool of threads. `All` are the tasks that its entry module serves. */
export interface Threads<All extends Tasks> {
  /**
   * Runs a task in a thread. Input and output are plain data; the input is copied.
   *
   * @throws ThreadsBusyError where too much waits already or nothing became free in time, TaskLimitError where the
   *   task takes too much, the reason of the signal, and what the task throws
   */
  run<Name extends keyof All & string>(
    name: Name,
    input: Parameters<All[Name]>[0],
    options: RunOptions<Parameters<All[Name]>[1]>,
  ): Promise<Awaited<ReturnType<All[Name]>>>;
  /** Ends the threads; what runs or waits fails with a ThreadsBusyError. */
  close(): Promise<void>;
}

export interface RunOptions<Host = undefined> {
  /** Whose work it is: owners take turns, and each has bounds of its own. */
  owner: string;
  /** About how much memory the input takes while it waits. */
  bytes: number;
  /** Aborts the task: it leaves the queue, or its thread ends. */
  signal?: AbortSignal | undefined;
  limits?: Partial<TaskLimits>;
  /** Methods of its own that the task calls. They run here; each takes and returns plain data. */
  host?: Host | undefined;
}

export interface ThreadsOptions {
  /** The module that each thread runs; it calls `serveTasks`. */
  entry: URL;
  threads?: number;
  perOwner?: QueueBounds;
  total?: QueueBounds;
  maxWaitMs?: number;
  idleMs?: number;
}

/** A pool of threads over a module of tasks. Threads start with the first work and end when idle. */
export function createThreads<All extends Tasks>(options: ThreadsOptions): Threads<All> {
  const pool = new Pool(options);
  return {
    // What `serveTasks` serves under a name is the task of that name.
    run: async (name, input, run) => (await pool.run(name, input, run)) as never,
    close: () => pool.close(),
  };
}

interface Item extends Waiting {
  run(thread: Thread): Promise<void>;
  reject(error: unknown): void;
}

class Pool {
  readonly #options: Required<ThreadsOptions>;
  readonly #queue: FairQueue<Item>;
  readonly #threads = new Set<Thread>();
  readonly #idle = new Map<Thread, NodeJS.Timeout>();
  /** How many tasks of each owner run. */
  readonly #running = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor(options: ThreadsOptions) {
    this.#options = {
      threads: MAX_THREADS,
      perOwner: MAX_QUEUED_PER_OWNER,
      total: MAX_QUEUED,
      maxWaitMs: MAX_QUEUE_WAIT_MS,
      idleMs: IDLE_MS,
      ...options,
    };
    this.#queue = new FairQueue(this.#options);
  }

  run(name: string, input: unknown, options: RunOptions<unknown>): Promise<unknown> {
    const { owner, bytes, signal, host, limits } = options;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#closing.signal.aborted) throw closed();
    signal?.throwIfAborted();
    const stop = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    const leave = (error: unknown) => {
      if (this.#queue.remove(item)) item.reject(error);
    };
    const abort = () => leave(stop.reason);
    const timer = setTimeout(
      () => leave(new ThreadsBusyError(`The task ${name} waited too long for a thread. Try again later.`)),
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
        const task = { name, input, limits: { ...TASK_LIMITS, ...limits }, signal: stop };
        // The proxy in the thread calls what the object has, so a task's host is an object.
        await thread.run({ ...task, host: host as object | undefined }).then(resolve, reject);
      },
      reject: (error) => {
        settled();
        reject(error);
      },
    };
    if (!this.#queue.add(item)) {
      settled();
      throw new ThreadsBusyError(`Too many tasks wait for a thread. Try ${name} again later.`);
    }
    stop.addEventListener('abort', abort, { once: true });
    this.#start();
    return promise;
  }

  async close(): Promise<void> {
    this.#closing.abort(closed());
    for (const item of this.#queue.clear()) item.reject(closed());
    for (const timer of this.#idle.values()) clearTimeout(timer);
    await Promise.all([...this.#threads].map((thread) => thread.close()));
    this.#threads.clear();
  }

  /** Gives waiting tasks to threads while there are any. */
  #start(): void {
    while (
      !this.#closing.signal.aborted &&
      (this.#idle.size > 0 || this.#threads.size < this.#options.threads)
    ) {
      // The last thread is for others.
      const share = Math.max(1, this.#options.threads - 1);
      const item = this.#queue.take((owner) => (this.#running.get(owner) ?? 0) < share);
      if (!item) return;
      void this.#work(this.#takeThread(), item);
    }
  }

  #takeThread(): Thread {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (thread.isAlive) return thread;
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
    const left = (this.#running.get(owner) ?? 1) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    if (thread.isAlive) this.#rest(thread);
    else this.#threads.delete(thread);
    this.#start();
  }

  /** Keeps a thread for the next task, for a while. */
  #rest(thread: Thread): void {
    const timer = setTimeout(() => {
      this.#idle.delete(thread);
      void thread.close().then(() => this.#threads.delete(thread));
    }, this.#options.idleMs);
    timer.unref();
    this.#idle.set(thread, timer);
  }
}

const closed = (): ThreadsBusyError => new ThreadsBusyError('The server is stopping. Try again later.');
