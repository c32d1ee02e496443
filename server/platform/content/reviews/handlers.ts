import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { branchFor } from '../content-branches/queries.ts';
import { presentRequestedReviewers, presentReview, presentReviews } from './present.ts';
import { requestedReviewersOf, reviewBytes, reviewFor, reviewsMatching } from './queries.ts';
import { addRequestedReviewers, createReview, removeRequestedReviewer } from './rules.ts';

/** Handlers of the reviews of change requests, and of requests for them. */
export const reviewHandlers = {
  async listChangeRequestReviews({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const branch = await branchFor(queries, ctx.caller.id, path, 'view');
    const { outdated, format } = query;
    const changeRequest = branch.changeRequest.id;
    const rows = reviewsMatching(queries, changeRequest, outdated === undefined ? {} : { outdated });
    const { items, ...page } = await answerList(ctx, rows, query, {
      list: 'listChangeRequestReviews',
      filters: { changeRequest, outdated },
      order: [
        { column: 'reviews.createdAt', direction: 'asc' },
        { column: 'reviews.id', direction: 'asc' },
      ],
      bytes: reviewBytes,
      present: (row) => row,
    });
    return { ...page, items: await presentReviews(ctx, branch, items, format) };
  },

  async createChangeRequestReview({ path, body }, ctx) {
    const { branch, row } = await ctx.database.transaction((trx) =>
      createReview(trx, ctx, { ...path, ...body }),
    );
    return await presentReview(ctx, branch, row);
  },

  async getChangeRequestReview({ path, query }, ctx) {
    const branch = await branchFor(ctx.database.query, ctx.caller.id, path, 'view');
    const row = await reviewFor(ctx.database.query, branch.changeRequest.id, path.reviewId);
    return await presentReview(ctx, branch, row, query.format);
  },

  async listRequestedReviewers({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { changeRequest } = await branchFor(queries, ctx.caller.id, path, 'view');
    const rows = requestedReviewersOf(queries, changeRequest.id);
    const { items, ...page } = await answerList(ctx, rows, query, {
      list: 'listRequestedReviewers',
      filters: { changeRequest: changeRequest.id },
      order: [
        { column: 'requestedReviewers.createdAt', direction: 'asc' },
        { column: 'requestedReviewers.reviewer', direction: 'asc' },
      ],
      present: (row) => row,
    });
    return { ...page, items: await presentRequestedReviewers(ctx, items) };
  },

  async addRequestedReviewers({ path, body }, ctx) {
    const rows = await ctx.database.transaction((trx) =>
      addRequestedReviewers(trx, ctx, { ...path, ...body }),
    );
    return { users: await presentRequestedReviewers(ctx, rows) };
  },

  async removeRequestedReviewer({ path }, ctx) {
    await ctx.database.transaction((trx) => removeRequestedReviewer(trx, ctx, path));
  },
} satisfies Slice;
