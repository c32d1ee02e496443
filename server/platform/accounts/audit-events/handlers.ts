import { requireInOrganization } from '../../../identity/membership.ts';
import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { readTime } from '../../kit/times.ts';
import { presentAuditEvent } from './present.ts';
import { auditEventFor, auditEventsCount, auditEventsMatching } from './queries.ts';

/** Version of the details of audit events. */
const DETAILS_VERSION = 1;

/** Handlers of the audit trail of an organization, for its admins. */
export const auditEventHandlers = {
  async listAuditEvents({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    await requireInOrganization(queries, ctx.caller.id, path.organizationId, 'admin');
    const from = readTime(query.from, { in: 'query', path: 'from' })?.toISOString();
    const until = readTime(query.until, { in: 'query', path: 'until' })?.toISOString();
    const { actor, action, resourceType, resource, requestId } = query;
    // Addresses are recorded in lower case.
    const address = query.address?.toLowerCase();
    const filters = { actor, action, resourceType, resource, requestId, address, from, until };
    return await answerList(ctx, auditEventsMatching(queries, path.organizationId, filters), query, {
      list: 'listAuditEvents',
      filters: { organization: path.organizationId, ...filters },
      order: [
        { column: 'auditEvents.occurredAt', direction: 'desc' },
        { column: 'auditEvents.id', direction: 'desc' },
      ],
      count: await auditEventsCount(queries, path.organizationId, filters),
      present: (row) => presentAuditEvent(row, ctx.resourceUrls),
    });
  },

  async getAuditEvent({ path }, { caller, database, resourceUrls }) {
    await requireInOrganization(database.query, caller.id, path.organizationId, 'admin');
    const row = await auditEventFor(database.query, path.organizationId, path.auditEventId);
    const event = presentAuditEvent(row, resourceUrls);
    return { ...event, schemaVersion: DETAILS_VERSION, payload: event.details };
  },
} satisfies Slice;
