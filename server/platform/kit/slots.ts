import { type OwnerSlotBounds, OwnerSlots } from '../../contract/limits/slots.ts';

/** Limits of concurrent file fetches per process. Each fetch uses about 3 MB of memory. */
export const FILE_FETCH_LIMITS: OwnerSlotBounds = {
  total: 32,
  perOwner: 4,
  waitingPerOwner: 50,
  waitMs: 30_000,
};

/** Limits of concurrent imports per process. Fetched content may be held in memory. */
export const IMPORT_LIMITS: OwnerSlotBounds = { total: 6, perOwner: 2, waitingPerOwner: 20, waitMs: 30_000 };

/** Limits of concurrent questions to the language model per process. */
export const QUESTION_LIMITS: OwnerSlotBounds = {
  total: 16,
  perOwner: 4,
  waitingPerOwner: 20,
  waitMs: 10_000,
};

/** Slots of the expensive work of requests, which organizations share. */
export interface RequestSlots {
  fileFetches: OwnerSlots;
  imports: OwnerSlots;
  questions: OwnerSlots;
}

/** Creates the slots that all requests of a process share. */
export const createRequestSlots = (): RequestSlots => ({
  fileFetches: new OwnerSlots(FILE_FETCH_LIMITS),
  imports: new OwnerSlots(IMPORT_LIMITS),
  questions: new OwnerSlots(QUESTION_LIMITS),
});
