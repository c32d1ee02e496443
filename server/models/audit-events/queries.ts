import type { Selectable } from 'kysely';
import type { Database, Queries } from '../../database/database.ts';
import type { AuditEventsTable } from '../../database/schema/audit-events.ts';

/** An audit event with the current name of its actor; null if the actor is not a user. */
export interface AuditEventRow extends Selectable<AuditEventsTable> {
  displayName: string | null;
}

/** Selects the audit events of an organization. Names are not joined, so that counting reads only an index. */
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
