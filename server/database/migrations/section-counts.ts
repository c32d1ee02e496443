import type { Kysely } from 'kysely';

/** Adds the number of sections of a page in the search index, by which missing ones are found; null until it is indexed again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('searchPages').addColumn('sections', 'integer').execute();
}
