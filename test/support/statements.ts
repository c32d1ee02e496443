import { type SQLInputValue, StatementSync } from 'node:sqlite';
import pg from 'pg';

/** What was asked of the databases of this process. */
export interface Statements {
  sql: string[];
  /** Rows that came back. */
  rows: number;
}

const recordings = new Set<Statements>();

function record(sql: string, rows: number): void {
  for (const recording of recordings) {
    recording.sql.push(sql);
    recording.rows += rows;
  }
}

let isWatching = false;

/** Has the two drivers report what they run, for as long as the process lives. */
function watch(): void {
  if (isWatching) return;
  isWatching = true;
  const { all } = StatementSync.prototype;
  const watchedAll = function (this: StatementSync, ...parameters: SQLInputValue[]) {
    const rows = all.apply(this, parameters as never);
    record(this.sourceSQL, rows.length);
    return rows;
  };
  // Of its two signatures the server uses the one without names.
  StatementSync.prototype.all = watchedAll as typeof all;
  const { query } = pg.Client.prototype;
  // Of its many signatures the server uses one: a text and its values, answered by a promise.
  type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;
  const run = query as unknown as Query;
  const watched: Query = async function (this: pg.Client, text, values) {
    const result = await run.call(this, text, values);
    record(text, result.rows.length);
    return result;
  };
  pg.Client.prototype.query = watched as unknown as typeof query;
}

/** The statements that ran in this process during some work, those of others at the same time included. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statements> {
  watch();
  const recording: Statements = { sql: [], rows: 0 };
  recordings.add(recording);
  try {
    await work();
  } finally {
    recordings.delete(recording);
  }
  return recording;
}
