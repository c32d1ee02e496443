import { type Kysely, sql } from 'kysely';
import { index } from './columns.ts';
import { constant, createRowCounts } from './row-count-triggers.ts';

/** Numbers of replies to a comment by each author, and their last replies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createRowCounts(db, 'replierCounts', [
    {
      table: 'comments',
      kind: constant('replies by author'),
      owner: (row) => sql`${row}."parent" || ' ' || ${row}."postedBy"`,
      when: (row) => sql`${row}."parent" is not null`,
    },
  ]);
  await index(db, 'comments', ['parent', 'postedBy', 'postedAt']);
}
