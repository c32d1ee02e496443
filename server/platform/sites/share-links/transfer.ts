import { defineTransfer } from '../../kit/transfer/define.ts';
import { CREATED, flag, id, text, time } from '../../kit/transfer/fields.ts';
import { createShareSecret } from './queries/secrets.ts';

/** How the share links of sites travel: with new secrets, and therefore new URLs. */
export const shareLinkTransfer = defineTransfer('shareLinks', {
  columns: {
    id,
    site: text,
    name: text,
    active: flag,
    secret: CREATED,
    secretHash: CREATED,
    createdAt: time,
  },
  key: ['id'],
  create: ({ secretKey, id: link }) => createShareSecret(secretKey, link),
});
