import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { readRowCount, rowCountOf } from '../../../database/row-counts.ts';
import type { CommentsTable } from '../../../database/schema/content/comments.ts';
import type { Schema } from '../../../database/schema.ts';
import { notFound } from '../../../errors/errors.ts';
import { MAX_REPLIERS } from './queries/repliers.ts';

/** The stored row of a comment or a reply. */
export type StoredComment = Selectable<CommentsTable>;

/** A comment that is not a reply, with the number of its replies. */
export interface CommentRow extends StoredComment {
  replies: number;
}

/** The target of comments: the primary content of a space, or one of its change requests. */
export interface CommentTarget {
  space: { id: string };
  changeRequest?: { id: string };
}

/** Selects the comments on a target, without replies. */
export function selectComments(queries: Queries, target: CommentTarget) {
  return queries
    .selectFrom('comments')
    .selectAll('comments')
    .select(rowCountOf(queries, 'replies', 'comments.organization', 'comments.id').as('replies'))
    .where(isOn(target))
    .where('comments.parent', 'is', null);
}

/** Selects the comments on a target with a status, on a page, and by some authors. */
export const commentsMatching = (
  queries: Queries,
  target: CommentTarget,
  {
    status,
    page,
    authors,
  }: {
    status: StoredComment['status'] | 'all';
    page: string | undefined;
    authors: readonly string[] | undefined;
  },
) =>
  selectComments(queries, target)
    .$if(status !== 'all', (rows) => rows.where('comments.status', '=', status === 'all' ? 'open' : status))
    .$if(page !== undefined, (rows) => rows.where('comments.page', '=', page ?? null))
    .$if(authors !== undefined, (rows) => rows.where('comments.postedBy', 'in', authors ?? []));

/**
 * Finds a comment on a target.
 *
 * @throws ContractError 404 if the target has no such comment, also for a reply
 */
export async function commentFor(queries: Queries, target: CommentTarget, id: string): Promise<CommentRow> {
  const row = await selectComments(queries, target).where('comments.id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('comment');
  }
  return row;
}

/** Approximate size of a user in a response. */
const USER_BYTES = 300;

/** Approximate size in bytes of a reply in a response: its text and its reactions. */
export const replyBytes = sql<number>`octet_length(${sql.ref('comments.body')}) + ${sql.lit(USER_BYTES)} * (
  select count(*) from ${sql.table('commentReactions')}
  where ${sql.ref('commentReactions.comment')} = ${sql.ref('comments.id')})`;

/** Approximate size in bytes of a comment in a response: as of a reply, and the users who replied. */
export const commentBytes = sql<number>`${replyBytes} + ${sql.lit(MAX_REPLIERS * USER_BYTES)} * (
  case when exists (select 1 from "comments" as "replies" where "replies"."parent" = "comments"."id") then 1 else 0 end)`;

/** Selects the replies to a comment. */
export function selectReplies(queries: Queries, comment: Pick<CommentRow, 'id'>) {
  return queries.selectFrom('comments').selectAll('comments').where('comments.parent', '=', comment.id);
}

/**
 * Finds a reply to a comment on a target, with the comment.
 *
 * @throws ContractError 404 if the comment or the reply does not exist
 */
export async function replyFor(
  queries: Queries,
  target: CommentTarget,
  { commentId, commentReplyId }: { commentId: string; commentReplyId: string },
): Promise<{ comment: CommentRow; reply: StoredComment }> {
  const comment = await commentFor(queries, target, commentId);
  const reply = await selectReplies(queries, comment)
    .where('comments.id', '=', commentReplyId)
    .executeTakeFirst();
  if (!reply) {
    throw notFound('comment reply');
  }
  return { comment, reply };
}

/**
 * Selects the members of the organization who wrote a comment or a reply on a target, each with the total number.
 * Finding them takes longer than reading a page, so they are found once for both.
 */
export function selectCommenters(
  queries: Queries,
  target: CommentTarget & { space: { organization: string } },
) {
  const commenters = queries
    .selectFrom(selectAuthors(target).as('authors'))
    // The embedded engine preserves the order of a cross join: there are fewer authors than members.
    .crossJoin('members')
    .select(['members.user', 'members.joinedAt', sql<number>`count(*) over ()`.as('total')])
    .where('members.organization', '=', target.space.organization)
    .whereRef('members.user', '=', 'authors.author');
  return queries.selectFrom(commenters.as('commenters')).select(['commenters.user', 'commenters.total']);
}

/**
 * Selects the authors on a target, each by a step to the next one in an index, so that the cost depends on the number
 * of authors and not of comments.
 */
function selectAuthors(target: CommentTarget) {
  const { changeRequest, space } = target;
  const isOnTarget = changeRequest
    ? sql`"changeRequest" = ${changeRequest.id}`
    : sql`"space" = ${space.id} and "changeRequest" is null`;
  return sql<{ author: string }>`(
    with recursive "author"("id") as (
      select min("postedBy") from "comments" where ${isOnTarget}
      union all
      select (select min("postedBy") from "comments" where ${isOnTarget} and "postedBy" > "author"."id")
      from "author" where "author"."id" is not null
    ) select "id" as "author" from "author" where "id" is not null)`;
}

function isOn({ space, changeRequest }: CommentTarget) {
  return (row: ExpressionBuilder<Schema, 'comments'>) =>
    row.and([
      row('comments.space', '=', space.id),
      row('comments.changeRequest', changeRequest ? '=' : 'is', changeRequest?.id ?? null),
    ]);
}

/** Counts the comments on a target with a status. */
export async function countComments(
  queries: Queries,
  { space, changeRequest }: CommentTarget & { space: { organization: string } },
  status: CommentsTable['status'] | 'all',
): Promise<number> {
  const counted = { organization: space.organization, owner: changeRequest?.id ?? space.id };
  const counts = (['open', 'resolved'] as const).map((current) =>
    status === 'all' || status === current
      ? readRowCount(queries, { ...counted, kind: `comments ${current}` })
      : 0,
  );
  const [open = 0, resolved = 0] = await Promise.all(counts);
  return open + resolved;
}
