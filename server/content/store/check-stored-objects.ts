import { batches } from '../../database/batches.ts';
import type { CheckContext, Findings } from '../../database/checks/findings.ts';
import type { Queries } from '../../database/database.ts';
import type { ObjectStorage } from '../../outgoing/object-storage/object-storage.ts';
import { OBJECT_RETENTION_MS } from './expired-uploads.ts';

/** What the checks of files use besides the database. */
export interface FilesContext extends CheckContext {
  objectStorage: ObjectStorage | undefined;
  /** Whether to read the files in the object storage, and not only to compare their sizes. */
  readsObjects: boolean;
}

/** Objects whose deletion one transaction requests. */
const BATCH_OBJECTS = 100;

/**
 * Compares the objects that an organization stored with the files that refer to them, by their sizes. Has objects that
 * belong to no file deleted on request, after the time that unused objects remain: another database may use them.
 */
export async function checkStoredObjects(
  context: FilesContext,
  organization: string,
  findings: Findings,
): Promise<void> {
  const { database, objectStorage } = context;
  const { query } = database;
  if (!objectStorage) {
    const [file] = await filesWithObjects(query, organization);
    if (file) {
      findings.add(
        `Files of ${organization} are in an object storage. Set COLOPHON_FILES, and check them again.`,
      );
    }
    return;
  }
  const listed = new Map<string, number>();
  for await (const { key, size } of objectStorage.list(`${organization}/`)) {
    listed.set(key, size);
  }
  for (const { object, hash, size } of await filesWithObjects(query, organization)) {
    const isStored = listed.get(object) === size;
    listed.delete(object);
    // It may have been stored since the objects were listed.
    const found = isStored ? size : await objectStorage.sizeOf(object);
    if (found !== size) {
      const problem = found === undefined ? 'is missing' : `has ${found} of ${size} bytes`;
      findings.add(
        `The object ${object} of the file ${hash} ${problem} in ${objectStorage.location}. ` +
          'Copy it from a backup of the bucket, or upload the file again.',
      );
    }
  }
  for (const object of await retainedObjects(query, organization)) {
    listed.delete(object);
  }
  const unused: string[] = [];
  for (const object of listed.keys()) {
    // It may have been deleted since the objects were listed.
    if ((await objectStorage.sizeOf(object)) !== undefined) {
      unused.push(object);
      findings.add(`The object ${object} in ${objectStorage.location} belongs to no file.`);
    }
  }
  if (context.repair) {
    findings.repaired += unused.length;
    await requestRemoval(context, organization, unused);
  }
}

async function requestRemoval(
  { database, now }: FilesContext,
  organization: string,
  objects: readonly string[],
): Promise<void> {
  const expiresAt = new Date(now.getTime() + OBJECT_RETENTION_MS).toISOString();
  for (const batch of batches(objects, BATCH_OBJECTS)) {
    await database.transaction(async (trx) => {
      await trx
        .insertInto('blobUploads')
        .values(
          batch.map((object) => ({
            organization,
            content: object.slice(organization.length + 1),
            object,
            expiresAt,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    });
  }
}

/** Lists the files of all organizations with objects that one of them stored. */
async function filesWithObjects(
  queries: Queries,
  organization: string,
): Promise<Array<{ object: string; hash: string; size: number }>> {
  const rows = await queries
    .selectFrom('blobs')
    .select(['object', 'hash', 'size'])
    .where('object', '>', `${organization}/`)
    // The character after the slash.
    .where('object', '<', `${organization}0`)
    .execute();
  // Organizations share objects.
  return [
    ...new Map(
      rows.flatMap(({ object, ...file }) => (object === null ? [] : [[object, { object, ...file }]])),
    ).values(),
  ];
}

/** Lists the objects of uploads, and those that are deleted later. */
async function retainedObjects(queries: Queries, organization: string): Promise<string[]> {
  const rows = await queries
    .selectFrom('blobUploads')
    .select('object')
    .where('object', '>', `${organization}/`)
    .where('object', '<', `${organization}0`)
    .execute();
  return rows.flatMap(({ object }) => object ?? []);
}
