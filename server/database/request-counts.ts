import type { RequestCount, SharedCounts } from '../contract/limits/request-counts.ts';
import type { Database } from './database.ts';
import type { Log } from './log.ts';
import type { Clock, CreateId } from './seams.ts';

/** Interval for renewing the registration of a process and counting the other processes. */
export const COUNTING_INTERVAL_MS = 2000;

/** Time without a renewal before a process is considered ended. */
export const COUNTING_TIMEOUT_MS = 10_000;

const MINUTE_MS = 60_000;

/** The request counts shared with other processes. */
export interface RequestCountSharing extends SharedCounts {
  /** Renews the registration of this process and counts the others. Runs every {@link COUNTING_INTERVAL_MS}. */
  renew(): Promise<void>;
  /** Removes the registration of this process. */
  stop(): Promise<void>;
}

/** Options of {@link shareRequestCounts}. */
export interface SharingOptions {
  database: Database;
  clock: Clock;
  createId: CreateId;
  log: Log;
}

/**
 * Shares the counts of a rate limit between the processes of a database. Requests are written in batches of a fraction
 * of the limit; with a single process nothing is written.
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
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor({ database, clock, createId, log }: SharingOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#id = createId('prc');
  }

  async exchange(counts: readonly RequestCount[]): Promise<readonly RequestCount[]> {
    if (counts.length === 0) {
      return [];
    }
    // Sorted, so that processes lock rows in the same order.
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
        this.#log.warn({ err: error }, 'could not renew the registration for shared request counts');
      })
      .finally(() => {
        if (this.#isStopped) {
          return;
        }
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
        this.#log.warn({ err: error }, 'could not remove the registration for shared request counts'),
      );
  }

  async #renew(): Promise<void> {
    const { query } = this.#database;
    const now = this.#clock();
    const seenAt = now.toISOString();
    const expired = new Date(now.getTime() - COUNTING_TIMEOUT_MS).toISOString();
    // One statement, since an idle process executes it, too.
    const { others } = await query
      .insertInto('countingProcesses')
      .values({ id: this.#id, seenAt })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seenAt }))
      .returning((row) =>
        row
          .selectFrom('countingProcesses as other')
          .select(({ fn }) => fn.countAll<number>().as('others'))
          .where('other.id', '!=', this.#id)
          .where('other.seenAt', '>=', expired)
          .as('others'),
      )
      .executeTakeFirstOrThrow();
    this.processes = 1 + (others ?? 0);
    if (now.getTime() - this.#cleanedAt < MINUTE_MS) {
      return;
    }
    this.#cleanedAt = now.getTime();
    await query.deleteFrom('countingProcesses').where('seenAt', '<', expired).execute();
    // The previous minute is retained for processes with a slow clock.
    const minute = Math.floor(now.getTime() / MINUTE_MS) - 1;
    await query.deleteFrom('requestCounts').where('minute', '<', minute).execute();
  }
}
