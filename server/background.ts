import { join } from 'node:path';
import type { Config } from './config.ts';
import type { JobProgram } from './jobs/child.ts';
import { IsolatedPerformer } from './jobs/isolation.ts';
import { createQueue, type Queue, type QueueOptions } from './jobs/queue.ts';
import { JobSupervisor } from './jobs/supervisor.ts';
import type { Services } from './resources/kit/slice.ts';

/** Where jobs are done: in a process of their own, or in that of the server, as in tests. */
export type JobPlacement = 'inline' | ForkedJobs;

/** A process for jobs, which the server forks. */
export interface ForkedJobs {
  /** The variables of the environment that the server was configured with. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The program to run instead of the server's own, and its limits; for tests. */
  program?: Partial<Omit<JobProgram, 'environment' | 'folder'>>;
}

/** The background of a server. */
export interface Background {
  /** Takes the jobs that requests add. */
  queue: Queue;
  start(services: Services): Promise<void>;
  /** Lets jobs end for as long as `graceMs`, and gives the others back. */
  stop(graceMs: number): Promise<void>;
}

/** Jobs in the process of the server. */
export function inlineBackground(options: QueueOptions): Background {
  const queue = createQueue(options);
  return {
    queue,
    start: async (services) => {
      const { registerWorkers } = await import('./workers.ts');
      registerWorkers(services);
      queue.start();
    },
    stop: (grace) => queue.stop({ grace }),
  };
}

/**
 * Jobs in a process of their own. Those that are suspected to have ended it are done in a process each, watched from
 * here: nothing that runs a job ends the server, or holds it up.
 *
 * @param url where the server listens
 */
export function forkedBackground(
  options: QueueOptions,
  { environment, program }: ForkedJobs,
  { dataFolder, publicUrl, secretKey, url }: Config & { url: string; secretKey: string },
): Background {
  const { makeId, log } = options;
  const forked: JobProgram = {
    entry: new URL('./jobs-main.ts', import.meta.url),
    ...program,
    folder: join(dataFolder, 'outgoing'),
    environment: {
      ...environment,
      COLOPHON_PUBLIC_URL: publicUrl ?? url,
      COLOPHON_SECRET_KEY: secretKey,
    },
  };
  const queue: Queue = createQueue({
    ...options,
    lane: 'suspected',
    performer: new IsolatedPerformer(forked, makeId, () => supervisor.kinds()),
    onEnqueue: () => supervisor.wake(),
  });
  const supervisor = new JobSupervisor({
    program: forked,
    makeId,
    log,
    onReady: () => queue.wake(),
    onEnd: async (owner, cause) => {
      for (const ended of await queue.blameAll(owner, cause))
        log.warn({ ...ended, cause }, 'a job was running in a job process that ended');
      queue.wake();
    },
  });
  return {
    queue,
    start: async () => {
      queue.start();
      supervisor.start();
    },
    stop: async (graceMs) => {
      await Promise.all([supervisor.stop(graceMs), queue.stop({ grace: graceMs })]);
    },
  };
}
