import type { components } from '../../../generated/schema.d.ts';
import {
  commentFor,
  countComments,
  replyFor,
  saidBytes,
  selectCommenters,
  selectComments,
  selectReplies,
} from '../../models/comments/queries.ts';
import { type BranchPath, branchFor } from '../../models/content-branches/queries.ts';
import { memberPresenter } from '../../models/members/present.ts';
import { memberFinder } from '../../models/members/queries.ts';
import { answerList, type ListQuery } from '../kit/list.ts';
import type { Context, HandlersOf, OperationId, Services } from '../kit/slice.ts';
import { presentComments, presentReplies } from './present.ts';
import {
  type CommentPath,
  createComment,
  createReply,
  deleteComment,
  deleteReply,
  type FoundComment,
  type FoundReply,
  type ReplyPath,
  updateComment,
  updateReply,
} from './rules.ts';

type Schemas = components['schemas'];

interface FormatQuery {
  format?: Schemas['TextFormat'];
}

interface CommentsQuery extends ListQuery, FormatQuery {
  order: 'asc' | 'desc';
  status: Schemas['CommentStatusFilter'];
  targetPage?: string;
  authors?: string[];
}

/** A request whose path names the commented space or change request. */
interface Request<Path, Query = unknown, Body = unknown> {
  path: Path;
  query: Query;
  body: Body;
}

/**
 * Creates the handlers of comments on spaces and on change requests. Both share one function per operation.
 */
export function commentHandlers(
  services: Services,
): HandlersOf<
  | 'listSpaceComments'
  | 'createSpaceComment'
  | 'getSpaceComment'
  | 'updateSpaceComment'
  | 'deleteSpaceComment'
  | 'listSpaceCommentReplies'
  | 'createSpaceCommentReply'
  | 'getSpaceCommentReply'
  | 'updateSpaceCommentReply'
  | 'deleteSpaceCommentReply'
  | 'listSpaceCommenters'
  | 'listChangeRequestComments'
  | 'createChangeRequestComment'
  | 'getChangeRequestComment'
  | 'updateChangeRequestComment'
  | 'deleteChangeRequestComment'
  | 'listChangeRequestCommentReplies'
  | 'createChangeRequestCommentReply'
  | 'getChangeRequestCommentReply'
  | 'updateChangeRequestCommentReply'
  | 'deleteChangeRequestCommentReply'
  | 'listChangeRequestCommenters'
> {
  const { query: queries } = services.database;
  const open = (path: BranchPath, { caller }: Context) => branchFor(queries, caller.id, path, 'view');

  const presentOne = async ({ branch, row }: FoundComment, { format }: FormatQuery = {}) =>
    only(await presentComments(services, branch, [row], format));
  const presentOneReply = async ({ branch, row }: FoundReply, { format }: FormatQuery = {}) =>
    only(await presentReplies(services, branch, [row], format));

  const list =
    (operation: OperationId) =>
    async ({ path, query }: Request<BranchPath, CommentsQuery>, context: Context) => {
      const branch = await open(path, context);
      const { status, targetPage, order, format } = query;
      const authors = query.authors && [...new Set(query.authors)].sort();
      const comments = selectComments(queries, branch)
        .$if(status !== 'all', (rows) =>
          rows.where('comments.status', '=', status === 'all' ? 'open' : status),
        )
        .$if(targetPage !== undefined, (rows) => rows.where('comments.page', '=', targetPage ?? null))
        .$if(authors !== undefined, (rows) => rows.where('comments.postedBy', 'in', authors ?? []));
      const { items, ...page } = await answerList(services, comments, query, {
        list: operation,
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
        bytes: saidBytes,
        count:
          targetPage === undefined && authors === undefined
            ? await countComments(queries, branch, status)
            : undefined,
        present: (row) => row,
      });
      return { ...page, items: await presentComments(services, branch, items, format) };
    };

  const create = async (
    { path, body }: Request<BranchPath, unknown, Schemas['CommentCreate']>,
    { caller }: Context,
  ) => await presentOne(await createComment(services, caller.id, path, body));

  const read = async ({ path, query }: Request<CommentPath, FormatQuery>, context: Context) => {
    const branch = await open(path, context);
    return await presentOne({ branch, row: await commentFor(queries, branch, path.commentId) }, query);
  };

  const update = async (
    { path, body }: Request<CommentPath, unknown, Schemas['CommentUpdate']>,
    { caller }: Context,
  ) => await presentOne(await updateComment(services, caller.id, path, body));

  const remove = async ({ path }: Request<CommentPath>, context: Context): Promise<undefined> => {
    await deleteComment(services, context, path);
  };

  const listReplies =
    (operation: OperationId) =>
    async ({ path, query }: Request<CommentPath, ListQuery & FormatQuery>, context: Context) => {
      const branch = await open(path, context);
      const comment = await commentFor(queries, branch, path.commentId);
      const { items, ...page } = await answerList(services, selectReplies(queries, comment), query, {
        list: operation,
        filters: { comment: comment.id },
        count: { organization: comment.organization, kind: 'replies', owner: comment.id },
        order: [
          { column: 'comments.postedAt', direction: 'asc' },
          { column: 'comments.id', direction: 'asc' },
        ],
        bytes: saidBytes,
        present: (row) => row,
      });
      return { ...page, items: await presentReplies(services, branch, items, query.format) };
    };

  const createOneReply = async (
    { path, query, body }: Request<CommentPath, FormatQuery, Schemas['CommentReplyCreate']>,
    { caller }: Context,
  ) => await presentOneReply(await createReply(services, caller.id, path, body), query);

  const readReply = async ({ path, query }: Request<ReplyPath, FormatQuery>, context: Context) => {
    const branch = await open(path, context);
    const { reply } = await replyFor(queries, branch, path);
    return await presentOneReply({ branch, row: reply }, query);
  };

  const updateOneReply = async (
    { path, body }: Request<ReplyPath, unknown, Schemas['ChangeRequestCommentReplyUpdate']>,
    { caller }: Context,
  ) => await presentOneReply(await updateReply(services, caller.id, path, body));

  const removeReply = async ({ path }: Request<ReplyPath>, context: Context): Promise<undefined> => {
    await deleteReply(services, context, path);
  };

  const listCommenters =
    (operation: OperationId) =>
    async ({ path, query }: Request<BranchPath, ListQuery>, context: Context) => {
      const branch = await open(path, context);
      const present = memberPresenter(queries, branch.access, services.addresses);
      const memberNamed = memberFinder(queries, branch.space.organization);
      return await answerList(services, selectCommenters(queries, branch), query, {
        list: operation,
        filters: { space: branch.space.id, changeRequest: branch.changeRequest?.id },
        order: [
          { column: 'commenters.joinedAt', direction: 'asc' },
          { column: 'commenters.user', direction: 'asc' },
        ],
        countColumn: 'total',
        present: async ({ user }) => {
          const row = await memberNamed(user);
          return row && (await present(row));
        },
      });
    };

  return {
    listSpaceComments: list('listSpaceComments'),
    createSpaceComment: create,
    getSpaceComment: read,
    updateSpaceComment: update,
    deleteSpaceComment: remove,
    listSpaceCommentReplies: listReplies('listSpaceCommentReplies'),
    createSpaceCommentReply: createOneReply,
    getSpaceCommentReply: readReply,
    updateSpaceCommentReply: updateOneReply,
    deleteSpaceCommentReply: removeReply,
    listSpaceCommenters: listCommenters('listSpaceCommenters'),
    listChangeRequestComments: list('listChangeRequestComments'),
    createChangeRequestComment: create,
    getChangeRequestComment: read,
    updateChangeRequestComment: update,
    deleteChangeRequestComment: remove,
    listChangeRequestCommentReplies: listReplies('listChangeRequestCommentReplies'),
    createChangeRequestCommentReply: createOneReply,
    getChangeRequestCommentReply: readReply,
    updateChangeRequestCommentReply: updateOneReply,
    deleteChangeRequestCommentReply: removeReply,
    listChangeRequestCommenters: listCommenters('listChangeRequestCommenters'),
  };
}

/** Returns the only item of a list. */
function only<Item>(items: Item[]): Item {
  const [item] = items;
  if (item === undefined) {
    throw new Error('One record was to be presented, and none came out.');
  }
  return item;
}
