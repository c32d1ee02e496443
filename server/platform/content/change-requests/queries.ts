import type { Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { rowCountOf } from '../../../database/row-counts.ts';
import type { UsersTable } from '../../../database/schema/accounts/users.ts';
import type { ChangeRequestsTable } from '../../../database/schema/content/change-requests.ts';
import { notFound } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import type { SpacePermission } from '../../../identity/permissions.ts';
import { type SpaceWithAccess, spaceFor } from '../../spaces/spaces/queries.ts';

/** A change request with its creator, and the revision that it is compared with. */
export interface ChangeRequestRow extends Selectable<ChangeRequestsTable> {
  creatorEmail: UsersTable['email'];
  creatorDisplayName: string;
  creatorPhotoURL: UsersTable['photoURL'];
  creatorCreatedAt: string;
  /** Current revision of its space. */
  spaceRevision: string;
  /** Number of its open comments. */
  comments: number;
}

/** Path parameters that identify a change request. */
export interface ChangeRequestPath {
  spaceId: string;
  /** ID or number. */
  changeRequestId: string;
}

/** Selects the change requests of all spaces as {@link ChangeRequestRow}s. */
function selectChangeRequests(queries: Queries) {
  return queries
    .selectFrom('changeRequests')
    .innerJoin('users as creator', 'creator.id', 'changeRequests.createdBy')
    .innerJoin('spaces', 'spaces.id', 'changeRequests.space')
    .selectAll('changeRequests')
    .select([
      'creator.email as creatorEmail',
      'creator.displayName as creatorDisplayName',
      'creator.photoURL as creatorPhotoURL',
      'creator.createdAt as creatorCreatedAt',
      'spaces.revision as spaceRevision',
      rowCountOf(queries, 'comments open', 'changeRequests.organization', 'changeRequests.id').as('comments'),
    ]);
}

/** Filters of a list of change requests. Those of users are their IDs. */
export interface ChangeRequestsFilter {
  status: ChangeRequestRow['status'];
  contributor: string | undefined;
  creator: string | undefined;
  requestedReviewer: string | undefined;
}

/** Selects the change requests of a space that match a filter. */
export const changeRequestsMatching = (
  queries: Queries,
  space: string,
  { status, contributor, creator, requestedReviewer }: ChangeRequestsFilter,
) =>
  selectChangeRequests(queries)
    .where('changeRequests.space', '=', space)
    .where('changeRequests.status', '=', status)
    .$if(creator !== undefined, (rows) => rows.where('changeRequests.createdBy', '=', creator ?? ''))
    .$if(contributor !== undefined, (rows) =>
      rows.where('changeRequests.id', 'in', (revision) =>
        revision
          .selectFrom('revisions')
          .select('revisions.changeRequest')
          .where('revisions.space', '=', space)
          .where('revisions.createdBy', '=', contributor ?? '')
          .where('revisions.changeRequest', 'is not', null)
          .$narrowType<{ changeRequest: string }>(),
      ),
    )
    .$if(requestedReviewer !== undefined, (rows) =>
      rows.where('changeRequests.id', 'in', (request) =>
        request
          .selectFrom('requestedReviewers')
          .select('requestedReviewers.changeRequest')
          .where('requestedReviewers.space', '=', space)
          .where('requestedReviewers.reviewer', '=', requestedReviewer ?? ''),
      ),
    );

/** Returns the revision of the space that a change request was created from or last updated to. */
export const ancestorOf = ({
  revisionInitial,
  revisionMergedAncestor,
}: Pick<ChangeRequestRow, 'revisionInitial' | 'revisionMergedAncestor'>): string =>
  revisionMergedAncestor ?? revisionInitial;

/**
 * Finds a change request by its ID or its number in the space, and requires a permission on the space.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function changeRequestFor(
  queries: Queries,
  caller: CallerId,
  path: ChangeRequestPath,
  permission: SpacePermission,
): Promise<SpaceWithAccess & { changeRequest: ChangeRequestRow }> {
  const space = await spaceFor(queries, caller, path.spaceId, permission);
  const changeRequest = await findChangeRequest(queries, path.spaceId, path.changeRequestId);
  if (!changeRequest) {
    throw notFound('change request');
  }
  return { ...space, changeRequest };
}

/** Finds a change request of a space by its ID or its number. IDs always contain a letter. */
async function findChangeRequest(
  queries: Queries,
  space: string,
  idOrNumber: string,
): Promise<ChangeRequestRow | undefined> {
  const candidates = selectChangeRequests(queries).where('changeRequests.space', '=', space);
  if (!/^\d+$/.test(idOrNumber)) {
    return await candidates.where('changeRequests.id', '=', idOrNumber).executeTakeFirst();
  }
  const number = Number(idOrNumber);
  if (!Number.isSafeInteger(number)) {
    return undefined;
  }
  return await candidates.where('changeRequests.number', '=', number).executeTakeFirst();
}

/**
 * Finds the change request whose merge created a revision.
 *
 * @throws Error if the revision was not created by a merge
 */
export async function changeRequestOfMerge(queries: Queries, revision: string): Promise<ChangeRequestRow> {
  const row = await selectChangeRequests(queries)
    .where('changeRequests.revisionMerged', '=', revision)
    .executeTakeFirst();
  if (!row) {
    throw new Error(`The merge revision ${revision} has no change request.`);
  }
  return row;
}
