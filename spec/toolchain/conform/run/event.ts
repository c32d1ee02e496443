import type { Json } from '../../document.ts';
import type { Operation } from '../../model/contract/contract.ts';
import type { Step } from '../../model/plan/plan.ts';
import type { Drawn } from '../../model/sample/draw.ts';
import type { Violation } from '../checks/check.ts';
import type { Parts } from '../requests/requests.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Entity } from './entities/entity.ts';

/** Request of a session with its effects. */
export interface Event {
  /** Index in the session. */
  n: number;
  step: Step;
  operation: Operation;
  /** JSON value of the body. */
  sent: Json | undefined;
  /** Path parameters. */
  path: Readonly<Record<string, string>>;
  /** Percent-encoded path. */
  target: string;
  exchange: Exchange;
  /** Created entities. */
  created: Entity[];
  /** Entities of the path by noun. */
  env: ReadonlyMap<string, Entity>;
  /** Entities of the query, headers and body. */
  uses: readonly Entity[];
  failures: Failure[];
  /** Draw that the step was generated from. */
  draw?: Drawn<Parts>;
  /** Whether another session sent the request. */
  isAdopted?: true;
  /** Parameters and fields with an invented value instead of an identifier. */
  inventedFields: readonly string[];
}

/** Violation that a check reported for an event. */
export interface Failure {
  /** Name of the check. */
  check: string;
  fault: Violation;
  /** Event that shows it. */
  at: number;
  /** Omitted field that a patch changed, and its previous value. */
  changed?: { name: string; before: Json; patch: number };
  /** Whether the server stopped after its response. */
  hasStopped?: true;
  /** Other events that are part of it. */
  involves: readonly number[];
}

/** Returns whether an event's request succeeded. */
export function succeeded({ exchange }: Event): boolean {
  const status = exchange.response?.status ?? 0;
  return status >= 200 && status < 300;
}
