import { sql } from 'kysely';
import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import { cachedCounts } from '../database/lists/cached-counts.ts';
import { listed, lookUp } from '../database/lookups.ts';
import { canReadRowCounts, readRowCount, rowCountOf } from '../database/row-counts.ts';
import type { RowCountKind } from '../database/schema/row-counts.ts';
import { countCollectionsByCounts, countSpacesByCounts } from './large-counts.ts';
import type { Membership } from './membership.ts';
import {
  isBelowGranted,
  isGranted,
  isSpaceVisibleBy,
  type Subject,
  type Subjects,
  selectGranted,
  subjectOf,
  visibleCollections,
  visibleCollectionsOf,
} from './visibility.ts';

/*
 * Counts of the resources that are visible by grants. The grants of most subjects are few and are read, for many
 * subjects at once. The spaces in granted collections are never read, but taken from maintained counts. For subjects
 * with many grants, see large-counts.ts.
 */

/** Maximum number of subjects in one statement. */
const BATCH_SIZE = 500;

/** Maximum number of grants of a subject that are read to count what they make visible. */
export const MAX_READ_GRANTS = 500;

/** Maximum number of grants of one space to a guest, also through teams, that estimates of the visible spaces assume. */
const ASSUMED_REPEATED_GRANTS = 10;

/** Numbers of spaces and collections granted to a subject. Some may be granted more than once. */
export interface GrantCounts {
  spaces: number;
  collections: number;
}

const sizeOf = (counts: GrantCounts | undefined): number =>
  (counts?.spaces ?? 0) + (counts?.collections ?? 0);

/**
 * Counts the spaces visible to each guest, or by the grants to each team.
 *
 * @param guest counts only spaces that are also visible to this guest
 */
export async function countSpacesVisibleBySubject(
  queries: Queries,
  { organization, kind, ids }: Subjects,
  guest?: Membership,
): Promise<Map<string, number>> {
  const views = [...new Set(ids)].map((id) => {
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
    const countFor = async (by: Membership | undefined, ofOneCaller: typeof missing) => {
      for (const batch of batches(ofOneCaller, BATCH_SIZE)) {
        const subjects = { organization, kind, ids: batch.map(({ id }) => id) };
        for (const [id, count] of await countSpaces(queries, subjects, by && subjectOf(by))) {
          counted.set(id, count);
        }
      }
    };
    // At most two: the guest, and all other subjects.
    const byCaller = Map.groupBy(missing, (view) => view.by);
    await Promise.all([...byCaller].map(([by, ofOneCaller]) => countFor(by, ofOneCaller)));
    return missing.map(({ id }) => counted.get(id) ?? 0);
  });
  return new Map(views.map(({ id }, index) => [id, counts[index] ?? 0]));
}

async function countSpaces(
  queries: Queries,
  subjects: Subjects,
  other: Subject | undefined,
): Promise<Map<string, number>> {
  if (!canReadRowCounts(queries)) {
    return await countSpacesByGrants(queries, subjects, other && { subject: other });
  }
  const { organization, kind } = subjects;
  const [grants, grantsOfOther] = await Promise.all([
    readGrantCounts(queries, subjects),
    other && readGrantCounts(queries, { ...other, ids: [other.id] }),
  ]);
  const otherGrants = other && grantsOfOther?.get(other.id);
  const isLarge = (id: string) =>
    sizeOf(grants.get(id)) > Math.max(MAX_READ_GRANTS, other ? sizeOf(otherGrants) : 0);
  const { large = [], small = [] } = Object.groupBy(subjects.ids, (id) => (isLarge(id) ? 'large' : 'small'));
  const counted =
    small.length > 0
      ? await countSpacesByGrants(
          queries,
          { ...subjects, ids: small },
          other && { subject: other, spaces: otherGrants?.spaces ?? 0 },
        )
      : new Map<string, number>();
  for (const id of large) {
    const subject = { organization, kind, id };
    const spaces = grants.get(id)?.spaces ?? 0;
    const count = other
      ? // Reads the grants of the other subject, which are fewer.
        (await countSpacesByGrants(queries, { ...other, ids: [other.id] }, { subject, spaces })).get(other.id)
      : await countSpacesByCounts(queries, subject, {
          startsFromCounts: await areCollectionsWithSpacesFewer(
            queries,
            organization,
            grants.get(id)?.collections ?? 0,
          ),
        });
    counted.set(id, count ?? 0);
  }
  return counted;
}

/** Returns whether a guest sees more spaces than `limit`. Those of a guest with very many grants are not counted. */
export async function seesMoreSpacesThan(
  queries: Queries,
  guest: Membership,
  limit: number,
): Promise<boolean> {
  const { organization, user } = guest;
  const subjects: Subjects = { organization, kind: 'user', ids: [user] };
  if (canReadRowCounts(queries)) {
    const granted = (await readGrantCounts(queries, subjects)).get(user)?.spaces ?? 0;
    if (granted > limit * ASSUMED_REPEATED_GRANTS) {
      return true;
    }
  }
  return ((await countSpacesVisibleBySubject(queries, subjects)).get(user) ?? 0) > limit;
}

/**
 * Counts the spaces visible to each subject, by reading their grants.
 *
 * @param other counts only spaces that are also visible to this subject, with the number of spaces granted to it if
 *   that is known
 */
export async function countSpacesByGrants(
  queries: Queries,
  subjects: Subjects,
  other?: { subject: Subject; spaces?: number },
): Promise<Map<string, number>> {
  const direct = sql`(select distinct "subject", "id" from (${selectGranted(queries, subjects, 'space')}) as "granted")`;
  const isCounted = sql`
    "spaces"."id" = "direct"."id" and "spaces"."deletedAt" is null
    ${other ? sql`and ${isSpaceVisibleBy(queries, other.subject)}` : sql``}`;
  const { rows } = await sql<{ subject: string; count: number }>`
    with recursive ${visibleCollections(queries, subjects)}
    select "subject", sum("count") as "count" from (
      select "visible"."subject" as "subject", ${countInCollection(queries, subjects.organization, other)} as "count"
      from "visible"
      union all
      select "direct"."subject" as "subject", count(*) as "count" from ${direct} as "direct"
      ${lookUp(queries, 'spaces', ['id', 'parent'], isCounted)}
      left join "visible" on "visible"."subject" = "direct"."subject" and "visible"."id" = "spaces"."parent"
      where "visible"."id" is null
      group by "direct"."subject"
    ) as "parts" group by "subject"`.execute(queries);
  return new Map(rows.map(({ subject, count }) => [subject, count]));
}

/** Creates a column with the number of spaces in the collection "visible", optionally visible to another subject. */
function countInCollection(
  queries: Queries,
  organization: string,
  other: { subject: Subject; spaces?: number } | undefined,
) {
  const collection = sql.ref('visible.id');
  const spaces = rowCountOf(queries, 'spaces in collection', sql`${organization}`, collection);
  if (!other) {
    return spaces;
  }
  const { subject, spaces: granted = Number.MAX_SAFE_INTEGER } = other;
  const isInCollection = sql`"spaces"."parent" = ${collection} and "spaces"."deletedAt" is null`;
  const grantedTo = selectGranted(queries, { ...subject, ids: [subject.id] }, 'space');
  // Starts from the smaller number.
  return sql`case
    when ${spaces} = 0 then 0
    when ${isBelowGranted(queries, subject, collection)} then ${spaces}
    when ${spaces} <= ${granted} then (
      select count(*) from "spaces"
      where ${isInCollection} and ${isGranted(queries, subject, 'space', sql.ref('spaces.id'))})
    else (
      select count(*) from (select distinct "id" from (${grantedTo}) as "granted") as "direct"
      ${lookUp(queries, 'spaces', ['id'], sql`"spaces"."id" = "direct"."id" and ${isInCollection}`)})
    end`;
}

/** Reads the numbers of grants of some subjects, including those of their teams. */
async function readGrantCounts(
  queries: Queries,
  { organization, kind, ids }: Subjects,
): Promise<Map<string, GrantCounts>> {
  const kinds = ['spaces granted', 'collections granted'] satisfies RowCountKind[];
  const countsOf = (owner: string) => sql`
    "rowCounts"."organization" = ${organization} and "rowCounts"."kind" in (${sql.join(kinds.map(sql.lit))})
    and "rowCounts"."owner" = ${sql.ref(owner)}`;
  const isMember = sql`
    "teamMembers"."organization" = ${organization} and "teamMembers"."user" = "subjects"."id"`;
  const ofTeams = sql`
    union all
    select "subjects"."id" as "subject", "rowCounts"."kind", "rowCounts"."value" from ${listed(queries, ids, 'subjects')}
    ${lookUp(queries, 'teamMembers', ['team'], isMember)}
    ${lookUp(queries, 'rowCounts', ['kind', 'value'], countsOf('teamMembers.team'))}`;
  const { rows } = await sql<{ subject: string; spaces: number; collections: number }>`
    select "subject",
      sum(case "kind" when 'spaces granted' then "value" else 0 end) as "spaces",
      sum(case "kind" when 'collections granted' then "value" else 0 end) as "collections"
    from (
      select "subjects"."id" as "subject", "rowCounts"."kind" as "kind", "rowCounts"."value" as "value"
      from ${listed(queries, ids, 'subjects')} ${lookUp(queries, 'rowCounts', ['kind', 'value'], countsOf('subjects.id'))}
      ${kind === 'user' ? ofTeams : sql``}
    ) as "counts" group by "subject"`.execute(queries);
  return new Map(rows.map(({ subject, ...granted }) => [subject, granted]));
}

/** Returns whether fewer collections of an organization contain spaces than `count`. */
async function areCollectionsWithSpacesFewer(
  queries: Queries,
  organization: string,
  count: number,
): Promise<boolean> {
  const rows = await queries
    .selectFrom((from) =>
      from
        .selectFrom('rowCounts')
        .select('owner')
        .where('organization', '=', organization)
        .where('kind', '=', 'spaces in collection')
        .limit(count)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return rows.count < count;
}

/** Counts the collections visible to a guest. */
export async function countCollectionsVisibleToGuest(
  queries: Queries,
  guest: Membership,
  { nested }: { nested: boolean },
): Promise<number> {
  const view = { key: `${nested ? '' : 'root '}collections of user ${guest.user}`, owners: ['', guest.user] };
  const [count = 0] = await cachedCounts(queries, guest.organization, [view], async () => [
    await countCollections(queries, subjectOf(guest), nested),
  ]);
  return count;
}

async function countCollections(queries: Queries, subject: Subject, nested: boolean): Promise<number> {
  const { organization, id } = subject;
  const subjects = { ...subject, ids: [id] };
  if (!canReadRowCounts(queries)) {
    return await countCollectionsByGrants(queries, subjects, { nested });
  }
  const granted = (await readGrantCounts(queries, subjects)).get(id)?.collections ?? 0;
  if (granted <= MAX_READ_GRANTS) {
    return await countCollectionsByGrants(queries, subjects, { nested });
  }
  const all = await readRowCount(queries, { organization, kind: 'collections' });
  const nestedCount = all - (await readRowCount(queries, { organization, kind: 'collections at root' }));
  return nestedCount < granted
    ? await countCollectionsByCounts(queries, subject, { nested })
    : await countCollectionsByGrants(queries, subjects, { nested });
}

/** Counts the collections visible to a subject, by reading them. */
export async function countCollectionsByGrants(
  queries: Queries,
  subjects: Subjects,
  { nested }: { nested: boolean },
): Promise<number> {
  const isCounted = sql`
    "collections"."id" = "visible"."id" ${nested ? sql`` : sql`and "collections"."parent" is null`}`;
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from (${visibleCollectionsOf(queries, subjects)}) as "visible"
    ${lookUp(queries, 'collections', ['id'], isCounted)}`.execute(queries);
  return rows[0]?.count ?? 0;
}
