import { createContentThreads } from '../../server/content/threads/threads.ts';
import { createQueue } from '../../server/jobs/queue.ts';
import type { ServerParts } from '../../server/process/parts.ts';
import { registerWorkers } from '../../server/process/workers.ts';

/** The servers of a worker do not compile the same schemas again. */
const validations: ServerParts['validations'] = new Map();

/** Creates the parts of one of many servers in a process, which soon stops: jobs run in this process. */
export const testParts = (threads = createContentThreads()): ServerParts => ({
  database: { keepsConnections: false, checkpoints: 'own' },
  createBackground: (options) => {
    const queue = createQueue(options);
    return {
      queue,
      start: async (services) => {
        registerWorkers(services);
        queue.start();
      },
      metrics: async () => ({ running: [], ended: [] }),
      stop: (grace) => queue.stop({ grace }),
    };
  },
  threads,
  // Statements in between would be counted by tests that count them.
  quotaRefreshMs: 3_600_000,
  validations,
  releaseMemory: () => () => undefined,
});
