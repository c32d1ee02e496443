import type { RequestCount, SharedCounts } from '../../contract/limits/request-counts.ts';
import type { Database, Queries } from '../database.ts';

const MINUTE_MS = 60_000;

/**
 * Shares the counts of a rate limit between the servers of a database. Requests are written in batches of a fraction
 * of the limit; with a single server nothing is written.
 *
 * @param servers the registration of the server
 */
export const shareRequestCounts = (
  database: Database,
  servers: { readonly others: number },
): SharedCounts => ({
  get processes() {
    return 1 + servers.others;
  },
  exchange: async (counts) => (counts.length === 0 ? [] : await exchange(database, counts)),
});

async function exchange(
  database: Database,
  counts: readonly RequestCount[],
): Promise<readonly RequestCount[]> {
  // Sorted, so that processes lock rows in the same order.
  const sorted = counts.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return await database.query
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

/** Deletes the counts of past minutes. The previous one is retained for servers with a slow clock. */
export async function deleteOldCounts(queries: Queries, now: Date): Promise<void> {
  const minute = Math.floor(now.getTime() / MINUTE_MS) - 1;
  await queries.deleteFrom('requestCounts').where('minute', '<', minute).execute();
}
