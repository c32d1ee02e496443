import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { CompiledQuery, QueryResult } from 'kysely';
import { fold } from './text.ts';

/** How long SQLite itself waits for another process, which blocks this one. Longer waits are asynchronous. */
const BLOCKING_WAIT_MS = 5;
/** Compiled statements kept per connection. */
const MAX_STATEMENTS = 400;

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** How a file is opened. */
export interface HandleOptions {
  /** Refuse to create the file: data that has gone must not be replaced by an empty database. */
  existing: boolean;
  /** Pages of the write-ahead log at which a commit writes them to the database file. */
  checkpointPages: number;
}

/** One open file handle with its compiled statements, the least recently used dropped first. */
export class Handle {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(file: string, { existing, checkpointPages }: HandleOptions) {
    const location = existing ? new URL(`${pathToFileURL(file)}?mode=rw`) : file;
    this.#database = new DatabaseSync(location, {
      timeout: BLOCKING_WAIT_MS,
      enableForeignKeyConstraints: true,
    });
    try {
      this.#database.exec('pragma journal_mode = wal');
      this.#database.exec('pragma synchronous = full');
      this.#database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
      this.#database.function('fold', { deterministic: true }, (text) => fold(String(text ?? '')));
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Whether a transaction is open. SQLite itself rolls back after some failures, such as a full disk. */
  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  run<R>(query: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    // Columns are typed as text, numbers, bytes or null; SQLite refuses anything else that gets here.
    const parameters = query.parameters as SQLInputValue[];
    // What a row looks like is Kysely's knowledge: R is inferred from the query that was compiled.
    if (returnsRows) return { rows: statement.all(...parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#statements.get(sql);
    if (prepared) {
      this.#statements.delete(sql);
    } else {
      const statement = this.#database.prepare(sql);
      prepared = { statement, returnsRows: statement.columns().length > 0 };
      const oldest = this.#statements.keys().next();
      if (this.#statements.size >= MAX_STATEMENTS && !oldest.done) this.#statements.delete(oldest.value);
    }
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
