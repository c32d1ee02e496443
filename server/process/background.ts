import type { Config } from '../app/config.ts';
import { RequestTimes } from '../app/request-times.ts';
import { outgoingFolders } from '../app/services.ts';
import type { JobProgram } from '../jobs/child.ts';
import { IsolatedPerformer } from '../jobs/isolation.ts';
import { createQueue, type Queue, type QueueOptions } from '../jobs/queue.ts';
import { JobSupervisor, type ProcessesMetrics, type ReplacementLimits } from '../jobs/supervisor.ts';
import type { Services } from '../platform/kit/slice.ts';

/** Delay of the start of the job process, unless there are new jobs: the first requests of a server come before. */
const START_DELAY_MS = 1000;

/** Configuration of forked job processes. */
export interface ForkedJobs {
  /** Environment variables of the server. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Another program, or other limits of it. */
  program?: Partial<Omit<JobProgram, 'environment' | 'folder'>>;
  /** Other limits for replacing an idle job process. */
  replacement?: ReplacementLimits;
}

/** The configuration of a server that listens. */
export type ServerConfig = Config & { url: string; secretKey: string };

/** The background jobs of a server. */
export interface Background {
  /** Receives the jobs of requests. */
  queue: Queue;
  start(services: Services): Promise<void>;
  /** Returns the metrics of the job processes, without those that do not respond within `timeoutMs`. */
  metrics(timeoutMs: number): Promise<ProcessesMetrics>;
  /** Waits up to `graceMs` for running jobs and returns the others to the queue. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Runs jobs in a forked process. Jobs suspected of ending that process each run in a separate one, supervised by the
 * server, so that no job can crash or block the server.
 *
 * @param url the URL of the server
 */
export function forkedBackground(
  options: QueueOptions,
  { environment, program, replacement }: ForkedJobs,
  { dataFolder, publicUrl, secretKey, url }: ServerConfig,
): Background {
  const { createId, log } = options;
  const forked: JobProgram = {
    entry: new URL('./jobs-main.ts', import.meta.url),
    ...program,
    folder: outgoingFolders(dataFolder).folder,
    environment: {
      ...environment,
      COLOPHON_PUBLIC_URL: publicUrl ?? url,
      COLOPHON_SECRET_KEY: secretKey,
    },
  };
  const queue: Queue = createQueue({
    ...options,
    lane: 'suspected',
    performer: new IsolatedPerformer(forked, createId, () => supervisor.kinds()),
    onEnqueue: () => supervisor.wake(),
  });
  const requests = new RequestTimes();
  const supervisor = new JobSupervisor({
    program: forked,
    replacement,
    quietMs: () => requests.quietMs(),
    createId,
    log,
    onReady: () => queue.wake(),
    onEnd: async (owner, cause) => {
      for (const ended of await queue.recordProcessEnd(owner, cause)) {
        log.warn({ ...ended, cause }, 'a job was running in a job process that ended');
      }
      queue.wake();
    },
  });
  return {
    queue,
    start: async () => {
      queue.start();
      supervisor.start(START_DELAY_MS);
    },
    metrics: (timeoutMs) => supervisor.metrics(timeoutMs),
    stop: async (graceMs) => {
      requests.close();
      await Promise.all([supervisor.stop(graceMs), queue.stop({ grace: graceMs })]);
    },
  };
}
