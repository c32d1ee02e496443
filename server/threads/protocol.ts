/** Messages between the thread that asks for a task and the one that runs it. A thread runs one task at a time. */

/** To the thread of the tasks. */
export type ToThread =
  | { type: 'run'; task: string; input: unknown; hasHost: boolean }
  | ({ type: 'answer'; call: number } & Outcome);

/** From the thread of the tasks. */
export type FromThread =
  | ({ type: 'done' } & Outcome)
  /** Calls a method of the host that was passed with the task. */
  | { type: 'call'; call: number; method: string; input: unknown };

/** What became of a call. */
export type Outcome = { value: unknown } | { error: unknown };

/**
 * The buffers that move to the other side with a value instead of being copied: those of its own byte arrays, and of
 * lists of them.
 */
export function transferable(value: unknown): ArrayBuffer[] {
  const candidates =
    value instanceof Uint8Array || typeof value !== 'object' || value === null
      ? [value]
      : Object.values(value).flat();
  const buffers = candidates.flatMap((one: unknown) =>
    // A view of a part, such as a small Buffer, shares its memory with others.
    one instanceof Uint8Array && one.buffer instanceof ArrayBuffer && one.byteLength === one.buffer.byteLength
      ? [one.buffer]
      : [],
  );
  return [...new Set(buffers)];
}
