import type { Json } from '../../document.ts';
import type { Requirement } from '../contract/contract.ts';
import type { Caller } from '../plan/plan.ts';

/** A request as it goes over the wire, but for the token of its caller. */
export interface WireRequest {
  method: string;
  /** Path and query below the server's address, percent-encoded. */
  target: string;
  headers: [name: string, value: string][];
  body?: string | Uint8Array;
  caller: Caller;
  /** What the operation asks of callers: where the token goes. Without it no token is sent. */
  security?: readonly Requirement[];
  /** Which of the malformed tokens goes. */
  malformed?: number;
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
 * @throws {BudgetSpent} when time or requests are used up, or somebody ended the run
 * @throws {Unreachable} when no connection can be made
 * @throws {Unsendable} when the request cannot be written as HTTP
 */
export type Send = (request: WireRequest) => Promise<Exchange>;

/** What a run may take is used up, or somebody ended it: no fault of the server. */
export class BudgetSpent extends Error {
  /** What is used up. */
  readonly of: 'time' | 'requests' | 'interrupted';

  constructor(of: BudgetSpent['of']) {
    super(
      `The run ended: ${{ time: 'its time is over', requests: 'its requests are used up', interrupted: 'it was interrupted' }[of]}.`,
    );
    this.of = of;
  }
}

/** Nothing answers at the server's address. */
export class Unreachable extends Error {}

/** A step that lacks a value: what it names did not come, or its path has a parameter that nobody gave one. */
export class Unresolved extends Error {}

/** A request that HTTP has no way to write: a header with a line feed, say. A fault of the plan. */
export class Unsendable extends Error {}
