/** Messages between the main thread and a worker thread. A worker thread runs one task at a time. */

/** A message to a worker thread. */
export type ToThread =
  | { type: 'run'; task: string; input: unknown; hasHost: boolean }
  /** Ends the thread, which runs no task. */
  | { type: 'end' }
  | ({ type: 'result'; call: number } & Outcome);

/** A message from a worker thread. */
export type FromThread =
  /** The thread has loaded its modules and starts the task. */
  | { type: 'started' }
  | ({ type: 'done' } & Outcome)
  /** Calls a method of the task's host. */
  | { type: 'call'; call: number; method: string; input: unknown };

/** The result of a task or a call. */
export type Outcome = { value: unknown } | { error: unknown };

/**
 * Returns the buffers of a value that are transferred instead of copied: those of byte arrays at its top level, and of
 * arrays of byte arrays.
 */
export function transferable(value: unknown): ArrayBuffer[] {
  const candidates =
    value instanceof Uint8Array || typeof value !== 'object' || value === null
      ? [value]
      : Object.values(value).flat();
  const buffers = candidates.flatMap((candidate: unknown) =>
    // A partial view, such as a small Buffer, shares its memory with others.
    candidate instanceof Uint8Array &&
    candidate.buffer instanceof ArrayBuffer &&
    candidate.byteLength === candidate.buffer.byteLength
      ? [candidate.buffer]
      : [],
  );
  return [...new Set(buffers)];
}
