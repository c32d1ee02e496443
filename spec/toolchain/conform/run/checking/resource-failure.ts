import type { Event, Failure } from '../event.ts';

/** Status codes of a resource that does not exist any more. */
export const GONE_STATUSES = new Set([404, 410]);

/** A difference between a response and earlier requests of the session. */
export interface ResourceViolation {
  check: string;
  message: string;
  expected: string;
  cause: string;
  /** Numbers of the earlier events that it follows from. */
  involves: readonly number[];
}

/** Creates the failure of an event. */
export const resourceFailure = (
  event: Event,
  { check, message, expected, cause, involves }: ResourceViolation,
): Failure => ({
  check,
  fault: { message, expected, cause },
  at: event.n,
  involves,
});

/** Returns whether a request has a query, which may select another form of the response. */
export const hasQuery = ({ step }: Event): boolean => step.query.length > 0;
