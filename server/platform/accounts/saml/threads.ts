import { createThreads, type Threads } from '../../../threads/threads.ts';
import type { SamlTasks } from './tasks.ts';

/** Limits of processing a SAML message; a valid one takes a few milliseconds. */
export const SAML_TASK_LIMITS = { processorMs: 3000, timeMs: 15_000, memoryBytes: 268_435_456 };
/** Maximum number of threads that process SAML messages. */
export const MAX_SAML_THREADS = 2;

/** Threads that process SAML messages. */
export type SamlThreads = Threads<SamlTasks>;

/** Creates the threads of SAML. They start with the first task and end when idle. */
export const createSamlThreads = (): SamlThreads =>
  createThreads<SamlTasks>({ entry: new URL('./thread.ts', import.meta.url), threads: MAX_SAML_THREADS });
