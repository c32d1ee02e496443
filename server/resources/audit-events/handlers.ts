import { requireInOrganization } from '../../identity/membership.ts';
import { presentAuditEvent } from '../../models/audit-events/present.ts';
import { auditEventsOf } from '../../models/audit-events/queries.ts';
import { answerList } from '../kit/list.ts';
import type { Slice } from '../kit/slice.ts';
import { readTime } from '../kit/times.ts';

/** Handlers of the audit trail of an organization, for its admins. */
export const auditEventHandlers = {
  async listAuditEvents({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    await requireInOrganization(queries, ctx.caller.id, path.organizationId, 'admin');
    const { actor, action, resourceType, resource, requestId, address } = query;
    const from = readTime(query.from, { in: 'query', path: 'from' })?.toISOString();
    const until = readTime(query.until, { in: 'query', path: 'until' })?.toISOString();
    const equal = {
      actor,
      action,
      resourceType,
      resource,
      requestId,
      // Addresses are recorded in lower case.
      address: address?.toLowerCase(),
    };
    return await answerList(
      ctx,
      auditEventsOf(queries, path.organizationId)
        .where((event) =>
          event.and(
            Object.entries(equal).flatMap(([column, value]) =>
              // The keys of `equal` are columns of the table.
              value === undefined ? [] : [event(`auditEvents.${column as keyof typeof equal}`, '=', value)],
            ),
          ),
        )
        .$if(from !== undefined, (events) => events.where('auditEvents.occurredAt', '>=', from ?? ''))
        .$if(until !== undefined, (events) => events.where('auditEvents.occurredAt', '<', until ?? '')),
      query,
      {
        list: 'listAuditEvents',
        filters: { organization: path.organizationId, ...equal, from, until },
        order: [
          { column: 'auditEvents.occurredAt', direction: 'desc' },
          { column: 'auditEvents.id', direction: 'desc' },
        ],
        count: Object.values({ ...equal, from, until }).every((value) => value === undefined)
          ? { organization: path.organizationId, kind: 'audit events' }
          : undefined,
        present: presentAuditEvent,
      },
    );
  },
} satisfies Slice;
