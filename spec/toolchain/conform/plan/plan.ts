import type { Json } from '../../document.ts';

/**
 * A sequence of requests as plain data: what is made at random, shrunk, run, written into replay files and run again.
 */
export interface Plan {
  /** What is tried, for people: `create, delete, read`. */
  title: string;
  steps: Step[];
}

/** One request of a plan. */
export interface Step {
  /** The operation by `Operation.id`. */
  operation: string;
  caller: Caller;
  /** By name, before percent-encoding. */
  path: Record<string, Value>;
  /** In order, before percent-encoding. */
  query: [name: string, value: Value][];
  headers: [name: string, value: Value][];
  body?: Body;
  /** What departs from the contract on purpose, if anything does. */
  fault?: Fault;
}

/** Who sends a request: whose token goes with it. */
export type Caller = 'own' | 'second' | 'nobody' | 'malformed' | 'unknown';

/** A text, or one that an earlier answer holds. */
export type Value = string | Reference;

/** A value out of the answer of an earlier step. */
export interface Reference {
  /** The step's place in the plan. */
  step: number;
  /** A JSON pointer into its body, or `header:NAME`. */
  from: string;
}

/** A request's body: JSON, in which values of earlier answers are put in, or the very text or bytes. */
export type Body =
  | { mediaType: string; json: Json; references: { at: (string | number)[]; value: Reference }[] }
  | { mediaType: string; text: string }
  | { mediaType: string; base64: string };

/** One departure from the contract. */
export interface Fault {
  /** What is wrong, for people: `body title: maxLength`, `wrong method`, `media type`. */
  name: string;
  /** The kind, which checks go by. */
  kind: 'input' | 'media-type' | 'method' | 'authentication' | 'undeclared';
  /** Sent in place of the operation's method. */
  method?: string;
  /** Sent in place of values of the path, as they are: with broken percent-encoding, say. */
  rawPath?: Record<string, string>;
  /** The same for values of the query. */
  rawQuery?: Record<string, string>;
}
