import { sql } from 'kysely';
import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, id, json, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the audit trail of an organization travels, without the invite links that exist: their IDs are secrets. */
export const auditEventTransfer = defineTransfer('auditEvents', {
  columns: {
    id,
    action: enumeration('AuditAction'),
    actor: text,
    token: optional(text),
    resourceType: enumeration('AuditResourceType'),
    resource: text,
    details: json('object'),
    requestId: optional(text),
    address: optional(text),
    occurredAt: time,
  },
  key: ['id'],
  where: sql<boolean>`not (
    "resourceType" = 'invite' and exists (select 1 from "linkInvites" where "linkInvites"."id" = "resource")
  )`,
});
