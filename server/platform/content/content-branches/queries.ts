import { type ContentBranch, mainBranch } from '../../../content/branch.ts';
import type { Queries } from '../../../database/database.ts';
import { changeRequestMerged, spaceLocked, spaceTransferred } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import type { SpacePermission } from '../../../identity/permissions.ts';
import { type SpaceWithAccess, spaceFor } from '../../spaces/spaces/queries.ts';
import {
  type ChangeRequestPath,
  type ChangeRequestRow,
  changeRequestFor,
} from '../change-requests/queries.ts';

/** A content branch with its rows and the caller's access. */
export interface BranchWithAccess extends ContentBranch {
  space: SpaceWithAccess['row'];
  access: SpaceWithAccess['access'];
  changeRequest?: ChangeRequestRow;
}

/** The content branch of a change request. */
export type ChangeRequestBranch = BranchWithAccess & { changeRequest: ChangeRequestRow };

/** Path parameters that identify a content branch. */
export interface BranchPath {
  spaceId: string;
  /** ID or number of the change request; undefined for the main content. */
  changeRequestId?: string;
}

/**
 * Finds a content branch, and requires a permission on its space.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function branchFor(
  queries: Queries,
  caller: CallerId,
  path: ChangeRequestPath,
  permission: SpacePermission,
): Promise<ChangeRequestBranch>;
export async function branchFor(
  queries: Queries,
  caller: CallerId,
  path: BranchPath,
  permission: SpacePermission,
): Promise<BranchWithAccess>;
export async function branchFor(
  queries: Queries,
  caller: CallerId,
  { spaceId, changeRequestId }: BranchPath,
  permission: SpacePermission,
): Promise<BranchWithAccess> {
  if (changeRequestId === undefined) {
    const { row, access } = await spaceFor(queries, caller, spaceId, permission);
    return { ...mainBranch(row), access };
  }
  const path = { spaceId, changeRequestId };
  const { row, access, changeRequest } = await changeRequestFor(queries, caller, path, permission);
  return { space: row, access, changeRequest, revision: changeRequest.revision };
}

/**
 * Finds a content branch like {@link branchFor}, and requires that its state allows writing.
 *
 * @param files organization of already stored files for the new content
 * @throws ContractError 409 for a merged change request, for the main content of a locked space, and for a space that
 *   belongs to another organization than `files`
 */
export async function writableBranchFor(
  queries: Queries,
  caller: CallerId,
  path: ChangeRequestPath,
  permission: SpacePermission,
  files?: { organization: string },
): Promise<ChangeRequestBranch>;
export async function writableBranchFor(
  queries: Queries,
  caller: CallerId,
  path: BranchPath,
  permission: SpacePermission,
  files?: { organization: string },
): Promise<BranchWithAccess>;
export async function writableBranchFor(
  queries: Queries,
  caller: CallerId,
  path: BranchPath,
  permission: SpacePermission,
  files?: { organization: string },
): Promise<BranchWithAccess> {
  const branch = await branchFor(queries, caller, path, permission);
  const { space, changeRequest } = branch;
  if (changeRequest?.status === 'merged') {
    throw changeRequestMerged();
  }
  if (!changeRequest && space.editMode === 'locked') {
    throw spaceLocked();
  }
  if (files && files.organization !== space.organization) {
    throw spaceTransferred();
  }
  return branch;
}
