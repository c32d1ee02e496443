import type { Generated } from 'kysely';
import type { JsonText } from '../json.ts';

/** Background jobs. Accessed only by `server/jobs/`. */
export interface JobsTable {
  /** Creation order, assigned by the database. */
  sequence: Generated<number>;
  id: string;
  organization: string;
  kind: string;
  /** Jobs with the same key run one at a time, in order. */
  key: string | null;
  orderKey: string;
  payload: JsonText<unknown>;
  state: 'queued' | 'running' | 'done' | 'failed';
  createdAt: string;
  runAt: string;
  leaseUntil: string | null;
  leaseOwner: string | null;
  attempts: number;
  maxAttempts: number;
  /** Number of times that its process ended together with the server. */
  abandoned: number;
  /** Number of times that it ended its process while the server was running. */
  processEnds: number;
  lastError: string | null;
  finishedAt: string | null;
  /** The trace in which it was enqueued (https://www.w3.org/TR/trace-context/). */
  traceParent: string | null;
}
