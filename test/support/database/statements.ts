import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';
import pg from 'pg';

/** Statements of this process, including those that begin and end transactions. */
export interface Statements {
  sql: string[];
  /** The parameters of each statement. */
  parameters: Array<readonly unknown[]>;
  /** Number of returned rows. */
  rows: number;
}

const recordings = new Set<Statements>();

function record(sql: string, parameters: readonly unknown[], rows: number): void {
  for (const recording of recordings) {
    recording.sql.push(sql);
    recording.parameters.push(parameters);
    recording.rows += rows;
  }
}

/** Patches both drivers to record statements. Returns a function that restores them: test files share a process. */
function watch(): () => void {
  const { all, run } = StatementSync.prototype;
  const watchedAll = function (this: StatementSync, ...parameters: SQLInputValue[]) {
    const rows = all.apply(this, parameters as never);
    record(this.sourceSQL, parameters, rows.length);
    return rows;
  };
  const watchedRun = function (this: StatementSync, ...parameters: SQLInputValue[]) {
    const result = run.apply(this, parameters as never);
    record(this.sourceSQL, parameters, 0);
    return result;
  };
  // Of their two signatures the server uses the one without names.
  Object.assign(StatementSync.prototype, { all: watchedAll, run: watchedRun });
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    exec.call(this, sql);
    record(sql, [], 0);
  };
  const { query } = pg.Client.prototype;
  // Of its many signatures the server uses one: a text with its values, with a promise as the result.
  type Query = (config: pg.QueryConfig) => Promise<pg.QueryResult>;
  const send = query as unknown as Query;
  const watchedQuery: Query = async function (this: pg.Client, config) {
    const result = await send.call(this, config);
    // A text of several statements has a result for each.
    record(
      config.text,
      config.values ?? [],
      [result].flat().reduce((rows, part) => rows + part.rows.length, 0),
    );
    return result;
  };
  pg.Client.prototype.query = watchedQuery as unknown as typeof query;
  return () => {
    Object.assign(StatementSync.prototype, { all, run });
    DatabaseSync.prototype.exec = exec;
    pg.Client.prototype.query = query;
  };
}

let stopWatching: (() => void) | undefined;

/** Returns the statements of this process during some work, including those of concurrent work. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statements> {
  if (recordings.size === 0) {
    stopWatching = watch();
  }
  const recording: Statements = { sql: [], parameters: [], rows: 0 };
  recordings.add(recording);
  try {
    await work();
  } finally {
    recordings.delete(recording);
    if (recordings.size === 0) {
      stopWatching?.();
    }
  }
  return recording;
}
