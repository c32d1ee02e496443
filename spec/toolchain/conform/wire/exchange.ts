import type { Json } from '../../document.ts';
import type { Requirement } from '../contract/contract.ts';
import type { Caller } from '../plan/plan.ts';

/** Request without the token of its caller. */
export interface WireRequest {
  method: string;
  /** Percent-encoded path and query, relative to the base URL. */
  target: string;
  headers: [name: string, value: string][];
  body?: string | Uint8Array;
  caller: Caller;
  /** Security requirements of the operation, which locate the token. Without them, no token is sent. */
  security?: readonly Requirement[];
  /** Variant of the malformed token. */
  malformed?: number;
}

/** Response. */
export interface WireResponse {
  status: number;
  /** By name in lowercase; repeated headers are joined by commas. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** Parsed body, if it is valid JSON with a JSON media type. */
  json?: Json;
  /** Error of parsing a JSON body. */
  unreadable?: string;
}

/** Request with its response or failure. */
export interface Exchange {
  request: WireRequest;
  /** Undefined after a connection error or timeout; `failure` has the reason. */
  response?: WireResponse;
  failure?: string;
  milliseconds: number;
}

/**
 * Sends one request within the limits.
 * @throws {BudgetSpent} when the limit of time or requests is reached, or the run is interrupted
 * @throws {Unreachable} when no connection can be made
 * @throws {Unsendable} when the request is not valid HTTP
 */
export type Send = (request: WireRequest) => Promise<Exchange>;

/** Error for a reached limit or an interrupted run. Not a failure of the server. */
export class BudgetSpent extends Error {
  /** Reached limit. */
  readonly of: 'time' | 'requests' | 'interrupted';

  constructor(of: BudgetSpent['of']) {
    super(
      `The run ended: ${{ time: 'time limit reached', requests: 'request limit reached', interrupted: 'interrupted' }[of]}.`,
    );
    this.of = of;
  }
}

/** Error for an unreachable server. */
export class Unreachable extends Error {}

/** Error for a step without a value for a reference or a path parameter. */
export class Unresolved extends Error {}

/** Error for a request that is not valid HTTP, for example a header with a line feed. An error of the plan. */
export class Unsendable extends Error {}
