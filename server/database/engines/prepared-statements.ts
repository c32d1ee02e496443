import { LRUCache } from 'lru-cache';

/*
 * Prepared statements of PostgreSQL: a connection parses a statement once, and PostgreSQL soon reuses its plan ("PREPARE"
 * in the manual of PostgreSQL). Both take longer than the execution of most statements of this application.
 */

/**
 * Number of executions before a statement is prepared. Statements that are executed once, such as those with lists of
 * different lengths, would only take up memory.
 */
export const MIN_EXECUTIONS = 3;
/** Maximum number of prepared statements of a connection. Each takes up to 100 kB of memory in PostgreSQL. */
export const MAX_PREPARED_STATEMENTS = 256;
/** Maximum number of statements with counted executions. */
const MAX_COUNTED_STATEMENTS = 2048;

/** How a connection executes a statement. */
interface Preparation {
  /** The name under which the connection prepares it, or has prepared it; undefined not to prepare it. */
  name: string | undefined;
  /** A statement to execute before, which deallocates others. */
  deallocation: string | undefined;
}

const UNPREPARED: Preparation = { name: undefined, deallocation: undefined };

/** Chooses the statements that the connections of a process prepare. */
export class PreparedStatements {
  /** Numbers of executions by statement. */
  readonly #executions = new LRUCache<string, { count: number }>({ max: MAX_COUNTED_STATEMENTS });
  readonly #prepared = new WeakMap<object, PreparedNames>();
  #generation = 0;

  /** Notes an execution of a statement by a connection. */
  next(connection: object, sql: string): Preparation {
    if (!this.#isRepeated(sql)) {
      return UNPREPARED;
    }
    let prepared = this.#prepared.get(connection);
    if (!prepared) {
      prepared = new PreparedNames();
      this.#prepared.set(connection, prepared);
    }
    return prepared.use(sql, this.#generation);
  }

  /** Prepares all statements again: the database has been migrated, and plans are outdated. */
  renew(): void {
    this.#generation += 1;
  }

  #isRepeated(sql: string): boolean {
    const executions = this.#executions.get(sql);
    if (!executions) {
      this.#executions.set(sql, { count: 1 });
      return false;
    }
    executions.count += 1;
    return executions.count >= MIN_EXECUTIONS;
  }
}

/** The statements that one connection has prepared. Names are not reused, since the driver remembers them. */
class PreparedNames {
  #generation = 0;
  #lastNumber = 0;
  #deallocation: string | undefined;
  readonly #names = new LRUCache<string, string>({
    max: MAX_PREPARED_STATEMENTS,
    dispose: (name, _, reason) => {
      if (reason === 'evict') {
        this.#deallocation = `deallocate ${name}`;
      }
    },
  });

  use(sql: string, generation: number): Preparation {
    this.#deallocation = undefined;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#names.clear();
      this.#deallocation = 'deallocate all';
    }
    let name = this.#names.get(sql);
    if (name === undefined) {
      this.#lastNumber += 1;
      name = `colophon_${this.#lastNumber}`;
      this.#names.set(sql, name);
    }
    return { name, deallocation: this.#deallocation };
  }
}
