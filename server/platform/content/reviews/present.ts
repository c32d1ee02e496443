import type { components } from '../../../../generated/schema.d.ts';
import { readUsers } from '../../accounts/users/queries.ts';
import type { Context } from '../../kit/slice.ts';
import { presentComments } from '../comments/present.ts';
import { selectComments } from '../comments/queries.ts';
import type { ChangeRequestBranch } from '../content-branches/queries.ts';
import type { RequestedReviewerRow, ReviewRow } from './queries.ts';

type Schemas = components['schemas'];

/** Presents reviews of a change request. The number of queries does not depend on the number of reviews. */
export async function presentReviews(
  ctx: Context,
  branch: ChangeRequestBranch,
  rows: readonly ReviewRow[],
  format?: Schemas['TextFormat'],
): Promise<Schemas['ChangeRequestReview'][]> {
  const userById = await readUsers(
    ctx,
    rows.flatMap(({ reviewer, requestedBy }) => [reviewer, requestedBy]),
  );
  const reviews = rows.map(({ id }) => id);
  const comments = await selectComments(ctx.database.query, branch)
    .where('comments.review', 'in', reviews)
    .execute();
  const presented = await presentComments(ctx, branch, comments, format);
  const commentOf = new Map(comments.map(({ review }, index) => [review, presented[index]]));
  return rows.map((row) => {
    const comment = commentOf.get(row.id);
    return {
      object: 'change-request-review',
      id: row.id,
      revision: row.revision,
      reviewer: userById(row.reviewer),
      ...(row.requestedBy !== null && { requestedBy: userById(row.requestedBy) }),
      status: row.status,
      outdated: row.outdated === 1,
      ...(comment && { comment }),
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      urls: ctx.resourceUrls.review(row),
    };
  });
}

/** Presents a review. */
export async function presentReview(
  ctx: Context,
  branch: ChangeRequestBranch,
  row: ReviewRow,
  format?: Schemas['TextFormat'],
): Promise<Schemas['ChangeRequestReview']> {
  const [review] = await presentReviews(ctx, branch, [row], format);
  if (!review) {
    throw new Error('The presented review is missing.');
  }
  return review;
}

/** Presents requested reviewers. */
export async function presentRequestedReviewers(
  ctx: Context,
  rows: readonly RequestedReviewerRow[],
): Promise<Schemas['RequestedReviewer'][]> {
  const userById = await readUsers(
    ctx,
    rows.flatMap(({ reviewer, requestedBy }) => [reviewer, requestedBy]),
  );
  return rows.map((row) => ({
    object: 'change-request-requested-reviewer',
    kind: 'user',
    user: userById(row.reviewer),
    requestedBy: userById(row.requestedBy),
    revision: row.revision,
    createdAt: row.createdAt,
  }));
}
