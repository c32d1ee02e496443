import { defineTransfer } from '../../kit/transfer/define.ts';
import { blockKey, id, oneOf, optional, text, time } from '../../kit/transfer/fields.ts';

/** How comments and replies travel. */
export const commentTransfer = defineTransfer('comments', {
  columns: {
    id,
    space: text,
    changeRequest: optional(text),
    review: optional(text),
    parent: optional(text),
    page: optional(text),
    node: optional(blockKey),
    nodePreview: optional(text),
    cellRecord: optional(text),
    cellDefinition: optional(text),
    revision: text,
    body: text,
    status: oneOf('open', 'resolved'),
    resolvedAt: optional(time),
    resolvedBy: optional(text),
    postedBy: text,
    postedAt: time,
    editedAt: optional(time),
  },
  key: ['id'],
  parent: 'parent',
});

/** How the reactions to comments travel. */
export const commentReactionTransfer = defineTransfer('commentReactions', {
  columns: { comment: text, emoji: text, user: text, reactedAt: time },
  key: ['comment', 'emoji', 'user'],
});
