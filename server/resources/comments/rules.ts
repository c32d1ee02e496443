import type { components } from '../../../generated/schema.d.ts';
import { batches } from '../../database/batches.ts';
import type { Transaction } from '../../database/database.ts';
import { fieldInvalid } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { requireOnComment } from '../../models/comments/permissions.ts';
import { type CommentRow, commentFor, replyFor, type SaidRow } from '../../models/comments/queries.ts';
import { type BranchPath, branchFor, type FoundBranch } from '../../models/content-branches/queries.ts';
import type { Context, Services } from '../kit/slice.ts';
import { findTarget, type StoredTarget } from './rules/targets.ts';

type Schemas = components['schemas'];

/** Path parameters of a comment. */
export type CommentPath = BranchPath & { commentId: string };
/** Path parameters of a reply. */
export type ReplyPath = CommentPath & { commentReplyId: string };

/** A comment, and the content branch that it is on. */
export interface FoundComment {
  branch: FoundBranch;
  row: CommentRow;
}

/** A reply, and the content branch that its comment is on. */
export interface FoundReply {
  branch: FoundBranch;
  row: SaidRow;
}

/** Maximum number of reactions to a comment or reply, of all users. Every response with the comment has them all. */
export const MAX_REACTIONS = 10_000;

/** The target of a reply, which has none of its own: it shares the target of its comment. */
const NO_TARGET: Omit<StoredTarget, 'revision'> = {
  page: null,
  node: null,
  nodePreview: null,
  cellRecord: null,
  cellDefinition: null,
};

/**
 * Creates a comment. Its target is looked up before the transaction, in the content that is current then.
 *
 * @throws ContractError 400 if the target does not exist
 */
export async function createComment(
  services: Services,
  user: CallerId,
  path: BranchPath,
  { body, ...about }: Schemas['CommentCreate'],
): Promise<FoundComment> {
  const { query } = services.database;
  const target = await findTarget(services, await branchFor(query, user, path, 'comment'), about);
  return await services.database.transaction(async (trx) => {
    const branch = await branchFor(trx, user, path, 'comment');
    const id = await write(trx, services, branch, { ...target, body: body.markdown, parent: null });
    return { branch, row: await commentFor(trx, branch, id) };
  });
}

/** Creates a reply to a comment. */
export async function createReply(
  services: Services,
  user: CallerId,
  path: CommentPath,
  { body }: Schemas['CommentReplyCreate'],
): Promise<FoundReply> {
  return await services.database.transaction(async (trx) => {
    const branch = await branchFor(trx, user, path, 'view');
    const comment = await commentFor(trx, branch, path.commentId);
    requireOnComment(comment, branch, 'reply');
    const parent = comment.id;
    const target = { ...NO_TARGET, revision: branch.revision };
    const commentReplyId = await write(trx, services, branch, { ...target, body: body.markdown, parent });
    const { reply } = await replyFor(trx, branch, { commentId: parent, commentReplyId });
    return { branch, row: reply };
  });
}

async function write(
  trx: Transaction,
  { clock, makeId }: Services,
  { space, changeRequest, access }: FoundBranch,
  comment: StoredTarget & Pick<SaidRow, 'body' | 'parent'>,
): Promise<string> {
  const id = makeId(comment.parent === null ? 'cmt' : 'rpl');
  await trx
    .insertInto('comments')
    .values({
      ...comment,
      id,
      organization: space.organization,
      space: space.id,
      changeRequest: changeRequest?.id ?? null,
      status: 'open',
      resolvedAt: null,
      resolvedBy: null,
      postedBy: access.user,
      postedAt: clock().toISOString(),
      editedAt: null,
    })
    .execute();
  return id;
}

/** Updates the text of a comment, resolves or reopens it, and adds or removes reactions. */
export async function updateComment(
  services: Services,
  user: CallerId,
  path: CommentPath,
  { resolved, ...change }: Schemas['CommentUpdate'],
): Promise<FoundComment> {
  return await services.database.transaction(async (trx) => {
    const branch = await branchFor(trx, user, path, 'view');
    const comment = await commentFor(trx, branch, path.commentId);
    await changeText(trx, services, branch, comment, change);
    if (resolved !== undefined) {
      await setResolved(trx, services, branch, comment, resolved);
    }
    return { branch, row: await commentFor(trx, branch, comment.id) };
  });
}

/**
 * Updates the text of a reply, and adds or removes reactions. `resolved` resolves or reopens the comment that it
 * replies to.
 */
export async function updateReply(
  services: Services,
  user: CallerId,
  path: ReplyPath,
  { resolved, ...change }: Schemas['ChangeRequestCommentReplyUpdate'],
): Promise<FoundReply> {
  return await services.database.transaction(async (trx) => {
    const branch = await branchFor(trx, user, path, 'view');
    const { comment, reply } = await replyFor(trx, branch, path);
    await changeText(trx, services, branch, reply, change);
    if (resolved !== undefined) {
      await setResolved(trx, services, branch, comment, resolved);
    }
    const changed = await replyFor(trx, branch, path);
    return { branch, row: changed.reply };
  });
}

/** Updates the text and the reactions. An emoji that is both removed and added exists afterwards. */
async function changeText(
  trx: Transaction,
  services: Services,
  branch: FoundBranch,
  comment: SaidRow,
  { body, addedReactions = [], removedReactions = [] }: Schemas['CommentReplyUpdate'],
): Promise<void> {
  requireOnComment(comment, branch, 'react');
  if (body) {
    requireOnComment(comment, branch, 'edit');
    if (body.markdown !== comment.body) {
      await trx
        .updateTable('comments')
        .set({ body: body.markdown, editedAt: services.clock().toISOString() })
        .where('id', '=', comment.id)
        .execute();
    }
  }
  for (const emoji of batches(removedReactions, BATCH)) {
    await trx
      .deleteFrom('commentReactions')
      .where('comment', '=', comment.id)
      .where('user', '=', branch.access.user)
      .where('emoji', 'in', emoji)
      .execute();
  }
  const reaction = {
    organization: branch.space.organization,
    comment: comment.id,
    user: branch.access.user,
    reactedAt: services.clock().toISOString(),
  };
  for (const emoji of batches(addedReactions, BATCH)) {
    await trx
      .insertInto('commentReactions')
      .values(emoji.map((added) => ({ ...reaction, emoji: added })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  if (addedReactions.length === 0) {
    return;
  }
  const { count } = await trx
    .selectFrom('commentReactions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('comment', '=', comment.id)
    .executeTakeFirstOrThrow();
  if (count > MAX_REACTIONS) {
    throw fieldInvalid('addedReactions', `exceeds the limit of ${MAX_REACTIONS} reactions of a comment`);
  }
}

/** Maximum number of emoji per statement; databases limit the number of its values. */
const BATCH = 1000;

/** Resolves or reopens a comment. Until it is reopened, the first user to resolve it and the time are retained. */
async function setResolved(
  trx: Transaction,
  { clock }: Services,
  branch: FoundBranch,
  comment: CommentRow,
  resolved: boolean,
): Promise<void> {
  requireOnComment(comment, branch, 'settle');
  if (resolved === (comment.status === 'resolved')) {
    return;
  }
  await trx
    .updateTable('comments')
    .set(
      resolved
        ? { status: 'resolved', resolvedAt: clock().toISOString(), resolvedBy: branch.access.user }
        : { status: 'open', resolvedAt: null, resolvedBy: null },
    )
    .where('id', '=', comment.id)
    .execute();
}

/** Deletes a comment with its replies and reactions, to which the database cascades. */
export async function deleteComment(
  { database }: Services,
  context: Context,
  path: CommentPath,
): Promise<void> {
  await database.transaction(async (trx) => {
    const find = async () => {
      const branch = await branchFor(trx, context.caller.id, path, 'view');
      return { branch, comment: await commentFor(trx, branch, path.commentId) };
    };
    await remove(trx, context, await unlessNotFound(find()));
  });
}

/** Deletes a reply with its reactions. */
export async function deleteReply({ database }: Services, context: Context, path: ReplyPath): Promise<void> {
  await database.transaction(async (trx) => {
    const find = async () => {
      const branch = await branchFor(trx, context.caller.id, path, 'view');
      return { branch, comment: (await replyFor(trx, branch, path)).reply };
    };
    await remove(trx, context, await unlessNotFound(find()));
  });
}

async function remove(
  trx: Transaction,
  { audit }: Context,
  found: { branch: FoundBranch; comment: SaidRow } | undefined,
): Promise<void> {
  if (!found) {
    return;
  }
  requireOnComment(found.comment, found.branch, 'delete');
  await trx.deleteFrom('comments').where('id', '=', found.comment.id).execute();
  await audit(trx, {
    organization: found.branch.space.organization,
    action: 'comment.deleted',
    resource: { type: 'comment', id: found.comment.id },
    details: { subject: { type: 'space', id: found.branch.space.id } },
  });
}
