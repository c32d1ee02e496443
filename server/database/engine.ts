import { type Kysely, PostgresAdapter } from 'kysely';

/** The engines behind a database handle. The word never leaves this folder. */
export type Engine = 'sqlite' | 'postgres';

/** Which engine serves `queries`, a handle or a transaction. */
export function engineOf<DB>(queries: Kysely<DB>): Engine {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}
