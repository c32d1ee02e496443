import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

/** Work of git during a measurement. */
export interface GitCommands {
  /** Number of started processes. */
  processes: number;
  /** Number of objects that were requested from them, with their content or only their size. */
  objects: number;
}

/**
 * Counts the git processes that this process starts on local copies during some work, and the objects that it requests
 * from them.
 */
export async function gitCommandsOf(work: () => Promise<unknown>): Promise<GitCommands> {
  let objects = 0;
  const children: ChildProcess[] = [];
  // The channel passes this message; arguments of the process are set later.
  const onStart = (message: unknown) => children.push((message as { process: ChildProcess }).process);
  const { write } = Socket.prototype;
  // Of its signatures the server uses the one with a text alone.
  Socket.prototype.write = function (this: Socket, data: Uint8Array | string, ...rest: unknown[]) {
    if (typeof data === 'string') {
      objects += data.match(/^(?:contents|info) /gm)?.length ?? 0;
    }
    return Reflect.apply(write, this, [data, ...rest]);
  } as typeof write;
  subscribe('child_process', onStart);
  try {
    await work();
  } finally {
    unsubscribe('child_process', onStart);
    Socket.prototype.write = write;
  }
  return { processes: children.filter(({ spawnargs }) => spawnargs.includes('--no-pager')).length, objects };
}
