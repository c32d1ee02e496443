import type { DatabaseLocation } from '../database.ts';

/** Time limit of a statement of a check, which may read a whole table. */
const CHECK_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** Returns a location whose statements may take long. */
export function patientLocation(location: DatabaseLocation): DatabaseLocation {
  if ('folder' in location) {
    return location;
  }
  const limits = ['statement_timeout', 'query_timeout', 'idle_in_transaction_session_timeout'];
  const parameters = limits.map((name) => `${name}=${CHECK_TIMEOUT_MS}`).join('&');
  return { ...location, url: `${location.url}${location.url.includes('?') ? '&' : '?'}${parameters}` };
}
