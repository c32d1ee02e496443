import type { Selectable } from 'kysely';
import type { IntegrationEventsTable } from '../../../../database/schema/integrations/integration-events.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays before the attempts to deliver an event that follow its first one. */
export const EVENT_RETRY_DELAYS_MS = [
  SECOND_MS,
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
];
/** Maximum number of attempts to deliver an event. */
export const MAX_EVENT_ATTEMPTS = 7;
/** Maximum age of an event for further attempts. */
export const MAX_EVENT_AGE_MS = 24 * 60 * 60 * 1000;
/** Retention of the events that an integration received. */
export const EVENT_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
/** Retention of the views of pages that an integration received. */
export const VIEW_EVENT_RETENTION_MS = 60 * 60 * 1000;

const VIEWS: readonly IntegrationEventsTable['type'][] = ['space_view', 'site_view'];

type Attempted = Pick<Selectable<IntegrationEventsTable>, 'type' | 'attempts' | 'createdAt'>;

/** Returns the delay in milliseconds before the next attempt to deliver an event. */
export const delayOf = ({ attempts }: Attempted): number =>
  EVENT_RETRY_DELAYS_MS[Math.min(attempts, EVENT_RETRY_DELAYS_MS.length) - 1] ?? SECOND_MS;

/** Returns whether an event is so old that a failed attempt is its last one. */
export const isExpired = ({ createdAt }: Attempted, now: Date): boolean =>
  now.getTime() - Date.parse(createdAt) >= MAX_EVENT_AGE_MS;

/** Returns whether an event is abandoned after a failed attempt, so that the next one of the installation follows. */
export const isAbandoned = (event: Attempted, now: Date): boolean =>
  event.attempts >= MAX_EVENT_ATTEMPTS || isExpired(event, now);

/** Returns when to delete an event that was handled or abandoned now. */
export function expiryOf({ type }: Attempted, now: Date): string {
  const retention = VIEWS.includes(type) ? VIEW_EVENT_RETENTION_MS : EVENT_RETENTION_MS;
  return new Date(now.getTime() + retention).toISOString();
}
