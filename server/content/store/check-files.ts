import { createHash } from 'node:crypto';
import type { CheckContext, Findings } from '../../database/checks/findings.ts';
import { ObjectStorageError } from '../../outgoing/object-storage/errors.ts';
import { findBlob, readChunks } from './blobs.ts';
import { missingFiles, type Referenced } from './check-content.ts';
import { checkStoredObjects, type FilesContext } from './check-stored-objects.ts';
import { removeExpiredUploads } from './expired-uploads.ts';
import { listHashes } from './sweep.ts';

/** Reports files that are missing or damaged, and deletes chunks without a file on request. */
export async function checkFiles(
  context: FilesContext,
  organization: string,
  referenced: Referenced,
  findings: Findings,
): Promise<void> {
  const { query } = context.database;
  for (const [hash, owner] of await missingFiles(context, organization, referenced)) {
    findings.add(
      `The file ${hash} of ${organization} is missing, to which ${owner} refers. Downloading it fails. ` +
        'Restore a backup, or upload it again.',
    );
  }
  for await (const hashes of listHashes(query, 'blobs', organization)) {
    for (const hash of hashes) {
      findings.examined++;
      const problem = await problemOf(context, organization, hash);
      // It may have been deleted meanwhile.
      if (problem !== undefined && (await findBlob(query, organization, hash))) {
        findings.add(
          `The file ${hash} of ${organization} is damaged: ${problem}. Restore a backup, or upload it again.`,
        );
      }
    }
  }
  await checkChunks(context, organization, findings);
  await checkStoredObjects(context, organization, findings);
}

async function problemOf(
  { database, objectStorage, readsObjects }: FilesContext,
  organization: string,
  hash: string,
): Promise<string | undefined> {
  const { query } = database;
  const blob = await findBlob(query, organization, hash);
  // Deleted since it was listed, or checked by its size.
  if (!blob || (blob.object !== null && !readsObjects)) {
    return undefined;
  }
  const digest = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of readChunks({ database, objectStorage }, organization, blob)) {
      digest.update(chunk);
      size += chunk.length;
    }
  } catch (error) {
    if (error instanceof ObjectStorageError) {
      throw error;
    }
    return 'a part is missing';
  }
  if (size !== blob.size) {
    return `it has ${size} of ${blob.size} bytes`;
  }
  return digest.digest('base64url') === hash ? undefined : 'its bytes were changed';
}

/** Chunks belong to a file or to an upload, which expires. */
async function checkChunks(
  { database, now, repair }: CheckContext,
  organization: string,
  findings: Findings,
): Promise<void> {
  const contentsIn = (table: 'blobChunks' | 'blobs' | 'blobUploads') =>
    database.query.selectFrom(table).select('content').where('organization', '=', organization);
  const rows = await contentsIn('blobChunks')
    .except(contentsIn('blobs'))
    .except(contentsIn('blobUploads'))
    .execute();
  for (const { content } of rows) {
    findings.add(`The parts ${content} of ${organization} belong to no file.`);
  }
  if (!repair || rows.length === 0) {
    return;
  }
  // As those of uploads that were abandoned.
  const expiresAt = new Date(now.getTime() - 1).toISOString();
  await database.transaction(async (trx) => {
    for (const { content } of rows) {
      await trx
        .insertInto('blobUploads')
        .values({ organization, content, object: null, expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
  await removeExpiredUploads(database, organization, now);
  findings.repaired += rows.length;
}
