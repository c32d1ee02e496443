import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { SiteFeedbackTable } from '../../../database/schema/sites/site-feedback.ts';
import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { siteFor } from '../sites/queries.ts';
import { siteNameOf } from '../structure/read.ts';
import { feedbackOf } from './queries.ts';

/** Handlers of the opinions of readers, for users who can edit the site. */
export const siteFeedbackHandlers = {
  async listSiteFeedback({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { row: site } = await siteFor(queries, ctx.caller.id, siteNameOf(path), 'structure');
    return await answerList(ctx, feedbackOf(queries, site.id, ctx.clock()), query, {
      list: 'listSiteFeedback',
      filters: { site: site.id },
      order: [
        { column: 'siteFeedback.createdAt', direction: 'asc' },
        { column: 'siteFeedback.id', direction: 'asc' },
      ],
      present,
    });
  },
} satisfies Slice;

const present = (row: Selectable<SiteFeedbackTable>): components['schemas']['SiteFeedback'] => ({
  object: 'site-feedback',
  id: row.id,
  siteSpace: row.siteSpace,
  space: row.space,
  page: row.page,
  url: row.url,
  rating: row.rating,
  ...(row.comment !== null && { comment: row.comment }),
  createdAt: row.createdAt,
});
