import { type Selectable, sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { CommentsTable } from '../../database/schema.ts';
import { invisible } from '../../identity/errors.ts';
import { membersOf } from '../member/queries.ts';

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
export function selectComments(queries: Queries, { space, changeRequest }: CommentPlace) {
  return queries
    .selectFrom('comments')
    .selectAll('comments')
    .select((comment) =>
      comment
        .selectFrom('comments as reply')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('reply.parent', '=', 'comments.id')
        .$asScalar()
        .$notNull()
        .as('replies'),
    )
    .where('comments.space', '=', space.id)
    .where('comments.changeRequest', changeRequest ? '=' : 'is', changeRequest?.id ?? null)
    .where('comments.parent', 'is', null);
}

/**
 * A comment in a place.
 *
 * @throws AccessError `invisible` where there is none such, also for a reply and for a comment in another place
 */
export async function commentFor(queries: Queries, place: CommentPlace, id: string): Promise<CommentRow> {
  const row = await selectComments(queries, place).where('comments.id', '=', id).executeTakeFirst();
  if (!row) throw invisible('comment');
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
 * @throws AccessError `invisible` where there is no such comment, or no such reply to it
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
  if (!reply) throw invisible('comment reply');
  return { comment, reply };
}

/** The members of the organization that a space belongs to who wrote a comment or a reply in a place. */
export function selectCommenters(
  queries: Queries,
  { space, changeRequest }: CommentPlace & { space: { organization: string } },
) {
  return membersOf(queries, space.organization).where(({ exists, selectFrom }) =>
    exists(
      selectFrom('comments')
        .select('comments.id')
        .whereRef('comments.postedBy', '=', 'members.user')
        .where('comments.space', '=', space.id)
        .where('comments.changeRequest', changeRequest ? '=' : 'is', changeRequest?.id ?? null),
    ),
  );
}
