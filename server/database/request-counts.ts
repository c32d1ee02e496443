import type { RequestCount, SharedCounts } from '../contract/request-counts.ts';
import type { Database } from './database.ts';
import type { Log } from './log.ts';
import type { Clock, MakeId } from './seams.ts';

/** How often a process says that it counts, and learns how many others do. */
export const COUNTING_INTERVAL_MS = 2000;

/** A process that was not seen for so long has ended. */
export const COUNTING_TIMEOUT_MS = 10_000;

const MINUTE_MS = 60_000;

/** The counts that this process shares with others. */
export interface RequestCountSharing extends SharedCounts {
  /** Says that this process is here, and counts the others; runs by itself every {@link COUNTING_INTERVAL_MS}. */
  renew(): Promise<void>;
  /** Ends the sharing: the other processes no longer expect this one. */
  stop(): Promise<void>;
}

/** What {@link shareRequestCounts} needs. */
export interface SharingOptions {
  database: Database;
  clock: Clock;
  makeId: MakeId;
  log: Log;
}

/**
 * Shares the counts of a rate limit between the processes on one database. A caller's requests are written once
 * for a part of the limit, not each; while there is one process nothing is.
 */
export async function shareRequestCounts(options: SharingOptions): Promise<RequestCountSharing> {
  const sharing = new Sharing(options);
  await sharing.renew();
  return sharing;
}

class Sharing implements RequestCountSharing {
  processes = 1;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #id: string;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor({ database, clock, makeId, log }: SharingOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#id = makeId('prc');
  }

  async exchange(counts: readonly RequestCount[]): Promise<readonly RequestCount[]> {
    if (counts.length === 0) return [];
    // In one order everywhere, so that no two processes wait for each other's rows.
    const sorted = counts.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    return await this.#database.query
      .insertInto('requestCounts')
      .values(sorted)
      .onConflict((conflict) =>
        conflict.columns(['key', 'minute']).doUpdateSet(({ eb, ref }) => ({
          count: eb(ref('requestCounts.count'), '+', ref('excluded.count')),
        })),
      )
      .returning(['key', 'minute', 'count'])
      .execute();
  }

  renew(): Promise<void> {
    clearTimeout(this.#timer);
    this.#renewing = this.#renew()
      .catch((error: unknown) => {
        this.#log.warn({ err: error }, 'the processes that count requests are not known right now');
      })
      .finally(() => {
        if (this.#isStopped) return;
        this.#timer = setTimeout(() => void this.renew(), COUNTING_INTERVAL_MS).unref();
      });
    return this.#renewing;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    await this.#database.query
      .deleteFrom('countingProcesses')
      .where('id', '=', this.#id)
      .execute()
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, 'this process is counted on for a while yet'),
      );
  }

  async #renew(): Promise<void> {
    const { query } = this.#database;
    const now = this.#clock();
    const seenAt = now.toISOString();
    const expired = new Date(now.getTime() - COUNTING_TIMEOUT_MS).toISOString();
    await query
      .insertInto('countingProcesses')
      .values({ id: this.#id, seenAt })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seenAt }))
      .execute();
    await query.deleteFrom('countingProcesses').where('seenAt', '<', expired).execute();
    const others = await query
      .selectFrom('countingProcesses')
      .select('id')
      .where('id', '!=', this.#id)
      .execute();
    this.processes = 1 + others.length;
    // The minute before is kept for processes whose clock is behind.
    const minute = Math.floor(now.getTime() / MINUTE_MS) - 1;
    await query.deleteFrom('requestCounts').where('minute', '<', minute).execute();
  }
}
