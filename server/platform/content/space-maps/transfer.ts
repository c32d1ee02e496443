import { defineTransfer } from '../../kit/transfer/define.ts';
import { integer, json, time } from '../../kit/transfer/fields.ts';

/** How the space map of an organization travels. */
export const spaceMapTransfer = defineTransfer('spaceMaps', {
  columns: { spaces: json('array'), version: integer, updatedAt: time },
  key: ['version'],
});
