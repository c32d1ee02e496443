import type { Transaction } from '../../database/database.ts';
import { writeJson } from '../../database/json.ts';
import type { AuditAction, AuditDetails, AuditResourceType } from '../../database/schema/audit-events.ts';
import type { Clock, MakeId } from '../../database/seams.ts';
import type { Role } from '../../identity/levels.ts';

/** Who acts, and through which request; an operator and the service itself act without one. */
export type AuditSource =
  | { actor: { user: string; token: string }; requestId: string; address: string }
  | { actor: 'operator' | 'system' };

/** What to record of a change. */
export interface NewAuditEvent {
  /** The organization that the resource belongs to. */
  organization: string;
  action: AuditAction;
  resource: { type: AuditResourceType; id: string };
  /** Names, roles and ids only: never a secret. */
  details?: AuditDetails;
}

/**
 * Records a change in the transaction that makes it: the event is there exactly when the change is. Rules call it
 * once they know that something changes.
 */
export type RecordAudit = (trx: Transaction, event: NewAuditEvent) => Promise<void>;

/** A role as details of events name it. */
export const roleName = (role: Role | null): string => role ?? 'guest';

/** The event of a user who became a member. */
export const memberAdded = (organization: string, user: string, role: Role | null): NewAuditEvent => ({
  organization,
  action: 'member.added',
  resource: { type: 'user', id: user },
  details: { after: roleName(role) },
});

/**
 * The function that records what one source does.
 *
 * @example
 * const audit = auditorOf(services, { actor: 'operator' })
 * await audit(trx, { organization, action: 'team.deleted', resource: { type: 'team', id } })
 */
export function auditorOf(
  { clock, makeId }: { clock: Clock; makeId: MakeId },
  source: AuditSource,
): RecordAudit {
  const { actor } = source;
  const byUser = typeof actor === 'object';
  return async (trx, { organization, action, resource, details = {} }) => {
    await trx
      .insertInto('auditEvents')
      .values({
        id: makeId('aud'),
        organization,
        action,
        actor: byUser ? actor.user : actor,
        token: byUser ? actor.token : null,
        resourceType: resource.type,
        resource: resource.id,
        details: writeJson(details),
        requestId: 'requestId' in source ? source.requestId : null,
        // Empty where the caller was gone already.
        address: 'address' in source && source.address !== '' ? source.address : null,
        occurredAt: clock().toISOString(),
      })
      .execute();
  };
}
