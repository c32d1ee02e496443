import type { Json } from '../../document.ts';
import type { Caller } from '../plan/plan.ts';

/** A request as it goes over the wire, but for the token of its caller. */
export interface WireRequest {
  method: string;
  /** Path and query below the server's address, percent-encoded. */
  target: string;
  headers: [name: string, value: string][];
  body?: string | Uint8Array;
  caller: Caller;
}

/** What came back. */
export interface WireAnswer {
  status: number;
  /** By name in lower case; several of one name joined by commas. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** The body parsed, where its media type is JSON and it is. */
  json?: Json;
  /** Why a body that says it is JSON could not be parsed. */
  unreadable?: string;
}

/** One request and what became of it. */
export interface Exchange {
  request: WireRequest;
  /** Missing where the connection broke or took too long: `failure` says how. */
  answer?: WireAnswer;
  failure?: string;
  milliseconds: number;
}

/**
 * Sends one request, in its turn.
 * @throws {BudgetSpent} when time or requests are used up
 * @throws {Unreachable} when no connection can be made
 */
export type Send = (request: WireRequest) => Promise<Exchange>;

/** The time or the requests that a run may take are used up: no fault of the server. */
export class BudgetSpent extends Error {}

/** Nothing answers at the server's address. */
export class Unreachable extends Error {}
