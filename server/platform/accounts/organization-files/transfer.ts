import { defineTransfer } from '../../kit/transfer/define.ts';
import { bytesHash, id, integer, text, time } from '../../kit/transfer/fields.ts';

/** How the images of an organization travel. */
export const organizationFileTransfer = defineTransfer('organizationFiles', {
  columns: {
    id,
    hash: bytesHash,
    name: text,
    contentType: text,
    extension: text,
    size: integer,
    createdAt: time,
  },
  key: ['id'],
});
