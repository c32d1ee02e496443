import type { Database, Transaction } from '../../../../database/database.ts';
import type { StoredFeedbackRating } from '../../../../database/schema/sites/site-feedback.ts';
import type { CreateId } from '../../../../database/seams.ts';
import { eventVisitor, limitedText, type PageView } from '../../../integrations/view-events/views.ts';
import { type EventServices, raiseEvent } from '../../../kit/events/raise.ts';
import { retainedSince } from '../../site-feedback/queries.ts';

/** Maximum number of opinions of readers that a site retains: the latest ones. */
export const MAX_FEEDBACK_PER_SITE = 10_000;
/** Maximum number of opinions that are deleted when one is recorded. */
export const MAX_PRUNED_FEEDBACK = 100;

/** The opinion of a reader about a page. */
export interface Feedback extends Omit<PageView, 'referrer'> {
  rating: StoredFeedbackRating;
  comment: string | undefined;
}

export interface FeedbackServices extends EventServices {
  database: Database;
  createId: CreateId;
  secretKey: string;
}

/** Records the opinion of a reader, and raises its event. Deletes some of those that are no longer retained. */
export async function recordFeedback(services: FeedbackServices, feedback: Feedback): Promise<void> {
  const { organization, site, siteSpace, space, page, rating, comment } = feedback;
  const now = services.clock();
  const url = limitedText(feedback.url);
  await services.database.transaction(async (trx) => {
    await trx
      .insertInto('siteFeedback')
      .values({
        id: services.createId('fbk'),
        organization,
        site,
        siteSpace,
        space,
        page,
        url,
        rating,
        comment: comment ?? null,
        createdAt: now.toISOString(),
      })
      .execute();
    await prune(trx, site, now);
    await raiseEvent(trx, services, {
      organization,
      type: 'page_feedback',
      fields: {
        siteId: site,
        siteSpaceId: siteSpace,
        spaceId: space,
        pageId: page,
        feedback: { rating, ...(comment !== undefined && { comment }) },
        visitor: eventVisitor(services, feedback),
        url,
      },
    });
  });
}

async function prune(trx: Transaction, site: string, now: Date): Promise<void> {
  const feedback = trx.selectFrom('siteFeedback').select('id').limit(MAX_PRUNED_FEEDBACK);
  const expired = feedback.where('createdAt', '<=', retainedSince(now));
  const excess = feedback
    .where('site', '=', site)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .offset(MAX_FEEDBACK_PER_SITE);
  for (const ended of [expired, excess]) {
    await trx.deleteFrom('siteFeedback').where('id', 'in', ended).execute();
  }
}
