import { type RawBuilder, sql } from 'kysely';
import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import { listed, lookUp } from '../database/lookups.ts';
import { canReadRowCounts, maintainedCountOf } from '../database/row-counts.ts';
import type { GrantsTable } from '../database/schema/grants.ts';
import { highestLevel, type Role } from './levels.ts';
import type { Membership } from './membership.ts';

/** Maximum number of IDs of spaces and collections in one statement. */
const BATCH_SIZE = 512;

/** All kinds. Named in queries because the kind precedes the target in the indexes. */
const TARGET_KINDS: ReadonlyArray<GrantsTable['targetKind']> = ['space', 'collection'];

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

type GrantOnResource = Pick<GrantsTable, 'targetKind' | 'target' | 'role'>;

/** Reads the grants to a member and their teams on some resources. */
async function readGrants(
  queries: Queries,
  { user, organization }: Membership,
  ids: string[],
): Promise<GrantOnResource[]> {
  const grantColumns = sql`"grants"."targetKind", "grants"."target", "grants"."role"`;
  const columns = ['targetKind', 'target', 'role', 'subject'];
  const targets = sql`${listed(TARGET_KINDS, 'kinds')} cross join ${listed(ids, 'ids')}`;
  const isGrant = (subjectKind: GrantsTable['subjectKind'], subject: RawBuilder<unknown>) => sql`
    "grants"."targetKind" = "kinds"."id" and "grants"."target" = "ids"."id"
    and "grants"."subjectKind" = ${sql.lit(subjectKind)} and "grants"."subject" = ${subject}
    and "grants"."organization" = ${organization}`;
  const own = sql`
    select ${grantColumns} from ${targets} ${lookUp(queries, 'grants', columns, isGrant('user', sql`${user}`))}`;
  const membership = sql`"teamMembers"."user" = ${user} and "teamMembers"."organization" = ${organization}`;
  const ofGrant = sql`"teamMembers"."team" = "grants"."subject" and ${membership}`;
  const fromGrants = (condition: RawBuilder<unknown>) => sql`
    ${targets} ${lookUp(queries, 'grants', columns, sql`${isGrant('team', sql`"grants"."subject"`)} ${condition}`)}
    ${lookUp(queries, 'teamMembers', ['team'], ofGrant)}`;
  const select = async (ofTeams: RawBuilder<unknown>) => {
    // The columns are those of the table.
    const { rows } = await sql<GrantOnResource>`${own} union all ${ofTeams}`.execute(queries);
    return rows;
  };
  if (!canReadRowCounts(queries)) {
    return await select(sql`select distinct ${grantColumns} from ${fromGrants(sql``)}`);
  }
  // Starts from the smaller number by row counts: the grants to teams, or the possible grants to the member's teams.
  // The other order has no first row, on which its lookups depend.
  const isOfTarget = sql`
    "rowCounts"."organization" = ${organization} and "rowCounts"."kind" = 'grants team'
    and "rowCounts"."owner" = "ids"."id"`;
  const granted = sql`(
    select coalesce(sum("rowCounts"."value"), 0) from ${listed(ids, 'ids')}
    ${lookUp(queries, 'rowCounts', ['value'], isOfTarget)})`;
  const teams = maintainedCountOf('teams of member', sql`${organization}`, sql`${user}`);
  const possible = sql`${teams} * ${sql.lit(ids.length)}`;
  const onlyIf = (condition: RawBuilder<unknown>) =>
    sql`(select 1 as "matched" where ${condition}) as "condition"`;
  const isMatched = sql`"condition"."matched" = 1`;
  const grantsOfTeams = lookUp(queries, 'grants', columns, isGrant('team', sql`"teamMembers"."team"`));
  return await select(sql`
    select distinct ${grantColumns} from ${onlyIf(sql`${granted} <= ${possible}`)}
    cross join ${fromGrants(sql`and ${isMatched}`)}
    union all
    select distinct ${grantColumns} from ${onlyIf(sql`${granted} > ${possible}`)}
    ${lookUp(queries, 'teamMembers', ['team'], sql`${membership} and ${isMatched}`)}
    cross join ${targets} ${grantsOfTeams}`);
}
