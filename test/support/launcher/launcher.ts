import childProcess, { type SpawnOptions } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { mkdtempSync, openSync, readSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LaunchReply, LaunchRequest, ProgramEnd } from './protocol.ts';

/*
 * On Linux, the start of a program copies the page tables of its process. A test worker with a gigabyte of memory takes
 * ten times as long for that as git for its work. Therefore a small process starts git for the worker.
 *
 * Jobs that do not run in the worker start git themselves, as in production.
 */

const { spawn } = childProcess;

/** A process that was started by the small one, as far as the callers of `spawn` use it. */
class LaunchedProcess extends EventEmitter {
  readonly spawnfile: string;
  readonly spawnargs: string[];
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  killed = false;

  constructor(
    { command, parameters }: LaunchRequest,
    [stdin, stdout, stderr]: [Socket, Socket, Socket],
    { pid, error }: LaunchReply,
  ) {
    super();
    this.spawnfile = command;
    this.spawnargs = [command, ...parameters];
    [this.stdin, this.stdout, this.stderr] = [stdin, stdout, stderr];
    this.pid = pid;
    if (error) {
      process.nextTick(() => {
        this.emit('error', Object.assign(new Error(error.message), error));
        this.end({ code: null, signal: null });
      });
    }
  }

  end({ code, signal }: Pick<ProgramEnd, 'code' | 'signal'>): void {
    [this.exitCode, this.signalCode] = [code, signal];
    this.stdin.destroy();
    const outputs = [this.stdout, this.stderr];
    // A reader that stops early destroys an output with an error, before it closes.
    const closed = outputs.map(
      (output) => output.closed || new Promise((resolve) => output.once('close', resolve)),
    );
    if (this.pid !== undefined) {
      this.emit('exit', code, signal);
    }
    void Promise.all(closed).then(() => this.emit('close', code, signal));
    for (const output of outputs) {
      output.resume();
    }
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.pid === undefined || this.exitCode !== null || this.signalCode !== null) {
      return false;
    }
    this.killed = process.kill(this.pid, signal);
    return this.killed;
  }
}

/** Starts the small process. Returns a function that starts a program with it. */
function startLauncher(): (request: Omit<LaunchRequest, 'id'>) => LaunchedProcess {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
  const [address, requestPipe, replyPipe] = [
    join(folder, 's'),
    join(folder, 'requests'),
    join(folder, 'replies'),
  ];
  childProcess.execFileSync('mkfifo', [requestPipe, replyPipe]);
  const parameters = [join(import.meta.dirname, 'process.ts'), address, requestPipe, replyPipe];
  spawn(process.execPath, parameters, { stdio: ['ignore', 'inherit', 'inherit'] }).unref();
  // Neither waits for the other side to open it.
  const requests = openSync(requestPipe, 'r+');
  const replies = openSync(replyPipe, 'r');
  const buffer = Buffer.alloc(4096);
  // Replies are shorter than the buffer, and are written at once.
  const readReply = (): LaunchReply => JSON.parse(buffer.toString('utf8', 0, readSync(replies, buffer)));
  readReply();
  const running = new Map<number, LaunchedProcess>();
  const ends = connect(address).unref();
  createInterface(ends).on('line', (line) => {
    const end: ProgramEnd = JSON.parse(line);
    running.get(end.id)?.end(end);
    running.delete(end.id);
  });
  let started = 0;
  return (options) => {
    const request = { id: ++started, ...options };
    const connections: [Socket, Socket, Socket] = [connect(address), connect(address), connect(address)];
    writeSync(requests, `${JSON.stringify(request)}\n`);
    const launched = new LaunchedProcess(request, connections, readReply());
    if (launched.pid !== undefined) {
      running.set(request.id, launched);
    }
    channel('child_process').publish({ process: launched });
    return launched;
  };
}

let isInstalled = false;

/** Lets a small process start git for this one. Has no effect on systems whose starts copy no page tables. */
export function installLauncher(): void {
  if (isInstalled || process.platform !== 'linux') {
    return;
  }
  isInstalled = true;
  let launch: ReturnType<typeof startLauncher> | undefined;
  const launchGit = (command: string, parameters: readonly string[], options: SpawnOptions = {}) => {
    // The server starts git with limits, which a shell sets: see `server/programs/limits.ts`.
    const [program = ''] = command === '/bin/sh' ? parameters.slice(2) : [command];
    if (!/^git(-|$)/.test(basename(program))) {
      return spawn(command, parameters, options);
    }
    launch ??= startLauncher();
    const { cwd = process.cwd(), env = process.env, detached = false } = options;
    return launch({ command, parameters, cwd: String(cwd), env, detached });
  };
  // A launched process has the members of `ChildProcess` that callers use.
  childProcess.spawn = launchGit as unknown as typeof spawn;
  syncBuiltinESMExports();
}
