import type { Kysely } from 'kysely';
import { columnTypes, index, numbered, required, table } from './columns.ts';

/** Locks that processes share, and indexes for the reads of large organizations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'lockTickets')
    .addColumn('sequence', integer, numbered(db))
    .addColumn('key', text, required)
    .addColumn('leaseUntil', text, required)
    .execute();
  await index(db, 'lockTickets', ['key', 'sequence']);

  // A covering index for the grants of a subject.
  await db.schema.dropIndex('grants_organization_subjectKind_subject').execute();
  await index(db, 'grants', ['organization', 'subjectKind', 'subject', 'targetKind', 'target']);
  // For listing and counting the spaces of an organization that are not deleted.
  await index(db, 'spaces', ['organization', 'deletedAt', 'createdAt', 'id']);
}
