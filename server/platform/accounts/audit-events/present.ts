import type { components } from '../../../../generated/schema.d.ts';
import { readJson } from '../../../database/json.ts';
import { isInstallation } from '../../../identity/installations.ts';
import { integrationOf } from '../../../identity/integration-accounts.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { AuditEventRow } from './queries.ts';

type Schemas = components['schemas'];

/** Origin of the changes by each type of actor. */
const SOURCES = {
  user: 'api',
  installation: 'integration',
  integration: 'integration',
  operator: 'script',
  system: 'workflow',
} as const satisfies Record<Schemas['AuditActorType'], Schemas['AuditSource']>;

/** Converts an audit event to its representation in the API. */
export function presentAuditEvent(row: AuditEventRow, resourceUrls: ResourceUrls): Schemas['AuditEvent'] {
  const actor = presentActor(row);
  const resource = { type: row.resourceType, id: row.resource };
  return {
    object: 'audit-event',
    id: row.id,
    action: row.action,
    actor,
    source: SOURCES[actor.type],
    resource,
    target: resource,
    details: readJson(row.details),
    occurredAt: row.occurredAt,
    ...(row.requestId !== null && { requestId: row.requestId }),
    ...(row.address !== null && { address: row.address }),
    urls: resourceUrls.auditEvent(row.organization, row.id),
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
