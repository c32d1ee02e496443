import type { ServerResponse } from 'node:http';

/** A reader that takes nothing for so long is cut off. */
export const STALL_MS = 30_000;

/** Ends a response whose reader takes nothing: what is left of it would stay in memory for as long as they like. */
export function cutOffStalled(res: ServerResponse, stallMs: number = STALL_MS): void {
  // The socket's own clock starts anew with every byte that leaves.
  res.setTimeout(stallMs, () => res.destroy());
}
