import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { withLimits } from '../programs/limits.ts';
import type { ChildMode, ToChild, ToServer } from './messages.ts';
import { scratchFolder } from './scratch.ts';

/** Maximum heap size of a job process. */
export const JOB_HEAP_MB = 1024;
/**
 * Maximum semi-space of the heap of a job process, for objects that were just created. Less makes small jobs collect
 * garbage more often; the default costs a hundred megabytes, which the short-lived texts of an import fill.
 */
export const JOB_SEMI_SPACE_MB = 16;
/** Maximum memory of a job process for buffers outside the heap. */
export const JOB_BUFFERS_MB = 1024;
/**
 * Maximum data of a job process, including its threads (Linux): V8 reserves about 560 MiB, and 150 MiB per thread. The
 * system enforces it even if a job does not let the process send heartbeats: the allocation fails.
 *
 * Processor time and the size of files are not limited, because a job process runs as long as the server, and writes the
 * database. Its jobs have time limits. V8 reserves more address space than it uses.
 */
export const JOB_DATA_MB = 6144;
/** Maximum number of open files and connections of a job process. */
export const MAX_JOB_DESCRIPTORS = 16_384;
/**
 * Number of memory pools of glibc. The default of eight per processor keeps much memory of threads that have ended;
 * other systems ignore it.
 */
const MALLOC_ARENAS = '2';
/** Interval of heartbeat requests to a job process. */
const PING_MS = 2000;
/** Time without a heartbeat before a job process is killed. Shorter than the lease of its jobs. */
export const UNRESPONSIVE_MS = 10_000;
/** Maximum time of a job process to start. */
export const JOB_START_TIMEOUT_MS = 120_000;
/** Priority of a job process relative to the server, which has 0 (nice(1)). */
const JOB_NICENESS = 5;
/** Message of V8 or of the C++ library about a failed allocation; the last one if it fails in several threads at once. */
const MEMORY_REPORT = /out of memory|bad_alloc|terminate called recursively/i;
/** Maximum length of the retained standard error output of a job process. */
const MAX_STDERR_CHARACTERS = 16_384;

/** Causes of the end of a process that exceeded a limit of memory. */
const MEMORY_CAUSE = /\bout of memory\b|\bbuffers of more than \d/;

/** Returns whether a process ended because it exceeded a limit of memory. */
export const isMemoryCause = (cause: string): boolean => MEMORY_CAUSE.test(cause);

/** The program of job processes and its limits. */
export interface JobProgram {
  /** The entry module, which calls `runJobProcess`. */
  entry: URL;
  environment: Readonly<Record<string, string | undefined>>;
  /** Parent of the temporary folders of the processes. */
  folder: string;
  /** {@link JOB_HEAP_MB} by default. */
  heapMB?: number;
  /** {@link JOB_BUFFERS_MB} by default. */
  buffersMB?: number;
  /** {@link JOB_DATA_MB} by default. */
  dataMB?: number;
  /** {@link UNRESPONSIVE_MS} by default. */
  unresponsiveMs?: number;
  /** Interval of heartbeats; {@link PING_MS} by default. */
  pingMs?: number;
  /** {@link JOB_START_TIMEOUT_MS} by default. */
  startTimeoutMs?: number;
}

/** The end of a forked process. */
export interface ChildEnd {
  /** Whether it exited by itself, without an error. */
  isExpected: boolean;
  /** Cause, phrased to follow "ended: ". */
  cause: string;
  /** Last output on standard error, such as a report of V8. */
  stderr: string | undefined;
}

/**
 * A forked job process with limits. It is killed if it does not start in time, if it sends no heartbeat, or if its
 * buffers exceed the limit.
 */
export class JobChild {
  /** Resolves when the process has ended; never rejects. */
  readonly ended: Promise<ChildEnd>;
  readonly #child: ChildProcess;
  #stderr = '';
  #fault: string | undefined;
  #killedFor: string | undefined;
  readonly #limits: { buffersMB: number; unresponsiveMs: number; pingMs: number };
  #pings: NodeJS.Timeout | undefined;
  readonly #startTimer: NodeJS.Timeout;
  #metrics: PromiseWithResolvers<unknown> | undefined;
  /** Number of heartbeat requests since its last message. */
  #missedPings = 0;

  /** @param owner identifies the process in its leases */
  constructor(
    {
      entry,
      environment,
      folder,
      heapMB = JOB_HEAP_MB,
      buffersMB = JOB_BUFFERS_MB,
      dataMB = JOB_DATA_MB,
      unresponsiveMs = UNRESPONSIVE_MS,
      pingMs = PING_MS,
      startTimeoutMs = JOB_START_TIMEOUT_MS,
    }: JobProgram,
    mode: ChildMode,
    owner: string,
    onMessage: (message: ToServer) => void,
  ) {
    this.#limits = { buffersMB, unresponsiveMs, pingMs };
    const [execPath, ...execArgv] = withLimits(
      { dataBytes: dataMB * 1_048_576, descriptors: MAX_JOB_DESCRIPTORS },
      [process.execPath, `--max-old-space-size=${heapMB}`, `--max-semi-space-size=${JOB_SEMI_SPACE_MB}`],
    );
    this.#child = fork(fileURLToPath(entry), [mode, owner], {
      env: { MALLOC_ARENA_MAX: MALLOC_ARENAS, ...environment },
      execPath,
      execArgv,
      // Its standard input ends with the server. The log goes to the server's standard error; its own standard error is
      // captured for reports of V8.
      stdio: ['pipe', 'ignore', 'pipe', 2, 'ipc'],
    });
    this.#child.stdin?.on('error', () => undefined);
    lowerPriority(this.#child.pid);
    this.#startTimer = setTimeout(
      () => this.kill(`it did not start within ${startTimeoutMs / 1000} s`),
      startTimeoutMs,
    );
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_CHARACTERS);
    });
    // The forked program sends only messages of this type.
    this.#child.on('message', (message) => this.#onMessage(message as ToServer, onMessage));
    this.ended = new Promise((resolve) => {
      const end = async (cause: string, isExpected = false) => {
        clearInterval(this.#pings);
        clearTimeout(this.#startTimer);
        await rm(scratchFolder(folder, owner), { recursive: true, force: true }).catch(() => undefined);
        resolve({ isExpected, cause, stderr: this.#stderr.trim() || undefined });
      };
      this.#child.on('error', (error) => {
        if (this.#child.pid === undefined) {
          end(`could not be started: ${error.message}`);
        }
      });
      this.#child.on('close', (code, signal) => end(this.#causeOf(code, signal), code === 0));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Returns the metrics of the process; undefined if it does not send them within `timeoutMs`. */
  async metrics(timeoutMs: number): Promise<unknown> {
    this.#metrics ??= Promise.withResolvers();
    const { promise, resolve } = this.#metrics;
    const timer = setTimeout(resolve, timeoutMs);
    this.send({ type: 'metrics' });
    try {
      return await Promise.race([promise, this.ended.then(() => undefined)]);
    } finally {
      clearTimeout(timer);
      this.#metrics = undefined;
    }
  }

  /** Sends a message, unless the process has ended. */
  send(message: ToChild): void {
    if (this.#child.connected) {
      this.#child.send(message, () => undefined);
    }
  }

  /** @param cause the cause to report in {@link ended} */
  kill(cause: string): void {
    this.#killedFor ??= cause;
    this.#child.kill('SIGKILL');
  }

  #onMessage(message: ToServer, onMessage: (message: ToServer) => void): void {
    this.#missedPings = 0;
    if (message.type === 'fault') {
      this.#fault = message.message;
      return;
    }
    if (message.type === 'pong') {
      this.#limitBuffers(message.bufferBytes);
    }
    if (message.type === 'metrics' && !message.isLast) {
      this.#metrics?.resolve(message.metrics);
    }
    if (message.type === 'ready') {
      clearTimeout(this.#startTimer);
      this.#pings = setInterval(() => this.#ping(), this.#limits.pingMs);
    }
    onMessage(message);
  }

  /** Counts pings instead of measuring time: if this process was suspended, so was the other. */
  #ping(): void {
    const { unresponsiveMs, pingMs } = this.#limits;
    if (++this.#missedPings * pingMs > unresponsiveMs) {
      this.kill(`no heartbeat for ${unresponsiveMs / 1000} s`);
    } else {
      this.send({ type: 'ping' });
    }
  }

  #limitBuffers(bytes: number): void {
    const { buffersMB } = this.#limits;
    if (bytes > buffersMB * 1_048_576) {
      this.kill(`buffers of more than ${buffersMB} MB`);
    }
  }

  #causeOf(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.#stderr.includes('heap out of memory')) {
      return 'heap out of memory';
    }
    if (MEMORY_REPORT.test(this.#stderr)) {
      return 'out of memory';
    }
    return (
      this.#killedFor ??
      (this.#fault && `uncaught error: ${this.#fault}`) ??
      (signal === null ? `exit with code ${code}` : `signal ${signal}`)
    );
  }
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) {
    return;
  }
  try {
    setPriority(pid, JOB_NICENESS);
  } catch {
    // The process has ended, or the server already runs at a lower priority.
  }
}
