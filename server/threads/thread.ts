import { Worker } from 'node:worker_threads';
import { TaskLimitError } from './errors.ts';
import { type FromThread, type Outcome, type ToThread, transferable } from './protocol.ts';

/**
 * Memory at which V8 itself ends a thread, in MB. It is a second line only: where one large allocation exceeds
 * it, V8 ends the whole process. So it is far above what `memoryBytes` allows.
 */
const HARD_HEAP_MB = 4096;
const YOUNG_HEAP_MB = 64;

/** How often a running task is looked at, in milliseconds. A thread allocates at most 1 GB a second. */
const CHECK_MS = 50;

/** What one task may take. */
export interface TaskLimits {
  /** Processor time of its thread: the same task exceeds it on a busy machine as on an idle one. */
  processorMs: number;
  /** Time on the clock, all that it waits for included. */
  timeMs: number;
  /** Heap and buffers of its thread. */
  memoryBytes: number;
}

/** A task for a thread. */
export interface ThreadTask {
  name: string;
  input: unknown;
  limits: TaskLimits;
  /** Its methods are called by the task, in this thread. */
  host?: object | undefined;
  /** Ends the thread. */
  signal?: AbortSignal | undefined;
}

/** A thread that runs one task at a time. */
export class Thread {
  readonly #worker: Worker;
  #settle: ((outcome: Outcome) => void) | undefined;
  #host: object | undefined;
  #isAlive = true;

  /** @param entry a module that calls `serveTasks` */
  constructor(entry: URL) {
    this.#worker = new Worker(entry, {
      // Tasks are pure: what the environment holds, such as secrets, is not theirs.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HARD_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    });
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The thread exited.')));
    this.#worker.unref();
  }

  /** Whether it takes another task. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /**
   * Runs a task. A thread whose task exceeds a limit or is aborted is ended before this rejects.
   *
   * @throws TaskLimitError, the reason of the signal, and what the task throws
   */
  async run({ name, input, limits, host, signal }: ThreadTask): Promise<unknown> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#settle = (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value));
    this.#host = host;
    let isOver = false;
    const end = (error: unknown) => {
      this.#isAlive = false;
      this.#settle = undefined;
      void this.close().then(() => reject(error));
    };
    const timer = setTimeout(() => end(new TaskLimitError(name, 'time')), limits.timeMs);
    let usedBefore: number | undefined;
    const watch = setInterval(async () => {
      const [memory, time] = await Promise.all([this.#memory(), this.#processorTime()]);
      usedBefore ??= time;
      if (!this.#settle || isOver) return;
      if (memory > limits.memoryBytes) end(new TaskLimitError(name, 'memory'));
      else if (time !== undefined && usedBefore !== undefined && time - usedBefore > limits.processorMs)
        end(new TaskLimitError(name, 'time'));
    }, CHECK_MS);
    const abort = () => end(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#worker.ref();
    try {
      this.#post({ type: 'run', task: name, input, hasHost: host !== undefined });
      return await promise;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new TaskLimitError(name, 'memory');
      throw error;
    } finally {
      isOver = true;
      clearTimeout(timer);
      clearInterval(watch);
      signal?.removeEventListener('abort', abort);
      this.#settle = undefined;
      this.#host = undefined;
      this.#worker.unref();
    }
  }

  /** Ends the thread at once, and waits until it is gone. */
  async close(): Promise<void> {
    this.#isAlive = false;
    await this.#worker.terminate();
  }

  /** Heap and buffers in bytes; 0 where the thread is gone. */
  async #memory(): Promise<number> {
    try {
      const { total_heap_size, external_memory } = await this.#worker.getHeapStatistics();
      return total_heap_size + external_memory;
    } catch {
      return 0;
    }
  }

  /** Processor time that the thread has used so far, in milliseconds; undefined before it runs and once it is gone. */
  async #processorTime(): Promise<number | undefined> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return (user + system) / 1000;
    } catch {
      return undefined;
    }
  }

  #receive(message: FromThread): void {
    if (message.type === 'call') void this.#answer(message);
    else this.#settle?.(message);
  }

  /** Calls the host for the task, unless the task is over. */
  async #answer({ call, method, input }: Extract<FromThread, { type: 'call' }>): Promise<void> {
    const host = this.#host;
    if (!host) return;
    const reply = (outcome: Outcome) => {
      if (this.#host === host && this.#isAlive) this.#post({ type: 'answer', call, ...outcome });
    };
    try {
      const own = Object.getOwnPropertyDescriptor(host, method)?.value;
      if (typeof own !== 'function') throw new Error(`The host of the task has no method ${method}.`);
      reply({ value: await own(input) });
    } catch (error) {
      // As text: not every error can be copied.
      reply({ error: new Error(error instanceof Error ? error.message : String(error)) });
    }
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message, message.type === 'answer' ? transferable(outcomeValue(message)) : []);
  }

  #fail(error: unknown): void {
    this.#isAlive = false;
    this.#settle?.({ error });
  }
}

const outcomeValue = (outcome: Outcome): unknown => ('value' in outcome ? outcome.value : undefined);
