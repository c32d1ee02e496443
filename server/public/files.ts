import { create as contentDisposition } from 'content-disposition';
import { Router } from 'express';
import { contentType as withCharset } from 'mime-types';
import { type ByteRange, findBlob, readChunks } from '../content/store/blobs.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Clock } from '../database/seams.ts';
import { notFound } from '../errors.ts';
import { isFileUrl } from '../models/files/link.ts';
import { sendChunks } from './send-chunks.ts';

/** Media types that browsers may display inline. Other types are downloaded. */
const INLINE_TYPES = /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|application\/pdf|video\/|audio\/)/;

/** Headers of a file, which are removed from error responses. */
const FILE_HEADERS = [
  'Cache-Control',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Content-Type',
  'Accept-Ranges',
  'ETag',
];

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
    const { size } = file;
    const tag = `"${blob}"`;
    res.set({
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      // The content never changes, but must not be cached longer than the URL is valid.
      'Cache-Control': `private, max-age=${Math.floor((link.expires - now.getTime()) / 1000)}, immutable`,
      'Content-Disposition': contentDisposition(name, {
        type: INLINE_TYPES.test(contentType) ? 'inline' : 'attachment',
      }),
      'Accept-Ranges': 'bytes',
      ETag: tag,
    });
    if (matchesTag(req.get('If-None-Match'), tag)) {
      res.status(304).end();
      return;
    }
    // Not `res.set`, which would add a charset.
    res.setHeader('Content-Type', withCharset(contentType) || contentType);
    const ifRange = req.get('If-Range');
    // Ranges are defined for GET alone (RFC 9110, section 14.2).
    const acceptsRange = req.method === 'GET' && (ifRange === undefined || ifRange.trim() === tag);
    const range = acceptsRange ? rangeOf(req.get('Range'), size) : undefined;
    if (range === 'unsatisfiable') {
      res.set('Content-Range', `bytes */${size}`).removeHeader('Content-Type');
      res.status(416).end();
      return;
    }
    const { first, last } = range ?? { first: 0, last: size - 1 };
    if (range) {
      res.status(206).set('Content-Range', `bytes ${first}-${last}/${size}`);
    }
    res.setHeader('Content-Length', last + 1 - first);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    try {
      await sendChunks(res, readChunks(database.query, organization, file, { first, last }), stallMs);
    } catch (error) {
      // An error response follows.
      if (!res.headersSent) {
        for (const header of FILE_HEADERS) {
          res.removeHeader(header);
        }
      }
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

/**
 * Returns whether `If-None-Match` matches a tag (RFC 9110, section 13.1.2: weak comparison). Not `req.fresh`, which
 * ignores the header for requests with `Cache-Control: no-cache`, as sent by `fetch`.
 */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) {
    return false;
  }
  if (header.trim() === '*') {
    return true;
  }
  return header.split(',').some((value) => value.trim().replace(/^W\//, '') === tag);
}

/**
 * Parses the requested byte range (RFC 9110, section 14.1.2). Returns undefined if the whole file is to be sent: there
 * is no range, it is invalid, or there are several, which browsers do not request. Not `req.range()`, which rejects a
 * suffix range longer than the file.
 */
function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.replace(/\s/g, '') ?? '') ?? [];
  if (from === '' && to === '') {
    return undefined;
  }
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const [first, last] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== '' && Number(to) < first) {
    return undefined;
  }
  return first >= size ? 'unsatisfiable' : { first, last };
}
