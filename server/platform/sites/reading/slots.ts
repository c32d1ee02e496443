/** Slots of the work on whole spaces that visitors cause, who are not authenticated. */
import { type OwnerSlotBounds, OwnerSlots } from '../../../contract/limits/slots.ts';

/** Limits of reading whole page trees concurrently, per process. Each tree is read once at a time. */
export const TREE_LIMITS: OwnerSlotBounds = { total: 2, perOwner: 1, waitingPerOwner: 1000, waitMs: 30_000 };
/** Limits of making sitemaps and lists of pages concurrently, per process. Each is made once at a time. */
export const FEED_LIMITS: OwnerSlotBounds = { total: 2, perOwner: 1, waitingPerOwner: 20, waitMs: 10_000 };
/** Limits of looking up paths in earlier revisions concurrently, per process. */
export const LOOKUP_LIMITS: OwnerSlotBounds = { total: 2, perOwner: 1, waitingPerOwner: 50, waitMs: 10_000 };

export const treeSlots = new OwnerSlots(TREE_LIMITS);
export const feedSlots = new OwnerSlots(FEED_LIMITS);
export const lookupSlots = new OwnerSlots(LOOKUP_LIMITS);
