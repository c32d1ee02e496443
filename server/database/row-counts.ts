import { type RawBuilder, sql } from 'kysely';
import type { Queries } from './database.ts';
import { engineOf } from './engine.ts';
import type { RowCountKind } from './schema/row-counts.ts';
import { type ParametersOf, statement } from './statement.ts';

/** Rows to count: of a kind in an organization, optionally those that belong to `owner`. */
export interface CountedRows {
  organization: string;
  kind: RowCountKind;
  /** The ID of a resource. */
  owner?: string;
}

/** Reads the number of rows, which triggers maintain, without reading the rows. */
export async function readRowCount(queries: Queries, rows: CountedRows): Promise<number> {
  const row = await findCount.first(queries, { owner: '', ...rows });
  return row?.count ?? 0;
}

const findCount = statement((queries, { organization, kind, owner }: ParametersOf<Required<CountedRows>>) =>
  queries
    .selectFrom('rowCounts')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('value'), sql.lit(0)).as('count'))
    .where('organization', '=', organization)
    .where('kind', '=', kind)
    .where('owner', '=', owner)
    .compile(),
);

/** Reads the numbers of rows that belong to each of some owners; those without rows are absent. */
export async function readRowCounts(
  queries: Queries,
  { organization, kind }: Omit<CountedRows, 'owner'>,
  owners: readonly string[],
): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('rowCounts')
    .select(['owner', ({ fn }) => fn.sum<number>('value').as('count')])
    .where('organization', '=', organization)
    .where('kind', '=', kind)
    .where('owner', 'in', owners)
    .groupBy('owner')
    .execute();
  return new Map(rows.map(({ owner, count }) => [owner, count]));
}

/**
 * Returns whether maintained counts can be read. Not in serializable transactions of PostgreSQL: many unrelated
 * transactions write to these rows and would conflict with the read.
 */
export const canReadRowCounts = (queries: Queries): boolean =>
  !(queries.isTransaction && engineOf(queries) === 'postgres');

/** The rows of each kind that is used as a column, for counting if maintained counts cannot be read. */
const ROWS = {
  'teams of member': (owner) => sql`"teamMembers" as "counted" where "counted"."user" = ${owner}`,
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
  'spaces in collection': (owner) => sql`
    "spaces" as "counted" where "counted"."parent" = ${owner} and "counted"."deletedAt" is null`,
  replies: (owner) => sql`"comments" as "counted" where "counted"."parent" = ${owner}`,
} as const satisfies Partial<Record<RowCountKind, (owner: RawBuilder<unknown>) => RawBuilder<unknown>>>;

/**
 * Creates a query column with the number of rows.
 *
 * @param organization the organization, or its column
 * @param owner the ID of the resource that the rows belong to, or its column
 * @example rowCountOf(queries, 'replies', 'comments.organization', 'comments.id').as('replies')
 */
export function rowCountOf(
  queries: Queries,
  kind: keyof typeof ROWS,
  organization: string | RawBuilder<unknown>,
  owner: string | RawBuilder<unknown>,
): RawBuilder<number> {
  const of = typeof organization === 'string' ? sql.ref(organization) : organization;
  const by = typeof owner === 'string' ? sql.ref(owner) : owner;
  if (!canReadRowCounts(queries)) {
    return sql<number>`(
      select count(*) from ${ROWS[kind](by)} and "counted"."organization" = ${of})`;
  }
  return maintainedCountOf(kind, of, by);
}

/**
 * Creates a query column with a maintained number of rows, which requires {@link canReadRowCounts}.
 *
 * @param organization the organization, or its column
 * @param owner the ID of the resource that the rows belong to, or its column; '' for the organization
 */
export const maintainedCountOf = (
  kind: RowCountKind,
  organization: RawBuilder<unknown>,
  owner: RawBuilder<unknown>,
): RawBuilder<number> => sql<number>`(
  select coalesce(sum("rowCounts"."value"), 0) from "rowCounts"
  where "rowCounts"."organization" = ${organization}
    and "rowCounts"."kind" = ${sql.lit(kind)} and "rowCounts"."owner" = ${owner})`;
