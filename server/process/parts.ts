import type { RequestHandler } from 'express';
import { type ContentThreads, createContentThreads } from '../content/threads/threads.ts';
import type { Validation } from '../contract/index.ts';
import type { DatabaseOptions } from '../database/database.ts';
import type { QueueOptions } from '../jobs/queue.ts';
import { QUOTA_REFRESH_MS } from '../quotas/quotas.ts';
import { type Background, forkedBackground, type ServerConfig } from './background.ts';
import { releaseMemoryWhenIdle } from './idle-memory.ts';

/** The parts that a server is started with, besides its configuration. */
export interface ServerParts {
  /** How the database is opened. */
  database: Pick<DatabaseOptions, 'keepsConnections' | 'checkpoints'>;
  /** Creates what runs the jobs. */
  createBackground(options: QueueOptions, server: ServerConfig): Background;
  /** Threads of the content engine. The server closes them when it stops. */
  threads: ContentThreads;
  /** Interval in which this process reads changed quotas. */
  quotaRefreshMs: number;
  /** Compiled validations of the contract, which the servers of a process can share. */
  validations: Map<string, Validation>;
  /** Middleware that records traces of requests. */
  traceRequests?: RequestHandler | undefined;
  /** Stops the server: one of a later release asks it to, before a migration that it could not work with. */
  onSuperseded?: (() => void) | undefined;
  /** Returns unused memory to the system while the server is idle. Returns a function that ends this. */
  releaseMemory(): () => void;
}

/**
 * Creates the parts of the program: jobs run in processes of their own.
 *
 * @param environment variables of these processes
 */
export const programParts = (environment: Readonly<Record<string, string | undefined>>): ServerParts => ({
  database: { keepsConnections: true, checkpoints: 'fallback' },
  createBackground: (options, server) => forkedBackground(options, { environment }, server),
  // Requests read pages at any time, and a thread takes longer to start than to parse a hundred of them.
  threads: createContentThreads({ retained: 1 }),
  quotaRefreshMs: QUOTA_REFRESH_MS,
  validations: new Map(),
  releaseMemory: releaseMemoryWhenIdle,
});
