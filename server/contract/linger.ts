import type { Request, Response } from 'express';

/** Up to this size the rest of a body is read and dropped, so that its connection serves the next request. */
export const MAX_SKIPPED_BODY_BYTES = 65_536;

/** How much of a larger one is read and dropped before its connection is closed. */
export const MAX_LINGER_BYTES = 33_554_432;
/** How long the rest of a larger one is read and dropped before its connection is closed. */
export const LINGER_MS = 2000;

/**
 * Sends a response whose body is complete, though that of the request may not have been read. Of a large one the
 * connection is closed, but not at once: the system resets a connection that is closed while its caller still
 * sends, and a caller who finds it reset may never see the response.
 */
export function endEarly(req: Request, res: Response, body: string): void {
  if (req.complete || unreadBytes(req) <= MAX_SKIPPED_BODY_BYTES) {
    res.end(body);
    return;
  }
  res.set({ Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) });
  res.write(body);
  let dropped = 0;
  const end = () => {
    clearTimeout(timer);
    req.off('data', drop).off('end', end);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  const drop = (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > MAX_LINGER_BYTES) end();
  };
  res.once('close', () => clearTimeout(timer));
  req.on('data', drop).once('end', end).resume();
}

/** How much of the body is to come at most; infinite for one of no announced length. */
function unreadBytes({ headers }: Request): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
