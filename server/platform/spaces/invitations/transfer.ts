import { defineTransfer } from '../../kit/transfer/define.ts';
import { CREATED, enumeration, flag, id, oneOf, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the invite links of an organization travel. Their IDs are secrets: they lead nowhere afterwards. */
export const linkInviteTransfer = defineTransfer('linkInvites', {
  columns: {
    id: CREATED,
    role: optional(enumeration('Role')),
    level: optional(enumeration('Role')),
    targetKind: optional(oneOf('space', 'collection')),
    target: optional(text),
    createdAt: time,
    createdBy: text,
  },
  key: ['id'],
  isLast: true,
  create: ({ createId }) => ({ id: createId('inv') }),
});

/** How the invitations of email addresses travel. */
export const inviteTransfer = defineTransfer('invites', {
  columns: {
    id,
    email: text,
    role: optional(enumeration('Role')),
    sso: flag,
    createdAt: time,
    createdBy: text,
    acceptedAt: optional(time),
  },
  key: ['id'],
  isLast: true,
});
