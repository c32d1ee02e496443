import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, flag, id, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the reviews of change requests travel. */
export const reviewTransfer = defineTransfer('reviews', {
  columns: {
    id,
    space: text,
    changeRequest: text,
    revision: text,
    reviewer: text,
    requestedBy: optional(text),
    status: enumeration('ReviewStatus'),
    outdated: flag,
    createdAt: time,
    updatedAt: time,
  },
  key: ['id'],
});

/** How the requests for reviews travel. */
export const requestedReviewerTransfer = defineTransfer('requestedReviewers', {
  columns: {
    space: text,
    changeRequest: text,
    reviewer: text,
    requestedBy: text,
    revision: text,
    createdAt: time,
  },
  key: ['changeRequest', 'reviewer'],
});
