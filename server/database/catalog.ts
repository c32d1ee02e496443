import { type QueryExecutorProvider, sql } from 'kysely';
import { engineOf } from './engine.ts';

interface Named {
  name: string;
}

/** Returns the names of the tables of a database, also before it is migrated. */
export async function tableNames(db: QueryExecutorProvider): Promise<Set<string>> {
  const { rows } = await (engineOf(db) === 'postgres'
    ? sql<Named>`select tablename as "name" from pg_tables where schemaname = current_schema()`
    : sql<Named>`select "name" from sqlite_master where "type" = 'table'`
  ).execute(db);
  return new Set(rows.map(({ name }) => name));
}
