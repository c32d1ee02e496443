import type { components } from '../../../../generated/schema.d.ts';
import { memberPresenter } from '../../accounts/members/present.ts';
import { memberFinder } from '../../accounts/members/queries.ts';
import { answerList, type ListQuery } from '../../kit/list.ts';
import type { Context, OperationId, Slice } from '../../kit/slice.ts';
import { type BranchPath, branchFor } from '../content-branches/queries.ts';
import { presentComment, presentComments, presentReplies, presentReply } from './present.ts';
import {
  commentBytes,
  commentFor,
  commentsMatching,
  countComments,
  replyBytes,
  replyFor,
  selectCommenters,
  selectReplies,
} from './queries.ts';
import { findTarget } from './rules/targets.ts';
import {
  type CommentPath,
  createComment,
  createReply,
  deleteComment,
  deleteReply,
  type ReplyPath,
  updateComment,
  updateReply,
} from './rules.ts';

type Schemas = components['schemas'];

/** Handlers of comments on spaces and on change requests. Both share one function per operation. */
export const commentHandlers = {
  listSpaceComments: (request, ctx) => listBranchComments('listSpaceComments', request, ctx),
  createSpaceComment: createBranchComment,
  getSpaceComment: getBranchComment,
  updateSpaceComment: updateBranchComment,
  deleteSpaceComment: deleteBranchComment,
  listSpaceCommentReplies: (request, ctx) => listBranchReplies('listSpaceCommentReplies', request, ctx),
  createSpaceCommentReply: createBranchReply,
  getSpaceCommentReply: getBranchReply,
  updateSpaceCommentReply: updateBranchReply,
  deleteSpaceCommentReply: deleteBranchReply,
  listSpaceCommenters: (request, ctx) => listBranchCommenters('listSpaceCommenters', request, ctx),

  listChangeRequestComments: (request, ctx) => listBranchComments('listChangeRequestComments', request, ctx),
  createChangeRequestComment: createBranchComment,
  getChangeRequestComment: getBranchComment,
  updateChangeRequestComment: updateBranchComment,
  deleteChangeRequestComment: deleteBranchComment,
  listChangeRequestCommentReplies: (request, ctx) =>
    listBranchReplies('listChangeRequestCommentReplies', request, ctx),
  createChangeRequestCommentReply: createBranchReply,
  getChangeRequestCommentReply: getBranchReply,
  updateChangeRequestCommentReply: updateBranchReply,
  deleteChangeRequestCommentReply: deleteBranchReply,
  listChangeRequestCommenters: (request, ctx) =>
    listBranchCommenters('listChangeRequestCommenters', request, ctx),
} satisfies Slice;

/** A request with the content branch of the comments in its path. */
interface Request<Path, Query = unknown, Body = unknown> {
  path: Path;
  query: Query;
  body: Body;
}

interface FormatQuery {
  format?: Schemas['TextFormat'];
}

interface CommentsQuery extends ListQuery, FormatQuery {
  order: 'asc' | 'desc';
  status: Schemas['CommentStatusFilter'];
  targetPage?: string;
  authors?: string[];
}

async function listBranchComments(
  list: OperationId,
  { path, query }: Request<BranchPath, CommentsQuery>,
  ctx: Context,
) {
  const { query: queries } = ctx.database;
  const branch = await branchFor(queries, ctx.caller.id, path, 'view');
  const { status, targetPage, order, format } = query;
  const authors = query.authors && [...new Set(query.authors)].sort();
  const comments = commentsMatching(queries, branch, { status, page: targetPage, authors });
  const { items, ...page } = await answerList(ctx, comments, query, {
    list,
    filters: {
      space: branch.space.id,
      changeRequest: branch.changeRequest?.id,
      status,
      targetPage,
      authors,
    },
    order: [
      { column: 'comments.postedAt', direction: order },
      { column: 'comments.id', direction: order },
    ],
    bytes: commentBytes,
    count:
      targetPage === undefined && authors === undefined
        ? await countComments(queries, branch, status)
        : undefined,
    present: (row) => row,
  });
  return { ...page, items: await presentComments(ctx, branch, items, format) };
}

async function createBranchComment(
  { path, body }: Request<BranchPath, unknown, Schemas['CommentCreate']>,
  ctx: Context,
) {
  // Finding the target reads content, which a transaction must not wait for.
  const target = await findTarget(ctx, { ...path, ...body });
  const created = await ctx.database.transaction((trx) =>
    createComment(trx, ctx, { ...path, body: body.body, target }),
  );
  return await presentComment(ctx, created);
}

async function getBranchComment({ path, query }: Request<CommentPath, FormatQuery>, ctx: Context) {
  const { query: queries } = ctx.database;
  const branch = await branchFor(queries, ctx.caller.id, path, 'view');
  const row = await commentFor(queries, branch, path.commentId);
  return await presentComment(ctx, { branch, row }, query.format);
}

async function updateBranchComment(
  { path, body }: Request<CommentPath, unknown, Schemas['CommentUpdate']>,
  ctx: Context,
) {
  const updated = await ctx.database.transaction((trx) => updateComment(trx, ctx, { ...path, ...body }));
  return await presentComment(ctx, updated);
}

async function deleteBranchComment({ path }: Request<CommentPath>, ctx: Context): Promise<undefined> {
  await ctx.database.transaction((trx) => deleteComment(trx, ctx, path));
}

async function listBranchReplies(
  list: OperationId,
  { path, query }: Request<CommentPath, ListQuery & FormatQuery>,
  ctx: Context,
) {
  const { query: queries } = ctx.database;
  const branch = await branchFor(queries, ctx.caller.id, path, 'view');
  const comment = await commentFor(queries, branch, path.commentId);
  const { items, ...page } = await answerList(ctx, selectReplies(queries, comment), query, {
    list,
    filters: { comment: comment.id },
    count: { organization: comment.organization, kind: 'replies', owner: comment.id },
    order: [
      { column: 'comments.postedAt', direction: 'asc' },
      { column: 'comments.id', direction: 'asc' },
    ],
    bytes: replyBytes,
    present: (row) => row,
  });
  return { ...page, items: await presentReplies(ctx, branch, items, query.format) };
}

async function createBranchReply(
  { path, query, body }: Request<CommentPath, FormatQuery, Schemas['CommentReplyCreate']>,
  ctx: Context,
) {
  const created = await ctx.database.transaction((trx) => createReply(trx, ctx, { ...path, ...body }));
  return await presentReply(ctx, created, query.format);
}

async function getBranchReply({ path, query }: Request<ReplyPath, FormatQuery>, ctx: Context) {
  const { query: queries } = ctx.database;
  const branch = await branchFor(queries, ctx.caller.id, path, 'view');
  const { reply } = await replyFor(queries, branch, path);
  return await presentReply(ctx, { branch, row: reply }, query.format);
}

async function updateBranchReply(
  { path, body }: Request<ReplyPath, unknown, Schemas['ChangeRequestCommentReplyUpdate']>,
  ctx: Context,
) {
  const updated = await ctx.database.transaction((trx) => updateReply(trx, ctx, { ...path, ...body }));
  return await presentReply(ctx, updated);
}

async function deleteBranchReply({ path }: Request<ReplyPath>, ctx: Context): Promise<undefined> {
  await ctx.database.transaction((trx) => deleteReply(trx, ctx, path));
}

async function listBranchCommenters(
  list: OperationId,
  { path, query }: Request<BranchPath, ListQuery>,
  ctx: Context,
) {
  const { query: queries } = ctx.database;
  const branch = await branchFor(queries, ctx.caller.id, path, 'view');
  const present = memberPresenter(queries, branch.access, ctx.resourceUrls);
  const findMember = memberFinder(queries, branch.space.organization);
  return await answerList(ctx, selectCommenters(queries, branch), query, {
    list,
    filters: { space: branch.space.id, changeRequest: branch.changeRequest?.id },
    order: [
      { column: 'commenters.joinedAt', direction: 'asc' },
      { column: 'commenters.user', direction: 'asc' },
    ],
    countColumn: 'total',
    present: async ({ user }) => {
      const row = await findMember(user);
      return row && (await present(row));
    },
  });
}
