import type { Kysely } from 'kysely';
import {
  columnTypes,
  index,
  key,
  optionallyOwnedBy,
  ownedBy,
  partialIndex,
  required,
  table,
} from '../columns.ts';

/** Change requests, their reviews, and the comments on them and on spaces. */
export async function createChangeRequests(db: Kysely<unknown>): Promise<void> {
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
  await index(db, 'changeRequests', ['space', 'createdBy', 'status', 'createdAt', 'id']);

  await createReviews(db);
  await createComments(db);
}

/** Reviews of change requests, and requests for them. */
async function createReviews(db: Kysely<unknown>): Promise<void> {
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
}

async function createComments(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

  await table(db, 'comments')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('changeRequest', text, optionallyOwnedBy('changeRequests.id'))
    .addColumn('review', text)
    .addColumn('parent', text, optionallyOwnedBy('comments.id'))
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
  await index(db, 'comments', ['parent', 'postedAt', 'id']);
  // For the list of a branch of content, with each of its filters.
  for (const [branch, owner, condition] of [
    ['primary', 'space', '"changeRequest" is null and "parent" is null'],
    ['branch', 'changeRequest', '"parent" is null'],
  ] as const) {
    for (const filters of [['status'], [], ['postedBy'], ['page']]) {
      const rows = `${branch}_${filters.join('_') || 'all'}`;
      await partialIndex(db, 'comments', rows, [owner, ...filters, 'postedAt', 'id'], condition);
    }
  }
  await partialIndex(db, 'comments', 'primary_said', ['space', 'postedBy'], '"changeRequest" is null');
  await index(db, 'comments', ['changeRequest', 'postedBy']);
  await index(db, 'comments', ['review']);
  await index(db, 'comments', ['parent', 'postedBy', 'postedAt']);

  await table(db, 'commentReactions')
    .addColumn('organization', text, required)
    .addColumn('comment', text, ownedBy('comments.id'))
    .addColumn('emoji', text, required)
    .addColumn('user', text, required)
    .addColumn('reactedAt', text, required)
    .addPrimaryKeyConstraint('commentReactions_key', ['comment', 'emoji', 'user'])
    .execute();
}
