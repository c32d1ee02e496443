import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { engineOf } from './engine.ts';

/*
 * The objects that a database contains, for code that runs before or during migrations.
 */

interface Named {
  name: string;
}

/** Returns the names of the tables. */
export const tableNames = (db: QueryExecutorProvider): Promise<Set<string>> =>
  namesOf(
    db,
    engineOf(db) === 'postgres'
      ? sql<Named>`select tablename as "name" from pg_tables where schemaname = current_schema()`
      : sql<Named>`select "name" from sqlite_master where "type" = 'table'`,
  );

/** Returns the names of the columns of a table; none if it does not exist. */
export const columnNames = (db: QueryExecutorProvider, table: string): Promise<Set<string>> =>
  namesOf(
    db,
    engineOf(db) === 'postgres'
      ? sql<Named>`select attname as "name" from pg_attribute
            where attrelid = to_regclass(quote_ident(${table})) and attnum > 0 and not attisdropped`
      : sql<Named>`select "name" from pragma_table_info(${table})`,
  );

/** Returns the names of the indexes and triggers of a table. */
export const dependentNames = (db: QueryExecutorProvider, table: string): Promise<Set<string>> =>
  namesOf(
    db,
    engineOf(db) === 'postgres'
      ? sql<Named>`select indexname as "name" from pg_indexes
            where schemaname = current_schema() and tablename = ${table}
            union all
            select tgname from pg_trigger where tgrelid = to_regclass(quote_ident(${table}))`
      : sql<Named>`select "name" from sqlite_master where "type" in ('index', 'trigger') and tbl_name = ${table}`,
  );

async function namesOf(db: QueryExecutorProvider, query: RawBuilder<Named>): Promise<Set<string>> {
  const { rows } = await query.execute(db);
  return new Set(rows.map(({ name }) => name));
}
