/**
 * Code of a failed outgoing call.
 *
 * - `invalid-url`, `invalid-ref`: the URL or ref is invalid.
 * - `refused-protocol`, `refused-address`, `refused-redirect`: the server does not call this target.
 * - `unresolved`, `unreachable`: the host has no allowed address or does not respond.
 * - `authentication`: the remote server requires credentials or rejected them.
 * - `not-found`: the requested resource does not exist.
 * - `moved`: the branch was updated since it was read.
 * - `too-large`, `timeout`: a limit was exceeded.
 * - `aborted`: the caller aborted the call.
 * - `failed`: any other failure; the message includes the response of the remote server.
 */
export type OutgoingErrorCode =
  | 'invalid-url'
  | 'invalid-ref'
  | 'refused-protocol'
  | 'refused-address'
  | 'refused-redirect'
  | 'unresolved'
  | 'unreachable'
  | 'authentication'
  | 'not-found'
  | 'moved'
  | 'too-large'
  | 'timeout'
  | 'aborted'
  | 'failed';

const TRANSIENT_CODES: ReadonlySet<OutgoingErrorCode> = new Set(['unresolved', 'unreachable', 'timeout']);

/**
 * A failed outgoing call. The message states what happened and how to fix it. It may be shown to the caller, so it
 * contains neither credentials nor details of the internal network, such as resolved addresses. These are in `cause`.
 */
export class OutgoingError extends Error {
  readonly code: OutgoingErrorCode;

  constructor(code: OutgoingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutgoingError';
    this.code = code;
  }

  /** Whether the same call may succeed later. */
  get transient(): boolean {
    return TRANSIENT_CODES.has(this.code);
  }
}
