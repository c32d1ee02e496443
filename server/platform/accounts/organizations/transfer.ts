import { writeJson } from '../../../database/json.ts';
import { defineTransfer } from '../../kit/transfer/define.ts';
import { claim, enumeration, flag, held, id, json, optional, text, time } from '../../kit/transfer/fields.ts';

/** How an organization travels. */
export const organizationTransfer = defineTransfer('organizations', {
  columns: {
    id,
    title: text,
    emailDomains: held(json('array'), writeJson([])),
    hostname: claim,
    type: enumeration('OrganizationType'),
    useCase: optional(enumeration('OrganizationUseCase')),
    communityType: optional(enumeration('CommunityType')),
    defaultRole: optional(enumeration('Role')),
    hasDefaultRole: flag,
    defaultContent: optional(json('object')),
    sso: flag,
    ai: flag,
    inviteLinks: flag,
    plan: enumeration('OrganizationPlan'),
    logo: optional(text),
    createdAt: time,
  },
  key: ['id'],
});
