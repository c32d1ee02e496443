import { type Expression, type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';

/*
 * A caller must read its own writes, also from a replica and through another process. Therefore each committed
 * transaction of a caller is a numbered row of `transaction_outcomes`. The statement that authenticates a request, on the
 * primary, returns the numbers of the recent ones, and the position of the primary in its write-ahead log, which is
 * beyond these transactions. A replica that has replayed the log up to this position has them, too. While the numbers
 * are the same, so are the transactions, and the position that was first read with them suffices.
 */

/**
 * Time after which every replica in use has a write: longer than the time limit of a commit, during which the row is not
 * visible yet, and `MAX_REPLICA_LAG_MS` together.
 */
const RECENT_WRITES = '1 minute';
/** Number of writes from which they are not told apart. */
const MAX_DISTINGUISHED_WRITES = 50;
/** Maximum number of callers whose recent writes a process remembers. */
export const MAX_REMEMBERED_WRITERS = 10_000;

/**
 * Selects the recent writes of a user, for {@link RecentWrites.positionOf}.
 *
 * @param user ID of the user
 */
export const selectRecentWrites = (user: Expression<string>): RawBuilder<string> => sql<string>`(
  select concat_ws(' ', pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'), count(*), sum("number"))
  from (
    select "number" from "transaction_outcomes"
    where "caller" = ${user} and "at" > clock_timestamp() - interval '${sql.raw(RECENT_WRITES)}'
    limit ${sql.lit(MAX_DISTINGUISHED_WRITES)}
  ) as "writes"
)`;

/** The writes of callers, by the positions that a replica must have reached to have them. */
export class RecentWrites {
  readonly #writers = new LRUCache<string, { writes: string; position: number }>({
    max: MAX_REMEMBERED_WRITERS,
  });

  /**
   * Returns the position in the write-ahead log up to which a replica has all writes of a user.
   *
   * @param selected what {@link selectRecentWrites} selected for this user
   */
  positionOf(user: string, selected: string): number {
    const [position, count, sum] = selected.split(' ').map(Number);
    if (position === undefined || count === 0) {
      return 0;
    }
    // A write replaces an older one in the sum only with a higher number.
    const writes = `${count} ${sum}`;
    const known = this.#writers.get(user);
    if (known?.writes === writes && count !== MAX_DISTINGUISHED_WRITES) {
      return known.position;
    }
    this.#writers.set(user, { writes, position });
    return position;
  }
}
