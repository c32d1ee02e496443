import type { components } from '../../../generated/schema.d.ts';
import { badField } from '../../contract/errors.ts';
import type { Transaction } from '../../database/database.ts';
import { unlessInvisible } from '../../identity/errors.ts';
import { requireOnComment } from '../../models/comments/permissions.ts';
import { type CommentRow, commentFor, replyFor, type SaidRow } from '../../models/comments/queries.ts';
import { type Base, type BasePath, baseFor } from '../kit/branch.ts';
import type { Context, Services } from '../kit/slice.ts';
import { findTarget, type StoredTarget } from './rules/targets.ts';

type Schemas = components['schemas'];

/** A path with the comment that it names. */
export type CommentPath = BasePath & { commentId: string };
/** A path with the reply that it names. */
export type ReplyPath = CommentPath & { commentReplyId: string };

/** A comment, and what it is on. */
export interface FoundComment {
  base: Base;
  row: CommentRow;
}

/** A reply, and what the comment that it answers is on. */
export interface FoundReply {
  base: Base;
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
 * @throws FieldError for what is not there to be commented on
 */
export async function createComment(
  services: Services,
  user: string,
  path: BasePath,
  { body, ...about }: Schemas['CommentCreate'],
): Promise<FoundComment> {
  const { query } = services.database;
  const target = await findTarget(services, await baseFor(query, user, path, 'comment'), about);
  return await services.database.transaction(async (trx) => {
    const base = await baseFor(trx, user, path, 'comment');
    const id = await write(trx, services, base, { ...target, body: body.markdown, parent: null });
    return { base, row: await commentFor(trx, base, id) };
  });
}

/** Replies to a comment. */
export async function createReply(
  services: Services,
  user: string,
  path: CommentPath,
  { body }: Schemas['CommentReplyCreate'],
): Promise<FoundReply> {
  return await services.database.transaction(async (trx) => {
    const base = await baseFor(trx, user, path, 'view');
    const comment = await commentFor(trx, base, path.commentId);
    requireOnComment(comment, base, 'reply');
    const parent = comment.id;
    const target = { ...NOTHING, revision: base.revision };
    const commentReplyId = await write(trx, services, base, { ...target, body: body.markdown, parent });
    const { reply } = await replyFor(trx, base, { commentId: parent, commentReplyId });
    return { base, row: reply };
  });
}

async function write(
  trx: Transaction,
  { clock, makeId }: Services,
  { space, changeRequest, access }: Base,
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
  user: string,
  path: CommentPath,
  { resolved, ...change }: Schemas['CommentUpdate'],
): Promise<FoundComment> {
  return await services.database.transaction(async (trx) => {
    const base = await baseFor(trx, user, path, 'view');
    const comment = await commentFor(trx, base, path.commentId);
    await changeText(trx, services, base, comment, change);
    if (resolved !== undefined) await settle(trx, services, base, comment, resolved);
    return { base, row: await commentFor(trx, base, comment.id) };
  });
}

/**
 * Changes the text of a reply, and adds or takes back reactions. `resolved` settles the comment that it answers,
 * or opens it again.
 */
export async function updateReply(
  services: Services,
  user: string,
  path: ReplyPath,
  { resolved, ...change }: Schemas['ChangeRequestCommentReplyUpdate'],
): Promise<FoundReply> {
  return await services.database.transaction(async (trx) => {
    const base = await baseFor(trx, user, path, 'view');
    const { comment, reply } = await replyFor(trx, base, path);
    await changeText(trx, services, base, reply, change);
    if (resolved !== undefined) await settle(trx, services, base, comment, resolved);
    const changed = await replyFor(trx, base, path);
    return { base, row: changed.reply };
  });
}

/** An emoji that is both taken back and added is there afterwards. */
async function changeText(
  trx: Transaction,
  services: Services,
  base: Base,
  said: SaidRow,
  { body, addedReactions = [], removedReactions = [] }: Schemas['CommentReplyUpdate'],
): Promise<void> {
  requireOnComment(said, base, 'react');
  if (body) {
    requireOnComment(said, base, 'edit');
    if (body.markdown !== said.body)
      await trx
        .updateTable('comments')
        .set({ body: body.markdown, editedAt: services.clock().toISOString() })
        .where('id', '=', said.id)
        .execute();
  }
  for (const emoji of batches(removedReactions))
    await trx
      .deleteFrom('commentReactions')
      .where('comment', '=', said.id)
      .where('user', '=', base.access.user)
      .where('emoji', 'in', emoji)
      .execute();
  const reaction = {
    organization: base.space.organization,
    comment: said.id,
    user: base.access.user,
    reactedAt: services.clock().toISOString(),
  };
  for (const emoji of batches(addedReactions))
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
    throw badField('addedReactions', `must not bring the comment to more than ${MAX_REACTIONS} reactions`);
}

/** Emoji that one statement carries: engines bound how many values it may have. */
const BATCH = 1000;

function* batches(emoji: readonly string[]): Generator<string[]> {
  for (let from = 0; from < emoji.length; from += BATCH) yield emoji.slice(from, from + BATCH);
}

/** Who settled a comment first, and when, stays until it is opened again. */
async function settle(
  trx: Transaction,
  { clock }: Services,
  base: Base,
  comment: CommentRow,
  resolved: boolean,
): Promise<void> {
  requireOnComment(comment, base, 'settle');
  if (resolved === (comment.status === 'resolved')) return;
  await trx
    .updateTable('comments')
    .set(
      resolved
        ? { status: 'resolved', resolvedAt: clock().toISOString(), resolvedBy: base.access.user }
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
      const base = await baseFor(trx, context.caller.user.id, path, 'view');
      return { base, said: await commentFor(trx, base, path.commentId) };
    };
    await remove(trx, context, await unlessInvisible(find()));
  });
}

/** Deletes a reply with its reactions. */
export async function deleteReply({ database }: Services, context: Context, path: ReplyPath): Promise<void> {
  await database.transaction(async (trx) => {
    const find = async () => {
      const base = await baseFor(trx, context.caller.user.id, path, 'view');
      return { base, said: (await replyFor(trx, base, path)).reply };
    };
    await remove(trx, context, await unlessInvisible(find()));
  });
}

async function remove(
  trx: Transaction,
  { audit }: Context,
  found: { base: Base; said: SaidRow } | undefined,
): Promise<void> {
  if (!found) return;
  requireOnComment(found.said, found.base, 'delete');
  await trx.deleteFrom('comments').where('id', '=', found.said.id).execute();
  await audit(trx, {
    organization: found.base.space.organization,
    action: 'comment.deleted',
    resource: { type: 'comment', id: found.said.id },
    details: { subject: { type: 'space', id: found.base.space.id } },
  });
}
