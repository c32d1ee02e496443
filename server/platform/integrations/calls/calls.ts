import type { components } from '../../../../generated/schema.d.ts';
import type { SandboxFailure } from '../../../sandbox/errors.ts';

type Schemas = components['schemas'];

/** A call of an integration: an event for itself, or for one of its installations. */
export interface IntegrationCall {
  /** Name of the integration. */
  integration: string;
  /** ID of the installation that the environment of the script describes. */
  installation?: string | undefined;
  /** ID of the space or site of the described installation. */
  space?: string | undefined;
  site?: string | undefined;
  /** Organization that the event is from, if its installation no longer exists. */
  organization?: string | undefined;
  event: Schemas['IntegrationEventPayload'];
  /** Body of the request of a `fetch` event. */
  fetchBody?: Uint8Array | undefined;
  /** Maximum time until the complete response, in milliseconds. */
  deadlineMs: number;
  /** Maximum size of the response in bytes. {@link MAX_INTEGRATION_RESPONSE_BYTES} by default. */
  maxResponseBytes?: number | undefined;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
}

/** Maximum size of the response of an integration. */
export const MAX_INTEGRATION_RESPONSE_BYTES = 4_194_304;

/** An entry in the log of a script. */
export type LogEntry = Schemas['IntegrationLogEntry'];

/** Response of an integration, of any status. */
export interface IntegrationResponse {
  status: number;
  headers: Headers;
  body: Uint8Array;
  /** What the script logged, in order. Empty in development: the developer sees the log. */
  logs: LogEntry[];
}

/**
 * Reason why a call has no response: that of the sandbox, or `unreachable`, if the tunnel of the developer could not be
 * reached, or this server cannot run scripts.
 */
export type IntegrationCallFailure = Exclude<SandboxFailure, 'unavailable'> | 'unreachable';

/** A call without a response. The message states the cause for the developer of the integration. */
export class IntegrationCallError extends Error {
  override readonly name = 'IntegrationCallError';
  readonly reason: IntegrationCallFailure;
  readonly logs: LogEntry[];

  constructor(
    reason: IntegrationCallFailure,
    message: string,
    logs: LogEntry[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.reason = reason;
    this.logs = logs;
  }
}
