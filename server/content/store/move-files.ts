import { createHash, randomUUID } from 'node:crypto';
import { batches } from '../../database/batches.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import type { ObjectStorage } from '../../outgoing/object-storage/object-storage.ts';
import { MissingObjectError } from '../tree/values.ts';
import { type PendingUploadServices, storePendingUpload, UPLOAD_LIFETIME_MS } from './blob-uploads.ts';
import { readChunks, type StoredBlob } from './blobs.ts';
import { abandonUploads, OBJECT_RETENTION_MS } from './expired-uploads.ts';

/** Maximum files that are moved to or from the object storage at the same time. */
export const MAX_CONCURRENT_MOVES = 4;
/** Files that one statement lists to move them. */
export const MOVED_FILES_PER_STATEMENT = 100;
/** Time that the chunks of a moved file remain for current readers. */
export const MOVED_CHUNKS_LIFETIME_MS = 60 * 60 * 1000;

/** Where the bytes of a file are. */
export type FilePlace = 'database' | 's3';

/** A file with the organization that it belongs to. */
interface OwnedBlob extends StoredBlob {
  organization: string;
  hash: string;
}

/** Services that move files. */
export interface MoveServices extends PendingUploadServices {
  objectStorage: ObjectStorage;
}

/** Results of a move. */
export interface MoveResult {
  files: number;
  bytes: number;
  /** Files whose bytes are missing or damaged, which remain where they are. */
  damaged: Array<{ organization: string; hash: string }>;
}

/**
 * Moves all files to the object storage or to the database, one after the other, while others read and write. The
 * stored copy of each file is read and compared with its hash before the file refers to it. If the move is
 * interrupted, another one continues it, and the remains expire like those of uploads.
 *
 * @param onProgress called after each group of files
 * @throws ObjectStorageError
 */
export async function moveFiles(
  services: MoveServices,
  to: FilePlace,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (result: MoveResult) => void } = {},
): Promise<MoveResult> {
  const result: MoveResult = { files: 0, bytes: 0, damaged: [] };
  for await (const listed of filesOutside(services.database.query, to)) {
    for (const group of batches(listed, MAX_CONCURRENT_MOVES)) {
      signal?.throwIfAborted();
      await Promise.all(
        group.map(async (blob) => {
          const outcome = await moveFile(services, blob, to);
          if (outcome === 'moved') {
            result.files += 1;
            result.bytes += blob.size;
          } else if (outcome === 'damaged') {
            result.damaged.push({ organization: blob.organization, hash: blob.hash });
          }
        }),
      );
      onProgress?.(result);
    }
  }
  return result;
}

/** Numbers and sizes of the files in both places. */
export async function countFiles(
  queries: Queries,
): Promise<Record<FilePlace, { files: number; bytes: number }>> {
  const countIn = async (place: FilePlace) => {
    const { files, bytes } = await queries
      .selectFrom('blobs')
      .select(({ fn }) => [fn.countAll().as('files'), fn.sum('size').as('bytes')])
      .where('object', place === 's3' ? 'is not' : 'is', null)
      .executeTakeFirstOrThrow();
    return { files: Number(files), bytes: Number(bytes ?? 0) };
  };
  return { database: await countIn('database'), s3: await countIn('s3') };
}

/** Lists the files that are not in a place, in batches. */
async function* filesOutside(queries: Queries, place: FilePlace): AsyncGenerator<OwnedBlob[]> {
  for (let after = { organization: '', hash: '' }; ; ) {
    const { organization, hash } = after;
    const rows = await queries
      .selectFrom('blobs')
      .select(['organization', 'hash', 'content', 'size', 'object'])
      .where('object', place === 's3' ? 'is' : 'is not', null)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('organization', 'hash'), '>', tuple(organization, hash)),
      )
      .orderBy('organization')
      .orderBy('hash')
      .limit(MOVED_FILES_PER_STATEMENT)
      .execute();
    const last = rows.at(-1);
    if (!last) {
      return;
    }
    yield rows;
    after = last;
  }
}

async function moveFile(
  services: MoveServices,
  blob: OwnedBlob,
  to: FilePlace,
): Promise<'moved' | 'damaged' | 'deleted'> {
  const { organization, hash, size } = blob;
  const { clock, database } = services;
  let copy: StoredBlob | undefined;
  try {
    copy = await (to === 's3' ? copyToStorage : copyToDatabase)(services, blob);
    if ((await hashOfChunks(services, organization, copy)) === hash) {
      const stored = copy;
      if (await database.transaction((trx) => replaceBytes(trx, blob, stored, clock()))) {
        copy = undefined;
        return 'moved';
      }
      // It was deleted, or another process has moved it.
      return 'deleted';
    }
    return 'damaged';
  } catch (error) {
    if (!(error instanceof MissingObjectError)) {
      throw error;
    }
    const current = await services.database.query
      .selectFrom('blobs')
      .select('content')
      .where('organization', '=', organization)
      .where('hash', '=', hash)
      .executeTakeFirst();
    return current?.content === blob.content && size > 0 ? 'damaged' : 'deleted';
  } finally {
    if (copy) {
      await abandonUploads(services, organization, [copy.content]);
    }
  }
}

async function copyToDatabase(
  services: MoveServices,
  { organization, ...blob }: OwnedBlob,
): Promise<StoredBlob> {
  const inDatabase = { ...services, objectStorage: undefined };
  return await storePendingUpload(inDatabase, organization, readChunks(services, organization, blob));
}

async function copyToStorage(services: MoveServices, blob: OwnedBlob): Promise<StoredBlob> {
  const { clock, database, objectStorage } = services;
  const { organization, size } = blob;
  const content = randomUUID();
  const object = `${organization}/${content}`;
  const expiresAt = new Date(clock().getTime() + UPLOAD_LIFETIME_MS).toISOString();
  await database.query
    .insertInto('blobUploads')
    .values({ organization, content, object, expiresAt })
    .execute();
  try {
    await objectStorage.store(object, readChunks(services, organization, blob));
  } catch (error) {
    await abandonUploads(services, organization, [content]);
    throw error;
  }
  return { content, object, size };
}

async function hashOfChunks(services: MoveServices, organization: string, copy: StoredBlob): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of readChunks(services, organization, copy)) {
    digest.update(chunk);
  }
  return digest.digest('base64url');
}

/**
 * Makes a file refer to the copy of its bytes, and has the previous ones deleted.
 *
 * @returns whether it still referred to the previous ones
 */
async function replaceBytes(
  trx: Transaction,
  { organization, hash, ...previous }: OwnedBlob,
  copy: StoredBlob,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('blobs')
    .set({ content: copy.content, object: copy.object })
    .where('organization', '=', organization)
    .where('hash', '=', hash)
    .where('content', '=', previous.content)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    return false;
  }
  const { numDeletedRows } = await trx
    .deleteFrom('blobUploads')
    .where('organization', '=', organization)
    .where('content', '=', copy.content)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst();
  if (numDeletedRows === 0n) {
    throw new Error('Moving a file took too long, and its copy was deleted.');
  }
  const retentionMs = previous.object === null ? MOVED_CHUNKS_LIFETIME_MS : OBJECT_RETENTION_MS;
  const expiresAt = new Date(now.getTime() + retentionMs).toISOString();
  await trx
    .insertInto('blobUploads')
    .values({ organization, content: previous.content, object: previous.object, expiresAt })
    .execute();
  return true;
}
