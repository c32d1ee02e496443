import { defineTransfer } from '../../kit/transfer/define.ts';
import { id, optional, text } from '../../kit/transfer/fields.ts';

/** How the spaces of sites travel. */
export const siteSpaceTransfer = defineTransfer('siteSpaces', {
  columns: {
    id,
    site: text,
    section: optional(text),
    space: text,
    path: text,
    condition: optional(text),
    position: text,
  },
  key: ['id'],
});
