import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { gitRuns } from '../diagnostics/channels.ts';
import { NOT_FOUND_STATUS, withLimits } from '../programs/limits.ts';
import { OutgoingError } from './errors.ts';
import { exceededLimit, GIT_PROCESS_LIMITS } from './process-limits.ts';

/** Options of a git process. */
export interface GitProcessOptions {
  /** The complete environment of the process. Nothing is inherited. */
  environment: Record<string, string>;
  /** Time limit before the process group is killed. */
  milliseconds: number;
  /** Memory that git, and each of its helpers, can allocate (Linux). */
  dataBytes: number;
  signal?: AbortSignal | undefined;
}

/** A running git process. */
export interface GitProcess {
  stdin: Writable;
  stdout: Readable;
  /** Resolves when git succeeds; rejects with a {@link GitExit}, the exceeded limit or the reason passed to `stop`. */
  done: Promise<void>;
  /** Kills the process group; `done` rejects with the reason. */
  stop(reason: OutgoingError): void;
}

/** A failure of git. `stderr` may contain secrets: redact it before displaying it. */
export class GitExit extends Error {
  readonly stderr: string;

  constructor(stderr: string) {
    super('git exited with an error');
    this.name = 'GitExit';
    this.stderr = stderr;
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const MAX_STDERR_CHARACTERS = 16_384;
const running = new Set<Child>();
let exitHandled = false;

/** Starts git with limits, in a separate process group so that its helpers are killed with it. */
export function startGit(parameters: readonly string[], options: GitProcessOptions): GitProcess {
  killAllOnExit();
  const { dataBytes } = options;
  const [program, ...all] = withLimits({ ...GIT_PROCESS_LIMITS, dataBytes }, ['git', ...parameters]);
  const child = spawn(program, all, {
    env: options.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  running.add(child);
  // Without free file descriptors, Node returns a process without streams, and reports the error afterwards.
  const { stdin, stdout, stderr } = child.stdin ? child : endedStreams();
  let reason: OutgoingError | undefined;
  const stop = (stopReason: OutgoingError) => {
    reason ??= stopReason;
    kill(child);
  };
  const onAbort = () => stop(abortedError());
  const timer = setTimeout(() => stop(timeoutError(options.milliseconds)), options.milliseconds);
  if (options.signal?.aborted) {
    onAbort();
  }
  options.signal?.addEventListener('abort', onAbort, { once: true });

  let messages = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    messages = (messages + text).slice(-MAX_STDERR_CHARACTERS);
  });
  // A process that ends early closes its input. Its exit has the error.
  stdin.on('error', () => {});
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', (cause) => reject(programError(cause)));
    child.on('close', (status, signal) => {
      if (reason) {
        reject(reason);
      } else if (status === 0) {
        resolve();
      } else if (status === NOT_FOUND_STATUS) {
        reject(programError(new Error(messages)));
      } else {
        reject(exceededLimit({ stderr: messages, signal, dataBytes }) ?? new GitExit(messages));
      }
    });
  }).finally(() => {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    running.delete(child);
  });
  const command = parameters.find((parameter) => !parameter.startsWith('-')) ?? '';
  const done = gitRuns.tracePromise(() => ended, { command });
  // `done` may be awaited after a failure while reading the output.
  done.catch(() => {});
  return { stdin, stdout, done, stop };
}

/** Returns the streams of a process that could not be started. */
const endedStreams = () => ({
  stdin: new PassThrough().resume(),
  stdout: Readable.from([]),
  stderr: Readable.from([]),
});

/** Creates the error of a call that its caller aborted. */
export function abortedError(): OutgoingError {
  return new OutgoingError('aborted', 'The request was aborted. Start it again if it is still required.');
}

/** Creates the error of a call that exceeded its time limit. */
export function timeoutError(milliseconds: number): OutgoingError {
  return new OutgoingError(
    'timeout',
    `The remote server took longer than ${Math.round(milliseconds / 100) / 10} seconds. Try again later, or with less content.`,
  );
}

function programError(cause: NodeJS.ErrnoException): OutgoingError {
  const fix =
    cause.code === 'EMFILE' || cause.code === 'ENFILE'
      ? 'Try again later, or raise the limit of open files on the server.'
      : 'Install git 2.39 or later on the server.';
  return new OutgoingError('failed', `git could not be started. ${fix}`, { cause });
}

function kill(child: Child): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has ended since the check.
  }
}

/** Kills the process groups on exit; otherwise they would outlive this process. */
function killAllOnExit(): void {
  if (exitHandled) {
    return;
  }
  exitHandled = true;
  process.on('exit', () => running.forEach(kill));
}
