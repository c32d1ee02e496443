import type { components } from '../../../generated/schema.d.ts';
import { readJson } from '../../database/json.ts';
import { isInstallation } from '../../identity/installations.ts';
import { integrationOf } from '../../identity/integration-accounts.ts';
import type { AuditEventRow } from './queries.ts';

type Schemas = components['schemas'];

/** Converts an audit event to its representation in the API. */
export function presentAuditEvent(row: AuditEventRow): Schemas['AuditEvent'] {
  return {
    object: 'audit-event',
    id: row.id,
    action: row.action,
    actor: presentActor(row),
    resource: { type: row.resourceType, id: row.resource },
    details: readJson(row.details),
    occurredAt: row.occurredAt,
    ...(row.requestId !== null && { requestId: row.requestId }),
    ...(row.address !== null && { address: row.address }),
  };
}

function actorType(actor: string): Schemas['AuditActorType'] {
  if (isInstallation(actor)) {
    return 'installation';
  }
  return integrationOf(actor) === undefined ? 'user' : 'integration';
}

function presentActor({ actor, token, displayName }: AuditEventRow): Schemas['AuditActor'] {
  if (actor === 'operator' || actor === 'system') {
    return { type: actor };
  }
  return {
    type: actorType(actor),
    id: actor,
    ...(displayName !== null && { displayName }),
    ...(token !== null && { token }),
  };
}
