import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, flag, MAINTAINED, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the members of an organization travel. */
export const memberTransfer = defineTransfer('members', {
  columns: {
    user: text,
    role: optional(enumeration('Role')),
    disabled: flag,
    sso: flag,
    joinedAt: time,
    lastSeenAt: optional(time),
    searchedText: MAINTAINED,
  },
  key: ['user'],
  isLast: true,
});
