import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../../../server/database/engine.ts';

/*
 * The schema of a database as lines, so that two can be compared. The order of columns and the white space of
 * definitions do not count.
 */

interface Line {
  line: string;
}

/** Returns a line for each column, constraint, index, trigger and function, in alphabetical order. */
export async function describeSchema(db: QueryExecutorProvider): Promise<string[]> {
  const queries = engineOf(db) === 'postgres' ? OF_POSTGRES : OF_SQLITE;
  const lines: string[] = [];
  for (const query of queries) {
    const { rows } = await query.execute(db);
    lines.push(...rows.map(({ line }) => line.replaceAll(/\s+/g, ' ').trim()));
  }
  return lines.sort();
}

/** Tables of SQLite without Kysely's and its own. */
const TABLES = sql`(
  select name from sqlite_master
  where type = 'table' and sql not like '%virtual%' and name not like 'kysely%' and name not like 'sqlite%'
) as tables`;

const OF_SQLITE: ReadonlyArray<RawBuilder<Line>> = [
  // Indexes, triggers and virtual tables.
  sql`select sql as line from sqlite_master where sql is not null and (type <> 'table' or sql like '%virtual%')`,
  sql`
    select 'column ' || tables.name || json_array(c.name, c.type, c."notnull", c.dflt_value, c.pk) as line
    from ${TABLES} join pragma_table_xinfo(tables.name) as c`,
  sql`
    select 'reference ' || tables.name || json_array(f."from", f."table", f."to", f.on_delete) as line
    from ${TABLES} join pragma_foreign_key_list(tables.name) as f`,
  sql`
    select 'constraint ' || tables.name || i.origin || (
      select json_group_array(name) from pragma_index_info(i.name)
    ) as line
    from ${TABLES} join pragma_index_list(tables.name) as i where i.origin <> 'c'`,
];

const OF_POSTGRES: ReadonlyArray<RawBuilder<Line>> = [
  sql`
    select 'column ' || concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attnotnull, attcompression,
      attstorage, collname, attidentity, pg_get_expr(adbin, adrelid)) as line
    from pg_attribute
    join pg_class on pg_class.oid = attrelid and relkind = 'r' and relnamespace = 'public'::regnamespace
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    left join pg_collation on pg_collation.oid = attcollation
    where attnum > 0 and not attisdropped and relname not like 'kysely%'`,
  sql`select indexdef as line from pg_indexes where schemaname = 'public' and tablename not like 'kysely%'`,
  sql`
    select 'constraint ' || concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid)) as line
    from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n' and conrelid::regclass::text not like 'kysely%'`,
  sql`select pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal`,
  sql`select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'public'::regnamespace`,
];
