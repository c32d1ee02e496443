import { defineTransfer } from '../../kit/transfer/define.ts';
import { contentHash, id, json, oneOf, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the revisions of spaces travel. Their content is exported as objects. */
export const revisionTransfer = defineTransfer('revisions', {
  columns: {
    id,
    space: text,
    type: oneOf('edits', 'merge', 'rollback', 'update', 'computed'),
    root: contentHash,
    parents: json('array'),
    git: optional(json('object')),
    createdAt: time,
    createdBy: optional(text),
    changeRequest: optional(text),
  },
  key: ['id'],
});
