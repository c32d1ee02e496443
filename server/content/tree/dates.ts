import type { PageRecord } from './records.ts';
import { isSame, type Storable } from './values.ts';

/**
 * Sets the dates of a record. An unchanged record keeps its dates, a changed one is updated. A page without a previous
 * version is created, which is not an update.
 *
 * @param now time of the change: of a page from a repository, that of the last commit of its file
 */
export function dated(fresh: PageRecord, before: PageRecord | undefined, now: string): PageRecord {
  if (before?.id !== fresh.id) {
    return { ...fresh, createdAt: now };
  }
  const dates = {
    ...(before.createdAt !== undefined && { createdAt: before.createdAt }),
    ...(before.updatedAt !== undefined && { updatedAt: before.updatedAt }),
  };
  const same = isSameRecord({ ...fresh, ...dates }, before);
  return same ? before : { ...fresh, ...dates, updatedAt: now };
}

/** Returns whether two records are equal. */
export function isSameRecord(a: object, b: object): boolean {
  // Records consist of JSON only, which their types do not express.
  return isSame(a as Storable, b as Storable);
}
