import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { batches } from '../database/batches.ts';
import { cachedCounts } from '../database/cached-counts.ts';
import type { Queries } from '../database/database.ts';
import { lookUp } from '../database/lookups.ts';
import { canReadRowCounts, rowCountOf } from '../database/row-counts.ts';
import type { CollectionsTable } from '../database/schema/collections.ts';
import type { SpacesTable } from '../database/schema/spaces.ts';
import type { Membership } from './membership.ts';

/*
 * Parts of queries that select the resources visible to guests. They start from grants, so that their cost depends on
 * the guest's grants and not on the size of the organization. Members with a role see everything.
 */

/** Maximum number of subjects in one statement. */
const BATCH_SIZE = 500;

/** Maximum number of resources visible to a guest that a list sorts, instead of filtering those of all members. */
export const MAX_SORTED_VISIBLE = 2000;

/** Selects the IDs of the resources that a member, or a team of theirs, was granted the level `admin` on. */
function administrationGrantedTo(
  queries: Queries,
  { organization, user }: Membership,
  kind: 'space' | 'collection',
) {
  // The role is a literal, as in the condition of the index.
  const grants = (subject: 'user' | 'team') => sql`
    "grants"."organization" = ${organization} and "grants"."subjectKind" = ${sql.lit(subject)}
    and "grants"."targetKind" = ${sql.lit(kind)} and "grants"."role" = 'admin'`;
  return sql`
    select "grants"."target" as "id" from "grants" where ${grants('user')} and "grants"."subject" = ${user}
    union all
    select "grants"."target" as "id" from "teamMembers"
    ${lookUp(queries, 'grants', ['target'], sql`${grants('team')} and "grants"."subject" = "teamMembers"."team"`)}
    where "teamMembers"."organization" = ${organization} and "teamMembers"."user" = ${user}`;
}

/**
 * Selects the IDs of the spaces and collections that a member administers without being an admin of the organization:
 * by a grant on them or their ancestors, or by the nearest default level.
 */
export function administeredBy(queries: Queries, member: Membership): RawBuilder<{ id: string }> {
  // Guests have explicit grants only. The level is a literal, as in the conditions of indexes.
  const defaultsOf = (table: 'spaces' | 'collections') => sql`
    select "id" from ${sql.table(table)}
    where "organization" = ${member.organization} and "defaultLevel" = 'admin'
      and ${sql.lit(member.role === undefined ? 0 : 1)} = 1`;
  const collectionsIn = (source: 'byGrant' | 'byDefault', condition = sql``) =>
    lookUp(
      queries,
      'collections',
      ['id'],
      sql`"collections"."parent" = ${sql.ref(`${source}.id`)} ${condition}`,
    );
  const spacesIn = (source: 'byGrant' | 'byDefault', condition = sql``) => sql`
    select "spaces"."id" from ${sql.table(source)}
    ${lookUp(
      queries,
      'spaces',
      ['id'],
      sql`"spaces"."parent" = ${sql.ref(`${source}.id`)} and "spaces"."deletedAt" is null ${condition}`,
    )}`;
  const isLive = sql`"spaces"."id" = "direct"."id" and "spaces"."deletedAt" is null`;
  return sql`(
    with recursive "byGrant" as (
      ${administrationGrantedTo(queries, member, 'collection')}
      union select "collections"."id" from "byGrant" ${collectionsIn('byGrant')}
    ), "byDefault" as (
      ${defaultsOf('collections')}
      union select "collections"."id" from "byDefault"
        ${collectionsIn('byDefault', sql`and "collections"."defaultLevel" is null`)}
    )
    select "id" from "byGrant"
    union select "id" from "byDefault"
    union ${defaultsOf('spaces')} and "deletedAt" is null
    union select "spaces"."id" from (${administrationGrantedTo(queries, member, 'space')}) as "direct"
      ${lookUp(queries, 'spaces', ['id'], isLive)}
    union ${spacesIn('byGrant')}
    union ${spacesIn('byDefault', sql`and "spaces"."defaultLevel" is null`)})`;
}

/** Subjects of grants: some members, including the grants to their teams, or some teams. */
interface Subjects {
  organization: string;
  kind: 'user' | 'team';
  ids: readonly string[];
}

/** Selects the resources of one kind that were granted, each with the subject that holds the grant. */
function selectGranted(
  queries: Queries,
  { organization, kind, ids }: Subjects,
  target: 'space' | 'collection',
) {
  const grants = (subject: 'user' | 'team') => sql`
    "grants"."organization" = ${organization} and "grants"."subjectKind" = ${sql.lit(subject)}
    and "grants"."targetKind" = ${sql.lit(target)}`;
  const own = sql`
    select "grants"."subject" as "subject", "grants"."target" as "id" from "grants"
    where ${grants(kind)} and "grants"."subject" in (${sql.join(ids)})`;
  if (kind === 'team') {
    return own;
  }
  return sql`${own} union all
    select "teamMembers"."user" as "subject", "grants"."target" as "id" from "teamMembers"
    ${lookUp(queries, 'grants', ['target'], sql`${grants('team')} and "grants"."subject" = "teamMembers"."team"`)}
    where "teamMembers"."organization" = ${organization} and "teamMembers"."user" in (${sql.join(ids)})`;
}

/** Selects `subject` and `id` of the collections visible by grants on them or their ancestors. */
const visibleCollectionsOf = (queries: Queries, subjects: Subjects) => sql`
  with recursive "visible" as (
    ${selectGranted(queries, subjects, 'collection')}
    union
    select "visible"."subject", "collections"."id" from "visible"
    ${lookUp(queries, 'collections', ['id'], sql`"collections"."parent" = "visible"."id"`)}
  ) select "subject", "id" from "visible"`;

/** Selects `subject` and `id` of the spaces visible by grants on them or their ancestors. */
const visibleSpacesOf = (queries: Queries, subjects: Subjects) => sql`
  ${selectGranted(queries, subjects, 'space')}
  union
  select "visible"."subject", "spaces"."id" from (${visibleCollectionsOf(queries, subjects)}) as "visible"
  ${lookUp(queries, 'spaces', ['id'], sql`"spaces"."parent" = "visible"."id"`)}`;

const subjectOf = ({ organization, user }: Membership): Subjects => ({
  organization,
  kind: 'user',
  ids: [user],
});

/** Selects the collections visible to a guest: granted ones and their descendants. The cost depends on their number. */
export const collectionsVisibleToGuest = (queries: Queries, guest: Membership) => sql<
  Selectable<CollectionsTable>
>`(
  select "collections".* from (${visibleCollectionsOf(queries, subjectOf(guest))}) as "visible"
  ${lookUp(queries, 'collections', 'all', sql`"collections"."id" = "visible"."id"`)})`;

/**
 * Selects the spaces visible to a guest: granted ones, and those in visible collections. The cost depends on their
 * number.
 */
export const spacesVisibleToGuest = (queries: Queries, guest: Membership) => sql<Selectable<SpacesTable>>`(
  select "spaces".* from (${visibleSpacesOf(queries, subjectOf(guest))}) as "visible"
  ${lookUp(queries, 'spaces', 'all', sql`"spaces"."id" = "visible"."id"`)})`;

/** Condition that the collection of the current row is visible to a guest. The cost is independent of others. */
export const isCollectionVisibleToGuest = (queries: Queries, guest: Membership): RawBuilder<SqlBool> =>
  isBelowGranted(queries, guest, sql.ref('collections.id'));

/** Condition that the space of the current row is visible to a guest. The cost is independent of other resources. */
export const isSpaceVisibleToGuest = (
  queries: Queries,
  guest: Membership,
): RawBuilder<SqlBool> => sql<SqlBool>`(
  ${isGranted(queries, guest, 'space', sql.ref('spaces.id'))}
  or ${isBelowGranted(queries, guest, sql.ref('spaces.parent'))})`;

/** Condition that a collection or one of its ancestors was granted to a guest. */
const isBelowGranted = (
  queries: Queries,
  guest: Membership,
  collection: RawBuilder<unknown>,
) => sql<SqlBool>`(
  select 1 from (
    with recursive "ancestors"("id") as (
      select ${collection}
      union
      select "parents"."parent" from "ancestors"
      ${lookUp(queries, 'collections', ['parent'], sql`"parents"."id" = "ancestors"."id"`, 'parents')}
    ) select "id" from "ancestors"
  ) as "lineage"
  where ${isGranted(queries, guest, 'collection', sql.ref('lineage.id'))} limit 1) = 1`;

/** Condition that a resource was granted to a guest or a team of theirs. */
function isGranted(
  queries: Queries,
  { organization, user }: Membership,
  kind: 'space' | 'collection',
  target: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const grant = (subject: 'user' | 'team') => sql`
    "grants"."targetKind" = ${sql.lit(kind)} and "grants"."target" = ${target}
    and "grants"."subjectKind" = ${sql.lit(subject)} and "grants"."organization" = ${organization}`;
  const membership = sql`"teamMembers"."user" = ${user} and "teamMembers"."organization" = ${organization}`;
  // Selects a value instead of `exists`, which PostgreSQL may evaluate by reading all grants once for all rows.
  const own = sql`(select 1 from "grants" where ${grant('user')} and "grants"."subject" = ${user}) = 1`;
  const isTheirs = sql`"teamMembers"."team" = "grants"."subject"`;
  const fromGrants = sql`(
    select 1 from "grants"
    ${lookUp(queries, 'teamMembers', ['team'], sql`${isTheirs} and ${membership}`)}
    where ${grant('team')} limit 1)`;
  if (!canReadRowCounts(queries)) {
    return sql<SqlBool>`(${own} or ${fromGrants} = 1)`;
  }
  const fromTeams = sql`(
    select 1 from "teamMembers"
    ${lookUp(queries, 'grants', ['subject'], sql`${isTheirs} and ${grant('team')}`)}
    where ${membership} limit 1)`;
  // Starts from the table with fewer rows.
  const teams = rowCountOf(queries, 'teams of member', sql`${organization}`, sql`${user}`);
  const granted = rowCountOf(queries, 'grants team', sql`${organization}`, target);
  return sql<SqlBool>`(${own} or
    case when ${teams} = 0 then null when ${granted} <= ${teams} then ${fromGrants} else ${fromTeams} end = 1)`;
}

/**
 * Counts the spaces visible to each guest, or by the grants to each team.
 *
 * @param guest counts only spaces that are also visible to this guest
 */
export async function countSpacesVisibleBySubject(
  queries: Queries,
  { organization, kind, ids: subjects }: Subjects,
  guest?: Membership,
): Promise<Map<string, number>> {
  const views = [...new Set(subjects)].map((id) => {
    // What a guest sees is visible to that guest.
    const by = guest?.user === id ? undefined : guest;
    return {
      id,
      by,
      key: `spaces of ${kind} ${id} by ${by?.user ?? ''}`,
      // Changes of teams affect all users: their version is that of ''.
      owners: ['', ...(kind === 'user' ? [id] : []), ...(by ? [by.user] : [])],
    };
  });
  const counts = await cachedCounts(queries, organization, views, async (missing) => {
    const counted = new Map<string, number>();
    for (const [by, ofOneCaller] of Map.groupBy(missing, (view) => view.by)) {
      for (const batch of batches(ofOneCaller, BATCH_SIZE)) {
        const ids = batch.map(({ id }) => id);
        const isCounted = sql`
          "spaces"."id" = "visible"."id" and "spaces"."deletedAt" is null
          ${by ? sql`and ${isSpaceVisibleToGuest(queries, by)}` : sql``}`;
        const { rows } = await sql<{ subject: string; count: number }>`
          select "visible"."subject", count(*) as "count"
          from (${visibleSpacesOf(queries, { organization, kind, ids })}) as "visible"
          ${lookUp(queries, 'spaces', ['id'], isCounted)}
          group by "visible"."subject"`.execute(queries);
        for (const { subject, count } of rows) {
          counted.set(subject, count);
        }
      }
    }
    return missing.map(({ id }) => counted.get(id) ?? 0);
  });
  return new Map(views.map(({ id }, index) => [id, counts[index] ?? 0]));
}

/** Counts the collections visible to a guest. */
export async function countCollectionsVisibleToGuest(
  queries: Queries,
  guest: Membership,
  { nested }: { nested: boolean },
): Promise<number> {
  const view = { key: `${nested ? '' : 'root '}collections of user ${guest.user}`, owners: ['', guest.user] };
  const [count = 0] = await cachedCounts(queries, guest.organization, [view], async () => {
    const isCounted = sql`
      "collections"."id" = "visible"."id" ${nested ? sql`` : sql`and "collections"."parent" is null`}`;
    const { rows } = await sql<{ count: number }>`
      select count(*) as "count" from (${visibleCollectionsOf(queries, subjectOf(guest))}) as "visible"
      ${lookUp(queries, 'collections', ['id'], isCounted)}`.execute(queries);
    return rows.map(({ count }) => count);
  });
  return count;
}
