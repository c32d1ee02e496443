import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from './database.ts';
import { engineOf } from './engine.ts';
import type { Schema } from './schema.ts';

/**
 * Creates a reference to a text column that prevents the use of an index. Without statistics, a query planner may
 * otherwise prefer the index of a column with few values over that of the requested IDs.
 *
 * @example query.where('teams.id', 'in', ids).where(notIndexed('teams.organization'), '=', organization)
 */
export const notIndexed = (column: string): RawBuilder<string> => sql<string>`(${sql.ref(column)} || '')`;

/**
 * Creates a join that looks up rows of a table for each row of the preceding relation, regardless of the statistics of
 * the query planner. For parts of a query that yield few rows from large tables.
 *
 * @param columns the columns used by the rest of the query
 * @param on the join condition, which refers to the table by its name or alias
 * @example sql`from children ${lookUp(queries, 'spaces', ['id'], sql`"spaces"."parent" = children.id`)}`
 */
export function lookUp(
  queries: Queries,
  table: keyof Schema,
  columns: readonly string[] | 'all',
  on: RawBuilder<unknown>,
  alias: string = table,
): RawBuilder<unknown> {
  const from = alias === table ? sql.table(table) : sql`${sql.table(table)} as ${sql.table(alias)}`;
  // SQLite does not reorder cross joins, and does not support lateral ones.
  if (engineOf(queries) !== 'postgres') {
    return sql`cross join ${from} on ${on}`;
  }
  // `offset 0` prevents PostgreSQL from flattening the subquery.
  const selected =
    columns === 'all'
      ? sql`${sql.table(alias)}.*`
      : sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)));
  return sql`cross join lateral (select ${selected} from ${from} where ${on} offset 0) as ${sql.table(alias)}`;
}

/** A list of any length as one parameter: its values, or a parameter of a statement. */
export type List = readonly string[] | Expression<readonly string[]>;

/**
 * Creates a relation with the column `id`, for a join with {@link lookUp}. With `in (…)`, a query planner may read all
 * rows with the preceding columns of an index, and compare each with the IDs. The IDs are one parameter, so that the
 * time to compile and plan the statement does not depend on their number.
 *
 * @param ids any number
 * @param alias name of the relation
 * @example
 * sql`from ${listed(queries, ids, 'ids')} ${lookUp(queries, 'teams', ['title'], sql`"teams"."id" = "ids"."id"`)}`
 */
export const listed = (queries: Queries, ids: List, alias: string): RawBuilder<unknown> =>
  engineOf(queries) === 'postgres'
    ? sql`unnest(${ids}::text[]) as ${sql.table(alias)} ("id")`
    : sql`(select "value" as "id" from json_each(${ids})) as ${sql.table(alias)}`;

/**
 * Creates a condition that a text column has one of many values, which both engines look up in its index. Unlike with
 * `in`, which suffices for a batch or a page, the values are one parameter, so that the statement stays short.
 *
 * @param values any number
 */
export const isOneOf = (queries: Queries, column: string, values: List): RawBuilder<SqlBool> =>
  engineOf(queries) === 'postgres'
    ? sql`${sql.ref(column)} = any(${values}::text[])`
    : sql`${sql.ref(column)} in (select "value" from json_each(${values}))`;
