import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from './columns.ts';

/** Reviews of change requests, and requests for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'reviews')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('changeRequest', text, ownedBy('changeRequests.id'))
    .addColumn('revision', text, required)
    .addColumn('reviewer', text, required)
    .addColumn('requestedBy', text)
    .addColumn('status', text, required)
    .addColumn('outdated', integer, required)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text, required)
    .execute();
  await index(db, 'reviews', ['changeRequest', 'createdAt', 'id']);
  await index(db, 'reviews', ['space']);

  await table(db, 'requestedReviewers')
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('changeRequest', text, ownedBy('changeRequests.id'))
    .addColumn('reviewer', text, required)
    .addColumn('requestedBy', text, required)
    .addColumn('revision', text, required)
    .addColumn('createdAt', text, required)
    .addPrimaryKeyConstraint('requestedReviewers_key', ['changeRequest', 'reviewer'])
    .execute();
  await index(db, 'requestedReviewers', ['changeRequest', 'createdAt', 'reviewer']);
  await index(db, 'requestedReviewers', ['reviewer', 'space', 'changeRequest']);
  await index(db, 'requestedReviewers', ['space']);

  await db.schema.alterTable('comments').addColumn('review', text).execute();
  await index(db, 'comments', ['review']);
  await index(db, 'changeRequests', ['space', 'createdBy', 'status', 'createdAt', 'id']);
}
