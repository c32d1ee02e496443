import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A server in a process of its own, which can be started again. */
export interface ServerProcess {
  /** Ends the running server, if any, and starts a new one. */
  restart(): Promise<void>;
  /** Ends the running server, if any. */
  stop(): Promise<void>;
}

/** How a server is run. */
export interface ServerOptions {
  /** The script to run, relative to `cwd`. */
  entry: string;
  cwd: string;
  /** Gets what the server writes, line by line, and what happens to it. */
  log(line: string): void;
  /** How long it may take to end before it is killed, in milliseconds. */
  patience?: number;
}

/** Prepares a server; nothing runs until `restart`. */
export function createServerProcess({ entry, cwd, log, patience = 5000 }: ServerOptions): ServerProcess {
  let running: ChildProcess | undefined;
  // Last resort when this process ends in a hurry: no server stays behind on the port.
  process.on('exit', () => running?.kill('SIGTERM'));

  async function stop(): Promise<void> {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      log(`the server did not end within ${patience / 1000} s of SIGTERM: it is killed`);
      child.kill('SIGKILL');
    }, patience);
    await ended;
    clearTimeout(timer);
  }

  async function restart(): Promise<void> {
    await stop();
    const child = spawn(process.execPath, [entry], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C reaches us alone, and we end the server with one signal rather than two.
      detached: true,
    });
    running = child;
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', log);
    child.on('exit', (code, signal) => {
      if (running !== child) return;
      running = undefined;
      log(`the server ended by itself (${signal ?? `code ${code}`}); it starts again with the next change`);
    });
    await once(child, 'spawn');
  }

  return { restart, stop };
}
