import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Command that starts the server. */
export interface RestartCommand {
  /** Ends the server that an earlier call started, if it still runs, and starts another one. */
  restart(): Promise<void>;
  /** Ends the server, if it still runs. */
  stop(): Promise<void>;
}

/** Time between SIGTERM and SIGKILL in milliseconds. */
const STOP_TIMEOUT_MS = 3_000;

/** Creates the command. It is run by a shell, in a process group of its own, without output. */
export function createRestartCommand(command: string, stopTimeoutMs = STOP_TIMEOUT_MS): RestartCommand {
  let running: ChildProcess | undefined;

  async function stop(): Promise<void> {
    const child = running;
    running = undefined;
    // Without a process ID, the command did not start.
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const { pid } = child;
    const exited = once(child, 'exit');
    kill(child, pid, 'SIGTERM');
    const killed = setTimeout(() => kill(child, pid, 'SIGKILL'), stopTimeoutMs);
    const abandoned = Promise.withResolvers<void>();
    const end = setTimeout(abandoned.resolve, 2 * stopTimeoutMs);
    await Promise.race([exited, abandoned.promise]);
    clearTimeout(killed);
    clearTimeout(end);
  }

  return {
    stop,
    async restart() {
      await stop();
      const child = spawn(command, { shell: true, detached: true, stdio: 'ignore' });
      running = child;
      await once(child, 'spawn');
    },
  };
}

/** Sends a signal to a process and its descendants; on Windows, which has no process groups, to the process alone. */
function kill(child: ChildProcess, pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended in the meantime.
  }
}
