import type { Kysely } from 'kysely';
import { columnTypes, required, table } from './columns.ts';

/** The spaces that links to spaces of another platform lead to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'spaceMaps')
    .addColumn('organization', text, (column) =>
      column.notNull().primaryKey().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('spaces', text, required)
    .addColumn('version', integer, required)
    .addColumn('updatedAt', text, required)
    .execute();
}
