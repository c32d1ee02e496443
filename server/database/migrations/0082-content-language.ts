import type { Kysely } from 'kysely';
import { columnTypes } from './columns.ts';
import { indexAllSpaces } from './index-spaces.ts';

/** The language of imported content. Search finds the files that pages include. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('spaces').addColumn('contentLanguage', columnTypes(db).text).execute();
  await indexAllSpaces(db, 'job_included_files_');
}
