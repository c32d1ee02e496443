import { batches } from '../../../../database/batches.ts';
import type { Database, Transaction } from '../../../../database/database.ts';
import { writeJson } from '../../../../database/json.ts';
import type { StoredLogEntry } from '../../../../database/schema/integrations/integration-events.ts';
import type { Clock, CreateId } from '../../../../database/seams.ts';
import { statement } from '../../../../database/statement.ts';
import { type RaisedEvent, type Recipient, type RecipientServices, recipientFinder } from './recipients.ts';

/** Maximum number of raised events that one transaction assigns. */
const MAX_RAISED_PER_TRANSACTION = 50;
/** Number of stored events after which a transaction stops assigning events. */
const MAX_STORED_PER_TRANSACTION = 200;
/** Rows that one statement stores. */
const ROWS_PER_STATEMENT = 100;

export interface FanOutServices extends RecipientServices {
  database: Database;
  clock: Clock;
  createId: CreateId;
}

/**
 * Assigns the events that were raised first to the installations that receive them. Several processes can do so at the
 * same time: each event is assigned once, in the order of raising.
 *
 * @returns whether there may be more
 */
export async function assignRaisedEvents(services: FanOutServices): Promise<boolean> {
  const { database } = services;
  const raised = await findRaised.rows(database.query, {});
  if (raised.length === 0) {
    return false;
  }
  const assigned = await database.transaction((trx) => assign(trx, services, raised));
  return assigned === MAX_RAISED_PER_TRANSACTION || assigned < raised.length;
}

const findRaised = statement((queries) =>
  queries
    .selectFrom('raisedEvents')
    .selectAll()
    .orderBy('sequence')
    .limit(MAX_RAISED_PER_TRANSACTION)
    .compile(),
);

/** @returns the number of raised events that were assigned, here or by another process */
async function assign(
  trx: Transaction,
  services: FanOutServices,
  raised: readonly RaisedEvent[],
): Promise<number> {
  const findRecipients = recipientFinder(trx, services, raised);
  let stored = 0;
  for (const [index, event] of raised.entries()) {
    // Conflicts with another process that assigns the same event, so that one of them finds none.
    const { numDeletedRows } = await trx
      .deleteFrom('raisedEvents')
      .where('sequence', '=', event.sequence)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) {
      if (event.type === 'installation_deleted' && event.installation !== null) {
        await dropPending(trx, event.installation);
      }
      const recipients = await findRecipients(event);
      await store(trx, services, event, recipients);
      stored += recipients.length;
    }
    if (stored >= MAX_STORED_PER_TRANSACTION) {
      return index + 1;
    }
  }
  return raised.length;
}

async function store(
  trx: Transaction,
  { clock, createId }: FanOutServices,
  { organization, type, configuration, raisedAt, traceParent }: RaisedEvent,
  recipients: readonly Recipient[],
): Promise<void> {
  for (const batch of batches(recipients, ROWS_PER_STATEMENT)) {
    const rows = batch.map(({ integration, installation, fields }) => ({
      id: createId('evt'),
      integration,
      installation,
      organization,
      type,
      fields: writeJson(fields),
      configuration,
      traceParent,
      state: 'pending' as const,
      attempted: 0 as const,
      attempts: 0,
      logs: writeJson<StoredLogEntry[]>([]),
      createdAt: raisedAt,
      expiresAt: null,
    }));
    await trx.insertInto('integrationEvents').values(rows).execute();
    const dueAt = clock().toISOString();
    const streams = batch.map(({ integration, installation }) => ({
      installation,
      integration,
      organization,
      failures: 0,
      dueAt,
      leaseOwner: null,
      leaseUntil: null,
    }));
    await trx
      .insertInto('integrationEventStreams')
      .values(streams)
      // Writes an existing row, so that it conflicts with its removal by a process that sees no pending event.
      .onConflict((stream) =>
        stream
          .column('installation')
          .doUpdateSet(({ ref }) => ({ integration: ref('excluded.integration') })),
      )
      .execute();
  }
}

/** Removes the pending events of a removed installation, which were about what it no longer has access to. */
async function dropPending(trx: Transaction, installation: string): Promise<void> {
  await trx
    .deleteFrom('integrationEvents')
    .where('installation', '=', installation)
    .where('state', '=', 'pending')
    .where('type', 'not in', ['space_installation_deleted', 'site_installation_deleted'])
    .execute();
}
