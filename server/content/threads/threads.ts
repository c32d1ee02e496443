import { setImmediate } from 'node:timers/promises';
import { createThreads, type RunOptions, type Threads, type ThreadsOptions } from '../../threads/threads.ts';
import type { ImportTasks } from '../convert/tasks.ts';
import type { PictureTasks } from '../pdf/pictures/tasks.ts';
import type { PdfTasks } from '../pdf/tasks.ts';
import type { ContentTasks } from './tasks.ts';

/**
 * Maximum length of texts that are processed inline, without a thread: even the most expensive take at most about 5
 * ms. A kilobyte of a wide table takes half a second.
 */
export const MAX_INLINE_CHARACTERS = 200;

/** Maximum time of inline work before other work gets its turn. */
const TURN_MS = 5;

/** Runs the work of the content engine: in threads, unless it is short. */
export interface ContentThreads extends Threads<ContentTasks> {
  /** Separate threads for content imports, which wait for network requests. */
  readonly importing: Threads<ImportTasks>;
  /** Separate threads for PDFs, which take minutes. */
  readonly printing: Threads<PdfTasks>;
  /** Separate threads for converting images of PDFs, which end when an image exceeds a limit. */
  readonly drawing: Threads<PictureTasks>;
}

/**
 * Creates the threads of the content engine. They start with the first task.
 *
 * @param options `retained` applies to the threads that read and render pages
 */
export function createContentThreads({
  retained = 0,
  ...options
}: Pick<ThreadsOptions, 'idleMs' | 'retained'> = {}): ContentThreads {
  const pool = createThreads<ContentTasks>({
    ...options,
    retained,
    entry: new URL('./thread.ts', import.meta.url),
  });
  const importing = createThreads<ImportTasks>({
    ...options,
    entry: new URL('../convert/thread.ts', import.meta.url),
  });
  const printing = createThreads<PdfTasks>({
    ...options,
    entry: new URL('../pdf/thread.ts', import.meta.url),
  });
  const drawing = createThreads<PictureTasks>({
    ...options,
    entry: new URL('../pdf/pictures/thread.ts', import.meta.url),
  });
  let inlineMs = 0;
  const runInline = async (name: keyof ContentTasks, input: never, host: never): Promise<unknown> => {
    // A process that only passes longer texts to threads does not load the content engine.
    const { contentTasks } = await import('./tasks.ts');
    const task: (input: never, host: never) => unknown = contentTasks[name];
    const started = performance.now();
    try {
      return await task(input, host);
    } finally {
      inlineMs += performance.now() - started;
      if (inlineMs > TURN_MS) {
        inlineMs = 0;
        await setImmediate();
      }
    }
  };
  return {
    // The task with this name has this input, host and result.
    async run(name: keyof ContentTasks, input: never, options: RunOptions<never>): Promise<never> {
      if (options.bytes > MAX_INLINE_CHARACTERS) {
        return (await pool.run(name, input, options)) as never;
      }
      options.signal?.throwIfAborted();
      return (await runInline(name, input, options.host as never)) as never;
    },
    importing,
    printing,
    drawing,
    close: async () => {
      await Promise.all([pool.close(), importing.close(), printing.close(), drawing.close()]);
    },
  };
}
