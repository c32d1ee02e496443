import { defineTransfer } from '../../kit/transfer/define.ts';
import {
  CREATED,
  claim,
  enumeration,
  flag,
  held,
  id,
  integer,
  json,
  MAINTAINED,
  optional,
  text,
  time,
} from '../../kit/transfer/fields.ts';
import { createSigningKey } from '../visitors/signing-keys.ts';

/** How the sites of an organization travel. The tokens of their visitors are signed with a new key. */
export const siteTransfer = defineTransfer('sites', {
  columns: {
    id,
    type: enumeration('SiteType'),
    title: text,
    basename: optional(text),
    proxyOrigin: claim,
    visibility: enumeration('SiteVisibility'),
    published: held(flag, 0),
    adaptiveContent: flag,
    adaptiveSchema: optional(json('object')),
    adaptiveSchemaUpdatedAt: optional(time),
    agentsContext: enumeration('SiteAgentsContext'),
    customization: optional(json('object')),
    signingKey: CREATED,
    fallbackURL: optional(text),
    authIntegration: optional(text),
    defaultSection: optional(text),
    defaultSiteSpace: optional(text),
    version: integer,
    spaceCount: MAINTAINED,
    searchedText: MAINTAINED,
    createdAt: time,
    createdBy: optional(text),
  },
  key: ['id'],
  create: ({ secretKey, id: site }) => ({ signingKey: createSigningKey(secretKey, site) }),
});
