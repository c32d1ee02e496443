import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type FromThread, type Outcome, type ToThread, transferable } from './protocol.ts';

/** How far these threads step back where the thread that serves requests wants the processor (nice(1)). */
const THREAD_NICENESS = 5;

/**
 * Tasks by name. Input and output are plain data; byte arrays at the top level of an output are moved, not
 * copied. A task may call methods of the host that came with it: each is a message to the caller's thread.
 */
export type Tasks = Readonly<Record<string, (input: never, host: never) => unknown>>;

/** Runs tasks in this thread for the one that started it: the whole body of a thread's entry module. */
export function serveTasks(tasks: Tasks): void {
  const port = parentPort;
  if (!port) throw new Error('Tasks are served in a thread. Start this module with createThreads.');
  yieldToRequests();
  const post = (message: FromThread, moved: unknown) => port.postMessage(message, transferable(moved));
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
      if (!task) throw new Error(`There is no task ${name}.`);
      // `Threads.run` takes the input and host of the task that it names.
      const value = await task(input as never, (hasHost ? host : undefined) as never);
      post({ type: 'done', value }, value);
    } catch (error) {
      post({ type: 'done', error }, undefined);
    }
  };
  port.on('message', (message: ToThread) => {
    if (message.type === 'run') {
      void run(message.task, message.input, message.hasHost);
      return;
    }
    calls.get(message.call)?.(message);
    calls.delete(message.call);
  });
}

function yieldToRequests(): void {
  // Elsewhere the priority is that of the process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + THREAD_NICENESS));
  } catch {
    // The system forbids it: the threads do their work all the same.
  }
}
