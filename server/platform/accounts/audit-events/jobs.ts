import type { Transaction } from '../../../database/database.ts';
import { jobKind } from '../../../jobs/queue.ts';
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

/**
 * Enqueues the daily pruning if no process has requested it for a day. The first call only stores the time: a new
 * trail has nothing to prune.
 *
 * @param retentionDays retention of events in days
 * @param requestOthers requests what other domains delete each day
 */
export async function requestAuditPruning(
  { database, clock, queue }: Pick<Services, 'database' | 'clock' | 'queue'>,
  retentionDays: number,
  requestOthers: (trx: Transaction, now: Date) => Promise<void> = async () => {},
): Promise<void> {
  const now = clock();
  const dueBefore = new Date(now.getTime() - DAY_MS).toISOString();
  const readSetting = (queries: Pick<typeof database.query, 'selectFrom'>) =>
    queries.selectFrom('settings').select('value').where('key', '=', SETTING_KEY).executeTakeFirst();
  const last = await readSetting(database.query);
  if (last && last.value > dueBefore) {
    return;
  }
  await database.transaction(async (trx) => {
    const current = await readSetting(trx);
    if (current && current.value > dueBefore) {
      return;
    }
    await trx
      .insertInto('settings')
      .values({ key: SETTING_KEY, value: now.toISOString() })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: now.toISOString() }))
      .execute();
    if (!current) {
      return;
    }
    const before = new Date(now.getTime() - retentionDays * DAY_MS).toISOString();
    // The job covers every organization and belongs to none.
    await queue.enqueue(trx, { kind: pruneAudit, organization: '', key: SETTING_KEY, payload: { before } });
    await requestOthers(trx, now);
  });
}

/**
 * Requests the pruning each day while the server runs. A failure is logged, and the next check tries again.
 *
 * @returns a function that stops it, after waiting for a running check
 */
export async function startAuditPruning(
  services: Services,
  retentionDays: number,
  requestOthers: (trx: Transaction, now: Date) => Promise<void>,
): Promise<() => Promise<void>> {
  const check = async () => {
    try {
      await requestAuditPruning(services, retentionDays, requestOthers);
    } catch (error) {
      services.log.warn({ err: error }, 'could not request the pruning of audit events');
    }
  };
  let running = check();
  await running;
  const timer = setInterval(() => {
    running = check();
  }, CHECK_INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
