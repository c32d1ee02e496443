import { setImmediate } from 'node:timers/promises';
import { createThreads, type RunOptions, type Threads } from '../../threads/threads.ts';
import type { ImportTasks } from '../convert/tasks.ts';
import type { PdfTasks } from '../pdf/tasks.ts';
import { type ContentTasks, contentTasks } from './tasks.ts';

/**
 * Work on texts up to this length is done at once: even of the costliest, it takes at most about 5 ms. A kilobyte of
 * a wide table takes half a second.
 */
export const MAX_INLINE_CHARACTERS = 200;

/** How long work that is done at once goes on before others get their turn. */
const TURN_MS = 5;

/** Runs the work of the content engine: in threads, unless it is short. */
export interface ContentThreads extends Threads<ContentTasks> {
  /** Threads of their own for content imports, which wait for what they fetch. */
  readonly importing: Threads<ImportTasks>;
  /** Threads of their own for PDFs, which take minutes. */
  readonly printing: Threads<PdfTasks>;
}

/** The threads of the content engine. They start with the first work. */
export function createContentThreads(): ContentThreads {
  const pool = createThreads<ContentTasks>({ entry: new URL('./thread.ts', import.meta.url) });
  const importing = createThreads<ImportTasks>({ entry: new URL('../convert/thread.ts', import.meta.url) });
  const printing = createThreads<PdfTasks>({ entry: new URL('../pdf/thread.ts', import.meta.url) });
  let worked = 0;
  const runAtOnce = async (name: keyof ContentTasks, input: never, host: never): Promise<unknown> => {
    const task: (input: never, host: never) => unknown = contentTasks[name];
    const started = performance.now();
    try {
      return await task(input, host);
    } finally {
      worked += performance.now() - started;
      if (worked > TURN_MS) {
        worked = 0;
        await setImmediate();
      }
    }
  };
  return {
    // The task of the name takes this input and host, and returns this result.
    async run(name: keyof ContentTasks, input: never, options: RunOptions<never>): Promise<never> {
      if (options.bytes > MAX_INLINE_CHARACTERS) return (await pool.run(name, input, options)) as never;
      options.signal?.throwIfAborted();
      return (await runAtOnce(name, input, options.host as never)) as never;
    },
    importing,
    printing,
    close: async () => {
      await Promise.all([pool.close(), importing.close(), printing.close()]);
    },
  };
}
