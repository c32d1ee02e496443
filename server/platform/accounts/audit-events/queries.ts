import type { Selectable } from 'kysely';
import type { Database, Queries } from '../../../database/database.ts';
import type { AuditEventsTable } from '../../../database/schema/accounts/audit-events.ts';
import { notFound } from '../../../errors/errors.ts';

/** An audit event with the current name of its actor; null if the actor is not a user. */
export interface AuditEventRow extends Selectable<AuditEventsTable> {
  displayName: string | null;
}

/** Selects the audit events of an organization. Names are not joined, so that counting reads only an index. */
function auditEventsOf(queries: Queries, organization: string) {
  return queries
    .selectFrom('auditEvents')
    .selectAll('auditEvents')
    .select((event) =>
      event
        .selectFrom('users')
        .select('users.displayName')
        .whereRef('users.id', '=', 'auditEvents.actor')
        .as('displayName'),
    )
    .where('auditEvents.organization', '=', organization);
}

/**
 * Finds an audit event of an organization.
 *
 * @throws ContractError 404 if it does not exist
 */
export async function auditEventFor(
  queries: Queries,
  organization: string,
  id: string,
): Promise<AuditEventRow> {
  const row = await auditEventsOf(queries, organization).where('auditEvents.id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('audit event');
  }
  return row;
}

/** Filters of a list of audit events. */
interface AuditEventsFilter {
  actor?: string | undefined;
  action?: AuditEventsTable['action'] | undefined;
  resourceType?: AuditEventsTable['resourceType'] | undefined;
  resource?: string | undefined;
  requestId?: string | undefined;
  address?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

/** Selects the audit events of an organization that match a filter. */
export const auditEventsMatching = (
  queries: Queries,
  organization: string,
  { actor, action, resourceType, resource, requestId, address, from, until }: AuditEventsFilter,
) =>
  auditEventsOf(queries, organization)
    .where((event) =>
      event.and({
        ...(actor !== undefined && { 'auditEvents.actor': actor }),
        ...(action !== undefined && { 'auditEvents.action': action }),
        ...(resourceType !== undefined && { 'auditEvents.resourceType': resourceType }),
        ...(resource !== undefined && { 'auditEvents.resource': resource }),
        ...(requestId !== undefined && { 'auditEvents.requestId': requestId }),
        ...(address !== undefined && { 'auditEvents.address': address }),
      }),
    )
    .$if(from !== undefined, (events) => events.where('auditEvents.occurredAt', '>=', from ?? ''))
    .$if(until !== undefined, (events) => events.where('auditEvents.occurredAt', '<', until ?? ''));

/** Maximum number of events that one statement deletes, so that other writers do not wait long. */
const PRUNE_BATCH_SIZE = 500;

/** Deletes the audit events of all organizations before a point in time, in short transactions. */
export async function pruneAuditEvents(
  database: Database,
  before: Date,
  signal?: AbortSignal,
): Promise<void> {
  for (let deleted = BigInt(PRUNE_BATCH_SIZE); deleted >= PRUNE_BATCH_SIZE; ) {
    signal?.throwIfAborted();
    const result = await database.query
      .deleteFrom('auditEvents')
      .where('id', 'in', (event) =>
        event
          .selectFrom('auditEvents')
          .select('id')
          .where('occurredAt', '<', before.toISOString())
          .orderBy('occurredAt')
          .limit(PRUNE_BATCH_SIZE),
      )
      .executeTakeFirstOrThrow();
    deleted = result.numDeletedRows;
  }
}
