import type { Selectable } from 'kysely';
import type { Database, Queries } from '../../database/database.ts';
import type { AuditEventsTable } from '../../database/schema/audit-events.ts';

/** An audit event with the current name of the user who acted; null for other actors. */
export interface AuditEventRow extends Selectable<AuditEventsTable> {
  displayName: string | null;
}

/** The audit events of an organization. The names are no join, so that counting reads an index alone. */
export function auditEventsOf(queries: Queries, organization: string) {
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

/** Events that one statement deletes, so that no other writer waits for long. */
const PRUNE_BATCH_SIZE = 500;

/** Deletes the audit events of every organization from before a time, in short transactions. */
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
