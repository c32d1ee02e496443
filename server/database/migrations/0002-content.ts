import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, refersTo, required, table } from './columns.ts';

/** Collections, spaces and their content. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } = columnTypes(db);

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
  await index(db, 'collections', ['organization', 'parent', 'position', 'id']);
  await index(db, 'collections', ['organization', 'createdAt', 'id']);
  await index(db, 'collections', ['parent', 'position', 'id']);

  await table(db, 'spaces')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('parent', text, refersTo('collections.id'))
    .addColumn('title', text, required)
    .addColumn('emoji', text)
    .addColumn('icon', text)
    .addColumn('editMode', text, required)
    .addColumn('language', text)
    .addColumn('defaultLevel', text)
    .addColumn('position', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text, required)
    .addColumn('deletedAt', text)
    .addColumn('deletedBy', text)
    // Not a foreign key: a space and its first revision refer to each other.
    .addColumn('revision', text, required)
    .addColumn('searchedRevision', text)
    .addColumn('git', text)
    .addColumn('computedSource', text)
    .addColumn('template', text)
    .execute();
  await index(db, 'spaces', ['organization', 'parent', 'position', 'id']);
  await index(db, 'spaces', ['organization', 'createdAt', 'id']);
  await index(db, 'spaces', ['parent', 'position', 'id']);
  await index(db, 'spaces', ['deletedAt']);

  await table(db, 'revisions')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('type', text, required)
    .addColumn('root', text, required)
    .addColumn('parents', text, required)
    .addColumn('git', text)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text)
    .execute();
  await index(db, 'revisions', ['space', 'createdAt', 'id']);

  await table(db, 'objects')
    .addColumn('organization', text, required)
    .addColumn('hash', text, required)
    .addColumn('kind', text, required)
    .addColumn('data', text, required)
    .addPrimaryKeyConstraint('objects_key', ['organization', 'hash'])
    .execute();

  await table(db, 'blobs')
    .addColumn('organization', text, required)
    .addColumn('hash', text, required)
    .addColumn('size', integer, required)
    .addColumn('data', bytes, required)
    .addPrimaryKeyConstraint('blobs_key', ['organization', 'hash'])
    .execute();
}
