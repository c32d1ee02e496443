import { type QueryExecutorProvider, sql } from 'kysely';

/*
 * What a database that is sharded by organization cannot do, or only through a coordinator: the rules that Citus (with
 * the distribution column `organization`), CockroachDB and YugabyteDB have in common. They are checked on the text of
 * statements, whose identifiers are quoted, and on the catalog of a migrated database.
 */

/** Statements that need a session, a lock or an order of all shards. */
const SHARED_STATE: ReadonlyArray<readonly [rule: string, pattern: RegExp]> = [
  ['serializable', /^begin isolation level serializable/],
  ['advisory lock', /\bpg_advisory\w*\(/],
  ['row lock', /\bfor (?:no key )?(?:update|share)\b/],
  ['notification', /^listen |\bpg_notify\(/],
  ['table lock', /^lock table/],
];

/** A comparison of the organization with a value; `= any` is that with several. */
const OF_ORGANIZATION = /"organization"(?:\s*=\s*(?:any\s*\()?\s*(?:cast\()?\$\d+|\s+in\s+\(\$\d+)/;
const INSERT = /^\s*insert into "(\w+)" \(([^)]*)\)/;

/**
 * Returns what a statement requires beyond one shard, as the name of a rule and what it applies to; empty if nothing.
 *
 * @param distributed names of the tables with data of an organization
 */
export function violationsOf(text: string, distributed: ReadonlySet<string>): string[] {
  const statement = text.toLowerCase();
  const found = SHARED_STATE.flatMap(([rule, pattern]) => (pattern.test(statement) ? [rule] : []));
  const tables = [...new Set([...text.matchAll(/"(\w+)"/g)].map(([, name = '']) => name))]
    .filter((name) => distributed.has(name))
    .sort();
  const insert = INSERT.exec(text);
  const isOfOneShard = OF_ORGANIZATION.test(text) || insert?.[2]?.includes('"organization"') === true;
  if (tables.length > 0 && !isOfOneShard) {
    const [, verb = 'select'] = /\b(insert|update|delete)\b/.exec(statement) ?? [];
    found.push(`all shards: ${verb} ${tables.join(' ')}`);
  }
  return found;
}

interface CatalogRow {
  rule: string;
  name: string;
}

/** Returns the tables with data of an organization, which would be distributed. */
export async function distributedTables(db: QueryExecutorProvider): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select table_name as "name" from information_schema.columns
    where table_schema = 'public' and column_name = 'organization'`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Returns what the tables, constraints and triggers of a migrated database require beyond one shard. */
export async function catalogViolations(db: QueryExecutorProvider): Promise<string[]> {
  const { rows } = await sql<CatalogRow>`
    with "distributed" as (
      select attrelid as "oid", attnum from pg_attribute
      join pg_class on pg_class.oid = attrelid
      where attname = 'organization' and relkind = 'r' and relnamespace = 'public'::regnamespace
    )
    select case contype when 'f' then 'foreign key' else 'unique' end as "rule",
      concat(relname, ' (', (
        select string_agg(attname, ', ' order by position)
        from unnest(conkey) with ordinality as keys (attnum, position)
        join pg_attribute on attrelid = conrelid and pg_attribute.attnum = keys.attnum
      ), ')') as "name"
    from pg_constraint join "distributed" on "distributed"."oid" = conrelid join pg_class on pg_class.oid = conrelid
    where contype in ('p', 'u', 'f') and not "distributed".attnum = any(conkey)
    union all
    select 'unique', concat(tables.relname, ' ', indexes.relname)
    from pg_index join "distributed" on "distributed"."oid" = indrelid
    join pg_class as tables on tables.oid = indrelid join pg_class as indexes on indexes.oid = indexrelid
    where indisunique and not "distributed".attnum = any(indkey::int2[])
      and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select distinct 'trigger', relname
    from pg_trigger join "distributed" on "distributed"."oid" = tgrelid join pg_class on pg_class.oid = tgrelid
    where not tgisinternal
    union all
    select 'deferred constraint', conname from pg_constraint where condeferrable and connamespace = 'public'::regnamespace
    union all
    select 'no organization', relname from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'
      and oid not in (select "oid" from "distributed")`.execute(db);
  return rows.map(({ rule, name }) => `${rule}: ${name}`).sort();
}
