import { defineTransfer } from '../../kit/transfer/define.ts';
import { id, optional, text } from '../../kit/transfer/fields.ts';

/** How the sections of sites travel. */
export const siteSectionTransfer = defineTransfer('siteSections', {
  columns: {
    id,
    site: text,
    sectionGroup: optional(text),
    title: text,
    description: optional(text),
    path: text,
    condition: optional(text),
    icon: optional(text),
    defaultSiteSpace: text,
    position: text,
  },
  key: ['id'],
});
