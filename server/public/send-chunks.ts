import { once } from 'node:events';
import type { Response } from 'express';
import { closeWhenStalled } from '../contract/stall.ts';

/**
 * Sends a body chunk by chunk, the next one only when the last has left: a download takes the memory of one chunk,
 * however slow its reader is. Ends quietly where the reader went away, or was cut off.
 *
 * @throws what `chunks` throws; the response has no byte of it yet when the first chunk fails
 */
export async function sendChunks(
  res: Response,
  chunks: AsyncIterable<Uint8Array>,
  stallMs?: number,
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  closeWhenStalled(res, stallMs);
  try {
    for await (const chunk of chunks)
      if (!res.write(chunk)) await once(res, 'drain', { signal: gone.signal });
    res.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}
