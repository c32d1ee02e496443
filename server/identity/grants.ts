import { type RawBuilder, sql } from 'kysely';
import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import { listed, lookUp } from '../database/lookups.ts';
import { canReadRowCounts, maintainedCountOf } from '../database/row-counts.ts';
import type { GrantsTable } from '../database/schema/spaces/grants.ts';
import { type ParametersOf, statement } from '../database/statement.ts';
import { highestLevel, type Role } from './levels.ts';
import type { Membership } from './membership.ts';

/** Maximum number of spaces and collections in one statement. */
const BATCH_SIZE = 2048;

/** A space or a collection. The kind precedes the target in the indexes. */
export type GrantTarget = Pick<GrantsTable, 'targetKind' | 'target'>;

/**
 * Finds the highest level granted to a member and their teams on each of some spaces and collections.
 *
 * @returns the levels by {@link targetKey}; resources without a grant are absent
 */
export async function findGrantedLevels(
  queries: Queries,
  membership: Membership,
  targets: readonly GrantTarget[],
): Promise<ReadonlyMap<string, Role>> {
  const levels = new Map<string, Role>();
  for (const batch of batches(targets, BATCH_SIZE)) {
    for (const { targetKind, target, role } of await readGrants(queries, membership, batch)) {
      const key = targetKey(targetKind, target);
      levels.set(key, highestLevel([levels.get(key), role]) ?? role);
    }
  }
  return levels;
}

/** Returns the key of a space or a collection in maps. */
export const targetKey = (kind: GrantsTable['targetKind'], id: string): string => `${kind} ${id}`;

type GrantOnResource = GrantTarget & Pick<GrantsTable, 'role'>;

/** Reads the grants to a member and their teams on some resources. */
async function readGrants(
  queries: Queries,
  { user, organization }: Membership,
  targets: readonly GrantTarget[],
): Promise<GrantOnResource[]> {
  const idsOf = (kind: GrantsTable['targetKind']) =>
    targets.filter(({ targetKind }) => targetKind === kind).map(({ target }) => target);
  return await (canReadRowCounts(queries) ? findGrantsByCounts : findGrants).rows(queries, {
    user,
    organization,
    spaces: idsOf('space'),
    collections: idsOf('collection'),
    targets: targets.length,
  });
}

interface GrantParameters {
  user: string;
  organization: string;
  /** IDs of spaces. */
  spaces: readonly string[];
  /** IDs of collections. */
  collections: readonly string[];
  /** Number of spaces and collections. */
  targets: number;
}

const COLUMNS = ['targetKind', 'target', 'role', 'subject'] as const;
const GRANT_COLUMNS = sql`"grants"."targetKind", "grants"."target", "grants"."role"`;

/** Returns the parts of the statements that find grants. */
function grantParts(
  queries: Queries,
  { user, organization, spaces, collections }: ParametersOf<GrantParameters>,
) {
  const named = sql`(
    select 'space' as "kind", "ids"."id" from ${listed(queries, spaces, 'ids')}
    union all select 'collection' as "kind", "ids"."id" from ${listed(queries, collections, 'ids')}) as "targets"`;
  const isGrant = (subjectKind: GrantsTable['subjectKind'], subject: RawBuilder<unknown>) => sql`
    "grants"."targetKind" = "targets"."kind" and "grants"."target" = "targets"."id"
    and "grants"."subjectKind" = ${sql.lit(subjectKind)} and "grants"."subject" = ${subject}
    and "grants"."organization" = ${organization}`;
  const own = sql`
    select ${GRANT_COLUMNS} from ${named} ${lookUp(queries, 'grants', COLUMNS, isGrant('user', sql`${user}`))}`;
  const membership = sql`"teamMembers"."user" = ${user} and "teamMembers"."organization" = ${organization}`;
  const ofGrant = sql`"teamMembers"."team" = "grants"."subject" and ${membership}`;
  const fromGrants = (condition: RawBuilder<unknown>) => sql`
    ${named} ${lookUp(queries, 'grants', COLUMNS, sql`${isGrant('team', sql`"grants"."subject"`)} ${condition}`)}
    ${lookUp(queries, 'teamMembers', ['team'], ofGrant)}`;
  return { named, isGrant, own, membership, fromGrants };
}

const findGrants = statement((queries, parameters: ParametersOf<GrantParameters>) => {
  const { own, fromGrants } = grantParts(queries, parameters);
  return sql<GrantOnResource>`
    ${own} union all select distinct ${GRANT_COLUMNS} from ${fromGrants(sql``)}`.compile(queries);
});

/**
 * Starts from the smaller number by row counts: the grants to teams, or the possible grants to the member's teams. The
 * other order has no first row for its lookups. Without either, there are no grants to look up.
 */
const findGrantsByCounts = statement((queries, parameters: ParametersOf<GrantParameters>) => {
  const { user, organization, targets } = parameters;
  const { named, isGrant, own, membership, fromGrants } = grantParts(queries, parameters);
  const isOfTarget = sql`
    "rowCounts"."organization" = ${organization} and "rowCounts"."kind" = 'grants team'
    and "rowCounts"."owner" = "targets"."id"`;
  const granted = sql`(
    select coalesce(sum("rowCounts"."value"), 0) from ${named}
    ${lookUp(queries, 'rowCounts', ['value'], isOfTarget)})`;
  const teams = maintainedCountOf('teams of member', sql`${organization}`, sql`${user}`);
  const onlyIf = (condition: RawBuilder<unknown>) =>
    sql`(select 1 as "matched" where ${condition}) as "condition"`;
  const sizeOf = (size: 'granted' | 'possible') => sql`(select ${sql.ref(size)} from "sizes")`;
  const isMatched = sql`"condition"."matched" = 1`;
  const grantsOfTeams = lookUp(queries, 'grants', COLUMNS, isGrant('team', sql`"teamMembers"."team"`));
  return sql<GrantOnResource>`
    with "teams" as materialized (select ${teams} as "count"), "sizes" as materialized (
      select case when "count" = 0 then 0 else ${granted} end as "granted",
        "count" * cast(${targets} as integer) as "possible"
      from "teams"
    )
    ${own}
    union all
    select distinct ${GRANT_COLUMNS} from ${onlyIf(sql`${sizeOf('granted')} between 1 and ${sizeOf('possible')}`)}
    cross join ${fromGrants(sql`and ${isMatched}`)}
    union all
    select distinct ${GRANT_COLUMNS} from ${onlyIf(sql`${sizeOf('granted')} > ${sizeOf('possible')}`)}
    ${lookUp(queries, 'teamMembers', ['team'], sql`${membership} and ${isMatched}`)}
    cross join ${named} ${grantsOfTeams}`.compile(queries);
});
