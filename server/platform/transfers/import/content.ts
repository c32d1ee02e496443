import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { uploadBlob } from '../../../content/store/blob-uploads.ts';
import { storedBlobs } from '../../../content/store/blobs.ts';
import { readObjectTexts, storedObjects, storeObjects } from '../../../content/store/objects.ts';
import type { ContentObject } from '../../../content/tree/objects.ts';
import { addReachable, ReachableSet } from '../../../content/tree/reachable.ts';
import { MissingObjectError } from '../../../content/tree/values.ts';
import { batches } from '../../../database/batches.ts';
import { NO_QUOTAS } from '../../../quotas/quotas.ts';
import { revisionTransfer } from '../../content/revisions/transfer.ts';
import type { Transfer } from '../../kit/transfer/define.ts';
import type { Manifest } from '../folder/manifest.ts';
import { FILES_FOLDER, filePath } from '../folder/paths.ts';
import { damaged } from '../folder/read-files.ts';
import { fieldsOf } from '../folder/records.ts';
import { TRANSFERS } from '../transfers.ts';
import { readContentObjects, rowBatches } from './examine.ts';
import type { Replacements } from './replacements.ts';
import type { ImportServices } from './services.ts';

/** Objects that one transaction stores. */
const BATCH_OBJECTS = 100;
const BATCH_CHARACTERS = 1_048_576;
/** Matches the hashes by which objects refer to others. */
const HASH_PATTERN = /(?<=")[\w-]{43}(?=")/g;
/** Hashes that one statement looks up. */
const BATCH_HASHES = 500;

/** Stores the objects of all content. Returns the hashes of those in which something is replaced. */
export async function storeContent(
  { database, signal }: ImportServices,
  folder: string,
  organization: string,
  replacements: Replacements,
): Promise<Set<string>> {
  const affected = new Set<string>();
  let batch: ContentObject[] = [];
  let characters = 0;
  const flush = async () => {
    signal?.throwIfAborted();
    const objects = batch;
    batch = [];
    characters = 0;
    await database.transaction((trx) => storeObjects(trx, organization, objects));
  };
  for await (const object of readContentObjects(folder)) {
    if (replacements.isIn(object.data)) {
      affected.add(object.hash);
    }
    batch.push(object);
    characters += object.data.length;
    if (batch.length >= BATCH_OBJECTS || characters >= BATCH_CHARACTERS) {
      await flush();
    }
  }
  await flush();
  return affected;
}

/** Adds the hashes of the objects that refer to some objects, up to the roots of the content. */
export async function addReferring(folder: string, affected: Set<string>): Promise<void> {
  for (let size = 0; size < affected.size; ) {
    size = affected.size;
    for await (const { hash, data } of readContentObjects(folder)) {
      if (data.match(HASH_PATTERN)?.some((referred) => affected.has(referred))) {
        affected.add(hash);
      }
    }
  }
}

/** Stores the bytes of all files. */
export async function storeFiles(
  services: ImportServices,
  folder: string,
  organization: string,
  { contents }: Manifest,
): Promise<void> {
  for (const path of Object.keys(contents)) {
    if (!path.startsWith(`${FILES_FOLDER}/`)) {
      continue;
    }
    services.signal?.throwIfAborted();
    const { hash } = await uploadBlob(
      { ...services, quotas: NO_QUOTAS },
      organization,
      createReadStream(join(folder, path)),
    );
    if (filePath(hash) !== path) {
      throw damaged(`${path} does not have the hash in its name`);
    }
  }
}

/**
 * Requires that everything is stored that revisions and other records refer to.
 *
 * @throws TransferError if the folder lacks something
 */
export async function requireComplete(
  { database: { query }, signal }: ImportServices,
  folder: string,
  organization: string,
): Promise<void> {
  const reachable = new ReachableSet();
  const roots = new Set<string>();
  for await (const rows of rowBatches(folder, revisionTransfer)) {
    for (const row of rows) {
      roots.add(String(row.root));
    }
  }
  try {
    await addReachable(
      roots,
      async (hashes) => {
        signal?.throwIfAborted();
        return await readObjectTexts(query, organization, hashes);
      },
      reachable,
    );
  } catch (error) {
    throw error instanceof MissingObjectError ? missingObject() : error;
  }
  for (const batch of batches(reachable.objects, BATCH_HASHES)) {
    if ((await storedObjects(query, organization, batch)).size < batch.length) {
      throw missingObject();
    }
  }
  for (const transfer of TRANSFERS) {
    for await (const hash of bytesIn(folder, transfer)) {
      reachable.blobs.add(hash);
    }
  }
  for (const batch of batches(reachable.blobs, BATCH_HASHES)) {
    const stored = await storedBlobs(query, organization, batch);
    const missing = batch.find((hash) => !stored.has(hash));
    if (missing !== undefined) {
      throw damaged(`${filePath(missing)} is missing`);
    }
  }
}

const missingObject = () => damaged('an object of the content is missing');

/** Returns the hashes of the bytes that records of a noun refer to. */
async function* bytesIn(folder: string, transfer: Transfer): AsyncGenerator<string> {
  const names = fieldsOf(transfer).flatMap(([name, { role }]) => (role === 'bytes' ? [name] : []));
  if (names.length === 0) {
    return;
  }
  for await (const rows of rowBatches(folder, transfer)) {
    for (const row of rows) {
      yield* names.map((name) => String(row[name]));
    }
  }
}
