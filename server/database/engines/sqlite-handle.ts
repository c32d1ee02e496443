import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { CompiledQuery, QueryResult } from 'kysely';
import { NamedCache } from '../../diagnostics/caches.ts';
import { fold } from '../fold.ts';

/** Time that SQLite waits synchronously for the lock of another process. Longer waits are asynchronous. */
const BLOCKING_WAIT_MS = 5;
/** The same for a connection that only reads, which belongs to a thread. */
const READER_WAIT_MS = 5000;
/** Maximum number of cached statements per connection. */
const MAX_STATEMENTS = 400;

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** Options for opening a file for writing. */
export interface HandleOptions {
  /** Whether the file must exist, so that deleted data is not replaced with an empty database. */
  existing: boolean;
  /** Minimum size of the write-ahead log, in pages, for a commit to run a checkpoint. */
  checkpointPages: number;
}

/** Opens an existing file for reading, in a thread. */
export const READ_ONLY = 'read-only';

/** A connection with a cache of prepared statements (least recently used first out). */
export class Handle {
  readonly #database: DatabaseSync;
  readonly #statements = new NamedCache<Prepared>('statements', { max: MAX_STATEMENTS });

  constructor(file: string, options: HandleOptions | typeof READ_ONLY) {
    const isReadOnly = options === READ_ONLY;
    const location = !isReadOnly && options.existing ? new URL(`${pathToFileURL(file)}?mode=rw`) : file;
    this.#database = new DatabaseSync(location, {
      timeout: isReadOnly ? READER_WAIT_MS : BLOCKING_WAIT_MS,
      enableForeignKeyConstraints: true,
      readOnly: isReadOnly,
    });
    try {
      if (!isReadOnly) {
        this.#database.exec('pragma journal_mode = wal');
        this.#database.exec('pragma synchronous = full');
        this.#database.exec(`pragma wal_autocheckpoint = ${options.checkpointPages}`);
      }
      this.#database.function('fold', { deterministic: true }, (text) => fold(String(text ?? '')));
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Whether a transaction is open. SQLite rolls back automatically after some errors, such as a full disk. */
  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  run<R>(query: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    // The schema allows only text, numbers, bytes and null; SQLite rejects anything else.
    const parameters = query.parameters as SQLInputValue[];
    // Kysely infers R from the compiled query.
    if (returnsRows) {
      return { rows: statement.all(...parameters) as R[] };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Reads the rows of a query one by one, as arrays of values. */
  iterate<Values>(sql: string): Iterable<Values> {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    // The caller states the types of the columns.
    return statement.iterate() as Iterable<unknown> as Iterable<Values>;
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
    if (!prepared) {
      const statement = this.#database.prepare(sql);
      prepared = { statement, returnsRows: statement.columns().length > 0 };
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}
