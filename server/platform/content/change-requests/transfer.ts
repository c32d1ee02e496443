import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, id, integer, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the change requests of spaces travel. */
export const changeRequestTransfer = defineTransfer('changeRequests', {
  columns: {
    id,
    space: text,
    number: integer,
    status: enumeration('ChangeRequestStatus'),
    subject: text,
    createdBy: text,
    createdAt: time,
    updatedAt: time,
    revision: text,
    revisionInitial: text,
    revisionMergedAncestor: optional(text),
    revisionMerged: optional(text),
    agentTaskId: optional(text),
  },
  key: ['id'],
});
