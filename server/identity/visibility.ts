import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import { listed, lookUp } from '../database/lookups.ts';
import { canReadRowCounts, rowCountOf } from '../database/row-counts.ts';
import type { CollectionsTable } from '../database/schema/spaces/collections.ts';
import type { SpacesTable } from '../database/schema/spaces/spaces.ts';
import { isInstalledOn } from './installations.ts';
import type { Membership } from './membership.ts';

/*
 * Parts of queries that select the resources visible to guests. They start from grants, so that their cost depends on
 * the guest's grants and not on the size of the organization. Members with a role see everything.
 */

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
export interface Subjects {
  organization: string;
  kind: 'user' | 'team';
  ids: readonly string[];
}

/** A subject of grants: a member, including the grants to their teams, or a team. */
export interface Subject {
  organization: string;
  kind: 'user' | 'team';
  id: string;
}

/** Selects `subject` and `id` of the resources of one kind that were granted; more than once with several grants. */
export function selectGranted(
  queries: Queries,
  { organization, kind, ids }: Subjects,
  target: 'space' | 'collection',
) {
  const grants = (subject: 'user' | 'team') => sql`
    "grants"."organization" = ${organization} and "grants"."subjectKind" = ${sql.lit(subject)}
    and "grants"."targetKind" = ${sql.lit(target)}`;
  const own = sql`
    select "subjects"."id" as "subject", "grants"."target" as "id" from ${listed(queries, ids, 'subjects')}
    ${lookUp(queries, 'grants', ['target'], sql`${grants(kind)} and "grants"."subject" = "subjects"."id"`)}`;
  if (kind === 'team') {
    return own;
  }
  const isMember = sql`
    "teamMembers"."organization" = ${organization} and "teamMembers"."user" = "subjects"."id"`;
  return sql`${own} union all
    select "subjects"."id" as "subject", "grants"."target" as "id" from ${listed(queries, ids, 'subjects')}
    ${lookUp(queries, 'teamMembers', ['team'], isMember)}
    ${lookUp(queries, 'grants', ['target'], sql`${grants('team')} and "grants"."subject" = "teamMembers"."team"`)}`;
}

/** Selects `subject` and `id` of the collections visible by grants on them or their ancestors. */
export const visibleCollectionsOf = (queries: Queries, subjects: Subjects) => sql`
  with recursive ${visibleCollections(queries, subjects)} select "subject", "id" from "visible"`;

/** Defines "visible", for `with recursive`: `subject` and `id` of the collections visible by grants. */
export const visibleCollections = (queries: Queries, subjects: Subjects) => sql`
  "visible" as (
    ${selectGranted(queries, subjects, 'collection')}
    union
    select "visible"."subject", "collections"."id" from "visible"
    ${lookUp(queries, 'collections', ['id'], sql`"collections"."parent" = "visible"."id"`)}
  )`;

/** Selects `subject` and `id` of the spaces visible by grants on them or their ancestors. */
const visibleSpacesOf = (queries: Queries, subjects: Subjects) => sql`
  ${selectGranted(queries, subjects, 'space')}
  union
  select "visible"."subject", "spaces"."id" from (${visibleCollectionsOf(queries, subjects)}) as "visible"
  ${lookUp(queries, 'spaces', ['id'], sql`"spaces"."parent" = "visible"."id"`)}`;

/** Returns a guest as the subject of grants. */
export const subjectOf = ({ organization, user }: Membership): Subject => ({
  organization,
  kind: 'user',
  id: user,
});

const only = ({ organization, kind, id }: Subject): Subjects => ({ organization, kind, ids: [id] });

/** Selects the collections visible to a guest: granted ones and their descendants. The cost depends on their number. */
export const collectionsVisibleToGuest = (queries: Queries, guest: Membership) => sql<
  Selectable<CollectionsTable>
>`(
  select "collections".* from (${visibleCollectionsOf(queries, only(subjectOf(guest)))}) as "visible"
  ${lookUp(queries, 'collections', 'all', sql`"collections"."id" = "visible"."id"`)})`;

/**
 * Selects the spaces visible to a guest: granted ones, and those in visible collections. The cost depends on their
 * number.
 */
export const spacesVisibleToGuest = (queries: Queries, guest: Membership) => sql<Selectable<SpacesTable>>`(
  select "spaces".* from (${visibleSpacesOf(queries, only(subjectOf(guest)))}) as "visible"
  ${lookUp(queries, 'spaces', 'all', sql`"spaces"."id" = "visible"."id"`)})`;

/** Condition that the collection of the current row is visible to a guest. The cost is independent of others. */
export const isCollectionVisibleToGuest = (queries: Queries, guest: Membership): RawBuilder<SqlBool> =>
  isBelowGranted(queries, subjectOf(guest), sql.ref('collections.id'));

/**
 * Condition that the space of the current row is visible to a guest or an installation. The cost is independent of
 * other resources.
 */
export const isSpaceVisibleToGuest = (queries: Queries, guest: Membership): RawBuilder<SqlBool> =>
  guest.installation
    ? isInstalledOn(guest.installation, 'space', sql.ref('spaces.id'))
    : isSpaceVisibleBy(queries, subjectOf(guest));

/** Condition that the space of the current row is visible by grants to a subject. */
export const isSpaceVisibleBy = (queries: Queries, subject: Subject): RawBuilder<SqlBool> => sql<SqlBool>`(
  ${isGranted(queries, subject, 'space', sql.ref('spaces.id'))}
  or ${isBelowGranted(queries, subject, sql.ref('spaces.parent'))})`;

/** Condition that a collection or one of its ancestors was granted to a subject. May be null if not. */
export const isBelowGranted = (
  queries: Queries,
  subject: Subject,
  collection: RawBuilder<unknown>,
) => sql<SqlBool>`case when ${collection} is not null then (
  select 1 from (
    with recursive "ancestors"("id") as (
      select ${collection}
      union
      select "parents"."parent" from "ancestors"
      ${lookUp(queries, 'collections', ['parent'], sql`"parents"."id" = "ancestors"."id"`, 'parents')}
    ) select "id" from "ancestors"
  ) as "lineage"
  where ${isGranted(queries, subject, 'collection', sql.ref('lineage.id'))} limit 1) = 1 end`;

/** Condition that a resource was granted to a subject: a team, or a member or a team of theirs. May be null if not. */
export function isGranted(
  queries: Queries,
  { organization, kind, id }: Subject,
  targetKind: 'space' | 'collection',
  target: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const grant = (subjectKind: 'user' | 'team') => sql`
    "grants"."targetKind" = ${sql.lit(targetKind)} and "grants"."target" = ${target}
    and "grants"."subjectKind" = ${sql.lit(subjectKind)} and "grants"."organization" = ${organization}`;
  // Selects a value instead of `exists`, which PostgreSQL may evaluate by reading all grants once for all rows.
  const own = sql<SqlBool>`(select 1 from "grants" where ${grant(kind)} and "grants"."subject" = ${id}) = 1`;
  if (kind === 'team') {
    return own;
  }
  const membership = sql`"teamMembers"."user" = ${id} and "teamMembers"."organization" = ${organization}`;
  const isOfGrantedTeam = sql`"teamMembers"."team" = "grants"."subject"`;
  const fromGrants = sql`(
    select 1 from "grants"
    ${lookUp(queries, 'teamMembers', ['team'], sql`${isOfGrantedTeam} and ${membership}`)}
    where ${grant('team')} limit 1)`;
  if (!canReadRowCounts(queries)) {
    return sql<SqlBool>`(${own} or ${fromGrants} = 1)`;
  }
  const fromTeams = sql`(
    select 1 from "teamMembers"
    ${lookUp(queries, 'grants', ['subject'], sql`${isOfGrantedTeam} and ${grant('team')}`)}
    where ${membership} limit 1)`;
  // Starts from the table with fewer rows.
  const teams = rowCountOf(queries, 'teams of member', sql`${organization}`, sql`${id}`);
  const granted = rowCountOf(queries, 'grants team', sql`${organization}`, target);
  return sql<SqlBool>`(${own} or
    case when ${teams} = 0 then null when ${granted} <= ${teams} then ${fromGrants} else ${fromTeams} end = 1)`;
}
