import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ChildMode, ToChild, ToServer } from './messages.ts';
import { scratchFolder } from './scratch.ts';

/** The longest heap of a process that does jobs, in megabytes. */
export const JOB_HEAP_MB = 1024;
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
}

/** How a forked process ended. */
export interface ChildEnd {
  /** In words that complete "ended: …". */
  cause: string;
  /** What it wrote to standard error at the end, such as a report of V8. */
  stderr: string | undefined;
}

/** A forked process that does jobs, with a heap limit of its own. */
export class JobChild {
  /** Resolves when it is gone; never rejects. */
  readonly ended: Promise<ChildEnd>;
  readonly #child: ChildProcess;
  #stderr = '';
  #fault: string | undefined;
  #killedFor: string | undefined;

  /** @param owner names the process in its leases */
  constructor(
    { entry, environment, folder, heapMB = JOB_HEAP_MB }: JobProgram,
    mode: ChildMode,
    owner: string,
    onMessage: (message: ToServer) => void,
  ) {
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
    if (message.type === 'fault') this.#fault = message.message;
    else onMessage(message);
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
