import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, id, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the collections of an organization travel. */
export const collectionTransfer = defineTransfer('collections', {
  columns: {
    id,
    parent: optional(text),
    title: text,
    description: optional(text),
    defaultLevel: optional(enumeration('Role')),
    position: text,
    createdAt: time,
  },
  key: ['id'],
  parent: 'parent',
});
