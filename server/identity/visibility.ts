import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import { lookUp } from '../database/lookups.ts';
import { rememberCounts } from '../database/remembered-counts.ts';
import { canReadRowCounts, rowCountOf } from '../database/row-counts.ts';
import type { CollectionsTable } from '../database/schema/collections.ts';
import type { SpacesTable } from '../database/schema/spaces.ts';
import type { Membership } from './access.ts';

/*
 * What guests see, as parts of queries: they start from what was granted, so that they cost what a guest has and
 * not what the organization has. Members with a role see everything.
 */

/** Subjects of grants that one statement names. */
const SUBJECTS = 500;

/** Guests who see more than this get lists by walking what all see, and not by sorting what they see. */
export const MAX_SORTED_VISIBLE = 2000;

/** The ids of what a member was made an admin of, by themselves or by a team of theirs. */
function administrationGrantedTo(
  queries: Queries,
  { organization, user }: Membership,
  kind: 'space' | 'collection',
) {
  // The role is written out, as in the condition of the index.
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
 * The ids of the spaces and collections that a member administers who is no admin of the organization: by a grant on
 * them or above them, or by the nearest default level.
 */
export function administeredBy(queries: Queries, member: Membership): RawBuilder<{ id: string }> {
  // Guests have explicit grants only. The level is written out, as in the conditions of indexes.
  const byDefault = (table: 'spaces' | 'collections') => sql`
    select "id" from ${sql.table(table)}
    where "organization" = ${member.organization} and "defaultLevel" = 'admin'
      and ${sql.lit(member.role === undefined ? 0 : 1)} = 1`;
  const collectionsIn = (source: 'granted' | 'opened', condition = sql``) =>
    lookUp(
      queries,
      'collections',
      ['id'],
      sql`"collections"."parent" = ${sql.ref(`${source}.id`)} ${condition}`,
    );
  const spacesIn = (source: 'granted' | 'opened', condition = sql``) => sql`
    select "spaces"."id" from ${sql.table(source)}
    ${lookUp(
      queries,
      'spaces',
      ['id'],
      sql`"spaces"."parent" = ${sql.ref(`${source}.id`)} and "spaces"."deletedAt" is null ${condition}`,
    )}`;
  const isOwn = sql`"spaces"."id" = "own"."id" and "spaces"."deletedAt" is null`;
  return sql`(
    with recursive "granted" as (
      ${administrationGrantedTo(queries, member, 'collection')}
      union select "collections"."id" from "granted" ${collectionsIn('granted')}
    ), "opened" as (
      ${byDefault('collections')}
      union select "collections"."id" from "opened"
        ${collectionsIn('opened', sql`and "collections"."defaultLevel" is null`)}
    )
    select "id" from "granted"
    union select "id" from "opened"
    union ${byDefault('spaces')} and "deletedAt" is null
    union select "spaces"."id" from (${administrationGrantedTo(queries, member, 'space')}) as "own"
      ${lookUp(queries, 'spaces', ['id'], isOwn)}
    union ${spacesIn('granted')}
    union ${spacesIn('opened', sql`and "spaces"."defaultLevel" is null`)})`;
}

/** Whose grants give to see something: some members, by themselves and by their teams, or some teams. */
interface Subjects {
  organization: string;
  kind: 'user' | 'team';
  ids: readonly string[];
}

/** What was granted on one kind of resource, with whom it was granted to. */
function heldBy(queries: Queries, { organization, kind, ids }: Subjects, target: 'space' | 'collection') {
  const grants = (subject: 'user' | 'team') => sql`
    "grants"."organization" = ${organization} and "grants"."subjectKind" = ${sql.lit(subject)}
    and "grants"."targetKind" = ${sql.lit(target)}`;
  const own = sql`
    select "grants"."subject" as "holder", "grants"."target" as "id" from "grants"
    where ${grants(kind)} and "grants"."subject" in (${sql.join(ids)})`;
  if (kind === 'team') return own;
  return sql`${own} union all
    select "teamMembers"."user" as "holder", "grants"."target" as "id" from "teamMembers"
    ${lookUp(queries, 'grants', ['target'], sql`${grants('team')} and "grants"."subject" = "teamMembers"."team"`)}
    where "teamMembers"."organization" = ${organization} and "teamMembers"."user" in (${sql.join(ids)})`;
}

/** The columns `holder` and `id` of the collections that grants on them, or on what is above them, give to see. */
const collectionsReachedBy = (queries: Queries, subjects: Subjects) => sql`
  with recursive "reached" as (
    ${heldBy(queries, subjects, 'collection')}
    union
    select "reached"."holder", "collections"."id" from "reached"
    ${lookUp(queries, 'collections', ['id'], sql`"collections"."parent" = "reached"."id"`)}
  ) select "holder", "id" from "reached"`;

/** The columns `holder` and `id` of the spaces that grants on them, or on what is above them, give to see. */
const spacesReachedBy = (queries: Queries, subjects: Subjects) => sql`
  ${heldBy(queries, subjects, 'space')}
  union
  select "reached"."holder", "spaces"."id" from (${collectionsReachedBy(queries, subjects)}) as "reached"
  ${lookUp(queries, 'spaces', ['id'], sql`"spaces"."parent" = "reached"."id"`)}`;

const onlyOf = ({ organization, user }: Membership): Subjects => ({
  organization,
  kind: 'user',
  ids: [user],
});

/** The rows of the collections that a guest sees: those granted, and all below them. It costs what they see. */
export const collectionsSeenBy = (queries: Queries, guest: Membership) => sql<Selectable<CollectionsTable>>`(
  select "collections".* from (${collectionsReachedBy(queries, onlyOf(guest))}) as "reached"
  ${lookUp(queries, 'collections', 'all', sql`"collections"."id" = "reached"."id"`)})`;

/** The rows of the spaces that a guest sees: those granted, and those in the collections that they see. It costs what they see. */
export const spacesSeenBy = (queries: Queries, guest: Membership) => sql<Selectable<SpacesTable>>`(
  select "spaces".* from (${spacesReachedBy(queries, onlyOf(guest))}) as "reached"
  ${lookUp(queries, 'spaces', 'all', sql`"spaces"."id" = "reached"."id"`)})`;

/** The condition that a guest sees the collection of the current row. Its cost does not depend on what else they see. */
export const isSeenCollection = (queries: Queries, guest: Membership): RawBuilder<SqlBool> =>
  isBelowGranted(queries, guest, sql.ref('collections.id'));

/** The condition that a guest sees the space of the current row. Its cost does not depend on what else they see. */
export const isSeenSpace = (queries: Queries, guest: Membership): RawBuilder<SqlBool> => sql<SqlBool>`(
  ${isGranted(queries, guest, 'space', sql.ref('spaces.id'))}
  or ${isBelowGranted(queries, guest, sql.ref('spaces.parent'))})`;

/** The condition that a collection, or one above it, was granted to a guest. */
const isBelowGranted = (
  queries: Queries,
  guest: Membership,
  collection: RawBuilder<unknown>,
) => sql<SqlBool>`(
  select 1 from (
    with recursive "above"("id") as (
      select ${collection}
      union
      select "holders"."parent" from "above"
      ${lookUp(queries, 'collections', ['parent'], sql`"holders"."id" = "above"."id"`, 'holders')}
    ) select "id" from "above"
  ) as "chain"
  where ${isGranted(queries, guest, 'collection', sql.ref('chain.id'))} limit 1) = 1`;

/** The condition that a resource was granted to a guest or to a team of theirs. */
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
  // Selects of a value, not `exists`: PostgreSQL may read all that could exist, once and for all rows.
  const own = sql`(select 1 from "grants" where ${grant('user')} and "grants"."subject" = ${user}) = 1`;
  const isTheirs = sql`"teamMembers"."team" = "grants"."subject"`;
  const fromGrants = sql`(
    select 1 from "grants"
    ${lookUp(queries, 'teamMembers', ['team'], sql`${isTheirs} and ${membership}`)}
    where ${grant('team')} limit 1)`;
  if (!canReadRowCounts(queries)) return sql<SqlBool>`(${own} or ${fromGrants} = 1)`;
  const fromTeams = sql`(
    select 1 from "teamMembers"
    ${lookUp(queries, 'grants', ['subject'], sql`${isTheirs} and ${grant('team')}`)}
    where ${membership} limit 1)`;
  // From what there are fewer of.
  const teams = rowCountOf(queries, 'teams of member', sql`${organization}`, sql`${user}`);
  const granted = rowCountOf(queries, 'grants team', sql`${organization}`, target);
  return sql<SqlBool>`(${own} or
    case when ${teams} = 0 then null when ${granted} <= ${teams} then ${fromGrants} else ${fromTeams} end = 1)`;
}

/**
 * How many spaces each of some guests sees, or each of some teams gives to see.
 *
 * @param guest counts only what this guest sees, too
 */
export async function countSpacesSeenBy(
  queries: Queries,
  { organization, kind, ids: subjects }: Subjects,
  guest?: Membership,
): Promise<Map<string, number>> {
  const by = guest ? [guest.user] : [];
  const views = [...new Set(subjects)].map((id) => ({
    id,
    key: `spaces of ${kind} ${id} by ${by.join('')}`,
    // What concerns teams concerns everybody.
    owners: ['', ...(kind === 'user' ? [id] : []), ...by],
  }));
  const counts = await rememberCounts(queries, organization, views, async (missing) => {
    const counted = new Map<string, number>();
    for (const batch of batches(missing, SUBJECTS)) {
      const ids = batch.map(({ id }) => id);
      const isCounted = sql`
        "spaces"."id" = "reached"."id" and "spaces"."deletedAt" is null
        ${guest ? sql`and ${isSeenSpace(queries, guest)}` : sql``}`;
      const { rows } = await sql<{ holder: string; count: number }>`
        select "reached"."holder", count(*) as "count"
        from (${spacesReachedBy(queries, { organization, kind, ids })}) as "reached"
        ${lookUp(queries, 'spaces', ['id'], isCounted)}
        group by "reached"."holder"`.execute(queries);
      for (const { holder, count } of rows) counted.set(holder, count);
    }
    return missing.map(({ id }) => counted.get(id) ?? 0);
  });
  return new Map(views.map(({ id }, index) => [id, counts[index] ?? 0]));
}

/** How many collections a guest sees. */
export async function countCollectionsSeenBy(
  queries: Queries,
  guest: Membership,
  { nested }: { nested: boolean },
): Promise<number> {
  const view = { key: `${nested ? '' : 'root '}collections of user ${guest.user}`, owners: ['', guest.user] };
  const [count = 0] = await rememberCounts(queries, guest.organization, [view], async () => {
    const isCounted = sql`
      "collections"."id" = "reached"."id" ${nested ? sql`` : sql`and "collections"."parent" is null`}`;
    const { rows } = await sql<{ count: number }>`
      select count(*) as "count" from (${collectionsReachedBy(queries, onlyOf(guest))}) as "reached"
      ${lookUp(queries, 'collections', ['id'], isCounted)}`.execute(queries);
    return rows.map(({ count }) => count);
  });
  return count;
}
