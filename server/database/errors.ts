/** Why the database is unavailable. */
export type UnavailableReason =
  | 'unreachable'
  | 'overloaded'
  | 'timeout'
  | 'locked'
  | 'full'
  | 'read-only'
  | 'corrupt'
  | 'input-output';

/** The outcome of a failed write call. */
export type Outcome = 'not written' | 'unknown';

interface Reason {
  /** Message for the caller. */
  message: string;
  /** Instruction for the operator. */
  fix: string;
  /** Value of `Retry-After`; undefined if a retry cannot succeed. */
  retryAfterSeconds?: number;
}

/** Messages and instructions for each reason. */
const REASONS: Readonly<Record<UnavailableReason, Reason>> = {
  unreachable: {
    message: 'The database cannot be reached',
    fix: 'Check that PostgreSQL is running at DATABASE_URL and accepts connections.',
    retryAfterSeconds: 1,
  },
  overloaded: {
    message: 'The database is busy with other requests',
    fix: 'Add capacity: PostgreSQL has too few connections or too little memory.',
    retryAfterSeconds: 1,
  },
  timeout: {
    message: 'The database timed out',
    fix: 'Check the log of PostgreSQL for slow statements and locks.',
    retryAfterSeconds: 2,
  },
  locked: {
    message: 'The database is locked by another process',
    fix: 'Stop the program that has locked colophon.sqlite, such as a shell or a backup.',
    retryAfterSeconds: 2,
  },
  full: {
    message: 'The database has no space left',
    fix: 'Free space on the disk of the database. No restart is required.',
    retryAfterSeconds: 30,
  },
  'read-only': {
    message: 'The database is read-only',
    fix: 'Make the data folder writable, or set DATABASE_URL to the primary server.',
    retryAfterSeconds: 10,
  },
  corrupt: {
    message: 'The database is corrupt',
    fix: 'Stop the server and restore the database from a backup.',
  },
  'input-output': {
    message: 'The disk of the database failed',
    fix: 'Check the disk of the database, its free space, the permissions of its files, and the system log.',
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
 * The database is unavailable. Replaces the errors of drivers in every query and transaction, so that code outside this
 * folder is independent of the engine.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly reason: UnavailableReason;
  /** `unknown` if the connection was lost during a commit: the change was applied completely or not at all. */
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
        ? 'The request may have been applied. Retrieve the resource before sending the request again'
        : reason === 'corrupt'
          ? 'Nothing was written. Its operator must restore it from a backup'
          : 'Nothing was written. Try again later';
    super(
      `${REASONS[reason].message}. ${advice}.`,
      more.cause === undefined ? undefined : { cause: more.cause },
    );
    this.reason = reason;
    this.outcome = outcome;
    this.transient = more.transient ?? false;
  }

  /** Value of `Retry-After`; undefined if a retry cannot succeed. */
  get retryAfterSeconds(): number | undefined {
    return REASONS[this.reason].retryAfterSeconds;
  }

  /** What happened and how to fix it, for the operator. */
  get instruction(): string {
    return `${REASONS[this.reason].message}. ${REASONS[this.reason].fix}`;
  }

  /** Whether the whole database is unavailable, as opposed to a slow statement or a corrupt page. */
  get isOutage(): boolean {
    return OUTAGES.has(this.reason);
  }

  /** Returns the same error for a write that may have been applied. */
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
 * SQLSTATE codes of PostgreSQL (appendix A of its manual) by prefix; the longest match applies. Other codes are errors
 * of the statement, or conflicts, see {@link isRetryable}.
 */
const SQLSTATES: Readonly<Record<string, Failure>> = {
  // Connection exceptions, and a server that is stopping, crashed, starting, or ended the session.
  '08': UNREACHABLE,
  '57P': UNREACHABLE,
  // Invalid credentials or an unknown database: unavailable until an operator changes it.
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

/** Error codes of Node's sockets and DNS lookups. */
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

/** Error codes of a local socket that does not exist or accepts no connections. */
const LOCAL_SOCKET_CODES = new Set(['ENOENT', 'EACCES', 'EAGAIN']);

/** Messages of errors of `pg` and its pool that have no code. */
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
const FEATURE_NOT_SUPPORTED = '0A000';
const SQLITE_BUSY = 5;

/** Converts an error of the database to a {@link DatabaseUnavailableError}; returns other errors unchanged. */
export function classify(error: unknown): unknown {
  if (error instanceof DatabaseUnavailableError) {
    return error;
  }
  const failure = failureOf(error);
  return failure ? new DatabaseUnavailableError(failure.reason, { ...failure, cause: error }) : error;
}

function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  const result = primaryCode(error);
  if (result !== undefined) {
    return SQLITE_CODES[result];
  }
  const code = property(error, 'code');
  if (typeof code !== 'string') {
    return DRIVER_MESSAGES.find(([message]) => message.test(error.message))?.[1];
  }
  if (SOCKET_CODES.has(code)) {
    return UNREACHABLE;
  }
  if (LOCAL_SOCKET_CODES.has(code)) {
    return property(error, 'syscall') === 'connect' ? UNREACHABLE : undefined;
  }
  if (!/^[0-9A-Z]{5}$/.test(code)) {
    return undefined;
  }
  return SQLSTATES[code] ?? SQLSTATES[code.slice(0, 3)] ?? SQLSTATES[code.slice(0, 2)];
}

/** Returns whether a transaction failed because of a conflict with another one, or a migration, and can be retried. */
export function isRetryable(error: unknown): boolean {
  const code = property(error, 'code');
  return code === SERIALIZATION_FAILURE || code === DEADLOCK || isOutdatedPlan(error);
}

/**
 * Returns whether a prepared statement was not executed because another process has migrated the database, so that its
 * result has other columns. The code is that of all unsupported features.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  property(error, 'code') === FEATURE_NOT_SUPPORTED &&
  error instanceof Error &&
  error.message === 'cached plan must not change result type';

/** Returns whether another process holds the write lock of the embedded database. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** A lock could not be acquired in time, or too many writers are waiting. Nothing was written. */
export class LockError extends Error {
  override readonly name = 'LockError';

  constructor() {
    super('Too many concurrent writes to the same resource. Try again later.');
  }
}

function primaryCode(error: unknown): number | undefined {
  const code = property(error, 'errcode');
  // The low byte is the primary result code, the rest the extended one.
  return typeof code === 'number' ? code & 0xff : undefined;
}

function property(error: unknown, name: 'code' | 'errcode' | 'syscall'): unknown {
  if (!(error instanceof Error)) {
    return undefined;
  }
  // Drivers add these properties to their errors.
  return (error as Error & { code?: unknown; errcode?: unknown; syscall?: unknown })[name];
}
