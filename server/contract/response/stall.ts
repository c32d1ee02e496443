import type { ServerResponse } from 'node:http';

/** Time without progress before the connection of a response is closed. */
export const STALL_TIMEOUT_MS = 30_000;

/**
 * Closes the connection of a response that is not read, which would otherwise stay in memory. Returns a function that
 * ends this, while nothing is sent.
 */
export function closeWhenStalled(res: ServerResponse, stallMs: number = STALL_TIMEOUT_MS): () => void {
  const close = () => res.destroy();
  // The socket timeout restarts with every byte that is sent.
  res.setTimeout(stallMs, close);
  return () => {
    res.setTimeout(0).off('timeout', close);
  };
}

/** Sends the rest of a response. Its connection is closed if the caller does not read it. */
export function endResponse(res: ServerResponse, body: string | Uint8Array, stallMs?: number): void {
  res.end(body);
  // Otherwise the system has it already, as nearly always.
  if (res.socket && res.socket.writableLength > 0) {
    closeWhenStalled(res, stallMs);
  }
}
