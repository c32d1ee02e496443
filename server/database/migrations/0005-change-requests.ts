import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from './columns.ts';

/** Change requests, comments and reactions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'changeRequests')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('number', integer, required)
    .addColumn('status', text, required)
    .addColumn('subject', text, required)
    .addColumn('createdBy', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text, required)
    .addColumn('revision', text, required)
    .addColumn('revisionInitial', text, required)
    .addColumn('revisionMergedAncestor', text)
    .addColumn('revisionMerged', text)
    .addColumn('agentTaskId', text)
    .addUniqueConstraint('changeRequests_number', ['space', 'number'])
    .execute();
  await index(db, 'changeRequests', ['space', 'status', 'createdAt', 'id']);
  await index(db, 'changeRequests', ['revisionMerged']);

  await db.schema.alterTable('revisions').addColumn('changeRequest', text).execute();
  await index(db, 'revisions', ['changeRequest', 'createdBy']);

  await table(db, 'comments')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('changeRequest', text, (column) => column.references('changeRequests.id').onDelete('cascade'))
    .addColumn('parent', text, (column) => column.references('comments.id').onDelete('cascade'))
    .addColumn('page', text)
    .addColumn('node', text)
    .addColumn('nodePreview', text)
    .addColumn('cellRecord', text)
    .addColumn('cellDefinition', text)
    .addColumn('revision', text, required)
    .addColumn('body', text, required)
    .addColumn('status', text, required)
    .addColumn('resolvedAt', text)
    .addColumn('resolvedBy', text)
    .addColumn('postedBy', text, required)
    .addColumn('postedAt', text, required)
    .addColumn('editedAt', text)
    .execute();
  await index(db, 'comments', ['space', 'changeRequest', 'parent', 'status']);
  await index(db, 'comments', ['space', 'postedAt', 'id']);
  await index(db, 'comments', ['changeRequest', 'parent', 'postedAt', 'id']);
  await index(db, 'comments', ['parent', 'postedAt', 'id']);

  await table(db, 'commentReactions')
    .addColumn('organization', text, required)
    .addColumn('comment', text, ownedBy('comments.id'))
    .addColumn('emoji', text, required)
    .addColumn('user', text, required)
    .addColumn('reactedAt', text, required)
    .addPrimaryKeyConstraint('commentReactions_key', ['comment', 'emoji', 'user'])
    .execute();
}
