import type { Database, Queries, Transaction } from '../../database/database.ts';
import { readJson, writeJson } from '../../database/json.ts';
import type { Clock } from '../../database/seams.ts';
import { storePendingUpload } from './blob-uploads.ts';
import type { StoredBlob } from './blobs.ts';
import { abandonUploads, removeExpiredUploads } from './expired-uploads.ts';
import { padded } from './objects.ts';

/**
 * Cached PDFs. Their bytes are chunks like those of files, but no blob refers to them: the row of `blobUploads` of an
 * upload remains, and expires together with the PDF. They are limited, and can be printed again, so that they are in
 * the database even with an object storage.
 */

/** Time before a cached PDF is deleted, in milliseconds. */
export const CACHED_PDF_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
/** Maximum size of a cached PDF, in bytes. Larger ones are printed for each request. */
export const MAX_CACHED_PDF_BYTES = 128 * 1024 * 1024;
/** Maximum number and size of the cached PDFs of an organization. The least recently used ones are deleted. */
export const MAX_CACHED_PDFS_PER_ORGANIZATION = { pdfs: 200, bytes: 256 * 1024 * 1024 };
/** Maximum number and size of all cached PDFs. */
export const MAX_CACHED_PDFS = { pdfs: 5000, bytes: 4 * 1024 * 1024 * 1024 };
/** Precision of the time of the last use, which is not written with each use. */
const USE_INTERVAL_MS = 60 * 60 * 1000;
/** Time that the bytes of a removed PDF remain for current readers. */
const READING_MS = 10 * 60 * 1000;
/** Maximum number of PDFs that a transaction removes. */
const REMOVED_PER_TRANSACTION = 64;

/** Versions of OpenAPI specifications by slug or ID; null for missing ones. */
export type SpecificationVersions = Array<[specification: string, version: string | null]>;

/** What identifies a cached PDF. */
export interface PdfEntry {
  organization: string;
  key: string;
}

interface Services {
  database: Database;
  clock: Clock;
}

/** Finds a cached PDF, and notes that it is used. */
export async function findPrintedPdf(
  { database, clock }: Services,
  { organization, key }: PdfEntry,
): Promise<(StoredBlob & { specifications: SpecificationVersions }) | undefined> {
  const now = clock();
  const row = await database.query
    .selectFrom('printedPdfs')
    .select(['content', 'size', 'specifications', 'usedAt'])
    .where('organization', '=', organization)
    .where('key', '=', key)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst();
  if (!row) {
    return undefined;
  }
  const { content, size, usedAt, specifications } = row;
  if (now.getTime() - Date.parse(usedAt) > USE_INTERVAL_MS) {
    await database.query
      .updateTable('printedPdfs')
      .set({ usedAt: now.toISOString() })
      .where('organization', '=', organization)
      .where('key', '=', key)
      .execute();
  }
  return { content, size, object: null, specifications: readJson(specifications) };
}

/**
 * Caches a PDF in place of an earlier one with the same key, and removes those that exceed the limits.
 *
 * @throws FileTooLargeError beyond `MAX_CACHED_PDF_BYTES`, and errors of `source`; nothing is retained then
 */
export async function storePrintedPdf(
  services: Services,
  { organization, key, space }: PdfEntry & { space: string },
  specifications: SpecificationVersions,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { database, clock } = services;
  const inDatabase = { ...services, objectStorage: undefined };
  const { content, size } = await storePendingUpload(inDatabase, organization, source, MAX_CACHED_PDF_BYTES);
  const now = clock();
  const expiresAt = new Date(now.getTime() + CACHED_PDF_LIFETIME_MS).toISOString();
  try {
    await database.transaction(async (trx) => {
      const existing = await trx
        .selectFrom('printedPdfs')
        .select(['organization', 'content'])
        .where('organization', '=', organization)
        .where('key', '=', key)
        .execute();
      await remove(trx, existing, new Date(now.getTime() + READING_MS));
      await trx
        .updateTable('blobUploads')
        .set({ expiresAt })
        .where('organization', '=', organization)
        .where('content', '=', content)
        .execute();
      await trx
        .insertInto('printedPdfs')
        .values({
          organization,
          key,
          space,
          specifications: writeJson(specifications),
          content,
          size,
          usedAt: now.toISOString(),
          expiresAt,
        })
        .execute();
    });
  } catch (error) {
    await abandonUploads(services, organization, [content]);
    throw error;
  }
  await removeExcess(database, undefined, MAX_CACHED_PDFS, now);
  await removeExcess(database, organization, MAX_CACHED_PDFS_PER_ORGANIZATION, now);
  await removeExpiredUploads(database, organization, now);
}

/** Removes the cached PDFs of an organization for spaces that no longer belong to it. */
export async function removeUnownedPdfs(trx: Transaction, organization: string, now: Date): Promise<void> {
  const unowned = await trx
    .selectFrom('printedPdfs')
    .select(['organization', 'content'])
    .where('organization', '=', organization)
    .where('space', 'not in', (spaces) =>
      spaces.selectFrom('spaces').select('id').where('organization', '=', organization),
    )
    .execute();
  await remove(trx, unowned, now);
}

/** Removes expired PDFs, and the least recently used ones beyond a limit: of an organization, or of all. */
async function removeExcess(
  database: Database,
  organization: string | undefined,
  limit: { pdfs: number; bytes: number },
  now: Date,
): Promise<void> {
  while (await database.transaction((trx) => removeSome(trx, organization, limit, now))) {
    // Repeats until nothing is left to remove.
  }
}

/** @returns whether more may remain */
async function removeSome(
  trx: Transaction,
  organization: string | undefined,
  limit: { pdfs: number; bytes: number },
  now: Date,
): Promise<boolean> {
  const listed = cachedPdfs(trx, organization);
  const { pdfs, bytes } = await listed
    .select(({ fn }) => [fn.countAll().as('pdfs'), fn.sum('size').as('bytes')])
    .executeTakeFirstOrThrow();
  let [morePdfs, moreBytes] = [Number(pdfs) - limit.pdfs, Number(bytes ?? 0) - limit.bytes];
  const oldest = await listed
    .select(['organization', 'content', 'size', 'expiresAt'])
    .orderBy('usedAt')
    .orderBy('key')
    .limit(REMOVED_PER_TRANSACTION)
    .execute();
  const excess = oldest.filter(({ size, expiresAt }) => {
    const isExcess = morePdfs > 0 || moreBytes > 0 || expiresAt <= now.toISOString();
    if (isExcess) {
      morePdfs -= 1;
      moreBytes -= size;
    }
    return isExcess;
  });
  await remove(trx, excess, new Date(now.getTime() + READING_MS));
  return excess.length === REMOVED_PER_TRANSACTION;
}

const cachedPdfs = (queries: Queries, organization: string | undefined) => {
  const all = queries.selectFrom('printedPdfs');
  return organization === undefined ? all : all.where('organization', '=', organization);
};

/** Removes PDFs, and has their chunks deleted from a time on. */
async function remove(
  trx: Transaction,
  pdfs: ReadonlyArray<{ organization: string; content: string }>,
  from: Date,
): Promise<void> {
  for (const [organization, group] of Map.groupBy(pdfs, (pdf) => pdf.organization)) {
    const contents = padded(group.map(({ content }) => content));
    await trx
      .updateTable('blobUploads')
      .set({ expiresAt: from.toISOString() })
      .where('organization', '=', organization)
      .where('content', 'in', contents)
      .execute();
    await trx
      .deleteFrom('printedPdfs')
      .where('organization', '=', organization)
      .where('content', 'in', contents)
      .execute();
  }
}
