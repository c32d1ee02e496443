import { defineTransfer } from '../../kit/transfer/define.ts';
import { flag, id, json, oneOf, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the redirects of sites travel. */
export const siteRedirectTransfer = defineTransfer('siteRedirects', {
  columns: {
    id,
    site: text,
    source: text,
    path: text,
    wildcard: oneOf('', 'segments', 'text'),
    draft: flag,
    captureWildcard: flag,
    permanent: flag,
    destination: json('object'),
    createdAt: time,
    updatedAt: optional(time),
  },
  key: ['id'],
});
