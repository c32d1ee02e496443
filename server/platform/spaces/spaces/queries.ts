import { type Selectable, type SqlBool, sql } from 'kysely';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { isOneOf } from '../../../database/lookups.ts';
import { canReadRowCounts, rowCountOf } from '../../../database/row-counts.ts';
import type { RowCountKind } from '../../../database/schema/row-counts.ts';
import type { SpacesTable } from '../../../database/schema/spaces/spaces.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import { notFound } from '../../../errors/errors.ts';
import { type Access, findAccess, loadAccess } from '../../../identity/access.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { isInstallation } from '../../../identity/installations.ts';
import { findMembership, isActiveMember, type Membership } from '../../../identity/membership.ts';
import {
  requireSpacePermission,
  type SpacePermission,
  spacePermissions,
} from '../../../identity/permissions.ts';

/** Numbers of the change requests and comments of a space. */
interface SpaceCounts {
  /** Number of its change requests of any status. */
  changeRequests: number;
  changeRequestsOpen: number;
  changeRequestsDraft: number;
  /** Number of open comments on its primary content. */
  comments: number;
}

/** A space with its counts. */
export interface SpaceRow extends Selectable<SpacesTable>, SpaceCounts {}

/** Selects the spaces of a collection. */
export const spacesIn = (queries: Queries, collection: string) =>
  queries
    .selectFrom('spaces')
    .selectAll('spaces')
    .where('spaces.parent', '=', collection)
    .where('spaces.deletedAt', 'is', null);

/** The kinds of rows of each count. */
const COUNTED = {
  changeRequests: 'change requests',
  changeRequestsOpen: 'change requests open',
  changeRequestsDraft: 'change requests draft',
  comments: 'comments open',
} as const satisfies Record<keyof SpaceCounts, RowCountKind>;

/**
 * Creates a function that adds its counts to the row of a space, which it changes: copying the many columns takes longer
 * than presenting them. Only the representation in the API needs the counts. Those of a list page are read together.
 */
export function spaceCounter(queries: Queries): (row: Selectable<SpacesTable>) => Promise<SpaceRow> {
  const countsOf = batched<string, SpaceCounts>(async (ids) => {
    const distinct = [...new Set(ids)];
    const counts = canReadRowCounts(queries)
      ? await readCounts(queries, distinct)
      : await countRows(queries, distinct);
    return (id) => counts.get(id) ?? NO_COUNTS;
  });
  return async (row) => Object.assign(row, await countsOf(row.id));
}

const NO_COUNTS: SpaceCounts = {
  changeRequests: 0,
  changeRequestsOpen: 0,
  changeRequestsDraft: 0,
  comments: 0,
};

/** Finds the maintained counts of some spaces. */
const findCounts = statement((queries, { ids }: ParametersOf<{ ids: readonly string[] }>) => {
  // The kinds are literals, as in the condition of the index.
  const kinds = Object.values(COUNTED).map((kind) => sql.lit(kind));
  return queries
    .selectFrom('rowCounts')
    .select(['owner', 'kind', ({ fn }) => fn.sum<number>('value').as('value')])
    .where(sql<SqlBool>`"kind" in (${sql.join(kinds)})`)
    .where(isOneOf(queries, 'owner', ids))
    .groupBy(['owner', 'kind'])
    .compile();
});

/** Reads the maintained counts of some spaces. */
async function readCounts(queries: Queries, ids: readonly string[]): Promise<Map<string, SpaceCounts>> {
  const rows = await findCounts.rows(queries, { ids });
  const bySpace = Map.groupBy(rows, ({ owner }) => owner);
  const countOf = (id: string, kind: RowCountKind) =>
    bySpace.get(id)?.find((row) => row.kind === kind)?.value ?? 0;
  return new Map(
    [...bySpace.keys()].map((id) => [
      id,
      {
        changeRequests: countOf(id, COUNTED.changeRequests),
        changeRequestsOpen: countOf(id, COUNTED.changeRequestsOpen),
        changeRequestsDraft: countOf(id, COUNTED.changeRequestsDraft),
        comments: countOf(id, COUNTED.comments),
      },
    ]),
  );
}

/** Counts the rows of some spaces, where maintained counts cannot be read. */
async function countRows(queries: Queries, ids: readonly string[]): Promise<Map<string, SpaceCounts>> {
  const countOf = (name: keyof typeof COUNTED) =>
    rowCountOf(queries, COUNTED[name], 'spaces.organization', 'spaces.id').as(name);
  const rows = await queries
    .selectFrom('spaces')
    .select('spaces.id')
    .select([
      countOf('changeRequests'),
      countOf('changeRequestsOpen'),
      countOf('changeRequestsDraft'),
      countOf('comments'),
    ])
    .where(isOneOf(queries, 'spaces.id', ids))
    .execute();
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Creates a function that finds the titles of spaces. Those of a list page are read together. */
export const spaceTitleFinder = (queries: Queries) =>
  batched<string, string>(async (ids) => {
    const rows = await queries.selectFrom('spaces').select(['id', 'title']).where('id', 'in', ids).execute();
    const titles = new Map(rows.map(({ id, title }) => [id, title]));
    return (id) => titles.get(id) ?? '';
  });

/** A space with the caller's access. */
export interface SpaceWithAccess {
  row: Selectable<SpacesTable>;
  access: Access;
}

/** Time limit for restoring a deleted space, in milliseconds. */
export const SPACE_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Finds a space, and requires a permission on it. With `deletedAsOf`, a deleted space exists for its admins as long
 * as it can be restored at that time. Otherwise deleted spaces do not exist.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function spaceFor(
  queries: Queries,
  caller: CallerId,
  id: string,
  permission: SpacePermission,
  options: { deletedAsOf?: Date } = {},
): Promise<SpaceWithAccess> {
  const { row, membership } = await findSpace(queries, caller, id);
  if (!membership) {
    throw notFound('space');
  }
  const access = await loadAccess(queries, membership, { kind: 'space', resources: [row] });
  const levels = access.onSpace(row);
  if (row.deletedAt !== null) {
    const { deletedAsOf } = options;
    const isHidden = !deletedAsOf || deletedAsOf.getTime() - Date.parse(row.deletedAt) >= SPACE_RETENTION_MS;
    if (isHidden || !spacePermissions(levels).admin) {
      throw notFound('space');
    }
  }
  requireSpacePermission(levels, permission);
  return { row, access };
}

/**
 * Finds a space with the caller's membership in its organization, in one statement: nearly every request of a space
 * begins with it.
 *
 * @throws ContractError 404 if the space does not exist
 */
async function findSpace(
  queries: Queries,
  caller: CallerId,
  id: string,
): Promise<{ row: Selectable<SpacesTable>; membership: Membership | undefined }> {
  const found = await findSpaceOfMember.first(queries, { id, user: caller });
  if (!found) {
    throw notFound('space');
  }
  const { member, memberRole, ...row } = found;
  const { organization } = row;
  if (isInstallation(caller)) {
    return { row, membership: await findMembership(queries, caller, organization) };
  }
  const membership = { user: caller, organization, role: memberRole ?? undefined };
  return { row, membership: member === null ? undefined : membership };
}

/** Finds a space by its ID, with the membership of a user who may use its organization. */
const findSpaceOfMember = statement((queries, { id, user }: ParametersOf<{ id: string; user: string }>) =>
  queries
    .selectFrom('spaces')
    .innerJoin('organizations', 'organizations.id', 'spaces.organization')
    .leftJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'spaces.organization')
        .on('members.user', '=', user)
        .on(isActiveMember),
    )
    .selectAll('spaces')
    .select(['members.user as member', 'members.role as memberRole'])
    .where('spaces.id', '=', id)
    .compile(),
);

/**
 * Finds the caller's access to a space.
 *
 * @throws ContractError 404 if the caller may not use its organization
 */
export async function accessToSpace(
  queries: Queries,
  caller: CallerId,
  row: Selectable<SpacesTable>,
): Promise<Access> {
  const target = { kind: 'space', resources: [row] } as const;
  const access = await findAccess(queries, caller, row.organization, target);
  if (!access) {
    throw notFound('space');
  }
  return access;
}
