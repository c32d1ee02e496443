import type { Json } from '../../document.ts';
import type { Requirement } from '../../model/contract/contract.ts';
import type { Caller } from '../../model/plan/plan.ts';
import { UsageError } from '../../usage-error.ts';

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
  /** Whether `body` is only the beginning of a stream, which was not read to its end. */
  isPartial?: true;
}

/** Request with its response or failure. */
export interface Exchange {
  request: WireRequest;
  /** Undefined after a connection error or timeout; `failure` has the reason. */
  response?: WireResponse;
  failure?: string;
  /** Whether the server stopped without a response. An earlier request may be the reason. */
  hasStopped?: true;
  milliseconds: number;
}

/**
 * Sends one request within the limits.
 * @param timeoutMs timeout, if shorter than usual
 * @throws {RunEnded} when the run must end
 * @throws {ServerReturned} when the server had stopped before the request
 * @throws {Unreachable} when the server was never reached
 * @throws {Unsendable} when the request is not valid HTTP
 */
export type Send = (request: WireRequest, timeoutMs?: number) => Promise<Exchange>;

/** Error that ends a run: a limit is reached, it is interrupted, or the server stopped and did not return. */
export class RunEnded extends Error {
  readonly reason: 'time' | 'requests' | 'interrupted' | 'unavailable';

  constructor(reason: RunEnded['reason']) {
    super(
      `The run ended: ${{ time: 'time limit reached', requests: 'request limit reached', interrupted: 'interrupted', unavailable: 'the server stopped and did not return' }[reason]}.`,
    );
    this.reason = reason;
  }
}

/** Error for a request that was not sent, because the server had stopped. It has returned, possibly without its data. */
export class ServerReturned extends Error {
  /** Whether an earlier exchange already reports that the server stopped. */
  readonly isReported: boolean;

  constructor(isReported: boolean) {
    super('The server stopped and returned.');
    this.isReported = isReported;
  }
}

/** Codes of Node for certificates that no trusted authority issued. */
const CERTIFICATE_ERRORS = /CERT|ISSUER|SIGNATURE/;

/** Error for an unreachable server. */
export class Unreachable extends UsageError {
  constructor(url: URL, failure: string, code: string) {
    super(
      CERTIFICATE_ERRORS.test(code)
        ? `${url} has a certificate of an unknown authority. ${failure} Pass the certificate of the authority: --ca FILE.`
        : `${url} cannot be reached. ${failure} Check that the server is running and that --url is its URL.`,
    );
  }
}

/** Error for a step without a value for a reference or a path parameter. */
export class Unresolved extends Error {}

/** Error for a request that is not valid HTTP, for example a header with a line feed. An error of the plan. */
export class Unsendable extends Error {}
