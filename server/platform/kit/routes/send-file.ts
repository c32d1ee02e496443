import { create as contentDisposition } from 'content-disposition';
import type { Request, Response } from 'express';
import { contentType as withCharset } from 'mime-types';
import { type ByteRange, type FileStores, findBlob, readChunks } from '../../../content/store/blobs.ts';
import { notFound } from '../../../errors/errors.ts';
import { matchesTag } from './entity-tags.ts';
import { removeHeaders, sendStored } from './ranges.ts';

/** Media types that browsers may display inline. Other types are downloaded. */
const INLINE_TYPES = /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|application\/pdf|video\/|audio\/)/;

/** Types of files that are displayed inline, and may contain active content, which only our headers restrict. */
const ACTIVE_TYPES = /^image\/svg\+xml/;

/** Maximum size of a file that is never redirected: a second request takes longer than its bytes. */
export const MAX_UNREDIRECTED_BYTES = 1024 * 1024;

/** Policy of a file of an author: it has an origin of its own, and loads nothing. */
export const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Headers of a file, which are removed from error responses. */
const FILE_HEADERS = ['Cache-Control', 'Content-Disposition'];

/** A file to send. */
export interface SentFile {
  organization: string;
  /** Hash of the content. */
  blob: string;
  name: string;
  contentType: string;
  /** Value of `Cache-Control`. */
  caching: string;
}

/**
 * Sends a file of content, or the requested part of it, or redirects to the object storage. Active content in files is
 * sandboxed.
 */
export async function sendFile(
  req: Request,
  res: Response,
  stores: FileStores,
  { organization, blob, name, contentType, caching }: SentFile,
  stallMs?: number,
): Promise<void> {
  const file = await findBlob(stores.database.query, organization, blob);
  if (!file) {
    throw notFound('file');
  }
  const storedType = withCharset(contentType) || contentType;
  const disposition = contentDisposition(name, {
    type: INLINE_TYPES.test(contentType) ? 'inline' : 'attachment',
  });
  const { objectStorage } = stores;
  if (
    objectStorage?.redirectsDownloads &&
    file.object !== null &&
    file.size > MAX_UNREDIRECTED_BYTES &&
    req.method === 'GET' &&
    !ACTIVE_TYPES.test(contentType) &&
    !matchesTag(req.get('If-None-Match'), `"${blob}"`)
  ) {
    const url = await objectStorage.signedUrl(file.object, {
      contentType: storedType,
      contentDisposition: disposition,
      caching,
    });
    // The URL expires.
    res.status(302).set('Cache-Control', 'no-store').setHeader('Location', url).end();
    return;
  }
  res.set({
    'Content-Security-Policy': FILE_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': caching,
    'Content-Disposition': disposition,
  });
  const body = {
    contentType: storedType,
    size: file.size,
    tag: `"${blob}"`,
    read: (range: ByteRange) => readChunks(stores, organization, file, range),
  };
  try {
    await sendStored(req, res, body, stallMs);
  } catch (error) {
    removeHeaders(res, FILE_HEADERS);
    throw error;
  }
}
