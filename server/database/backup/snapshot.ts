import type { CompiledQuery } from 'kysely';
import type { Column } from '../catalog.ts';
import type { Engine } from '../engine.ts';
import type { Row, TableRecord } from './records.ts';

/** The state of a database at one time, which commits of others do not change. */
export interface Snapshot {
  readonly engine: Engine;
  columns(): Promise<Column[]>;
  /** Runs a query with few results. */
  all(query: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>;
  /** Runs a compiled query, and returns its rows. */
  run(query: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<unknown[]>;
  /** Reads all rows of a table, in batches of limited size. */
  rows(table: TableRecord): AsyncGenerator<Row[]>;
  /** Returns the last number that each table with numbered rows has used. */
  sequences(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** Number of bytes of rows that are read at a time, unless one row is larger. */
export const SNAPSHOT_BATCH_BYTES = 1_048_576;

/** Estimates the size of a row in memory. */
export function sizeOf(row: Row): number {
  let bytes = 8 * row.length;
  for (const value of row) {
    bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
  }
  return bytes;
}
