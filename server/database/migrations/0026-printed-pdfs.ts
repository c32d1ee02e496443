import type { Kysely } from 'kysely';
import { columnTypes, index, required, table } from './columns.ts';

/** Cached PDFs. They do not refer to their spaces, because their chunks are deleted in later transactions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'printedPdfs')
    .addColumn('organization', text, required)
    .addColumn('key', text, required)
    .addColumn('space', text, required)
    .addColumn('specifications', text, required)
    .addColumn('content', text, required)
    .addColumn('size', integer, required)
    .addColumn('usedAt', text, required)
    .addColumn('expiresAt', text, required)
    .addPrimaryKeyConstraint('printedPdfs_pk', ['organization', 'key'])
    .execute();
  await index(db, 'printedPdfs', ['usedAt']);
}
