import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../server/database/database.ts';
import type { Schema } from '../../../server/database/schema.ts';

/** Number of the first row, so that all numbers have the same length. */
export const FIRST_NUMBER = 10_000_000;
/** Rows of a statement, so that its triggers end within its time limit. */
const BATCH = 20_000;
const NUMBER = sql<number>`i`;
/** Time of a row as text. */
export const TIME = sql<string>`'2026-01-01T00:00:00.' || i || 'Z'`;
/** Id of a row, or of another row by its number. */
export const idOf = (prefix: string, of: RawBuilder<unknown> = NUMBER) =>
  sql<string>`${sql.lit(`${prefix}_`)} || ${of}`;
const lit = (value: string | number | null) => sql`${sql.lit(value)}`;

/**
 * Fills a table, within the database, with rows that are computed from their number.
 *
 * @param row value of each column, as an SQL expression of the number `i` or as a constant
 */
export async function fill(
  database: Database,
  table: keyof Schema,
  count: number,
  row: Record<string, RawBuilder<unknown> | string | number | null>,
): Promise<void> {
  const columns = Object.keys(row).map((name) => sql.ref(name));
  const values = Object.values(row).map((value) =>
    typeof value === 'object' && value !== null ? value : lit(value),
  );
  for (let first = FIRST_NUMBER; first < FIRST_NUMBER + count; first += BATCH) {
    const last = Math.min(first + BATCH, FIRST_NUMBER + count) - 1;
    await sql`
      insert into ${sql.table(table)} (${sql.join(columns)})
      with recursive n(i) as (
        select ${sql.lit(first)} union all select i + 1 from n where i < ${sql.lit(last)}
      ) select ${sql.join(values)} from n`.execute(database.query);
    // Lets connections notice that they were closed.
    await setImmediate();
  }
}
