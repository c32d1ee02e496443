import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import { lookUp } from '../database/lookups.ts';
import { maintainedCountOf } from '../database/row-counts.ts';
import {
  isBelowGranted,
  isGranted,
  type Subject,
  selectGranted,
  visibleCollectionsOf,
} from './visibility.ts';

/*
 * Counts of the resources visible to a subject with many grants. The largest source of grants, which is the subject or
 * one of their teams, and the spaces in collections are taken from maintained counts. Only the smaller sides of their
 * overlaps are read. Each count is one statement, so that its parts belong to the same state of the database. These
 * functions require that maintained counts can be read.
 */

type TargetKind = 'space' | 'collection';

/** Number of grants of the largest source. */
const LARGEST_SOURCE_GRANTS = sql<number>`(select "count" from "largest")`;

/** Condition that a grant belongs to the largest source. */
const isGrantOfLargestSource = (organization: string, targetKind: TargetKind) => sql`
  "grants"."organization" = ${organization} and "grants"."targetKind" = ${sql.lit(targetKind)}
  and "grants"."subjectKind" = (select "kind" from "largest")
  and "grants"."subject" = (select "id" from "largest")`;

/**
 * Counts the spaces visible to a subject.
 *
 * @param options.startsFromCounts whether visible collections with spaces are found among those of the organization,
 *   instead of starting from the grants; both find the same
 */
export async function countSpacesByCounts(
  queries: Queries,
  subject: Subject,
  { startsFromCounts }: { startsFromCounts: boolean },
): Promise<number> {
  const { organization } = subject;
  const inCollections = sql`coalesce((select sum("containers"."spaces") from "containers"), 0)`;
  return await readCount(
    queries,
    sql`
      with recursive ${sources(queries, subject, 'space')},
      "containers" as (${collectionsWithSpaces(queries, subject, startsFromCounts)})
      select ${LARGEST_SOURCE_GRANTS} - ${deletedInLargest(queries, organization)}
        + (
          select count(*) from (${otherGrants(queries, organization, 'space')}) as "others"
          ${lookUp(queries, 'spaces', ['id'], sql`"spaces"."id" = "others"."id" and "spaces"."deletedAt" is null`)})
        + ${inCollections} - ${grantedInCollections(queries, subject, inCollections)} as "count"`,
  );
}

/** Counts the spaces of the largest source that are deleted, starting from the smaller number. */
function deletedInLargest(queries: Queries, organization: string): RawBuilder<number> {
  const deleted = maintainedCountOf('spaces deleted', sql`${organization}`, sql`''`);
  // A range of an index, which `is not null` is not on each engine.
  const isDeleted = sql`"spaces"."deletedAt" > ''`;
  const isTarget = sql`"grants"."target" = "spaces"."id"`;
  return sql<number>`case when ${deleted} <= ${LARGEST_SOURCE_GRANTS} then (
      select count(*) from "spaces"
      ${lookUp(queries, 'grants', ['target'], sql`${isGrantOfLargestSource(organization, 'space')} and ${isTarget}`)}
      where "spaces"."organization" = ${organization} and ${isDeleted})
    else (
      select count(*) from "grants"
      ${lookUp(queries, 'spaces', ['id'], sql`${isTarget} and ${isDeleted}`)}
      where ${isGrantOfLargestSource(organization, 'space')})
    end`;
}

/** Counts the granted spaces that are in visible collections, too, starting from the smaller number. */
function grantedInCollections(
  queries: Queries,
  subject: Subject,
  inCollections: RawBuilder<unknown>,
): RawBuilder<number> {
  const granted = selectGranted(queries, { ...subject, ids: [subject.id] }, 'space');
  const isContained = sql`"spaces"."parent" = "containers"."id" and "spaces"."deletedAt" is null`;
  const isDirect = sql`"spaces"."id" = "direct"."id" and "spaces"."deletedAt" is null`;
  return sql<number>`case when ${inCollections} <= ${LARGEST_SOURCE_GRANTS} then (
      select count(*) from "containers" ${lookUp(queries, 'spaces', ['id'], isContained)}
      where ${isGranted(queries, subject, 'space', sql.ref('spaces.id'))})
    else (
      select count(*) from (select distinct "id" from (${granted}) as "granted") as "direct"
      ${lookUp(queries, 'spaces', ['parent'], isDirect)}
      where "spaces"."parent" in (select "id" from "containers"))
    end`;
}

/** Selects the visible collections that contain spaces, with the numbers of these. */
function collectionsWithSpaces(
  queries: Queries,
  subject: Subject,
  startsFromCounts: boolean,
): RawBuilder<unknown> {
  const { organization, id } = subject;
  if (startsFromCounts) {
    return sql`
      select "id", "spaces" from (
        select "owner" as "id", sum("value") as "spaces" from "rowCounts"
        where "organization" = ${organization} and "kind" = 'spaces in collection' group by "owner"
      ) as "counted"
      where "spaces" > 0 and ${isBelowGranted(queries, subject, sql.ref('counted.id'))}`;
  }
  const spaces = maintainedCountOf('spaces in collection', sql`${organization}`, sql.ref('visible.id'));
  return sql`
    select "visible"."id" as "id", ${spaces} as "spaces"
    from (${visibleCollectionsOf(queries, { ...subject, ids: [id] })}) as "visible"`;
}

/**
 * Counts the collections visible to a subject. Reads the nested collections of the organization.
 *
 * @param options.nested whether to include collections in other collections
 */
export async function countCollectionsByCounts(
  queries: Queries,
  subject: Subject,
  { nested }: { nested: boolean },
): Promise<number> {
  const { organization } = subject;
  const granted = isGranted(queries, subject, 'collection', sql.ref('collections.id'));
  // Adds descendants that are not granted themselves, or subtracts granted ones that are nested.
  const condition = nested
    ? sql`${isBelowGranted(queries, subject, sql.ref('collections.parent'))} and not coalesce(${granted}, 1 = 0)`
    : granted;
  return await readCount(
    queries,
    sql`
      with recursive ${sources(queries, subject, 'collection')}
      select ${LARGEST_SOURCE_GRANTS}
        + (select count(*) from (${otherGrants(queries, organization, 'collection')}) as "others")
        ${sql.raw(nested ? '+' : '-')} (
          select count(*) from "collections"
          where "collections"."organization" = ${organization} and "collections"."parent" > '' and ${condition}
        ) as "count"`,
  );
}

/** Defines "sources", the subject and their teams with their numbers of grants, and "largest", one of them. */
function sources(
  queries: Queries,
  { organization, kind, id }: Subject,
  targetKind: TargetKind,
): RawBuilder<unknown> {
  const counted = `${targetKind}s granted` as const;
  const own = maintainedCountOf(counted, sql`${organization}`, sql`${id}`);
  const isOfTeam = sql`
    "rowCounts"."organization" = ${organization} and "rowCounts"."kind" = ${sql.lit(counted)}
    and "rowCounts"."owner" = "teamMembers"."team"`;
  const ofTeams = sql`
    union all
    select 'team' as "kind", "teamMembers"."team" as "id", sum("rowCounts"."value") as "count" from "teamMembers"
    ${lookUp(queries, 'rowCounts', ['value'], isOfTeam)}
    where "teamMembers"."organization" = ${organization} and "teamMembers"."user" = ${id}
    group by "teamMembers"."team"`;
  return sql`
    "sources" as (
      select ${sql.lit(kind)} as "kind", cast(${id} as text) as "id", ${own} as "count"
      ${kind === 'user' ? ofTeams : sql``}),
    "largest" as (select "kind", "id", "count" from "sources" order by "count" desc limit 1)`;
}

/** Selects what was granted to the other sources, without what was granted to the largest, too. */
function otherGrants(queries: Queries, organization: string, targetKind: TargetKind): RawBuilder<unknown> {
  const isOfSource = sql`
    "grants"."organization" = ${organization} and "grants"."targetKind" = ${sql.lit(targetKind)}
    and "grants"."subjectKind" = "sources"."kind" and "grants"."subject" = "sources"."id"`;
  return sql`
    select "id" from (
      select distinct "grants"."target" as "id" from "sources"
      ${lookUp(queries, 'grants', ['target'], isOfSource)}
      where "sources"."id" <> (select "id" from "largest")
    ) as "granted"
    where (
      select 1 from "grants" where ${isGrantOfLargestSource(organization, targetKind)} and "grants"."target" = "granted"."id"
    ) is null`;
}

async function readCount(queries: Queries, query: RawBuilder<unknown>): Promise<number> {
  // The queries of this module select one row with this column.
  const { rows } = await (query as RawBuilder<{ count: number }>).execute(queries);
  return rows[0]?.count ?? 0;
}
