import { defineTransfer } from '../../kit/transfer/define.ts';
import { id, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the users travel that an organization refers to. Those whose email address exists are not created. */
export const userTransfer = defineTransfer('users', {
  columns: { id, email: optional(text), displayName: text, photoURL: optional(text), createdAt: time },
  key: ['id'],
  isLast: true,
});
