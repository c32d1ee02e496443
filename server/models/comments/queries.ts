import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import { readRowCount, rowCountOf } from '../../database/row-counts.ts';
import type { CommentsTable } from '../../database/schema/comments.ts';
import type { Schema } from '../../database/schema.ts';
import { notFound } from '../../errors.ts';

/** A comment or a reply, as it is stored. */
export type SaidRow = Selectable<CommentsTable>;

/** A comment, with how many replies it has. */
export interface CommentRow extends SaidRow {
  replies: number;
}

/** Where comments hang: on the primary content of a space, or on one of its change requests. */
export interface CommentPlace {
  space: { id: string };
  changeRequest?: { id: string };
}

/** The comments in a place, without the replies to them. */
export function selectComments(queries: Queries, place: CommentPlace) {
  return queries
    .selectFrom('comments')
    .selectAll('comments')
    .select(rowCountOf(queries, 'replies', 'comments.organization', 'comments.id').as('replies'))
    .where(isIn(place))
    .where('comments.parent', 'is', null);
}

/**
 * A comment in a place.
 *
 * @throws ContractError 404 where there is none such, also for a reply and for a comment in another place
 */
export async function commentFor(queries: Queries, place: CommentPlace, id: string): Promise<CommentRow> {
  const row = await selectComments(queries, place).where('comments.id', '=', id).executeTakeFirst();
  if (!row) throw notFound('comment');
  return row;
}

const REACTION_BYTES = 300;

/** About how many bytes a comment or a reply takes when it is shown: its text and its reactions. */
export const saidBytes = sql<number>`octet_length(${sql.ref('comments.body')}) + ${sql.lit(REACTION_BYTES)} * (
  select count(*) from ${sql.table('commentReactions')}
  where ${sql.ref('commentReactions.comment')} = ${sql.ref('comments.id')})`;

/** The replies to a comment. */
export function selectReplies(queries: Queries, comment: Pick<CommentRow, 'id'>) {
  return queries.selectFrom('comments').selectAll('comments').where('comments.parent', '=', comment.id);
}

/**
 * A reply to a comment in a place, with that comment.
 *
 * @throws ContractError 404 where there is no such comment, or no such reply to it
 */
export async function replyFor(
  queries: Queries,
  place: CommentPlace,
  { commentId, commentReplyId }: { commentId: string; commentReplyId: string },
): Promise<{ comment: CommentRow; reply: SaidRow }> {
  const comment = await commentFor(queries, place, commentId);
  const reply = await selectReplies(queries, comment)
    .where('comments.id', '=', commentReplyId)
    .executeTakeFirst();
  if (!reply) throw notFound('comment reply');
  return { comment, reply };
}

/**
 * The members of the organization that a space belongs to who wrote a comment or a reply in a place, each with how many
 * there are in all: finding them takes longer than reading a page of them, so they are found once.
 */
export function selectCommenters(
  queries: Queries,
  place: CommentPlace & { space: { organization: string } },
) {
  const commenters = queries
    .selectFrom(authorsIn(place).as('authors'))
    // The embedded engine keeps the order of a cross join: there are fewer authors than members.
    .crossJoin('members')
    .select(['members.user', 'members.joinedAt', sql<number>`count(*) over ()`.as('total')])
    .where('members.organization', '=', place.space.organization)
    .whereRef('members.user', '=', 'authors.author');
  return queries.selectFrom(commenters.as('commenters')).select(['commenters.user', 'commenters.total']);
}

/**
 * The users who wrote in a place, each found by a step to the next one in an index: it costs what there are of them,
 * not of comments.
 */
function authorsIn(place: CommentPlace) {
  const { changeRequest, space } = place;
  const inPlace = changeRequest
    ? sql`"changeRequest" = ${changeRequest.id}`
    : sql`"space" = ${space.id} and "changeRequest" is null`;
  return sql<{ author: string }>`(
    with recursive "author"("id") as (
      select min("postedBy") from "comments" where ${inPlace}
      union all
      select (select min("postedBy") from "comments" where ${inPlace} and "postedBy" > "author"."id")
      from "author" where "author"."id" is not null
    ) select "id" as "author" from "author" where "id" is not null)`;
}

function isIn({ space, changeRequest }: CommentPlace) {
  return (row: ExpressionBuilder<Schema, 'comments'>) =>
    row.and([
      row('comments.space', '=', space.id),
      row('comments.changeRequest', changeRequest ? '=' : 'is', changeRequest?.id ?? null),
    ]);
}

/** What to count for the comments in a place with a status. */
export async function countComments(
  queries: Queries,
  { space, changeRequest }: CommentPlace & { space: { organization: string } },
  status: CommentsTable['status'] | 'all',
): Promise<number> {
  const place = { organization: space.organization, owner: changeRequest?.id ?? space.id };
  const counts = (['open', 'resolved'] as const).map((one) =>
    status === 'all' || status === one ? readRowCount(queries, { ...place, kind: `comments ${one}` }) : 0,
  );
  const [open = 0, resolved = 0] = await Promise.all(counts);
  return open + resolved;
}
