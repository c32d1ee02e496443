import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isObject } from '../document.ts';

/** Server in a child process. */
export interface ServerProcess {
  /**
   * Stops the running server, if any, and starts a new one.
   *
   * @param variables additional environment variables
   */
  restart(variables?: Readonly<Record<string, string>>): Promise<void>;
  /** Stops the running server, if any. */
  stop(): Promise<void>;
  /** Whether a server is running. */
  isRunning(): boolean;
  /** Whether the server has imported a file, now or before a restart. @param file absolute path without links */
  hasImported(file: string): boolean;
}

/** Options of a server process. */
export interface ServerOptions {
  /** Script to run, relative to `cwd`. */
  entry: string;
  cwd: string;
  /** Receives the output of the server line by line, and messages about its process. */
  log(line: string): void;
  /** Receives the messages that the server sends with `process.send`. */
  onMessage?(message: unknown): void;
  /** Time between SIGTERM and SIGKILL, in milliseconds. */
  stopTimeoutMs?: number;
}

/** Creates a server process; it starts with `restart`. */
export function createServerProcess({
  entry,
  cwd,
  log,
  onMessage,
  stopTimeoutMs = 5000,
}: ServerOptions): ServerProcess {
  let running: ChildProcess | undefined;
  // Modules are not forgotten: a server that exits at the error in one of them does not import the others.
  const imported = new Set<string>();
  const preload = new URL('../check/report-modules.ts', import.meta.url);
  preload.searchParams.set('parent', String(process.pid));

  async function stop(): Promise<void> {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      log(`the server did not exit within ${stopTimeoutMs / 1000} s of SIGTERM and is killed`);
      child.kill('SIGKILL');
    }, stopTimeoutMs);
    await exited;
    clearTimeout(timer);
  }

  async function restart(variables: Readonly<Record<string, string>> = {}): Promise<void> {
    await stop();
    const child = spawn(process.execPath, ['--import', preload.href, entry], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // With this variable, the router responds with 501 for operations without a handler, and reports them.
      // The output of the server is a pipe, but ends up in a terminal if this process runs in one.
      env: {
        ...(process.stdout.isTTY && { LOG_FORMAT: 'text' }),
        ...process.env,
        ...variables,
        COLOPHON_DEV: '1',
      },
      // Its own process group: Ctrl-C reaches only this process, which then sends the server one signal, not two.
      detached: true,
    });
    running = child;
    // If this process exits without `stop`, the server must not keep its port.
    const endWithThisProcess = () => child.kill('SIGTERM');
    process.on('exit', endWithThisProcess);
    child.once('exit', () => process.off('exit', endWithThisProcess));
    child.on('message', (message: unknown) => {
      if (isObject(message) && typeof message.importedModule === 'string') {
        imported.add(fileURLToPath(message.importedModule));
      } else {
        onMessage?.(message);
      }
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) {
        createInterface({ input: stream }).on('line', log);
      }
    }
    child.on('exit', (code, signal) => {
      if (running !== child) {
        return;
      }
      running = undefined;
      log(`the server exited (${signal ?? `code ${code}`}); it restarts after the next change`);
    });
    await once(child, 'spawn');
  }

  return {
    restart,
    stop,
    isRunning: () => running !== undefined,
    hasImported: (file) => imported.has(file),
  };
}
