import type { Generated } from 'kysely';

/** Tickets of writers that hold or wait for a lock: the lowest live ticket of a key holds it. See locks.ts. */
export interface LockTicketsTable {
  /** Order of arrival. */
  sequence: Generated<number>;
  key: string;
  /** Time when the ticket expires, unless its process renews it. */
  leaseUntil: string;
}
