import { jobKind } from '../../../jobs/queue.ts';
import { type PeriodicJob, requestWhenDue, startPeriodicJob } from '../../kit/periodic-jobs.ts';
import type { Services } from '../../kit/slice.ts';
import { pruneEndedTokens } from '../access-tokens/queries.ts';
import { pruneAuditEvents } from './queries.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Interval for a process to check whether pruning is due. */
const CHECK_INTERVAL_MS = 60 * 60 * 1000;
/** Key of the setting that stores when pruning was last requested. */
const SETTING_KEY = 'auditPruningRequestedAt';

/** Deletes the audit events before a time, the tokens that ended before it, and the ended sessions of visitors. */
export const pruneAudit = jobKind<{ before: string }>('prune-audit-events');

/**
 * Registers the worker of the pruning job.
 *
 * @param pruneSessions deletes the ended sessions of visitors
 */
export function registerAuditPruning(
  { queue, database, clock }: Services,
  pruneSessions: (database: Services['database'], now: Date, signal: AbortSignal) => Promise<void>,
): void {
  queue.register(pruneAudit, async ({ payload }, signal) => {
    const before = new Date(payload.before);
    await pruneAuditEvents(database, before, signal);
    await pruneEndedTokens(database, before, signal);
    await pruneSessions(database, clock(), signal);
  });
}

/** The daily pruning of events that are older than the retention in days. */
const dailyPruning = (queue: Services['queue'], retentionDays: number): PeriodicJob => ({
  setting: SETTING_KEY,
  intervalMs: DAY_MS,
  description: 'the pruning of audit events',
  enqueue: async (trx, now) => {
    const before = new Date(now.getTime() - retentionDays * DAY_MS).toISOString();
    // The job covers every organization and belongs to none.
    await queue.enqueue(trx, { kind: pruneAudit, organization: '', key: SETTING_KEY, payload: { before } });
  },
});

/** Enqueues the daily pruning if no process has requested it for a day. */
export const requestAuditPruning = (
  services: Pick<Services, 'database' | 'clock' | 'queue'>,
  retentionDays: number,
): Promise<void> => requestWhenDue(services, dailyPruning(services.queue, retentionDays));

/** Requests the pruning each day while the server runs. Returns a function that stops it. */
export const startAuditPruning = (services: Services, retentionDays: number): Promise<() => Promise<void>> =>
  startPeriodicJob(services, dailyPruning(services.queue, retentionDays), CHECK_INTERVAL_MS);
