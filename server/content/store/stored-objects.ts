import type { Database, Queries } from '../../database/database.ts';
import type { ObjectStorage } from '../../outgoing/object-storage/object-storage.ts';
import { padded } from './objects.ts';

/** Expired objects that are examined together. A power of two, see `padded`. */
export const EXPIRED_OBJECTS_PER_STATEMENT = 64;

/**
 * Deletes the objects of expired uploads and of files that were deleted long ago, unless files of another organization
 * still use them. Interrupted removals are repeated, because the row of an object is deleted after it.
 *
 * @returns the number of deleted objects
 * @throws ObjectStorageError
 */
export async function removeExpiredObjects(
  database: Database,
  objectStorage: ObjectStorage,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (;;) {
    signal?.throwIfAborted();
    const rows = await database.query
      .selectFrom('blobUploads')
      .select(['organization', 'content', 'object'])
      .where('object', 'is not', null)
      .where('expiresAt', '<=', now.toISOString())
      .limit(EXPIRED_OBJECTS_PER_STATEMENT)
      .execute();
    if (rows.length === 0) {
      return removed;
    }
    const objects = new Set(rows.flatMap(({ object }) => object ?? []));
    // Nothing can begin to use these objects: organizations share only the objects of their files.
    const unused = [...objects.difference(await usedObjects(database, [...objects], now))];
    await objectStorage.remove(unused);
    removed += unused.length;
    await database.transaction(async (trx) => {
      for (const { organization, content } of rows) {
        await trx
          .deleteFrom('blobUploads')
          .where('organization', '=', organization)
          .where('content', '=', content)
          .where('expiresAt', '<=', now.toISOString())
          .execute();
      }
    });
  }
}

/** Returns those of the objects that files use, and those that are retained. */
async function usedObjects(
  { query }: Database,
  objects: readonly string[],
  now: Date,
): Promise<Set<string | null>> {
  const rows = await query
    .selectFrom('blobs')
    .select('object')
    .where('object', 'in', padded(objects))
    .union(
      query
        .selectFrom('blobUploads')
        .select('object')
        .where('object', 'in', padded(objects))
        .where('expiresAt', '>', now.toISOString()),
    )
    .execute();
  return new Set(rows.map(({ object }) => object));
}

/** Lists the organizations with chunks that are to be deleted. */
export async function expiredOwners(queries: Queries, now: Date): Promise<string[]> {
  const rows = await queries
    .selectFrom('blobUploads')
    .select('organization')
    .distinct()
    .where('object', 'is', null)
    .where('expiresAt', '<=', now.toISOString())
    .execute();
  return rows.map(({ organization }) => organization);
}
