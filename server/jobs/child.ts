import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ChildMode, ToChild, ToServer } from './messages.ts';
import { scratchFolder } from './scratch.ts';

/** The longest heap of a process that does jobs, in megabytes. */
export const JOB_HEAP_MB = 1024;
/** The most memory that buffers of a process that does jobs may take outside its heap, in megabytes. */
export const JOB_BUFFERS_MB = 1024;
/** How often such a process is asked for a sign of life, in milliseconds. */
const PING_MS = 1000;
/** How long a process that does jobs may give no sign of life, in milliseconds: less than the lease of its jobs. */
export const UNRESPONSIVE_MS = 10_000;
/** How far such a process steps back where others want the processor; requests are answered with 0 (nice(1)). */
const JOB_NICENESS = 5;
/** How much of what such a process wrote to standard error is kept for its cause of death, in characters. */
const STDERR_LENGTH = 16_384;

/** The program that does jobs, and what it runs with. */
export interface JobProgram {
  /** A module that runs `runJobProcess`. */
  entry: URL;
  environment: Readonly<Record<string, string | undefined>>;
  /** Where each process makes its folder for what it fetches. */
  folder: string;
  /** {@link JOB_HEAP_MB} by default. */
  heapMB?: number;
  /** {@link JOB_BUFFERS_MB} by default. */
  buffersMB?: number;
  /** {@link UNRESPONSIVE_MS} by default. */
  unresponsiveMs?: number;
}

/** How a forked process ended. */
export interface ChildEnd {
  /** In words that complete "ended: …". */
  cause: string;
  /** What it wrote to standard error at the end, such as a report of V8. */
  stderr: string | undefined;
}

/**
 * A forked process that does jobs, with limits of its own. It is asked for signs of life, and ended where it gives
 * none, or where its buffers take too much.
 */
export class JobChild {
  /** Resolves when it is gone; never rejects. */
  readonly ended: Promise<ChildEnd>;
  readonly #child: ChildProcess;
  #stderr = '';
  #fault: string | undefined;
  #killedFor: string | undefined;
  readonly #limits: { buffersMB: number; unresponsiveMs: number };
  #pings: NodeJS.Timeout | undefined;
  /** Times that it was asked for a sign of life since its last message. */
  #unanswered = 0;

  /** @param owner names the process in its leases */
  constructor(
    {
      entry,
      environment,
      folder,
      heapMB = JOB_HEAP_MB,
      buffersMB = JOB_BUFFERS_MB,
      unresponsiveMs = UNRESPONSIVE_MS,
    }: JobProgram,
    mode: ChildMode,
    owner: string,
    onMessage: (message: ToServer) => void,
  ) {
    this.#limits = { buffersMB, unresponsiveMs };
    this.#child = fork(fileURLToPath(entry), [mode, owner], {
      env: { ...environment },
      execArgv: [`--max-old-space-size=${heapMB}`],
      // Its log goes where ours goes; what V8 writes when it gives up is kept apart.
      stdio: ['ignore', 'ignore', 'pipe', 2, 'ipc'],
    });
    yieldToRequests(this.#child.pid);
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_LENGTH);
    });
    // Only the program at the other end sends messages, and it sends what its types say.
    this.#child.on('message', (message) => this.#onMessage(message as ToServer, onMessage));
    this.ended = new Promise((resolve) => {
      const end = async (cause: string) => {
        clearInterval(this.#pings);
        await rm(scratchFolder(folder, owner), { recursive: true, force: true }).catch(() => undefined);
        resolve({ cause, stderr: this.#stderr.trim() || undefined });
      };
      this.#child.on('error', (error) => {
        if (this.#child.pid === undefined) end(`it could not be started: ${error.message}`);
      });
      this.#child.on('close', (code, signal) => end(this.#causeOf(code, signal)));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a message; to a process that is gone, to nobody. */
  send(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** @param cause what its end is put down to */
  kill(cause: string): void {
    this.#killedFor ??= cause;
    this.#child.kill('SIGKILL');
  }

  #onMessage(message: ToServer, onMessage: (message: ToServer) => void): void {
    this.#unanswered = 0;
    if (message.type === 'fault') this.#fault = message.message;
    else if (message.type === 'pong') this.#limitBuffers(message.bufferBytes);
    else onMessage(message);
    if (message.type === 'ready') this.#pings = setInterval(() => this.#ping(), PING_MS);
  }

  /** Counted, and not timed: where this process was halted, the other was, too. */
  #ping(): void {
    const { unresponsiveMs } = this.#limits;
    if (++this.#unanswered * PING_MS > unresponsiveMs)
      this.kill(`no sign of life for ${unresponsiveMs / 1000} s`);
    else this.send({ type: 'ping' });
  }

  #limitBuffers(bytes: number): void {
    const { buffersMB } = this.#limits;
    if (bytes > buffersMB * 1_048_576) this.kill(`buffers of more than ${buffersMB} MB`);
  }

  #causeOf(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.#stderr.includes('heap out of memory')) return 'heap out of memory';
    return (
      this.#killedFor ??
      (this.#fault && `uncaught error: ${this.#fault}`) ??
      (signal === null ? `exit with code ${code}` : `signal ${signal}`)
    );
  }
}

function yieldToRequests(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, JOB_NICENESS);
  } catch {
    // It has ended already, or all of this service steps back further.
  }
}
