import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, id, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the feedback of readers travels. */
export const siteFeedbackTransfer = defineTransfer('siteFeedback', {
  columns: {
    id,
    site: text,
    siteSpace: text,
    space: text,
    page: text,
    url: text,
    rating: enumeration('PageFeedbackRating'),
    comment: optional(text),
    createdAt: time,
  },
  key: ['id'],
});
