import type { Kysely } from 'kysely';
import {
  columnTypes,
  defaultsTo,
  index,
  key,
  ownedBy,
  partialIndex,
  refersTo,
  required,
  table,
} from '../columns.ts';

/**
 * Collections and spaces. Lists with a condition `is null` have a partial index: with that column first, an engine would
 * not read in the order of the index.
 */
export async function createSpaces(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'collections')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('parent', text, refersTo('collections.id'))
    .addColumn('title', text, required)
    .addColumn('description', text)
    .addColumn('defaultLevel', text)
    .addColumn('position', text, required)
    .addColumn('createdAt', text, required)
    .execute();

  await table(db, 'spaces')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('parent', text, refersTo('collections.id'))
    .addColumn('title', text, required)
    .addColumn('emoji', text)
    .addColumn('icon', text)
    .addColumn('editMode', text, required)
    .addColumn('language', text)
    .addColumn('contentLanguage', text)
    .addColumn('defaultLevel', text)
    .addColumn('position', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text, required)
    .addColumn('deletedAt', text)
    .addColumn('deletedBy', text)
    // Not a foreign key: a space and its first revision refer to each other.
    .addColumn('revision', text, required)
    .addColumn('searchedRevision', text)
    .addColumn('searchedEntries', text)
    .addColumn('searchRun', integer, defaultsTo(0))
    .addColumn('git', text)
    .addColumn('computedSource', text)
    .addColumn('template', text)
    .addColumn('siteCount', integer, defaultsTo(0))
    .execute();

  for (const name of ['collections', 'spaces']) {
    await index(db, name, ['organization', 'parent', 'position', 'id']);
    await index(db, name, ['organization', 'createdAt', 'id']);
    await index(db, name, ['parent', 'position', 'id']);
  }
  await index(db, 'spaces', ['deletedAt']);
  await index(db, 'spaces', ['organization', 'deletedAt', 'createdAt', 'id']);
  await partialIndex(db, 'collections', 'root', ['organization', 'position', 'id'], '"parent" is null');
  for (const name of ['collections', 'spaces']) {
    await partialIndex(db, name, 'administered', ['organization', 'id'], `"defaultLevel" = 'admin'`);
  }
  await partialIndex(db, 'spaces', 'root', ['organization', 'position', 'id'], '"parent" is null');
  await partialIndex(db, 'spaces', 'live', ['organization', 'createdAt', 'id'], '"deletedAt" is null');
  await partialIndex(db, 'spaces', 'held', ['parent', 'position', 'id'], '"deletedAt" is null');
  await index(db, 'spaces', ['organization', 'language']);
  // With the column of the condition, so that it is preferred to the index of all spaces without statistics.
  const isException = '"siteCount" <> 1 and "deletedAt" is null';
  await partialIndex(db, 'spaces', 'of_sites', ['organization', 'deletedAt'], isException);

  // The spaces that links to spaces of another platform lead to.
  await table(db, 'spaceMaps')
    .addColumn('organization', text, (column) => ownedBy('organizations.id')(column).primaryKey())
    .addColumn('spaces', text, required)
    .addColumn('version', integer, required)
    .addColumn('updatedAt', text, required)
    .execute();
}

/** Imports and exports of spaces, and their last synchronization with each branch of a remote repository. */
export async function createRuns(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'runs')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('kind', text, required)
    .addColumn('changeRequest', text)
    .addColumn('source', text)
    .addColumn('url', text, required)
    .addColumn('ref', text)
    .addColumn('oid', text)
    .addColumn('revision', text)
    .addColumn('status', text, required)
    .addColumn('progress', integer, required)
    .addColumn('pages', integer, required)
    .addColumn('files', integer, required)
    .addColumn('problemCount', integer, required)
    .addColumn('problems', text, required)
    .addColumn('failureReason', text)
    .addColumn('failureMessage', text)
    .addColumn('createdAt', text, required)
    .addColumn('startedAt', text)
    .addColumn('endedAt', text)
    .addColumn('expiresAt', text)
    .addColumn('request', text)
    .addColumn('createdBy', text)
    .execute();
  await index(db, 'runs', ['space', 'createdAt', 'id']);
  await index(db, 'runs', ['organization', 'kind', 'createdAt', 'id']);

  await table(db, 'syncedBranches')
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('branch', text, required)
    .addColumn('git', text, required)
    .addColumn('updatedAt', text, required)
    .addPrimaryKeyConstraint('syncedBranches_pk', ['space', 'branch'])
    .execute();
}
