import type { Request, Response } from 'express';
import type { ByteRange } from '../../../content/store/blobs.ts';
import { matchesTag } from './entity-tags.ts';
import { sendChunks } from './send-chunks.ts';

/** Headers that `sendStored` sets, which are removed from error responses. */
const STORED_HEADERS = ['Content-Length', 'Content-Range', 'Content-Type', 'Accept-Ranges', 'ETag'];

/** A stored response body. */
export interface StoredBody {
  contentType: string;
  /** Size in bytes. */
  size: number;
  /** Entity tag, including the quotes. */
  tag: string;
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

/** Sends a stored body, or the requested part of it, and evaluates conditional requests. */
export async function sendStored(
  req: Request,
  res: Response,
  { contentType, size, tag, read }: StoredBody,
  stallMs?: number,
): Promise<void> {
  res.set({ 'Accept-Ranges': 'bytes', ETag: tag });
  if (matchesTag(req.get('If-None-Match'), tag)) {
    res.status(304).end();
    return;
  }
  // Not `res.set`, which would add a charset.
  res.setHeader('Content-Type', contentType);
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
    await sendChunks(res, read({ first, last }), stallMs);
  } catch (error) {
    removeHeaders(res, STORED_HEADERS);
    throw error;
  }
}

/** Removes headers of a response that becomes an error response, unless it was sent already. */
export function removeHeaders(res: Response, names: readonly string[]): void {
  if (!res.headersSent) {
    for (const name of names) {
      res.removeHeader(name);
    }
  }
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
