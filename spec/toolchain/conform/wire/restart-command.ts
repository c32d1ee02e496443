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
export function createRestartCommand(command: string): RestartCommand {
  let running: ChildProcess | undefined;

  async function stop(): Promise<void> {
    const child = running;
    running = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const exited = once(child, 'exit');
    kill(child, 'SIGTERM');
    const timer = setTimeout(() => kill(child, 'SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
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

/** Sends a signal to a process and its descendants. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(pid ?? 0), signal);
  } catch {
    // It ended in the meantime.
  }
}
