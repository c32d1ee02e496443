import { type RawBuilder, sql } from 'kysely';
import type { Queries } from './database.ts';
import type { RowCountKind } from './schema/row-counts.ts';

/** What is counted: rows of a kind in an organization, or of what belongs to `owner` there. */
export interface CountedRows {
  organization: string;
  kind: RowCountKind;
  /** An id. */
  owner?: string;
}

/** How many rows there are: kept by the database as rows come and go, so that no row is read. */
export async function readRowCount(queries: Queries, rows: CountedRows): Promise<number> {
  const { count } = await queries
    .selectFrom('rowCounts')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('value'), sql.lit(0)).as('count'))
    .where('organization', '=', rows.organization)
    .where('kind', '=', rows.kind)
    .where('owner', '=', rows.owner ?? '')
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * How many rows there are, as a column of a query.
 *
 * @param organization the column that names the organization
 * @param owner the column that names what the rows belong to
 * @example rowCountOf('members of team', 'teams.organization', 'teams.id').as('members')
 */
export function rowCountOf(kind: RowCountKind, organization: string, owner: string): RawBuilder<number> {
  return sql<number>`(
    select coalesce(sum("rowCounts"."value"), 0) from "rowCounts"
    where "rowCounts"."organization" = ${sql.ref(organization)}
      and "rowCounts"."kind" = ${sql.lit(kind)} and "rowCounts"."owner" = ${sql.ref(owner)})`;
}
