import type { Transaction } from '../../database/database.ts';
import type { Services } from './slice.ts';

/** A job that is enqueued again and again while servers run. */
export interface PeriodicJob {
  /** Key of the setting that stores when it was last requested. */
  setting: string;
  /** Time between two jobs. */
  intervalMs: number;
  /** What the job does, for the log. */
  description: string;
  enqueue(trx: Transaction, now: Date): Promise<void>;
}

/**
 * Enqueues a periodic job if no process has requested it for its interval. The first call only stores the time: there
 * is nothing to do yet.
 */
export async function requestWhenDue(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { setting, intervalMs, enqueue }: PeriodicJob,
): Promise<void> {
  const now = clock();
  const dueBefore = new Date(now.getTime() - intervalMs).toISOString();
  const readSetting = (queries: Pick<typeof database.query, 'selectFrom'>) =>
    queries.selectFrom('settings').select('value').where('key', '=', setting).executeTakeFirst();
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
      .values({ key: setting, value: now.toISOString() })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: now.toISOString() }))
      .execute();
    if (current) {
      await enqueue(trx, now);
    }
  });
}

/**
 * Requests a periodic job while the server runs. A failure is logged, and the next check tries again.
 *
 * @param checkMs time between two checks whether the job is due
 * @returns a function that stops it, after waiting for a running check
 */
export async function startPeriodicJob(
  services: Pick<Services, 'database' | 'clock' | 'log'>,
  job: PeriodicJob,
  checkMs: number,
): Promise<() => Promise<void>> {
  const check = async () => {
    try {
      await requestWhenDue(services, job);
    } catch (error) {
      services.log.warn({ err: error }, `could not request ${job.description}`);
    }
  };
  let running = check();
  await running;
  const timer = setInterval(() => {
    running = check();
  }, checkMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
