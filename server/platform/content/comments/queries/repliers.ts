import { sql } from 'kysely';
import type { Queries } from '../../../../database/database.ts';
import { listed } from '../../../../database/lookups.ts';
import { maintainedCountOf } from '../../../../database/row-counts.ts';

/** Maximum number of users who replied that a comment lists. */
export const MAX_REPLIERS = 20;

/** A user who replied to a comment. */
export interface ReplierRow {
  comment: string;
  user: string;
  /** Number of replies. */
  count: number;
  /** Time of the last reply. */
  updatedAt: string;
}

/**
 * Reads the users who replied to each of some comments on the same space: at most {@link MAX_REPLIERS}, who are found
 * by steps to the next one in an index, so that the cost depends on their number and not on that of the replies.
 */
export async function readRepliers(
  queries: Queries,
  comments: readonly { id: string; organization: string; replies: number }[],
): Promise<Map<string, ReplierRow[]>> {
  const answered = comments.filter(({ replies }) => replies > 0).map(({ id }) => id);
  const [first] = comments;
  if (answered.length === 0 || !first) {
    return new Map();
  }
  const nextUser = sql`
    select min("comments"."postedBy") from "comments"
    where "comments"."parent" = "repliers"."comment" and "comments"."postedBy" > "repliers"."user"`;
  const { rows } = await sql<ReplierRow>`
    with recursive "repliers" ("comment", "user", "step") as (
      select "answered"."id", (
        select min("comments"."postedBy") from "comments" where "comments"."parent" = "answered"."id"), 1
      from ${listed(queries, answered, 'answered')}
      union all
      select "repliers"."comment", (${nextUser}), "repliers"."step" + 1
      from "repliers" where "repliers"."user" is not null and "repliers"."step" < ${sql.lit(MAX_REPLIERS)}
    )
    select "repliers"."comment", "repliers"."user",
      ${maintainedCountOf(
        'replies by author',
        sql`${first.organization}`,
        sql`"repliers"."comment" || ' ' || "repliers"."user"`,
      )} as "count",
      (select max("comments"."postedAt") from "comments"
        where "comments"."parent" = "repliers"."comment" and "comments"."postedBy" = "repliers"."user") as "updatedAt"
    from "repliers" where "repliers"."user" is not null
    order by "repliers"."comment", "repliers"."step"`.execute(queries);
  return Map.groupBy(
    rows.map((row) => ({ ...row, count: Number(row.count) })),
    ({ comment }) => comment,
  );
}
