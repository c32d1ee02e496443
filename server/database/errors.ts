/** PostgreSQL's codes (appendix A of its manual) and SQLite's extended result codes. */
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
const SQLITE_BUSY = 5;
const SQLITE_UNIQUE = 2067;
const SQLITE_PRIMARY_KEY = 1555;

/** True when the failed transaction may succeed if it is run again from the start. */
export function isRetryable(error: unknown): boolean {
  const code = property(error, 'code');
  if (code === SERIALIZATION_FAILURE || code === DEADLOCK) return true;
  return isBusy(error);
}

/** True when another process holds the embedded database's write lock. */
export function isBusy(error: unknown): boolean {
  // The low byte is the primary result code, the rest tells its variants apart.
  return (Number(property(error, 'errcode')) & 0xff) === SQLITE_BUSY;
}

/** True when a row was refused because its key, or another value that has to be unique, is taken. */
export function isUniqueViolation(error: unknown): boolean {
  if (property(error, 'code') === UNIQUE_VIOLATION) return true;
  const code = property(error, 'errcode');
  return code === SQLITE_UNIQUE || code === SQLITE_PRIMARY_KEY;
}

/** A writer that waited for a lock for too long, or found too many others waiting: nothing was written. */
export class LockError extends Error {
  override readonly name = 'LockError';

  constructor() {
    super('Too many writers wait for the same resource. Send the request again later.');
  }
}

function property(error: unknown, name: 'code' | 'errcode'): unknown {
  if (!(error instanceof Error)) return undefined;
  // Drivers add these to their errors; their types are not known here, so they are read as unknown.
  return (error as Error & { code?: unknown; errcode?: unknown })[name];
}
