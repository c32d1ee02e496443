/**
 * Why a call to the outside failed.
 *
 * - `invalid-url`, `invalid-ref`: what the caller gave cannot be used.
 * - `refused-protocol`, `refused-address`, `refused-redirect`: it could be used and must not be.
 * - `unresolved`, `unreachable`: the host has no address that may be called, or nothing answers there.
 * - `authentication`: the other side wants credentials, or other ones.
 * - `not-found`: the host answers, and what was asked for is not there.
 * - `moved`: a branch is no longer where it was when one began.
 * - `too-large`, `timeout`: a limit of ours ended the call.
 * - `aborted`: the caller ended it.
 * - `failed`: anything else; the message carries what the other side said.
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

const transientCodes: ReadonlySet<OutgoingErrorCode> = new Set(['unresolved', 'unreachable', 'timeout']);

/**
 * A call to the outside that did not work. The message says what happened and how to fix it. It may be shown to
 * whoever asked for the call, so it holds neither credentials nor what only this server can see: which addresses a
 * name has, and how the network behind them answers. That is in the cause, for the log.
 */
export class OutgoingError extends Error {
  readonly code: OutgoingErrorCode;

  constructor(code: OutgoingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutgoingError';
    this.code = code;
  }

  /** Whether the same call may work later without anybody changing anything. */
  get transient(): boolean {
    return transientCodes.has(this.code);
  }
}
