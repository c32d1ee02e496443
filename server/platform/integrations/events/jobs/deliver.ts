import type { Transaction } from '../../../../database/database.ts';
import { flag, readJson, writeJson } from '../../../../database/json.ts';
import type { Log } from '../../../../database/log.ts';
import type { StoredLogEntry } from '../../../../database/schema/integrations/integration-events.ts';
import type { CallServices } from '../../calls/call-integration.ts';
import { IntegrationCallError, type IntegrationResponse } from '../../calls/calls.ts';
import { lastEntries } from '../../calls/recorder.ts';
import { payloadOf } from '../present.ts';
import { type EventRow, selectEvents } from '../queries.ts';
import { delayOf, expiryOf, isAbandoned, isExpired, MAX_EVENT_ATTEMPTS } from './retries.ts';

/** Maximum time for an integration to respond to an event. */
export const EVENT_TIMEOUT_MS = 10_000;
/** Time without a renewal before the delivery of another process is considered abandoned. */
export const EVENT_LEASE_MS = 15_000;
/** Maximum length of the log of an event as JSON. */
export const MAX_EVENT_LOG_CHARACTERS = 65_536;
/** Delay of the next attempt after one that did not take place. */
const POSTPONED_MS = 1000;
/** Maximum size of the start of a response that describes its failure in the log. */
const MAX_RESPONSE_BYTES = 500;

export interface DeliveryServices extends CallServices {
  log: Log;
}

/** An installation with pending events. */
export interface DueStream {
  installation: string;
  integration: string;
  organization: string;
}

/** An event that this process is delivering. */
export interface Delivery {
  stream: DueStream;
  event: EventRow;
  /** Identifies this attempt. */
  lease: string;
}

/** How an attempt ended. */
export type Outcome =
  | { kind: 'success' | 'failed'; logs: StoredLogEntry[] }
  /** It did not take place. */
  | { kind: 'postponed' };

/**
 * Claims the next event of an installation. Counts the attempt, so that an event that ends its process is abandoned.
 *
 * @returns undefined if another process delivers to the installation, or no event is pending
 */
export async function claimEvent(
  services: DeliveryServices,
  stream: DueStream,
  owner: string,
): Promise<Delivery | undefined> {
  const { database, clock, createId } = services;
  const lease = `${owner}.${createId('lse')}`;
  return await database.transaction(async (trx) => {
    const now = clock();
    const { numUpdatedRows } = await trx
      .updateTable('integrationEventStreams')
      .set({ leaseOwner: lease, leaseUntil: later(now, EVENT_LEASE_MS) })
      .where('installation', '=', stream.installation)
      .where('dueAt', '<=', now.toISOString())
      .where((row) => row.or([row('leaseUntil', 'is', null), row('leaseUntil', '<=', now.toISOString())]))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) {
      return undefined;
    }
    const event = await selectEvents(trx)
      .where('integrationEvents.installation', '=', stream.installation)
      .where('integrationEvents.state', '=', 'pending')
      .orderBy('integrationEvents.sequence')
      .limit(1)
      .executeTakeFirst();
    if (!event) {
      await trx
        .deleteFrom('integrationEventStreams')
        .where('installation', '=', stream.installation)
        .execute();
      return undefined;
    }
    const attempts = event.attempts + 1;
    await trx
      .updateTable('integrationEvents')
      .set({ attempts, attempted: 1 })
      .where('sequence', '=', event.sequence)
      .execute();
    return { stream, event: { ...event, attempts }, lease };
  });
}

/** Extends the claim of an event. */
export async function renewClaim(
  { database, clock }: DeliveryServices,
  { stream, lease }: Delivery,
): Promise<void> {
  await database.query
    .updateTable('integrationEventStreams')
    .set({ leaseUntil: later(clock(), EVENT_LEASE_MS) })
    .where('installation', '=', stream.installation)
    .where('leaseOwner', '=', lease)
    .execute();
}

/** Sends a claimed event to its integration. Never rejects. */
export async function sendEvent(
  services: DeliveryServices,
  { stream, event }: Delivery,
  signal: AbortSignal,
): Promise<Outcome> {
  const { spaceId, siteId } = readJson(event.fields);
  const now = () => services.clock().toISOString();
  if (event.attempts > MAX_EVENT_ATTEMPTS) {
    const cause = 'The process that delivers events ended during the attempts.';
    return { kind: 'failed', logs: [failureEntry(cause, now())] };
  }
  try {
    // Most processes deliver no events.
    const { callIntegration } = await import('../../calls/call-integration.ts');
    const response = await callIntegration(services, {
      integration: stream.integration,
      installation: stream.installation,
      // Events of sites concern the installation on the site, not one on a space that it shows.
      ...(typeof siteId === 'string' ? { site: siteId } : typeof spaceId === 'string' && { space: spaceId }),
      organization: stream.organization,
      event: payloadOf(event, services.secretKey),
      deadlineMs: EVENT_TIMEOUT_MS,
      signal,
    });
    return isHandled(response)
      ? { kind: 'success', logs: response.logs }
      : { kind: 'failed', logs: [...response.logs, failureEntry(describe(response), now())] };
  } catch (error) {
    if (error instanceof IntegrationCallError) {
      const isBusy = error.reason === 'busy' && !isExpired(event, services.clock());
      return isBusy || error.reason === 'aborted'
        ? { kind: 'postponed' }
        : { kind: 'failed', logs: [...error.logs, failureEntry(error.message, now())] };
    }
    services.log.error({ err: error, event: event.id }, 'could not deliver an event');
    return { kind: 'failed', logs: [failureEntry('Internal server error.', now())] };
  }
}

/** Returns whether an event needs no other attempt: it was handled, or the integration has no handler for its type. */
const isHandled = ({ status }: IntegrationResponse): boolean =>
  (status >= 200 && status < 300) || status === 406;

/** Records the end of an attempt, unless the claim was lost or the event was removed meanwhile. */
export async function recordAttempt(
  { database, clock }: DeliveryServices,
  { stream, event, lease }: Delivery,
  outcome: Outcome,
): Promise<void> {
  await database.transaction(async (trx) => {
    const row = await trx
      .selectFrom('integrationEventStreams')
      .select('failures')
      .where('installation', '=', stream.installation)
      .where('leaseOwner', '=', lease)
      .executeTakeFirst();
    if (!row) {
      return;
    }
    const now = clock();
    const isFinal = outcome.kind === 'success' || (outcome.kind === 'failed' && isAbandoned(event, now));
    await trx
      .updateTable('integrationEvents')
      .set({
        ...(outcome.kind === 'postponed'
          ? { attempts: event.attempts - 1, attempted: flag(event.attempts > 1) }
          : { logs: writeJson(lastEntries(outcome.logs, MAX_EVENT_LOG_CHARACTERS)) }),
        ...(isFinal && { state: outcome.kind, expiresAt: expiryOf(event, now) }),
      })
      .where('sequence', '=', event.sequence)
      .where('state', '=', 'pending')
      .execute();
    await release(trx, stream, {
      ...(outcome.kind !== 'postponed' && { failures: outcome.kind === 'success' ? 0 : row.failures + 1 }),
      dueAt: later(now, outcome.kind === 'postponed' ? POSTPONED_MS : isFinal ? 0 : delayOf(event)),
    });
  });
}

/** Ends the claim of an installation, which is removed from the streams if no event is pending. */
async function release(
  trx: Transaction,
  { installation }: DueStream,
  values: { failures?: number; dueAt: string },
): Promise<void> {
  const pending = await trx
    .selectFrom('integrationEvents')
    .select('sequence')
    .where('installation', '=', installation)
    .where('state', '=', 'pending')
    .limit(1)
    .executeTakeFirst();
  if (!pending) {
    await trx.deleteFrom('integrationEventStreams').where('installation', '=', installation).execute();
    return;
  }
  await trx
    .updateTable('integrationEventStreams')
    .set({ ...values, leaseOwner: null, leaseUntil: null })
    .where('installation', '=', installation)
    .execute();
}

const later = (now: Date, milliseconds: number): string =>
  new Date(now.getTime() + milliseconds).toISOString();

const failureEntry = (message: string, timestamp: string): StoredLogEntry => ({
  message,
  timestamp,
  level: 'error',
});

function describe({ status, body }: IntegrationResponse): string {
  const start = body.subarray(0, MAX_RESPONSE_BYTES);
  // `stream` omits a character that is cut.
  const text = new TextDecoder().decode(start, { stream: true }).trim();
  return `The integration returned the status ${status}${text && `: ${text}`}`;
}
