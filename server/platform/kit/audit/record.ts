import type { Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import type {
  AuditAction,
  AuditDetails,
  AuditResourceType,
} from '../../../database/schema/accounts/audit-events.ts';
import type { Clock, CreateId } from '../../../database/seams.ts';
import type { Role } from '../../../identity/levels.ts';

/** Actor and request of a change. Operators act without a request, and the service itself mostly does. */
export type AuditSource =
  | { actor: { user: string; token: string }; requestId: string; address: string }
  | { actor: 'operator' | 'system'; requestId?: string; address?: string };

/** An audit event to record. */
export interface NewAuditEvent {
  /** The organization that the resource belongs to. */
  organization: string;
  action: AuditAction;
  resource: { type: AuditResourceType; id: string };
  /** Contains names, roles and IDs only, never secrets. */
  details?: AuditDetails;
}

/**
 * Records a change in its own transaction, so that the event exists if and only if the change does. Rules call it only
 * for actual changes.
 */
export type RecordAudit = (trx: Transaction, event: NewAuditEvent) => Promise<void>;

/** Returns the name of a role in the details of events. */
export const roleName = (role: Role | null): string => role ?? 'guest';

/** Returns the event of a new member. */
export const memberAddedEvent = (organization: string, user: string, role: Role | null): NewAuditEvent => ({
  organization,
  action: 'member.added',
  resource: { type: 'user', id: user },
  details: { after: roleName(role) },
});

/**
 * Creates the function that records the changes of a source.
 *
 * @example
 * const audit = auditorOf(services, { actor: 'operator' })
 * await audit(trx, { organization, action: 'team.deleted', resource: { type: 'team', id } })
 */
export function auditorOf(
  { clock, createId }: { clock: Clock; createId: CreateId },
  source: AuditSource,
): RecordAudit {
  const { actor } = source;
  const byUser = typeof actor === 'object';
  return async (trx, { organization, action, resource, details = {} }) => {
    await trx
      .insertInto('auditEvents')
      .values({
        id: createId('aud'),
        organization,
        action,
        actor: byUser ? actor.user : actor,
        token: byUser ? actor.token : null,
        resourceType: resource.type,
        resource: resource.id,
        details: writeJson(details),
        requestId: source.requestId ?? null,
        // Empty if the caller has already disconnected.
        address: source.address || null,
        occurredAt: clock().toISOString(),
      })
      .execute();
  };
}
