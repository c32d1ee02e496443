import type { Request, Response } from 'express';

/** Maximum size of an unread body that is discarded to keep the connection open for the next request. */
export const MAX_SKIPPED_BODY_BYTES = 65_536;

/** Maximum number of bytes of a larger body that are discarded before the connection is closed. */
export const MAX_LINGER_BYTES = 33_554_432;
/** Maximum time that a larger body is discarded before the connection is closed. */
export const LINGER_MS = 2000;

/**
 * Sends a complete response although the request body may not have been read. If much of it is left, the connection
 * is closed after a delay: closing it while the caller is still sending resets it, and the caller may never see the
 * response.
 */
export function endEarly(req: Request, res: Response, body: string): void {
  if (req.complete || unreadBytes(req) <= MAX_SKIPPED_BODY_BYTES) {
    res.end(body);
    return;
  }
  res.set({ Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) });
  res.write(body);
  let discarded = 0;
  const end = () => {
    clearTimeout(timer);
    req.off('data', discard).off('end', end);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  const discard = (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MAX_LINGER_BYTES) {
      end();
    }
  };
  res.once('close', () => clearTimeout(timer));
  req.on('data', discard).once('end', end).resume();
}

/**
 * Discards what a handler did not read of a body, before its response is sent, with the same limits. If more is left,
 * the connection is closed after the response.
 */
export async function discardRest(req: Request, res: Response): Promise<void> {
  if (req.complete || req.destroyed) {
    req.resume();
    return;
  }
  let discarded = 0;
  await new Promise<void>((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      req.off('data', discard).off('end', settle).off('close', settle);
      resolve();
    };
    const discard = (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > MAX_LINGER_BYTES) {
        settle();
      }
    };
    const timer = setTimeout(settle, LINGER_MS);
    req.on('data', discard).once('end', settle).once('close', settle).resume();
  });
  if (!req.complete && !res.headersSent) {
    res.setHeader('Connection', 'close');
  }
}

/** Returns the maximum number of unread bytes; infinite for a chunked body. */
function unreadBytes({ headers }: Request): number {
  if (headers['transfer-encoding'] !== undefined) {
    return Number.POSITIVE_INFINITY;
  }
  return Number(headers['content-length'] ?? 0);
}
