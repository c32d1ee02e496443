import { create as contentDisposition } from 'content-disposition';
import { Router } from 'express';
import { contentType as withCharset } from 'mime-types';
import { type ByteRange, findBlob, readChunks } from '../content/store/blobs.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Clock } from '../database/seams.ts';
import { notFound } from '../errors.ts';
import { isFileUrl } from '../models/files/link.ts';
import { removeHeaders, sendStored } from './ranges.ts';

/** Media types that browsers may display inline. Other types are downloaded. */
const INLINE_TYPES = /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|application\/pdf|video\/|audio\/)/;

/** Headers of a file, which are removed from error responses. */
const FILE_HEADERS = ['Cache-Control', 'Content-Disposition'];

/**
 * Serves files at their `downloadURL` until it expires or the space is deleted. Active content in files is sandboxed.
 */
export function createFiles(
  { database, secretKey, clock }: { database: Database; secretKey: string; clock: Clock },
  { stallMs }: { stallMs?: number } = {},
): Router {
  const router = Router();
  // Express also uses this route for HEAD.
  router.get('/files/:space/:blob/:name', async (req, res) => {
    const { space, blob, name } = req.params;
    const { type: contentType, expires, signature } = req.query;
    if (typeof contentType !== 'string' || typeof signature !== 'string') {
      throw notFound('file');
    }
    const [link, now] = [{ space, blob, name, contentType, expires: Number(expires) }, clock()];
    if (!isFileUrl(link, signature, secretKey, now)) {
      throw notFound('file');
    }
    const organization = await organizationOf(database.query, space);
    const file = organization && (await findBlob(database.query, organization, blob));
    if (!file) {
      throw notFound('file');
    }
    res.set({
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      // The content never changes, but must not be cached longer than the URL is valid.
      'Cache-Control': `private, max-age=${Math.floor((link.expires - now.getTime()) / 1000)}, immutable`,
      'Content-Disposition': contentDisposition(name, {
        type: INLINE_TYPES.test(contentType) ? 'inline' : 'attachment',
      }),
    });
    const body = {
      contentType: withCharset(contentType) || contentType,
      size: file.size,
      tag: `"${blob}"`,
      read: (range: ByteRange) => readChunks(database.query, organization, file, range),
    };
    try {
      await sendStored(req, res, body, stallMs);
    } catch (error) {
      removeHeaders(res, FILE_HEADERS);
      throw error;
    }
  });
  return router;
}

/** Returns the organization of a space; undefined if the space does not exist or is deleted. */
async function organizationOf(queries: Queries, space: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('spaces')
    .select('organization')
    .where('id', '=', space)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row?.organization;
}
