import { type Kysely, sql } from 'kysely';
import { columnTypes, required, table } from './columns.ts';

/** The pages of the search index with the version of each, and the number of the run that writes them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'searchPages')
    .addColumn('organization', text, required)
    .addColumn('space', text, required)
    .addColumn('page', text, required)
    .addColumn('version', text)
    .addPrimaryKeyConstraint('searchPages_key', ['organization', 'space', 'page'])
    .execute();
  // Pages indexed by earlier releases have no version, and are replaced when their whole space is indexed.
  await sql`
    insert into "searchPages" ("organization", "space", "page")
    select distinct "organization", "space", "page" from "searchSections"`.execute(db);
  await db.schema
    .alterTable('spaces')
    .addColumn('searchRun', integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
