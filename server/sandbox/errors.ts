import type { LogEntry } from './logs.ts';

/**
 * Reason why a call has no response.
 *
 * - `timeout`: the deadline passed.
 * - `crashed`: the script or its process ended, or did not start.
 * - `memory`, `processor`, `output`: the script exceeded its memory, its processor time or the size of the response.
 * - `busy`: the script did not receive the call, because others were waiting or it had used its processor time.
 * - `unavailable`: this server cannot run scripts.
 * - `aborted`: the caller aborted the call.
 */
export type SandboxFailure =
  | 'timeout'
  | 'crashed'
  | 'memory'
  | 'processor'
  | 'output'
  | 'busy'
  | 'unavailable'
  | 'aborted';

/** A call without a response. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly reason: SandboxFailure;
  /** What the script logged until then. */
  logs: LogEntry[] = [];

  constructor(reason: SandboxFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
