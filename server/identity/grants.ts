import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import { canReadRowCounts } from '../database/row-counts.ts';
import type { GrantsTable } from '../database/schema/grants.ts';
import type { Schema } from '../database/schema.ts';
import { highestLevel, type Role } from './levels.ts';
import type { Membership } from './membership.ts';

/** Maximum number of IDs of spaces and collections in one statement. */
const BATCH_SIZE = 512;

/** All kinds. Named in queries because the kind precedes the target in the indexes. */
const TARGET_KINDS: Array<GrantsTable['targetKind']> = ['space', 'collection'];

/**
 * Finds the highest level granted to a member and their teams on each of some spaces and collections.
 *
 * @param ids of spaces and collections
 * @returns the levels by {@link targetKey}; resources without a grant are absent
 */
export async function findGrantedLevels(
  queries: Queries,
  membership: Membership,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Role>> {
  const levels = new Map<string, Role>();
  for (const batch of batches(ids, BATCH_SIZE)) {
    for (const { targetKind, target, role } of await readGrants(queries, membership, batch)) {
      const key = targetKey(targetKind, target);
      levels.set(key, highestLevel([levels.get(key), role]) ?? role);
    }
  }
  return levels;
}

/** Returns the key of a space or a collection in maps. */
export const targetKey = (kind: GrantsTable['targetKind'], id: string): string => `${kind} ${id}`;

/** Reads the grants to a member and their teams on some resources. */
async function readGrants(
  queries: Queries,
  { user, organization }: Membership,
  ids: string[],
): Promise<Array<Pick<GrantsTable, 'targetKind' | 'target' | 'role'>>> {
  const own = queries
    .selectFrom('grants')
    .select(['grants.targetKind', 'grants.target', 'grants.role'])
    .where('grants.targetKind', 'in', TARGET_KINDS)
    .where('grants.target', 'in', ids)
    .where('grants.subjectKind', '=', 'user')
    .where('grants.subject', '=', user)
    .where('grants.organization', '=', organization);
  const ofTeams = (grantsAndTeams: SelectQueryBuilder<Schema, 'grants' | 'teamMembers', object>) =>
    grantsAndTeams
      .select(['grants.targetKind', 'grants.target', 'grants.role'])
      .distinct()
      .whereRef('teamMembers.team', '=', 'grants.subject')
      .where('grants.targetKind', 'in', TARGET_KINDS)
      .where('grants.target', 'in', ids)
      .where('grants.subjectKind', '=', 'team')
      .where('grants.organization', '=', organization)
      .where('teamMembers.user', '=', user)
      .where('teamMembers.organization', '=', organization);
  // Starts from the smaller number by row counts: the grants to teams, or the possible grants to the member's teams.
  // A cross join starts from its first table on both engines, which has no row if the other order is used.
  const granted = sql`(
    select coalesce(sum("value"), 0) from "rowCounts"
    where "organization" = ${organization} and "kind" = 'grants team' and "owner" in (${sql.join(ids)}))`;
  const possible = sql`(
    select coalesce(sum("value"), 0) * ${sql.lit(ids.length)} from "rowCounts"
    where "organization" = ${organization} and "kind" = 'teams of member' and "owner" = ${user})`;
  if (!canReadRowCounts(queries)) {
    return await own.unionAll(ofTeams(queries.selectFrom('grants').crossJoin('teamMembers'))).execute();
  }
  const onlyIf = (condition: RawBuilder<unknown>) =>
    queries.selectFrom(sql<{ matched: number }>`(select 1 as "matched" where ${condition})`.as('condition'));
  return await own
    .unionAll(ofTeams(onlyIf(sql`${granted} <= ${possible}`).crossJoin('grants').crossJoin('teamMembers')))
    .unionAll(ofTeams(onlyIf(sql`${granted} > ${possible}`).crossJoin('teamMembers').crossJoin('grants')))
    .execute();
}
