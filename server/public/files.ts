import { create as contentDisposition } from 'content-disposition';
import { Router } from 'express';
import { contentType as withCharset } from 'mime-types';
import { type ByteRange, findBlob, readChunks } from '../content/store/blobs.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Clock } from '../database/seams.ts';
import { invisible } from '../identity/errors.ts';
import { isFileAddress } from '../models/files/link.ts';
import { sendChunks } from './send-chunks.ts';

/** Types that a browser may show in its place; everything else is offered for download. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|application\/pdf|video\/|audio\/)/;

/** Headers of a file that are wrong for a failure to read it. */
const DESCRIPTIONS = [
  'Cache-Control',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Content-Type',
  'Accept-Ranges',
  'ETag',
];

/**
 * Files of pages, at the addresses that `downloadURL` gives, until these expire or the space is deleted. What files
 * hold never runs in our origin.
 */
export function createFiles(
  { database, secretKey, clock }: { database: Database; secretKey: string; clock: Clock },
  { stallMs }: { stallMs?: number } = {},
): Router {
  const router = Router();
  // Express answers HEAD with this, too.
  router.get('/files/:space/:blob/:name', async (req, res) => {
    const { space, blob, name } = req.params;
    const { type: contentType, expires, signature } = req.query;
    if (typeof contentType !== 'string' || typeof signature !== 'string') throw invisible('file');
    const [link, now] = [{ space, blob, name, contentType, expires: Number(expires) }, clock()];
    if (!isFileAddress(link, signature, secretKey, now)) throw invisible('file');
    const organization = await organizationOf(database.query, space);
    const found = organization && (await findBlob(database.query, organization, blob));
    if (!found) throw invisible('file');
    const { size } = found;
    const tag = `"${blob}"`;
    res.set({
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      // The bytes never change, but whoever has them may keep them no longer than the address works.
      'Cache-Control': `private, max-age=${Math.floor((link.expires - now.getTime()) / 1000)}, immutable`,
      'Content-Disposition': contentDisposition(name, {
        type: SHOWN.test(contentType) ? 'inline' : 'attachment',
      }),
      'Accept-Ranges': 'bytes',
      ETag: tag,
    });
    if (hasCopy(req.get('If-None-Match'), tag)) {
      res.status(304).end();
      return;
    }
    // A node response takes the header as it is; Express would add a charset of its own.
    res.setHeader('Content-Type', withCharset(contentType) || contentType);
    const ifRange = req.get('If-Range');
    // Ranges are defined for GET alone (RFC 9110, section 14.2).
    const isAsked = req.method === 'GET' && (ifRange === undefined || ifRange.trim() === tag);
    const range = isAsked ? rangeOf(req.get('Range'), size) : undefined;
    if (range === 'unsatisfiable') {
      res.set('Content-Range', `bytes */${size}`).removeHeader('Content-Type');
      res.status(416).end();
      return;
    }
    const { first, last } = range ?? { first: 0, last: size - 1 };
    if (range) res.status(206).set('Content-Range', `bytes ${first}-${last}/${size}`);
    res.setHeader('Content-Length', last + 1 - first);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    try {
      await sendChunks(res, readChunks(database.query, organization, found, { first, last }), stallMs);
    } catch (error) {
      // The answer will be another one.
      if (!res.headersSent) for (const header of DESCRIPTIONS) res.removeHeader(header);
      throw error;
    }
  });
  return router;
}

/** The organization of a space; undefined for one that was deleted. */
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
 * Whether the caller says that it has the bytes of a tag (RFC 9110, section 13.1.2: the comparison is weak). Not
 * `req.fresh`: it sends all bytes again to whoever also says `Cache-Control: no-cache`, as `fetch` always does.
 */
function hasCopy(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

/**
 * The range of bytes that is asked for (RFC 9110, section 14.1.2); undefined where all of them are the answer: no
 * range, one that is not understood, or several at once, which no player or browser asks for. Not `req.range()`:
 * it refuses a suffix that is longer than the file, which stands for the whole of it.
 */
function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.replace(/\s/g, '') ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const [first, last] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== '' && Number(to) < first) return undefined;
  return first >= size ? 'unsatisfiable' : { first, last };
}
