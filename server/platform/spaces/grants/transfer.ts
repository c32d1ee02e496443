import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, oneOf, text, time } from '../../kit/transfer/fields.ts';

/** How the grants of an organization travel. */
export const grantTransfer = defineTransfer('grants', {
  columns: {
    targetKind: oneOf('space', 'collection'),
    target: text,
    subjectKind: oneOf('user', 'team'),
    subject: text,
    role: enumeration('Role'),
    createdAt: time,
  },
  key: ['targetKind', 'target', 'subjectKind', 'subject'],
  isLast: true,
});
