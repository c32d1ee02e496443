import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { OutgoingError } from './errors.ts';

/** How a process of the `git` program is run. */
export interface GitProcessOptions {
  /** The whole environment of the process: nothing is inherited. */
  environment: Record<string, string>;
  /** After so long the process and all it started are killed. */
  milliseconds: number;
  signal?: AbortSignal | undefined;
}

/** A running `git`. */
export interface GitProcess {
  stdin: Writable;
  stdout: Readable;
  /** Resolves when git ends well; rejects with a {@link GitExit} or the reason it was stopped for. */
  done: Promise<void>;
  /** Kills the process and all it started; `done` rejects with the reason. */
  stop(reason: OutgoingError): void;
}

/** Git ended with a failure. `stderr` is what it said, as it said it: redact before showing. */
export class GitExit extends Error {
  readonly stderr: string;

  constructor(stderr: string) {
    super('git ended with a failure');
    this.name = 'GitExit';
    this.stderr = stderr;
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const stderrLimit = 16_384;
const running = new Set<Child>();
let exitHandled = false;

/** Starts `git` without a shell, in a process group of its own so that its helpers end with it. */
export function startGit(parameters: readonly string[], options: GitProcessOptions): GitProcess {
  killAllOnExit();
  const child = spawn('git', parameters, {
    env: options.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  running.add(child);
  let reason: OutgoingError | undefined;
  const stop = (because: OutgoingError) => {
    reason ??= because;
    kill(child);
  };
  const onAbort = () => stop(abortedError());
  const timer = setTimeout(() => stop(timeoutError(options.milliseconds)), options.milliseconds);
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });

  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrLimit);
  });
  // A process that ends early closes its input; its exit tells why.
  child.stdin.on('error', () => {});
  const done = new Promise<void>((resolve, reject) => {
    child.on('error', (cause) => reject(programError(cause)));
    child.on('close', (status) => {
      if (reason) reject(reason);
      else if (status === 0) resolve();
      else reject(new GitExit(stderr));
    });
  }).finally(() => {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    running.delete(child);
  });
  // Whoever reads the output learns of the failure there first; `done` may be awaited later.
  done.catch(() => {});
  return { stdin: child.stdin, stdout: child.stdout, done, stop };
}

/** The caller's signal ended the call. */
export function abortedError(): OutgoingError {
  return new OutgoingError(
    'aborted',
    'The call to the outside was ended by its caller. Start it again if it is still wanted.',
  );
}

/** A time limit ended the call. */
export function timeoutError(milliseconds: number): OutgoingError {
  return new OutgoingError(
    'timeout',
    `The other side took longer than ${Math.round(milliseconds / 100) / 10} seconds. Try again later, or with less content.`,
  );
}

function programError(cause: Error): OutgoingError {
  return new OutgoingError(
    'failed',
    'The git program cannot be started. Install git 2.39 or later on the server.',
    { cause },
  );
}

function kill(child: Child): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended between the check and the signal.
  }
}

/** A group of its own outlives its parent, unless the parent sees to it. */
function killAllOnExit(): void {
  if (exitHandled) return;
  exitHandled = true;
  process.on('exit', () => running.forEach(kill));
}
