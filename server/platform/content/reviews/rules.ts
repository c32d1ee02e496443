import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import type { AuditAction } from '../../../database/schema/accounts/audit-events.ts';
import {
  changeRequestArchived,
  changeRequestMerged,
  fieldInvalid,
  permissionMissing,
  reviewLimitExceeded,
} from '../../../errors/errors.ts';
import { loadAccess } from '../../../identity/access.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { isInstallation } from '../../../identity/installations.ts';
import { findMembership } from '../../../identity/membership.ts';
import { requireSpacePermission, spacePermissions } from '../../../identity/permissions.ts';
import type { Context } from '../../kit/slice.ts';
import type { ChangeRequestPath, ChangeRequestRow } from '../change-requests/queries.ts';
import { insertComment, NO_TARGET } from '../comments/rules.ts';
import { branchFor, type ChangeRequestBranch } from '../content-branches/queries.ts';
import { type RequestedReviewerRow, type ReviewRow, requestedReviewersOf } from './queries.ts';

type Schemas = components['schemas'];

/** Maximum number of reviews of a change request, outdated ones included. */
export const MAX_REVIEWS = 1000;

/** Maximum number of requested reviewers of a change request. */
export const MAX_REQUESTED_REVIEWERS = 100;

/** A review, and the content branch of its change request. */
export interface BranchReview {
  branch: ChangeRequestBranch;
  row: ReviewRow;
}

/**
 * Reviews a change request, which replaces earlier reviews by the caller.
 *
 * @throws ContractError 403 if the caller lacks the permission `review`, and nobody else requested the review; 409 if
 *   the change request is merged or archived, or has the maximum number of reviews
 */
export async function createReview(
  trx: Transaction,
  ctx: Context,
  { status, comment, ...path }: ChangeRequestPath & Schemas['ChangeRequestReviewCreate'],
): Promise<BranchReview> {
  const { caller, clock, createId } = ctx;
  const branch = await branchFor(trx, caller.id, path, 'view');
  const { changeRequest, space } = branch;
  const request = await requestedReviewersOf(trx, changeRequest.id)
    .where('requestedReviewers.reviewer', '=', caller.id)
    .executeTakeFirst();
  // Nobody can permit themselves to review.
  if (!request || request.requestedBy === caller.id) {
    requireSpacePermission(branch.access.onSpace(space), 'review');
  }
  requireReviewable(changeRequest);
  const { count } = await trx
    .selectFrom('reviews')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('changeRequest', '=', changeRequest.id)
    .executeTakeFirstOrThrow();
  if (count >= MAX_REVIEWS) {
    throw reviewLimitExceeded(MAX_REVIEWS);
  }
  const now = clock().toISOString();
  await outdateReviews(trx, { changeRequest, reviewer: caller.id, now });
  const row: ReviewRow = {
    id: createId('rvw'),
    organization: space.organization,
    space: space.id,
    changeRequest: changeRequest.id,
    revision: branch.revision,
    reviewer: caller.id,
    requestedBy: request?.requestedBy ?? null,
    status,
    outdated: 0,
    createdAt: now,
    updatedAt: now,
  };
  await trx.insertInto('reviews').values(row).execute();
  if (comment) {
    const { id: review, revision } = row;
    await insertComment(trx, ctx, branch, {
      ...NO_TARGET,
      revision,
      review,
      body: comment.markdown,
      parent: null,
    });
  }
  return { branch, row };
}

/**
 * Requests users to review a change request. A request that its reviewer has not followed yet is unchanged.
 *
 * @returns the requests to the users, in their order
 * @throws ContractError 400 for the first user who cannot read the space, and for too many requested reviewers; 409 if
 *   the change request is merged or archived
 */
export async function addRequestedReviewers(
  trx: Transaction,
  ctx: Context,
  { users, subject, ...path }: ChangeRequestPath & Schemas['RequestedReviewersCreate'],
): Promise<RequestedReviewerRow[]> {
  const branch = await branchFor(trx, ctx.caller.id, path, 'edit');
  const { changeRequest } = branch;
  requireReviewable(changeRequest);
  await requireReaders(trx, branch, users);
  const existing = await requestedReviewersOf(trx, changeRequest.id).execute();
  const requests = new Map(existing.map((row) => [row.reviewer, row]));
  for (const reviewer of new Set(users)) {
    requests.set(reviewer, await requestReview(trx, ctx, branch, reviewer, requests.get(reviewer)));
  }
  if (requests.size > MAX_REQUESTED_REVIEWERS) {
    throw fieldInvalid(
      'users',
      `exceeds the limit of ${MAX_REQUESTED_REVIEWERS} requested reviewers of a change request`,
    );
  }
  if (subject !== undefined && subject !== changeRequest.subject) {
    const updatedAt = ctx.clock().toISOString();
    await trx
      .updateTable('changeRequests')
      .set({ subject, updatedAt })
      .where('id', '=', changeRequest.id)
      .execute();
  }
  return users.flatMap((reviewer) => requests.get(reviewer) ?? []);
}

/** Requests a user to review a change request, unless an earlier request is still without a review. */
async function requestReview(
  trx: Transaction,
  ctx: Context,
  branch: ChangeRequestBranch,
  reviewer: string,
  existing: RequestedReviewerRow | undefined,
): Promise<RequestedReviewerRow> {
  const { changeRequest, space } = branch;
  const now = ctx.clock().toISOString();
  const isReviewed = await outdateReviews(trx, { changeRequest, reviewer, now });
  if (existing && !isReviewed) {
    return existing;
  }
  const changes = { requestedBy: ctx.caller.id, revision: branch.revision, createdAt: now };
  const row: RequestedReviewerRow = {
    organization: space.organization,
    space: space.id,
    changeRequest: changeRequest.id,
    reviewer,
    ...changes,
  };
  await trx
    .insertInto('requestedReviewers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['changeRequest', 'reviewer']).doUpdateSet(changes))
    .execute();
  if (!existing) {
    await recordReviewer(trx, ctx, row, 'change_request.reviewer_added');
  }
  return row;
}

/**
 * Removes a requested reviewer. Requested reviewers can remove themselves.
 *
 * @throws ContractError 403 if the caller is not the reviewer and may not edit the space
 */
export async function removeRequestedReviewer(
  trx: Transaction,
  ctx: Context,
  { userId, ...path }: ChangeRequestPath & { userId: string },
): Promise<void> {
  const branch = await unlessNotFound(branchFor(trx, ctx.caller.id, path, 'view'));
  if (!branch) {
    return;
  }
  const { edit } = spacePermissions(branch.access.onSpace(branch.space));
  if (!edit && userId !== ctx.caller.id) {
    throw permissionMissing('space', 'edit');
  }
  const removed = await trx
    .deleteFrom('requestedReviewers')
    .where('changeRequest', '=', branch.changeRequest.id)
    .where('reviewer', '=', userId)
    .returningAll()
    .executeTakeFirst();
  if (removed) {
    await recordReviewer(trx, ctx, removed, 'change_request.reviewer_removed');
  }
}

/** Records that a user may review a change request, or may not any more. */
async function recordReviewer(
  trx: Transaction,
  { audit }: Context,
  { organization, changeRequest, reviewer }: RequestedReviewerRow,
  action: AuditAction & `change_request.${string}`,
): Promise<void> {
  await audit(trx, {
    organization,
    action,
    resource: { type: 'change-request', id: changeRequest },
    details: { subject: { type: 'user', id: reviewer } },
  });
}

/** Marks the reviews of a change request by a user as outdated. Returns whether one of them was not yet. */
async function outdateReviews(
  trx: Transaction,
  { changeRequest, reviewer, now }: { changeRequest: ChangeRequestRow; reviewer: string; now: string },
): Promise<boolean> {
  const outdated = await trx
    .updateTable('reviews')
    .set({ outdated: 1, updatedAt: now })
    .where('changeRequest', '=', changeRequest.id)
    .where('reviewer', '=', reviewer)
    .where('outdated', '=', 0)
    .returning('id')
    .execute();
  return outdated.length > 0;
}

/** @throws ContractError 409 if a change request is merged or archived */
function requireReviewable({ status }: ChangeRequestRow): void {
  if (status === 'merged') {
    throw changeRequestMerged();
  }
  if (status === 'archived') {
    throw changeRequestArchived();
  }
}

/** @throws ContractError 400 for the first user who is not a member of the organization or cannot read the space */
async function requireReaders(
  trx: Transaction,
  { space }: ChangeRequestBranch,
  users: readonly string[],
): Promise<void> {
  for (const [index, user] of users.entries()) {
    const member = isInstallation(user) ? undefined : await findMembership(trx, user, space.organization);
    const access = member && (await loadAccess(trx, member, { kind: 'space', resources: [space] }));
    if (!access || !spacePermissions(access.onSpace(space)).view) {
      throw fieldInvalid(`users.${index}`, 'must be the ID of a member who can read the space');
    }
  }
}
