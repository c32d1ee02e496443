import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { Queries } from '../../database/database.ts';
import { rowCountOf } from '../../database/row-counts.ts';
import type { SpacesTable } from '../../database/schema/spaces.ts';
import type { Schema } from '../../database/schema.ts';
import { notFound } from '../../errors.ts';
import { type Access, findAccess } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import {
  requireSpacePermission,
  type SpacePermission,
  spacePermissions,
} from '../../identity/permissions.ts';
import { batched } from '../batched.ts';

/** A space with the counts of its change requests and comments. */
export interface SpaceRow extends Selectable<SpacesTable> {
  /** Number of its change requests of any status. */
  changeRequests: number;
  changeRequestsOpen: number;
  changeRequestsDraft: number;
  /** Number of open comments on its primary content. */
  comments: number;
}

/** Selects spaces as {@link SpaceRow}s. */
export function withCounts<Row>(queries: Queries, spaces: SelectQueryBuilder<Schema, 'spaces', Row>) {
  return spaces.selectAll('spaces').select(countsOf(queries));
}

/** Selects the spaces of a collection. */
export const spacesIn = (queries: Queries, collection: string) =>
  withCounts(queries, queries.selectFrom('spaces'))
    .where('spaces.parent', '=', collection)
    .where('spaces.deletedAt', 'is', null);

function countsOf(queries: Queries) {
  const countOf = (kind: Parameters<typeof rowCountOf>[1]) =>
    rowCountOf(queries, kind, 'spaces.organization', 'spaces.id');
  return [
    countOf('change requests').as('changeRequests'),
    countOf('change requests open').as('changeRequestsOpen'),
    countOf('change requests draft').as('changeRequestsDraft'),
    countOf('comments open').as('comments'),
  ];
}

/** Adds its counts to the row of a space. Only its representation in the API needs them. */
export async function countSpace(queries: Queries, row: Selectable<SpacesTable>): Promise<SpaceRow> {
  const counts = await queries
    .selectFrom('spaces')
    .select(countsOf(queries))
    .where('spaces.id', '=', row.id)
    .executeTakeFirstOrThrow();
  return { ...row, ...counts };
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

/** Time during which a deleted space can be restored, in milliseconds. */
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
  const row = await queries.selectFrom('spaces').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('space');
  }
  const access = await accessToSpace(queries, caller, row);
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

/** Returns the organization of a space; undefined if the space does not exist or is deleted. */
export async function organizationOfSpace(queries: Queries, id: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('spaces')
    .select('organization')
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row?.organization;
}

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
