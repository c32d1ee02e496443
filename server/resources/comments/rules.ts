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

/** A path with the comment that it names. */
export type CommentPath = BranchPath & { commentId: string };
/** A path with the reply that it names. */
export type ReplyPath = CommentPath & { commentReplyId: string };

/** A comment, and what it is on. */
export interface FoundComment {
  branch: FoundBranch;
  row: CommentRow;
}

/** A reply, and what the comment that it answers is on. */
export interface FoundReply {
  branch: FoundBranch;
  row: SaidRow;
}

/** Reactions to one comment or reply, of all users: each is in every response with the comment. */
export const MAX_REACTIONS = 10_000;

/** What a reply is about is what its comment is about. */
const NOTHING: Omit<StoredTarget, 'revision'> = {
  page: null,
  node: null,
  nodePreview: null,
  cellRecord: null,
  cellDefinition: null,
};

/**
 * Writes a comment. What it is about is looked up before anything is written, in what was current then.
 *
 * @throws ContractError 400 for what is not there to be commented on
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

/** Replies to a comment. */
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
    const target = { ...NOTHING, revision: branch.revision };
    const commentReplyId = await write(trx, services, branch, { ...target, body: body.markdown, parent });
    const { reply } = await replyFor(trx, branch, { commentId: parent, commentReplyId });
    return { branch, row: reply };
  });
}

async function write(
  trx: Transaction,
  { clock, makeId }: Services,
  { space, changeRequest, access }: FoundBranch,
  said: StoredTarget & Pick<SaidRow, 'body' | 'parent'>,
): Promise<string> {
  const id = makeId(said.parent === null ? 'cmt' : 'rpl');
  await trx
    .insertInto('comments')
    .values({
      ...said,
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

/** Changes the text of a comment, settles it or opens it again, and adds or takes back reactions. */
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
    if (resolved !== undefined) await settle(trx, services, branch, comment, resolved);
    return { branch, row: await commentFor(trx, branch, comment.id) };
  });
}

/**
 * Changes the text of a reply, and adds or takes back reactions. `resolved` settles the comment that it answers,
 * or opens it again.
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
    if (resolved !== undefined) await settle(trx, services, branch, comment, resolved);
    const changed = await replyFor(trx, branch, path);
    return { branch, row: changed.reply };
  });
}

/** An emoji that is both taken back and added is there afterwards. */
async function changeText(
  trx: Transaction,
  services: Services,
  branch: FoundBranch,
  said: SaidRow,
  { body, addedReactions = [], removedReactions = [] }: Schemas['CommentReplyUpdate'],
): Promise<void> {
  requireOnComment(said, branch, 'react');
  if (body) {
    requireOnComment(said, branch, 'edit');
    if (body.markdown !== said.body)
      await trx
        .updateTable('comments')
        .set({ body: body.markdown, editedAt: services.clock().toISOString() })
        .where('id', '=', said.id)
        .execute();
  }
  for (const emoji of batches(removedReactions, BATCH))
    await trx
      .deleteFrom('commentReactions')
      .where('comment', '=', said.id)
      .where('user', '=', branch.access.user)
      .where('emoji', 'in', emoji)
      .execute();
  const reaction = {
    organization: branch.space.organization,
    comment: said.id,
    user: branch.access.user,
    reactedAt: services.clock().toISOString(),
  };
  for (const emoji of batches(addedReactions, BATCH))
    await trx
      .insertInto('commentReactions')
      .values(emoji.map((one) => ({ ...reaction, emoji: one })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  if (addedReactions.length === 0) return;
  const { count } = await trx
    .selectFrom('commentReactions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('comment', '=', said.id)
    .executeTakeFirstOrThrow();
  if (count > MAX_REACTIONS)
    throw fieldInvalid('addedReactions', `exceeds the limit of ${MAX_REACTIONS} reactions of a comment`);
}

/** Emoji that one statement carries: engines bound how many values it may have. */
const BATCH = 1000;

/** Who settled a comment first, and when, stays until it is opened again. */
async function settle(
  trx: Transaction,
  { clock }: Services,
  branch: FoundBranch,
  comment: CommentRow,
  resolved: boolean,
): Promise<void> {
  requireOnComment(comment, branch, 'settle');
  if (resolved === (comment.status === 'resolved')) return;
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

/** Deletes a comment with its replies and reactions, which the database takes along. */
export async function deleteComment(
  { database }: Services,
  context: Context,
  path: CommentPath,
): Promise<void> {
  await database.transaction(async (trx) => {
    const find = async () => {
      const branch = await branchFor(trx, context.caller.id, path, 'view');
      return { branch, said: await commentFor(trx, branch, path.commentId) };
    };
    await remove(trx, context, await unlessNotFound(find()));
  });
}

/** Deletes a reply with its reactions. */
export async function deleteReply({ database }: Services, context: Context, path: ReplyPath): Promise<void> {
  await database.transaction(async (trx) => {
    const find = async () => {
      const branch = await branchFor(trx, context.caller.id, path, 'view');
      return { branch, said: (await replyFor(trx, branch, path)).reply };
    };
    await remove(trx, context, await unlessNotFound(find()));
  });
}

async function remove(
  trx: Transaction,
  { audit }: Context,
  found: { branch: FoundBranch; said: SaidRow } | undefined,
): Promise<void> {
  if (!found) return;
  requireOnComment(found.said, found.branch, 'delete');
  await trx.deleteFrom('comments').where('id', '=', found.said.id).execute();
  await audit(trx, {
    organization: found.branch.space.organization,
    action: 'comment.deleted',
    resource: { type: 'comment', id: found.said.id },
    details: { subject: { type: 'space', id: found.branch.space.id } },
  });
}
