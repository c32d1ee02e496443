import type { Json } from '../../document.ts';

/**
 * Sequence of requests as plain data, which can be generated, shrunk, run and saved in replay files.
 */
export interface Plan {
  /** Title in reports: `create, delete, read`. */
  title: string;
  steps: Step[];
}

/** Request of a plan. */
export interface Step {
  /** `Operation.id`. */
  operation: string;
  caller: Caller;
  /** By name, before percent-encoding. */
  path: Record<string, Value>;
  /** In order, before percent-encoding. */
  query: [name: string, value: Value][];
  headers: [name: string, value: Value][];
  body?: Body;
  /** Intended deviation from the contract. */
  fault?: Fault;
}

/** Caller of a request, which selects the token. */
export type Caller = 'own' | 'second' | 'anonymous' | 'malformed' | 'unknown';

/** String, or a reference to one in an earlier response. */
export type Value = string | Reference;

/** Reference to a value in the response of an earlier step. */
export interface Reference {
  /** Index of the step in the plan. */
  step: number;
  /** JSON pointer into the body, or `header:NAME`. */
  from: string;
}

/** Request body: JSON with references to earlier responses, or literal text or bytes. */
export type Body =
  | { mediaType: string; json: Json; references: { at: (string | number)[]; value: Reference }[] }
  | { mediaType: string; text: string }
  | { mediaType: string; base64: string };

/** Intended deviation from the contract. */
export interface Fault {
  /** Description in reports: `body title: maxLength`, `method TRACE`, `media type`. */
  name: string;
  /** Kind, which selects the checks. */
  kind: 'input' | 'media-type' | 'method' | 'authentication' | 'undeclared';
  /** Method to send instead of that of the operation. */
  method?: string;
  /** Path values to send unencoded, for example with invalid percent-encoding. */
  rawPath?: Record<string, string>;
  /** Query values to send unencoded. */
  rawQuery?: Record<string, string>;
}
