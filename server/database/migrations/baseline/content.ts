import type { Kysely } from 'kysely';
import { columnTypes, index, key, longText, ownedBy, required, table } from '../columns.ts';

/** The revisions of spaces, and what is stored by its hash. */
export async function createContent(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

  await table(db, 'revisions')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('changeRequest', text)
    .addColumn('type', text, required)
    .addColumn('root', text, required)
    .addColumn('parents', text, required)
    .addColumn('git', text)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text)
    .execute();
  await index(db, 'revisions', ['space', 'createdAt', 'id']);
  await index(db, 'revisions', ['changeRequest', 'createdBy']);
  await index(db, 'revisions', ['space', 'createdBy', 'changeRequest']);

  await table(db, 'objects')
    .addColumn('organization', text, required)
    .addColumn('hash', text, required)
    .addColumn('kind', text, required)
    .addColumn('data', await longText(db), required)
    .addPrimaryKeyConstraint('objects_key', ['organization', 'hash'])
    .execute();

  await createBlobs(db);
  await createPdfs(db);
}

/** The bytes of files, in chunks, so that reading a part of a file reads only that part. */
async function createBlobs(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } = columnTypes(db);

  await table(db, 'blobs')
    .addColumn('organization', text, required)
    .addColumn('hash', text, required)
    .addColumn('size', integer, required)
    .addColumn('content', text, required)
    .addPrimaryKeyConstraint('blobs_hash', ['organization', 'hash'])
    .execute();

  await table(db, 'blobChunks')
    .addColumn('organization', text, required)
    .addColumn('content', text, required)
    .addColumn('index', integer, required)
    .addColumn('data', bytes, required)
    .addPrimaryKeyConstraint('blobChunks_key', ['organization', 'content', 'index'])
    .execute();

  await table(db, 'blobUploads')
    .addColumn('organization', text, required)
    .addColumn('content', text, required)
    .addColumn('expiresAt', text, required)
    .addPrimaryKeyConstraint('blobUploads_key', ['organization', 'content'])
    .execute();
  await index(db, 'blobUploads', ['organization', 'expiresAt']);
}

/** Cached PDFs. They do not refer to their spaces, because their chunks are deleted in later transactions. */
async function createPdfs(db: Kysely<unknown>): Promise<void> {
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
