import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { type JsonText, readJson } from '../../../database/json.ts';
import { jsonRows } from '../../../database/json-rows.ts';
import { isOneOf, listed } from '../../../database/lookups.ts';
import { canReadRowCounts, rowCountOf } from '../../../database/row-counts.ts';
import type { RowCountKind } from '../../../database/schema/row-counts.ts';
import type { SpacesTable } from '../../../database/schema/spaces/spaces.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import { notFound } from '../../../errors/errors.ts';
import { type Access, findAccess, loadAccess } from '../../../identity/access.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { isInstallation } from '../../../identity/installations.ts';
import type { Role } from '../../../identity/levels.ts';
import { findMembership, isActiveMember, type Membership } from '../../../identity/membership.ts';
import {
  requireSpacePermission,
  type SpacePermission,
  spacePermissions,
} from '../../../identity/permissions.ts';
import { type PublicationColumn, publicationColumn } from '../publications/publications.ts';

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
    if (!canReadRowCounts(queries)) {
      const counts = await countRows(queries, distinct);
      return (id) => counts.get(id) ?? NO_COUNTS;
    }
    const rows = await findCounts.rows(queries, { ids: distinct });
    const counts = new Map(rows.map((row) => [row.id, readCounts(row)]));
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

/** The column of {@link countsColumn}. */
interface CountsColumn {
  counts: JsonText<{ kind: RowCountKind; value: number }[]>;
}

/** Creates the column `counts` with the maintained counts of a space, which requires {@link canReadRowCounts}. */
function countsColumn(queries: Queries, space: Expression<string>) {
  // The kinds are literals, as in the condition of the index.
  const kinds = Object.values(COUNTED).map((kind) => sql.lit(kind));
  const counts = queries
    .selectFrom('rowCounts')
    .select(['rowCounts.kind', ({ fn }) => fn.sum<number>('rowCounts.value').as('value')])
    .where(sql<SqlBool>`"rowCounts"."kind" in (${sql.join(kinds)})`)
    .where('rowCounts.owner', '=', space)
    .groupBy('rowCounts.kind');
  return jsonRows(queries, counts).as('counts');
}

/** Returns the counts of a space, from their column. */
export function readCounts({ counts }: CountsColumn): SpaceCounts {
  const rows = readJson(counts);
  const countOf = (kind: RowCountKind) => rows.find((row) => row.kind === kind)?.value ?? 0;
  return {
    changeRequests: countOf(COUNTED.changeRequests),
    changeRequestsOpen: countOf(COUNTED.changeRequestsOpen),
    changeRequestsDraft: countOf(COUNTED.changeRequestsDraft),
    comments: countOf(COUNTED.comments),
  };
}

/** The columns of {@link detailColumns}. */
export type DetailColumns = CountsColumn & PublicationColumn;

/** Creates the columns with what the API shows of a space besides its row: its counts, and where it is published. */
export const detailColumns = (queries: Queries, space: Expression<string>) =>
  [countsColumn(queries, space), publicationColumn(queries, space)] as const;

/** Creates a function that finds the details of a space. Those of a list page are read together. */
export const detailFinder = (queries: Queries) =>
  batched<string, DetailColumns | undefined>(async (ids) => {
    const rows = await findDetails.rows(queries, { ids: [...new Set(ids)] });
    const details = new Map(rows.map((row) => [row.id, row]));
    return (id) => details.get(id);
  });

const findDetails = statement((queries, { ids }: ParametersOf<{ ids: readonly string[] }>) =>
  sql<DetailColumns & { id: string }>`
    select "requested"."id", ${sql.join(detailColumns(queries, sql.ref('requested.id')))}
    from ${listed(queries, ids, 'requested')}`.compile(queries),
);

const findCounts = statement((queries, { ids }: ParametersOf<{ ids: readonly string[] }>) =>
  sql<CountsColumn & { id: string }>`
    select "requested"."id", ${countsColumn(queries, sql.ref('requested.id'))}
    from ${listed(queries, ids, 'requested')}`.compile(queries),
);

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
  const row = await findSpaceOfMember.first(queries, { id, user: caller });
  return await authorize(queries, caller, row, permission, options);
}

/**
 * Finds a space with its details, as {@link spaceFor} finds it without them.
 *
 * @throws as {@link spaceFor}
 */
export async function spaceWithDetailsFor(
  queries: Queries,
  caller: CallerId,
  id: string,
  permission: SpacePermission,
  options: { deletedAsOf?: Date } = {},
): Promise<SpaceWithAccess & { details: DetailColumns }> {
  const found = await findSpaceWithDetails.first(queries, { id, user: caller });
  if (!found) {
    throw notFound('space');
  }
  const { counts, publications, ...row } = found;
  const visible = await authorize(queries, caller, row, permission, options);
  return { ...visible, details: { counts, publications } };
}

/** Requires a permission on a space that was found. */
async function authorize(
  queries: Queries,
  caller: CallerId,
  found: SpaceOfMember | undefined,
  permission: SpacePermission,
  options: { deletedAsOf?: Date },
): Promise<SpaceWithAccess> {
  if (!found) {
    throw notFound('space');
  }
  const { member, memberRole, ...row } = found;
  const membership = await membershipOf(queries, caller, found);
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

/** A space, with the membership of a user who may use its organization. */
interface SpaceOfMember extends Selectable<SpacesTable> {
  /** Null if the user may not. */
  member: string | null;
  memberRole: Role | null;
}

/** Returns the membership of the caller who a space was found for; that of an installation is read. */
async function membershipOf(
  queries: Queries,
  caller: CallerId,
  { organization, member, memberRole }: SpaceOfMember,
): Promise<Membership | undefined> {
  if (isInstallation(caller)) {
    return await findMembership(queries, caller, organization);
  }
  return member === null ? undefined : { user: caller, organization, role: memberRole ?? undefined };
}

/** Selects a space by its ID, with the membership of a user who may use its organization, in one statement. */
const selectSpaceOfMember = (queries: Queries, { id, user }: ParametersOf<{ id: string; user: string }>) =>
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
    .where('spaces.id', '=', id);

/** Nearly every request of a space begins with it. */
const findSpaceOfMember = statement((queries, named: ParametersOf<{ id: string; user: string }>) =>
  selectSpaceOfMember(queries, named).compile(),
);

const findSpaceWithDetails = statement((queries, named: ParametersOf<{ id: string; user: string }>) =>
  selectSpaceOfMember(queries, named)
    .select(detailColumns(queries, sql.ref('spaces.id')))
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
