import { type Selectable, sql } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { flag } from '../../../database/json.ts';
import type { RequestedReviewersTable, ReviewsTable } from '../../../database/schema/content/reviews.ts';
import { notFound } from '../../../errors/errors.ts';

/** The stored row of a review. */
export type ReviewRow = Selectable<ReviewsTable>;
/** The stored row of a requested reviewer. */
export type RequestedReviewerRow = Selectable<RequestedReviewersTable>;

/** Selects the reviews of a change request, or only those that are outdated or not. */
export const reviewsMatching = (
  queries: Queries,
  changeRequest: string,
  { outdated }: { outdated?: boolean } = {},
) =>
  queries
    .selectFrom('reviews')
    .selectAll('reviews')
    .where('reviews.changeRequest', '=', changeRequest)
    .$if(outdated !== undefined, (rows) => rows.where('reviews.outdated', '=', flag(outdated === true)));

/** Approximate size in bytes of a review in a response: the text of its comment. */
export const reviewBytes = sql<number>`coalesce((
  select sum(octet_length("comments"."body")) from "comments" where "comments"."review" = "reviews"."id"), 0)`;

/**
 * Finds a review of a change request.
 *
 * @throws ContractError 404 if the change request has no such review
 */
export async function reviewFor(queries: Queries, changeRequest: string, id: string): Promise<ReviewRow> {
  const row = await reviewsMatching(queries, changeRequest).where('reviews.id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('review');
  }
  return row;
}

/** Selects the requested reviewers of a change request. */
export const requestedReviewersOf = (queries: Queries, changeRequest: string) =>
  queries
    .selectFrom('requestedReviewers')
    .selectAll('requestedReviewers')
    .where('requestedReviewers.changeRequest', '=', changeRequest);
