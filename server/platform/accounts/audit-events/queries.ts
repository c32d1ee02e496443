import { type Selectable, sql } from 'kysely';
import type { Database, Queries } from '../../../database/database.ts';
import type { CountedRows } from '../../../database/row-counts.ts';
import type { AuditEventsTable } from '../../../database/schema/accounts/audit-events.ts';
import { notFound } from '../../../errors/errors.ts';

/** An audit event with the current name of its actor; null if the actor is not a user. */
export interface AuditEventRow extends Selectable<AuditEventsTable> {
  displayName: string | null;
}

/** Selects the audit events of an organization. Names are not joined, so that counting reads only an index. */
function auditEventsOf(queries: Queries, organization: string) {
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

/**
 * Finds an audit event of an organization.
 *
 * @throws ContractError 404 if it does not exist
 */
export async function auditEventFor(
  queries: Queries,
  organization: string,
  id: string,
): Promise<AuditEventRow> {
  const row = await auditEventsOf(queries, organization).where('auditEvents.id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('audit event');
  }
  return row;
}

/** Filters of a list of audit events. */
interface AuditEventsFilter {
  actor?: string | undefined;
  action?: AuditEventsTable['action'] | undefined;
  resourceType?: AuditEventsTable['resourceType'] | undefined;
  resource?: string | undefined;
  requestId?: string | undefined;
  address?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

/** Selects the audit events of an organization that match a filter. */
export const auditEventsMatching = (
  queries: Queries,
  organization: string,
  { actor, action, resourceType, resource, requestId, address, from, until }: AuditEventsFilter,
) =>
  auditEventsOf(queries, organization)
    .where((event) =>
      event.and({
        ...(actor !== undefined && { 'auditEvents.actor': actor }),
        ...(action !== undefined && { 'auditEvents.action': action }),
        ...(resourceType !== undefined && { 'auditEvents.resourceType': resourceType }),
        ...(resource !== undefined && { 'auditEvents.resource': resource }),
        ...(requestId !== undefined && { 'auditEvents.requestId': requestId }),
        ...(address !== undefined && { 'auditEvents.address': address }),
      }),
    )
    .$if(from !== undefined, (events) => events.where('auditEvents.occurredAt', '>=', from ?? ''))
    .$if(until !== undefined, (events) => events.where('auditEvents.occurredAt', '<', until ?? ''));

/** Filters with a maintained count of each value. Requests have few events each. */
const COUNTED_FILTERS = ['action', 'actor', 'resourceType', 'resource', 'address'] as const;

/**
 * Returns where the number of the events that match a filter by one property or by time is stored. Undefined for a
 * request, several properties, or a property and a time, whose events are counted in an index.
 */
export async function auditEventsCount(
  queries: Queries,
  organization: string,
  { from, until, ...properties }: AuditEventsFilter,
): Promise<CountedRows | number | undefined> {
  const requested = Object.values(properties).filter((value) => value !== undefined);
  if (requested.length === 0) {
    return from === undefined && until === undefined
      ? { organization, kind: 'audit events' }
      : await countByTime(queries, organization, { from, until });
  }
  const filter = COUNTED_FILTERS.find((name) => properties[name] !== undefined);
  return filter && requested.length === 1 && from === undefined && until === undefined
    ? { organization, kind: `audit events by ${filter}`, owner: properties[filter] ?? '' }
    : undefined;
}

/** Length of the date of a time, and the time of the start of a day. */
const [DATE_CHARACTERS, DAY_START] = [10, 'T00:00:00.000Z'];
/** Follows the date in a text that is after all times of the day. */
const DAY_END = 'U';

/** Counts the events of a period: sums the counts of its whole days, and counts those of its first and last day. */
async function countByTime(
  queries: Queries,
  organization: string,
  { from = '', until }: Pick<AuditEventsFilter, 'from' | 'until'>,
): Promise<number> {
  const [first, last] = [from.slice(0, DATE_CHARACTERS), until?.slice(0, DATE_CHARACTERS)];
  const isWhole = from === `${first}${DAY_START}` && first !== last;
  const whole = await queries
    .selectFrom('rowCounts')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('value'), sql.lit(0)).as('count'))
    .where('organization', '=', organization)
    .where('kind', '=', 'audit events of day')
    .where('owner', isWhole ? '>=' : '>', first)
    .$if(last !== undefined, (days) => days.where('owner', '<', last ?? ''))
    .executeTakeFirstOrThrow();
  const countIn = async (start: string, end: string | undefined): Promise<number> => {
    const { count } = await auditEventsMatching(queries, organization, { from: start, until: end })
      .clearSelect()
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  };
  if (first === last) {
    return await countIn(from, until);
  }
  const inFirst = from === '' || isWhole ? 0 : await countIn(from, earlier(`${first}${DAY_END}`, until));
  const inLast =
    until === undefined || until.endsWith(DAY_START) ? 0 : await countIn(later(from, `${last}`), until);
  return whole.count + inFirst + inLast;
}

const earlier = (time: string, other: string | undefined) =>
  other !== undefined && other < time ? other : time;
const later = (time: string, other: string) => (time > other ? time : other);

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
