import { type Kysely, sql } from 'kysely';
import { type CountedRows, column, constant, createRowCounts } from './row-count-triggers.ts';

/*
 * Numbers of the spaces and collections granted to each subject, and of the spaces in the trash, so that the spaces
 * visible to a guest with many grants are counted without reading the grants.
 */

const COUNTED_ROWS: readonly CountedRows[] = [
  { table: 'grants', kind: (row) => sql`${row}."targetKind" || 's granted'`, owner: column('subject') },
  {
    table: 'spaces',
    kind: constant('spaces deleted'),
    when: (row) => sql`${row}."deletedAt" is not null`,
  },
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await createRowCounts(db, 'grantCounts', COUNTED_ROWS);
}
