import type { PageRecord } from './records.ts';
import { canonicalJson, type Storable } from './values.ts';

/**
 * A record with its dates: one that is as it was keeps them, one that is not was edited now. A page that was
 * never seen before came in now, which is no edit.
 */
export function dated(fresh: PageRecord, before: PageRecord | undefined, now: string): PageRecord {
  if (before?.id !== fresh.id) return { ...fresh, createdAt: now };
  const dates = {
    ...(before.createdAt !== undefined && { createdAt: before.createdAt }),
    ...(before.updatedAt !== undefined && { updatedAt: before.updatedAt }),
  };
  const same = sameRecord({ ...fresh, ...dates }, before);
  return same ? before : { ...fresh, ...dates, updatedAt: now };
}

/** Whether two records say the same. */
export function sameRecord(a: object, b: object): boolean {
  // Records are made of JSON alone, which their types do not say by themselves.
  return canonicalJson(a as Storable) === canonicalJson(b as Storable);
}
