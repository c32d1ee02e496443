import { type FileSource, findBlob, readChunks } from '../../../content/store/blobs.ts';
import { readObjects, readObjectTexts } from '../../../content/store/objects.ts';
import { addReachable, ReachableSet } from '../../../content/tree/reachable.ts';
import { MissingObjectError } from '../../../content/tree/values.ts';
import { batches } from '../../../database/batches.ts';
import type { Queries } from '../../../database/database.ts';
import type { ObjectsTable } from '../../../database/schema/content/objects.ts';

/** Objects that are in memory at a time. */
const BATCH_OBJECTS = 64;

/** Finds the objects and the bytes that are part of some content. */
export async function reachableFrom(
  query: Queries,
  organization: string,
  roots: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<ReachableSet> {
  const reachable = new ReachableSet();
  await addReachable(
    roots,
    async (hashes) => {
      signal?.throwIfAborted();
      return await readObjectTexts(query, organization, hashes);
    },
    reachable,
  );
  return reachable;
}

/** Reads objects by their hashes. */
export async function* exportedObjects(
  query: Queries,
  organization: string,
  hashes: ReadonlySet<string>,
): AsyncGenerator<Omit<ObjectsTable, 'organization'>> {
  for (const batch of batches(hashes, BATCH_OBJECTS)) {
    yield* await readObjects(query, organization, batch);
  }
}

/** Reads the bytes with a hash. */
export async function* exportedBytes(
  source: FileSource,
  organization: string,
  hash: string,
): AsyncGenerator<Uint8Array> {
  const blob = await findBlob(source.database.query, organization, hash);
  if (!blob) {
    throw new MissingObjectError(hash);
  }
  yield* readChunks(source, organization, blob);
}
