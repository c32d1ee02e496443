import type { components } from '../../../../generated/schema.d.ts';
import { batches } from '../../../database/batches.ts';
import type { Transaction } from '../../../database/database.ts';
import { fieldInvalid } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Context } from '../../kit/slice.ts';
import { type BranchPath, type BranchWithAccess, branchFor } from '../content-branches/queries.ts';
import { requireOnComment } from './queries/permissions.ts';
import { type CommentRow, commentFor, replyFor, type StoredComment } from './queries.ts';
import type { StoredTarget } from './rules/targets.ts';

type Schemas = components['schemas'];

/** Path parameters of a comment. */
export type CommentPath = BranchPath & { commentId: string };
/** Path parameters of a reply. */
export type ReplyPath = CommentPath & { commentReplyId: string };

/** A comment, and the content branch that it is on. */
export interface BranchComment {
  branch: BranchWithAccess;
  row: CommentRow;
}

/** A reply, and the content branch that its comment is on. */
export interface BranchReply {
  branch: BranchWithAccess;
  row: StoredComment;
}

/** Maximum number of reactions to a comment or reply, of all users. Every response with the comment has them all. */
export const MAX_REACTIONS = 10_000;

/** Maximum number of emoji per statement; databases limit the number of its values. */
const BATCH = 1000;

/** The target of a comment on the whole content, and of a reply, which shares the target of its comment. */
export const NO_TARGET: Omit<StoredTarget, 'revision'> = {
  page: null,
  node: null,
  nodePreview: null,
  cellRecord: null,
  cellDefinition: null,
};

/** Creates a comment on a target that was found before the transaction. */
export async function createComment(
  trx: Transaction,
  ctx: Context,
  { body, target, ...path }: BranchPath & Pick<Schemas['CommentCreate'], 'body'> & { target: StoredTarget },
): Promise<BranchComment> {
  const branch = await branchFor(trx, ctx.caller.id, path, 'comment');
  const row = await insertComment(trx, ctx, branch, { ...target, body: body.markdown, parent: null });
  return { branch, row: { ...row, replies: 0 } };
}

/** Creates a reply to a comment. */
export async function createReply(
  trx: Transaction,
  ctx: Context,
  { body, ...path }: CommentPath & Schemas['CommentReplyCreate'],
): Promise<BranchReply> {
  const branch = await branchFor(trx, ctx.caller.id, path, 'view');
  const comment = await commentFor(trx, branch, path.commentId);
  requireOnComment(comment, branch, 'reply');
  const target = { ...NO_TARGET, revision: branch.revision };
  const reply = { ...target, body: body.markdown, parent: comment.id };
  return { branch, row: await insertComment(trx, ctx, branch, reply) };
}

/** Inserts a comment on a content branch, which may be part of a review of the change request. */
export async function insertComment(
  trx: Transaction,
  { caller, clock, createId }: Context,
  { space, changeRequest }: BranchWithAccess,
  comment: StoredTarget & Pick<StoredComment, 'body' | 'parent'> & { review?: string },
): Promise<StoredComment> {
  return await trx
    .insertInto('comments')
    .values({
      ...comment,
      id: createId(comment.parent === null ? 'cmt' : 'rpl'),
      organization: space.organization,
      space: space.id,
      changeRequest: changeRequest?.id ?? null,
      review: comment.review ?? null,
      status: 'open',
      resolvedAt: null,
      resolvedBy: null,
      postedBy: caller.id,
      postedAt: clock().toISOString(),
      editedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Updates the text of a comment, resolves or reopens it, and adds or removes reactions. */
export async function updateComment(
  trx: Transaction,
  ctx: Context,
  { resolved, ...input }: CommentPath & Schemas['CommentUpdate'],
): Promise<BranchComment> {
  const branch = await branchFor(trx, ctx.caller.id, input, 'view');
  const comment = await commentFor(trx, branch, input.commentId);
  const row = await updateText(trx, ctx, { branch, row: comment }, input);
  return {
    branch,
    row: resolved === undefined ? row : await setResolved(trx, ctx, { branch, row }, resolved),
  };
}

/**
 * Updates the text of a reply, and adds or removes reactions. `resolved` resolves or reopens the comment that it
 * replies to.
 */
export async function updateReply(
  trx: Transaction,
  ctx: Context,
  { resolved, ...input }: ReplyPath & Schemas['ChangeRequestCommentReplyUpdate'],
): Promise<BranchReply> {
  const branch = await branchFor(trx, ctx.caller.id, input, 'view');
  const { comment, reply } = await replyFor(trx, branch, input);
  const row = await updateText(trx, ctx, { branch, row: reply }, input);
  if (resolved !== undefined) {
    await setResolved(trx, ctx, { branch, row: comment }, resolved);
  }
  return { branch, row };
}

/** Updates the text and the reactions. An emoji that is both removed and added exists afterwards. */
async function updateText<Row extends StoredComment>(
  trx: Transaction,
  ctx: Context,
  { branch, row }: { branch: BranchWithAccess; row: Row },
  { body, addedReactions = [], removedReactions = [] }: Schemas['CommentReplyUpdate'],
): Promise<Row> {
  requireOnComment(row, branch, 'react');
  let updated = row;
  if (body) {
    requireOnComment(row, branch, 'edit');
    if (body.markdown !== row.body) {
      const edited = { body: body.markdown, editedAt: ctx.clock().toISOString() };
      await trx.updateTable('comments').set(edited).where('id', '=', row.id).execute();
      updated = { ...row, ...edited };
    }
  }
  for (const emoji of batches(removedReactions, BATCH)) {
    await trx
      .deleteFrom('commentReactions')
      .where('comment', '=', row.id)
      .where('user', '=', ctx.caller.id)
      .where('emoji', 'in', emoji)
      .execute();
  }
  const reaction = {
    organization: branch.space.organization,
    comment: row.id,
    user: ctx.caller.id,
    reactedAt: ctx.clock().toISOString(),
  };
  for (const emoji of batches(addedReactions, BATCH)) {
    await trx
      .insertInto('commentReactions')
      .values(emoji.map((added) => ({ ...reaction, emoji: added })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  if (addedReactions.length > 0) {
    await requireReactionLimit(trx, row);
  }
  return updated;
}

/** @throws ContractError 400 if a comment has too many reactions */
async function requireReactionLimit(trx: Transaction, { id }: StoredComment): Promise<void> {
  const { count } = await trx
    .selectFrom('commentReactions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('comment', '=', id)
    .executeTakeFirstOrThrow();
  if (count > MAX_REACTIONS) {
    throw fieldInvalid('addedReactions', `exceeds the limit of ${MAX_REACTIONS} reactions of a comment`);
  }
}

/** Resolves or reopens a comment. Until it is reopened, the first user to resolve it and the time are retained. */
async function setResolved(
  trx: Transaction,
  { caller, clock }: Context,
  { branch, row }: BranchComment,
  resolved: boolean,
): Promise<CommentRow> {
  requireOnComment(row, branch, 'resolve');
  if (resolved === (row.status === 'resolved')) {
    return row;
  }
  const status = resolved
    ? { status: 'resolved' as const, resolvedAt: clock().toISOString(), resolvedBy: caller.id }
    : { status: 'open' as const, resolvedAt: null, resolvedBy: null };
  await trx.updateTable('comments').set(status).where('id', '=', row.id).execute();
  return { ...row, ...status };
}

/** Deletes a comment. The database cascades to its replies and reactions. */
export async function deleteComment(trx: Transaction, ctx: Context, path: CommentPath): Promise<void> {
  const find = async () => {
    const branch = await branchFor(trx, ctx.caller.id, path, 'view');
    return { branch, row: await commentFor(trx, branch, path.commentId) };
  };
  await deleteRow(trx, ctx, await unlessNotFound(find()));
}

/** Deletes a reply with its reactions. */
export async function deleteReply(trx: Transaction, ctx: Context, path: ReplyPath): Promise<void> {
  const find = async () => {
    const branch = await branchFor(trx, ctx.caller.id, path, 'view');
    return { branch, row: (await replyFor(trx, branch, path)).reply };
  };
  await deleteRow(trx, ctx, await unlessNotFound(find()));
}

async function deleteRow(
  trx: Transaction,
  { audit }: Context,
  comment: BranchReply | undefined,
): Promise<void> {
  if (!comment) {
    return;
  }
  const { branch, row } = comment;
  requireOnComment(row, branch, 'delete');
  await trx.deleteFrom('comments').where('id', '=', row.id).execute();
  await audit(trx, {
    organization: branch.space.organization,
    action: 'comment.deleted',
    resource: { type: 'comment', id: row.id },
    details: { subject: { type: 'space', id: branch.space.id } },
  });
}
