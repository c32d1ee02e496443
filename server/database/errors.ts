/** Why the database cannot serve. */
export type UnavailableReason =
  | 'unreachable'
  | 'overloaded'
  | 'timeout'
  | 'locked'
  | 'full'
  | 'read-only'
  | 'corrupt'
  | 'input-output';

/** What is known of a write whose call failed. */
export type Outcome = 'not written' | 'unknown';

interface Reason {
  /** What happened, for the caller. */
  message: string;
  /** What the operator does about it. */
  fix: string;
  /** Seconds after which a caller may try again. */
  retryAfterSeconds: number;
}

/** Each reason in the words of callers and operators. */
export const REASONS: Readonly<Record<UnavailableReason, Reason>> = {
  unreachable: {
    message: 'The database cannot be reached',
    fix: 'Check that PostgreSQL runs at the address in DATABASE_URL and accepts connections.',
    retryAfterSeconds: 1,
  },
  overloaded: {
    message: 'The database is busy with other requests',
    fix: 'Add capacity: PostgreSQL has too few connections, memory, or processes in front of it.',
    retryAfterSeconds: 1,
  },
  timeout: {
    message: 'The database took too long',
    fix: 'Look for slow statements and locks in the log of PostgreSQL.',
    retryAfterSeconds: 2,
  },
  locked: {
    message: 'The database is locked by another process',
    fix: 'End the program that holds the lock on colophon.sqlite, such as a shell or a backup.',
    retryAfterSeconds: 2,
  },
  full: {
    message: 'The database has no space left',
    fix: 'Free space on the disk of the database. Nothing has to be restarted.',
    retryAfterSeconds: 30,
  },
  'read-only': {
    message: 'The database cannot be written to',
    fix: 'Make the data folder writable, or name the primary server in DATABASE_URL.',
    retryAfterSeconds: 10,
  },
  corrupt: {
    message: 'The database is damaged',
    fix: 'Stop the server and restore the database from a backup.',
    retryAfterSeconds: 30,
  },
  'input-output': {
    message: 'The disk of the database failed',
    fix: 'Check the disk of the database, the permissions of its files, and the log of the system.',
    retryAfterSeconds: 10,
  },
};

const OUTAGES: ReadonlySet<UnavailableReason> = new Set([
  'unreachable',
  'locked',
  'full',
  'read-only',
  'input-output',
]);

/**
 * The database cannot serve now. Thrown by every query and transaction in place of the errors of drivers, so
 * that callers get a 503 and nothing above this folder has to know an engine.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly reason: UnavailableReason;
  /** `unknown`: the connection was lost during a commit, so that the change was made whole or not at all. */
  readonly outcome: Outcome;
  /** Whether the same call may succeed on another connection within seconds. */
  readonly transient: boolean;

  constructor(
    reason: UnavailableReason,
    more: { outcome?: Outcome; transient?: boolean; cause?: unknown } = {},
  ) {
    const outcome = more.outcome ?? 'not written';
    const advice =
      outcome === 'unknown'
        ? 'It is unknown whether the change was made: read the resource before sending the request again'
        : 'Nothing was written: send the request again later';
    super(
      `${REASONS[reason].message}. ${advice}.`,
      more.cause === undefined ? undefined : { cause: more.cause },
    );
    this.reason = reason;
    this.outcome = outcome;
    this.transient = more.transient ?? false;
  }

  get retryAfterSeconds(): number {
    return REASONS[this.reason].retryAfterSeconds;
  }

  /** Whether the database as a whole is away, and not one statement too slow or one page damaged. */
  get isOutage(): boolean {
    return OUTAGES.has(this.reason);
  }

  /** The same failure of a write that may have been made. */
  withUnknownOutcome(): DatabaseUnavailableError {
    return new DatabaseUnavailableError(this.reason, { outcome: 'unknown', cause: this.cause });
  }
}

interface Failure {
  reason: UnavailableReason;
  transient?: true;
}

const UNREACHABLE: Failure = { reason: 'unreachable', transient: true };

/**
 * SQLSTATE codes of PostgreSQL (appendix A of its manual) by their beginnings; the longest one decides. What is
 * not here is an error of the statement, or a collision, see {@link isRetryable}.
 */
const SQLSTATES: Readonly<Record<string, Failure>> = {
  // Connection exceptions, and a server that stops, crashed, starts, or ended the session.
  '08': UNREACHABLE,
  '57P': UNREACHABLE,
  // The account or the database is refused: as good as no server, until an operator changes it.
  '28': { reason: 'unreachable' },
  '3D000': { reason: 'unreachable' },
  // A standby, as right after a failover: the next connection may reach the primary.
  '25006': { reason: 'read-only', transient: true },
  '25P03': { reason: 'timeout' },
  '25P04': { reason: 'timeout' },
  '53': { reason: 'overloaded' },
  '53100': { reason: 'full' },
  '53300': { reason: 'overloaded', transient: true },
  '55P03': { reason: 'timeout' },
  '57014': { reason: 'timeout' },
  '58': { reason: 'input-output' },
  XX001: { reason: 'corrupt' },
  XX002: { reason: 'corrupt' },
};

/** Codes of Node's sockets and name look-ups. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The address of a local socket that is not there, or that nobody accepts on. */
const LOCAL_SOCKET_CODES = new Set(['ENOENT', 'EACCES', 'EAGAIN']);

/** What `pg` and its pool throw without a code. */
const DRIVER_MESSAGES: ReadonlyArray<readonly [RegExp, Failure]> = [
  [/^Query read timeout$/, { reason: 'timeout' }],
  [/^(Connection terminated|timeout exceeded when trying to connect|timeout expired)/, UNREACHABLE],
  [/not queryable$/, UNREACHABLE],
];

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const SQLITE_CODES: Readonly<Record<number, Failure>> = {
  5: { reason: 'locked' },
  6: { reason: 'locked' },
  7: { reason: 'overloaded' },
  8: { reason: 'read-only' },
  10: { reason: 'input-output' },
  11: { reason: 'corrupt' },
  13: { reason: 'full' },
  14: { reason: 'input-output' },
  15: { reason: 'locked' },
  26: { reason: 'corrupt' },
};

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
const SQLITE_BUSY = 5;
const SQLITE_UNIQUE = 2067;
const SQLITE_PRIMARY_KEY = 1555;

/** The error in this folder's terms where it is the database that failed; the same error otherwise. */
export function classify(error: unknown): unknown {
  if (error instanceof DatabaseUnavailableError) return error;
  const failure = failureOf(error);
  return failure ? new DatabaseUnavailableError(failure.reason, { ...failure, cause: error }) : error;
}

function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const result = primaryCode(error);
  if (result !== undefined) return SQLITE_CODES[result];
  const code = property(error, 'code');
  if (typeof code !== 'string') return DRIVER_MESSAGES.find(([message]) => message.test(error.message))?.[1];
  if (SOCKET_CODES.has(code)) return UNREACHABLE;
  if (LOCAL_SOCKET_CODES.has(code)) return property(error, 'syscall') === 'connect' ? UNREACHABLE : undefined;
  if (!/^[0-9A-Z]{5}$/.test(code)) return undefined;
  return SQLSTATES[code] ?? SQLSTATES[code.slice(0, 3)] ?? SQLSTATES[code.slice(0, 2)];
}

/** True when the failed transaction collided with another one, and may succeed if it is run again. */
export function isRetryable(error: unknown): boolean {
  const code = property(error, 'code');
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}

/** True when another process holds the embedded database's write lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
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

function primaryCode(error: unknown): number | undefined {
  const code = property(error, 'errcode');
  // The low byte is the primary result code, the rest tells its variants apart.
  return typeof code === 'number' ? code & 0xff : undefined;
}

function property(error: unknown, name: 'code' | 'errcode' | 'syscall'): unknown {
  if (!(error instanceof Error)) return undefined;
  // Drivers add these to their errors; their types are not known here, so they are read as unknown.
  return (error as Error & { code?: unknown; errcode?: unknown; syscall?: unknown })[name];
}
