import { type Dialect, PostgresDialect, type QueryCompiler } from 'kysely';
import pg from 'pg';
import { ServerCompiler } from './compilers.ts';
import type { Log } from './log.ts';

/** Type numbers (pg_type.oid) of what counting and adding up answer with. */
const INT8 = 20;
const NUMERIC = 1700;

/** PostgreSQL as a Kysely dialect over a pool of connections. */
export function postgresDialect(url: string, log: Log): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'colophon',
    max: 10,
    connectionTimeoutMillis: 15_000,
    // Numbers that PostgreSQL sends as text for their size: ours stay below 2^53.
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  // An idle connection that the server closes is replaced at the next query; unheard it would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'a database connection was lost'));
  return new StorableDialect({ pool });
}

class StorableDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new ServerCompiler();
  }
}
