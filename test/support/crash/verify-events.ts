import { expect } from 'vitest';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import type { EventReceiver } from '../integrations/event-receiver.ts';
import type { Ledger } from './ledger.ts';
import { withReader } from './verify-database.ts';

/** Returns the events that were not delivered yet, with the number of attempts. */
export function undeliveredEvents(location: DatabaseLocation): Promise<Record<string, unknown>[]> {
  return withReader(location, async (read) => [
    ...(await read('select type from "raisedEvents"')),
    ...(await read(`select type, attempts from "integrationEvents" where state <> 'success'`)),
  ]);
}

/**
 * Checks that the receiver got an event for each acknowledged merge, each recorded event, and each of these in order:
 * an event that it got again has the same ID.
 */
export async function verifyEvents(
  location: DatabaseLocation,
  ledger: Ledger,
  receiver: EventReceiver,
): Promise<void> {
  const received = new Set(receiver.received.map(({ payload }) => payload.eventId));
  const revisions = new Set(receiver.of('space_content_updated').map(({ revisionId }) => revisionId));
  expect(ledger.mergedRevisions.difference(revisions)).toEqual(new Set());
  const recorded = await withReader(location, (read) =>
    read('select id from "integrationEvents" order by sequence'),
  );
  expect([...received]).toEqual(recorded.map(({ id }) => id));
}
