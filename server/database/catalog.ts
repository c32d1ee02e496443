import { type QueryExecutorProvider, sql } from 'kysely';
import { type Engine, engineOf } from './engine.ts';

interface Named {
  name: string;
}

/** A column of a table, with its type as the engine names it. */
export interface Column {
  table: string;
  name: string;
  type: string;
}

/** Statements that list the columns of all tables. */
export const COLUMN_QUERIES: Readonly<Record<Engine, string>> = {
  postgres: `
    select "columns".table_name as "table", column_name as "name", data_type as "type"
    from information_schema.columns as "columns"
    join information_schema.tables as "tables" using (table_schema, table_name)
    where table_schema = current_schema() and table_type = 'BASE TABLE'
    order by "columns".table_name collate "C", ordinal_position`,
  sqlite: `
    select "tables"."name" as "table", "columns"."name", lower("columns"."type") as "type"
    from sqlite_master as "tables" join pragma_table_info("tables"."name") as "columns"
    where "tables"."type" = 'table' order by "tables"."name", "columns"."cid"`,
};

/** Returns the names of the tables of a database, also before it is migrated. */
export async function tableNames(db: QueryExecutorProvider): Promise<Set<string>> {
  const { rows } = await (engineOf(db) === 'postgres'
    ? sql<Named>`select tablename as "name" from pg_tables where schemaname = current_schema()`
    : sql<Named>`select "name" from sqlite_master where "type" = 'table'`
  ).execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Returns the columns of all tables. */
export async function tableColumns(db: QueryExecutorProvider): Promise<Column[]> {
  return (await sql.raw<Column>(COLUMN_QUERIES[engineOf(db)]).execute(db)).rows;
}
