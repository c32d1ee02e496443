import { type SelectQueryBuilder, sql } from 'kysely';
import type { Queries } from './database.ts';
import { engineOf } from './engine.ts';
import type { Schema } from './schema.ts';

/** Size of a piece that PostgreSQL sends. Its client decodes each piece at once. */
const PIECE_BYTES = 262_144;

/**
 * Reads a text that can have megabytes, as UTF-8; undefined if the query returns no row. PostgreSQL sends it in pieces:
 * its client would copy a whole text several times, and decode it in the same turn of the event loop.
 *
 * @param query selects one row and its text as `value`
 */
export async function readLargeText(
  queries: Queries,
  query: SelectQueryBuilder<Schema, keyof Schema, { value: string }>,
): Promise<Buffer | undefined> {
  if (engineOf(queries) !== 'postgres') {
    const { rows } = await sql<{ bytes: Uint8Array<ArrayBuffer> }>`
      select cast("value" as blob) as "bytes" from (${query}) as "row"`.execute(queries);
    const [row] = rows;
    return row && Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
  }
  const size = sql.lit(PIECE_BYTES);
  // `offset 0` prevents PostgreSQL from converting the text once for each piece.
  const { rows } = await sql<{ at: number; piece: Buffer }>`
    select "at", substr("bytes", "at" * ${size} + 1, ${size}) as "piece"
    from (select convert_to("value", 'UTF8') as "bytes" from (${query}) as "row" offset 0) as "whole"
    cross join lateral generate_series(0, length("bytes") / ${size}) as "at"`.execute(queries);
  if (rows.length === 0) {
    return undefined;
  }
  return Buffer.concat(rows.toSorted((first, second) => first.at - second.at).map(({ piece }) => piece));
}
