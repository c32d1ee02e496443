import type { Json } from '../../document.ts';
import type { Violation } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';
import type { Step } from '../plan/plan.ts';
import type { Parts } from '../requests/requests.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Drawn } from './draw.ts';
import type { Thing } from './thing.ts';

/** One request of a session and what came of it. */
export interface Event {
  /** Its place in the session. */
  n: number;
  step: Step;
  operation: Operation;
  /** The JSON value of its body. */
  sent: Json | undefined;
  /** The values of its path. */
  path: Readonly<Record<string, string>>;
  /** The path that it went to, percent-encoded. */
  target: string;
  exchange: Exchange;
  /** What it made. */
  made: Thing[];
  /** What its path names, by noun. */
  env: ReadonlyMap<string, Thing>;
  /** What it names elsewhere. */
  uses: readonly Thing[];
  failures: Failure[];
  /** The draw that its step was made of. */
  drawn?: Drawn<Parts>;
  /** Places that hold an invented value where one belongs that names something. */
  madeUp: readonly string[];
}

/** A broken rule. */
export interface Failure {
  /** The name of the check. */
  check: string;
  fault: Violation;
  /** The event at which it was seen. */
  at: number;
  /** A field that a patch changed without naming it, and what it was before. */
  changed?: { name: string; before: Json; patch: number };
  /** Further events that it is about. */
  involves: readonly number[];
}
