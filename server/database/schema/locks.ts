import type { Generated } from 'kysely';

/** Writers that wait for a lock, or hold it: of each key the lowest live ticket holds it. See locks.ts. */
export interface LockTicketsTable {
  /** Order of arrival. */
  sequence: Generated<number>;
  key: string;
  /** A ticket that is not renewed until then belongs to a process that ended. */
  leaseUntil: string;
}
