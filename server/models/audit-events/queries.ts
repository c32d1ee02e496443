import type { Selectable } from 'kysely';
import type { Database, Queries } from '../../database/database.ts';
import type { AuditEventsTable } from '../../database/schema/audit-events.ts';

/** An audit event with the current name of the user who acted; null for other actors. */
export interface AuditEventRow extends Selectable<AuditEventsTable> {
  displayName: string | null;
}

/** The audit events of an organization. */
export function auditEventsOf(queries: Queries, organization: string) {
  return queries
    .selectFrom('auditEvents')
    .leftJoin('users', 'users.id', 'auditEvents.actor')
    .selectAll('auditEvents')
    .select('users.displayName')
    .where('auditEvents.organization', '=', organization);
}

/** Events that one statement deletes, so that no other writer waits for long. */
const PRUNE_BATCH_SIZE = 500;

/**
 * Deletes the audit events of every organization from before a time, in short transactions.
 *
 * @returns how many were deleted
 */
export async function pruneAuditEvents(
  database: Database,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  for (let pruned = 0; ; ) {
    signal?.throwIfAborted();
    const { numDeletedRows } = await database.query
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
    pruned += Number(numDeletedRows);
    if (numDeletedRows < PRUNE_BATCH_SIZE) return pruned;
  }
}
