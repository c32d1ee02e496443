import { requireInOrganization } from '../../identity/access.ts';
import { presentAuditEvent } from '../../models/audit-events/present.ts';
import { auditEventsOf } from '../../models/audit-events/queries.ts';
import { answerList } from '../kit/list.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { readTime } from '../kit/times.ts';

/** Creates the handlers of the audit trail of an organization, for its admins. */
export function auditEventHandlers(services: Services): HandlersOf<'listAuditEvents'> {
  const { database } = services;
  return {
    async listAuditEvents({ path, query }, { caller }) {
      await requireInOrganization(database.query, caller.id, path.organizationId, 'admin');
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
        services,
        auditEventsOf(database.query, path.organizationId)
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
  };
}
