import { defineTransfer } from '../../kit/transfer/define.ts';
import { id, optional, text } from '../../kit/transfer/fields.ts';

/** How the section groups of sites travel. */
export const siteSectionGroupTransfer = defineTransfer('siteSectionGroups', {
  columns: { id, site: text, title: text, icon: optional(text), position: text },
  key: ['id'],
});
