import { type RawBuilder, sql } from 'kysely';
import type { Queries } from './database.ts';
import { engineOf } from './engine.ts';
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
 * Whether counts may be read here. PostgreSQL holds what a transaction reads against what others write, and rows
 * that so many write to would make transactions collide that have nothing to do with each other.
 */
export const canReadRowCounts = (queries: Queries): boolean =>
  !(queries.isTransaction && engineOf(queries) === 'postgres');

/** The rows of kinds that are columns of a query, to be counted where counts may not be read. */
const ROWS = {
  'teams of member': (owner) => sql`"teamMembers" as "counted" where "counted"."user" = ${owner}`,
  'members of team': (owner) => sql`"teamMembers" as "counted" where "counted"."team" = ${owner}`,
  'change requests': (owner) => sql`"changeRequests" as "counted" where "counted"."space" = ${owner}`,
  'change requests open': (owner) => sql`
    "changeRequests" as "counted" where "counted"."space" = ${owner} and "counted"."status" = 'open'`,
  'change requests draft': (owner) => sql`
    "changeRequests" as "counted" where "counted"."space" = ${owner} and "counted"."status" = 'draft'`,
  'comments open': (owner) => sql`
    "comments" as "counted" where "counted"."parent" is null and "counted"."status" = 'open' and (
      "counted"."changeRequest" = ${owner}
      or ("counted"."space" = ${owner} and "counted"."changeRequest" is null))`,
  'grants team': (owner) => sql`
    "grants" as "counted" where "counted"."subjectKind" = 'team' and "counted"."target" = ${owner}`,
  replies: (owner) => sql`"comments" as "counted" where "counted"."parent" = ${owner}`,
} as const satisfies Partial<Record<RowCountKind, (owner: RawBuilder<unknown>) => RawBuilder<unknown>>>;

/**
 * How many rows there are, as a column of a query.
 *
 * @param organization the organization, or the column that names it
 * @param owner what the rows belong to, or the column that names it
 * @example rowCountOf(queries, 'members of team', 'teams.organization', 'teams.id').as('members')
 */
export function rowCountOf(
  queries: Queries,
  kind: keyof typeof ROWS,
  organization: string | RawBuilder<unknown>,
  owner: string | RawBuilder<unknown>,
): RawBuilder<number> {
  const of = typeof organization === 'string' ? sql.ref(organization) : organization;
  const by = typeof owner === 'string' ? sql.ref(owner) : owner;
  if (!canReadRowCounts(queries))
    return sql<number>`(
      select count(*) from ${ROWS[kind](by)} and "counted"."organization" = ${of})`;
  return sql<number>`(
    select coalesce(sum("rowCounts"."value"), 0) from "rowCounts"
    where "rowCounts"."organization" = ${of}
      and "rowCounts"."kind" = ${sql.lit(kind)} and "rowCounts"."owner" = ${by})`;
}
