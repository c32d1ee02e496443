import { parentPort } from 'node:worker_threads';
import { collectGarbage } from './garbage.ts';
import { type FromThread, type Outcome, type ToThread, transferable } from './protocol.ts';

/**
 * Tasks by name. Input and output are plain data; byte arrays at the top level of an output are transferred instead of
 * copied. A task may call methods of its host, which run in the caller's thread.
 */
export type Tasks = Readonly<Record<string, (input: never, host: never) => unknown>>;

/** Runs tasks in this worker thread. Called by the entry module of the thread. */
export function serveTasks(tasks: Tasks): void {
  const port = parentPort;
  if (!port) {
    throw new Error('serveTasks must run in a worker thread. Start this module with createThreads.');
  }
  const post = (message: FromThread, value: unknown) => port.postMessage(message, transferable(value));
  const calls = new Map<number, (outcome: Outcome) => void>();
  let lastCall = 0;
  const call = (method: string, input: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastCall;
      calls.set(id, (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value)));
      post({ type: 'call', call: id, method, input }, input);
    });
  const host = new Proxy({}, { get: (_, method) => (input: unknown) => call(String(method), input) });

  const run = async (name: string, input: unknown, hasHost: boolean): Promise<void> => {
    try {
      const task = tasks[name];
      if (!task) {
        throw new Error(`Unknown task ${name}.`);
      }
      // `Threads.run` requires the input and host of the named task.
      const value = await task(input as never, (hasHost ? host : undefined) as never);
      post({ type: 'done', value }, value);
    } catch (error) {
      post({ type: 'done', error }, undefined);
    }
  };
  port.on('message', (message: ToThread) => {
    if (message.type === 'run') {
      post({ type: 'started' }, undefined);
      void run(message.task, message.input, message.hasHost);
      return;
    }
    if (message.type === 'end') {
      // V8 would leave the pages of the heap to another thread, possibly the main thread, which unmaps all at once.
      void collectGarbage().finally(() => process.exit());
      return;
    }
    calls.get(message.call)?.(message);
    calls.delete(message.call);
  });
}
