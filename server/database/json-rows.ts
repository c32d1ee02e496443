import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { jsonArrayFrom as postgresArrayFrom } from 'kysely/helpers/postgres';
import { jsonArrayFrom as sqliteArrayFrom } from 'kysely/helpers/sqlite';
import type { Queries } from './database.ts';
import { engineOf } from './engine.ts';
import type { JsonText } from './json.ts';
import type { Schema } from './schema.ts';

/**
 * Creates a column with the rows of a query as JSON, in their order: what belongs to a row is read in its statement.
 *
 * @param query selects each column by name, without bytes
 * @example queries.selectFrom('sites').select([jsonRows(queries, selectSpaces(queries)).as('spaces')])
 */
export function jsonRows<Tables extends keyof Schema, Row>(
  queries: Queries,
  query: SelectQueryBuilder<Schema, Tables, Row>,
): RawBuilder<JsonText<Row[]>> {
  // The driver of PostgreSQL would parse a column of the type json.
  return engineOf(queries) === 'postgres'
    ? sql<JsonText<Row[]>>`cast(${postgresArrayFrom(query)} as text)`
    : sql<JsonText<Row[]>>`${sqliteArrayFrom(query)}`;
}
