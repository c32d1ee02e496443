import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Kills a process and its descendants before any of them can observe the end of another; waits until all are gone. */
export async function killTree({ pid }: { readonly pid?: number | undefined }): Promise<void> {
  if (pid === undefined) {
    return;
  }
  const processes = halt(pid);
  for (const process of processes) {
    signal(process, 'SIGKILL');
  }
  while (!processes.every(hasEnded)) {
    await delay(5);
  }
}

/** Stops a process, so that it starts no children, and then its descendants. */
function halt(pid: number): number[] {
  signal(pid, 'SIGSTOP');
  return [pid, ...childrenOf(pid).flatMap(halt)];
}

/** Returns the ids of the child processes of a process. */
export function childrenOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    // It ended.
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended.
  }
}

/** Whether a process has ended, even if its parent has not waited for it. */
export function hasEnded(pid: number): boolean {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ''));
  } catch {
    return true;
  }
}
