import { type Response, Router } from 'express';
import { contentType as withCharset } from 'mime-types';
import { readBlob } from '../content/store/objects.ts';
import type { Database } from '../database/database.ts';
import { invisible } from '../identity/errors.ts';
import { isFileAddress } from '../models/file/link.ts';
import { disposition } from './disposition.ts';

/** Types that a browser may show in its place; everything else is offered for download. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|application\/pdf|video\/|audio\/)/;

/**
 * Files of pages, at the addresses that `downloadURL` gives. What they hold never runs in our origin. The bytes at
 * an address never change, so whoever has them once may keep them.
 */
export function createFiles(database: Database, secretKey: string): Router {
  const router = Router();
  // Express answers HEAD with this, too, and leaves the body out.
  router.get('/files/:organization/:blob/:name', async (req, res) => {
    const { organization, blob, name } = req.params;
    const { type: contentType, signature } = req.query;
    if (typeof contentType !== 'string' || typeof signature !== 'string') throw invisible('file');
    if (!isFileAddress({ organization, blob, name, contentType }, signature, secretKey))
      throw invisible('file');
    const found = await readBlob(database.query, organization, blob);
    if (!found) throw invisible('file');
    const bytes = Buffer.from(found.buffer, found.byteOffset, found.byteLength);
    const tag = `"${blob}"`;
    res.set({
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Disposition': disposition(SHOWN.test(contentType) ? 'inline' : 'attachment', name),
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
    const range = isAsked ? rangeOf(req.get('Range'), bytes.length) : undefined;
    if (range === undefined) sendBytes(res, bytes);
    else if (range === 'unsatisfiable') {
      res.set('Content-Range', `bytes */${bytes.length}`).removeHeader('Content-Type');
      res.status(416).end();
    } else {
      res.status(206).set('Content-Range', `bytes ${range.first}-${range.last}/${bytes.length}`);
      sendBytes(res, bytes.subarray(range.first, range.last + 1));
    }
  });
  return router;
}

function sendBytes(res: Response, bytes: Buffer): void {
  res.setHeader('Content-Length', bytes.length);
  res.end(res.req.method === 'HEAD' ? undefined : bytes);
}

/** Whether the caller says that it has the bytes of a tag (RFC 9110, section 13.1.2: the comparison is weak). */
function hasCopy(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

/**
 * The range of bytes that is asked for (RFC 9110, section 14.1.2); undefined where all of them are the answer: no
 * range, one that is not understood, or several at once, which no player or browser asks for.
 */
function rangeOf(
  header: string | undefined,
  size: number,
): { first: number; last: number } | 'unsatisfiable' | undefined {
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
