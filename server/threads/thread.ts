import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { TaskLimitError, ThreadsBusyError } from './errors.ts';
import { type FromThread, type Outcome, type ToThread, transferable } from './protocol.ts';
import type { ThreadStart } from './start.ts';

/**
 * Heap limit of V8 for a thread, in MB. Only a fallback, far above `memoryBytes`: V8 ends the whole process if a single
 * allocation exceeds it.
 */
const HARD_HEAP_MB = 4096;
const YOUNG_HEAP_MB = 64;
/**
 * Memory that V8 reserves for the compiled code of a thread. Its default of 512 MB counts as data of the process, so that
 * threads would take most of the limit of a job process.
 */
export const THREAD_CODE_MB = 128;

/** Interval of the limit checks, in milliseconds. A thread allocates at most 1 GB per second. */
const CHECK_MS = 50;

/** Time for a thread to load its modules and start a task. Limits of the task apply from then on. */
export const TASK_START_TIMEOUT_MS = 60_000;

/** Time for an idle thread to end before it is terminated. */
export const THREAD_END_TIMEOUT_MS = 10_000;

/** Limits of a task. */
export interface TaskLimits {
  /** CPU time of the thread, which is independent of the load of the machine. */
  processorMs: number;
  /** Elapsed time, including waiting. */
  timeMs: number;
  /** Heap and buffers of the thread. */
  memoryBytes: number;
}

/** A task to run in a thread. */
export interface ThreadTask {
  name: string;
  input: unknown;
  limits: TaskLimits;
  /** Methods that the task can call. They run in the caller's thread. */
  host?: object | undefined;
  /** Aborts the task by terminating its thread. */
  signal?: AbortSignal | undefined;
}

/** A thread that runs one task at a time. */
export class Thread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #settle: ((outcome: Outcome) => void) | undefined;
  #startLimits: (() => void) | undefined;
  #host: object | undefined;
  /** Runs a function in the asynchronous context of the caller of the task. */
  #inContext: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
  #isAlive = true;

  /** @param entry the entry module, which calls `serveTasks` */
  constructor(entry: URL) {
    this.#worker = new Worker(new URL('./start.ts', import.meta.url), {
      workerData: { entry: entry.href } satisfies ThreadStart,
      env: threadEnvironment(),
      resourceLimits: {
        maxOldGenerationSizeMb: HARD_HEAP_MB,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
        codeRangeSizeMb: THREAD_CODE_MB,
      },
    });
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => this.#worker.once('exit', () => resolve()));
    void this.#ended.then(() => this.#fail(new Error('The thread exited.')));
    this.#worker.unref();
  }

  /** Whether the thread accepts tasks. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /**
   * Runs a task. If it exceeds a limit or is aborted, the thread is terminated before the promise rejects.
   *
   * @throws TaskLimitError, ThreadsBusyError if the thread does not start the task in time, the reason of the signal,
   *   and errors of the task
   */
  async run({ name, input, limits, host, signal }: ThreadTask): Promise<unknown> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#settle = (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value));
    this.#host = host;
    this.#inContext = AsyncLocalStorage.snapshot();
    let isOver = false;
    const end = (error: unknown) => {
      this.#isAlive = false;
      this.#settle = undefined;
      void this.close().then(() => reject(error));
    };
    let timer = setTimeout(
      () => end(new ThreadsBusyError(`The task ${name} was not started in time. Try again later.`)),
      TASK_START_TIMEOUT_MS,
    );
    let watch: NodeJS.Timeout | undefined;
    let initialMs: number | undefined;
    const checkUsage = async () => {
      const [memory, time] = await Promise.all([this.memoryBytes(), this.#processorTime()]);
      initialMs ??= time;
      if (!this.#settle || isOver) {
        return;
      }
      if (memory > limits.memoryBytes) {
        end(new TaskLimitError(name, 'memory'));
      } else if (time !== undefined && initialMs !== undefined && time - initialMs > limits.processorMs) {
        end(new TaskLimitError(name, 'time'));
      }
    };
    this.#startLimits = () => {
      clearTimeout(timer);
      timer = setTimeout(() => end(new TaskLimitError(name, 'time')), limits.timeMs);
      watch = setInterval(checkUsage, CHECK_MS);
    };
    const abort = () => end(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#worker.ref();
    try {
      this.#post({ type: 'run', task: name, input, hasHost: host !== undefined });
      return await promise;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new TaskLimitError(name, 'memory');
      }
      throw error;
    } finally {
      isOver = true;
      clearTimeout(timer);
      clearInterval(watch);
      signal?.removeEventListener('abort', abort);
      this.#startLimits = undefined;
      this.#settle = undefined;
      this.#host = undefined;
      this.#inContext = undefined;
      this.#worker.unref();
    }
  }

  /** Terminates the thread. Resolves when it has ended. */
  async close(): Promise<void> {
    this.#isAlive = false;
    await this.#worker.terminate();
  }

  /** Ends the thread while it runs no task. Resolves when it has ended. */
  async end(): Promise<void> {
    this.#isAlive = false;
    this.#post({ type: 'end' });
    const timer = setTimeout(() => this.close(), THREAD_END_TIMEOUT_MS).unref();
    await this.#ended;
    clearTimeout(timer);
  }

  /** Returns the memory of the thread in bytes; 0 if it has ended. */
  async memoryBytes(): Promise<number> {
    try {
      const { total_heap_size, external_memory } = await this.#worker.getHeapStatistics();
      return total_heap_size + external_memory;
    } catch {
      return 0;
    }
  }

  /** Returns the CPU time of the thread in milliseconds; undefined before it starts and after it ends. */
  async #processorTime(): Promise<number | undefined> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return (user + system) / 1000;
    } catch {
      return undefined;
    }
  }

  #receive(message: FromThread): void {
    if (message.type === 'started') {
      this.#startLimits?.();
    } else if (message.type === 'call') {
      void this.#callHost(message);
    } else {
      this.#settle?.(message);
    }
  }

  /** Calls a method of the host for the task, unless the task has ended. */
  async #callHost({ call, method, input }: Extract<FromThread, { type: 'call' }>): Promise<void> {
    const host = this.#host;
    const inContext = this.#inContext;
    if (!host || !inContext) {
      return;
    }
    const reply = (outcome: Outcome) => {
      if (this.#host === host && this.#isAlive) {
        this.#post({ type: 'result', call, ...outcome });
      }
    };
    try {
      const implementation = Object.getOwnPropertyDescriptor(host, method)?.value;
      if (typeof implementation !== 'function') {
        throw new Error(`The host of the task has no method ${method}.`);
      }
      reply({ value: await inContext(() => implementation(input)) });
    } catch (error) {
      // Only the message: not every error can be cloned.
      reply({ error: new Error(error instanceof Error ? error.message : String(error)) });
    }
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message, message.type === 'result' ? transferable(outcomeValue(message)) : []);
  }

  #fail(error: unknown): void {
    this.#isAlive = false;
    this.#settle?.({ error });
  }
}

/** The environment of a thread: only the cache of compiled code, because the environment contains secrets. */
function threadEnvironment(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

const outcomeValue = (outcome: Outcome): unknown => ('value' in outcome ? outcome.value : undefined);
