import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, id, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the SAML providers of an organization travel. */
export const samlProviderTransfer = defineTransfer('samlProviders', {
  columns: {
    id,
    label: text,
    ssoURL: optional(text),
    entityID: optional(text),
    certificate: optional(text),
    defaultTeam: optional(text),
    defaultRole: optional(enumeration('Role')),
    createdAt: time,
  },
  key: ['id'],
  isLast: true,
});
