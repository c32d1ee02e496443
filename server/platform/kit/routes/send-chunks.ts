import { once } from 'node:events';
import type { Response } from 'express';
import { closeWhenStalled } from '../../../contract/response/stall.ts';

/**
 * Sends a body chunk by chunk with backpressure, so that a download uses the memory of one chunk. The chunks may take
 * any time; a connection that does not accept them is closed. Returns without an error if the connection is closed.
 *
 * @throws errors of `chunks`; if the first chunk fails, nothing was sent
 */
export async function sendChunks(
  res: Response,
  chunks: AsyncIterable<Uint8Array>,
  stallMs?: number,
): Promise<void> {
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  try {
    for await (const chunk of chunks) {
      if (!res.write(chunk)) {
        const cancelClose = closeWhenStalled(res, stallMs);
        await once(res, 'drain', { signal: closed.signal });
        cancelClose();
      }
    }
    closeWhenStalled(res, stallMs);
    res.end();
  } catch (error) {
    if (!closed.signal.aborted) {
      throw error;
    }
  }
}
