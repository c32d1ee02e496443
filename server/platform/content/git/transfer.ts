import { defineTransfer } from '../../kit/transfer/define.ts';
import { json, text, time } from '../../kit/transfer/fields.ts';

/** How the last synchronizations of spaces with branches of Git repositories travel. */
export const syncedBranchTransfer = defineTransfer('syncedBranches', {
  columns: { space: text, branch: text, git: json('object'), updatedAt: time },
  key: ['space', 'branch'],
});
