import { jobKind } from '../../jobs/queue.ts';
import { pruneEndedTokens } from '../../models/access-tokens/queries.ts';
import { pruneAuditEvents } from '../../models/audit-events/queries.ts';
import type { Services } from '../kit/slice.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How often a process looks whether the day of pruning has come. */
const LOOK_INTERVAL_MS = 60 * 60 * 1000;
/** The row of the settings that holds when pruning was last asked for. */
const SETTING = 'auditPruningRequestedAt';

/** Deletes the audit events from before a time, and the tokens that ended before it. */
export const pruneAudit = jobKind<{ before: string }>('prune-audit-events');

/** Names the worker of the pruning. */
export function registerAuditPruning({ queue, database }: Services): void {
  queue.register(pruneAudit, async ({ payload }, signal) => {
    const before = new Date(payload.before);
    await pruneAuditEvents(database, before, signal);
    await pruneEndedTokens(database, before, signal);
  });
}

/**
 * Asks for the daily pruning where a day has passed since it was last asked for, by whichever process. A new
 * trail has nothing to prune: its first day only begins.
 *
 * @param retentionDays how long events are retained
 */
export async function requestAuditPruning(
  { database, clock, queue }: Pick<Services, 'database' | 'clock' | 'queue'>,
  retentionDays: number,
): Promise<void> {
  const now = clock();
  const dueBefore = new Date(now.getTime() - DAY_MS).toISOString();
  const readSetting = (queries: Pick<typeof database.query, 'selectFrom'>) =>
    queries.selectFrom('settings').select('value').where('key', '=', SETTING).executeTakeFirst();
  const last = await readSetting(database.query);
  if (last && last.value > dueBefore) return;
  await database.transaction(async (trx) => {
    const current = await readSetting(trx);
    if (current && current.value > dueBefore) return;
    await trx
      .insertInto('settings')
      .values({ key: SETTING, value: now.toISOString() })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: now.toISOString() }))
      .execute();
    if (!current) return;
    const before = new Date(now.getTime() - retentionDays * DAY_MS).toISOString();
    // It concerns every organization, and belongs to none.
    await queue.enqueue(trx, { kind: pruneAudit, organization: '', key: SETTING, payload: { before } });
  });
}

/**
 * Asks for the pruning each day while the server runs. A failure is logged, and the next look tries again.
 *
 * @returns ends it, once a look that goes on has ended
 */
export async function startAuditPruning(
  services: Services,
  retentionDays: number,
): Promise<() => Promise<void>> {
  const look = async () => {
    try {
      await requestAuditPruning(services, retentionDays);
    } catch (error) {
      services.log.warn({ err: error }, 'could not ask for the pruning of audit events');
    }
  };
  let looking = look();
  await looking;
  const timer = setInterval(() => {
    looking = look();
  }, LOOK_INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
