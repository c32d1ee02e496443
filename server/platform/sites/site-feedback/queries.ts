import type { Queries } from '../../../database/database.ts';

/** Retention of the opinions of readers. */
export const FEEDBACK_RETENTION_MS = 400 * 24 * 60 * 60 * 1000;

/** Selects the opinions of readers about the pages of a site that are retained. */
export const feedbackOf = (queries: Queries, site: string, now: Date) =>
  queries
    .selectFrom('siteFeedback')
    .selectAll()
    .where('siteFeedback.site', '=', site)
    .where('siteFeedback.createdAt', '>', retainedSince(now));

/** Returns the start of the retention of readers' opinions. */
export const retainedSince = (now: Date): string =>
  new Date(now.getTime() - FEEDBACK_RETENTION_MS).toISOString();
