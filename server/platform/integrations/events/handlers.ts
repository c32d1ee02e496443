import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { integrationFor } from '../integrations/queries.ts';
import { presentEvent, presentEventWithTrace } from './present.ts';
import { eventBytes, receivedEvent, receivedEvents } from './queries.ts';

/** Handlers of the events of integrations, for the admins of their owners. */
export const integrationEventHandlers = {
  async listIntegrationEvents({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const integration = path.integrationName;
    await integrationFor(queries, ctx.caller.id, integration, 'admin');
    return await answerList(ctx, receivedEvents(queries, integration), query, {
      list: 'listIntegrationEvents',
      filters: { integration },
      order: [
        { column: 'integrationEvents.createdAt', direction: 'desc' },
        { column: 'integrationEvents.id', direction: 'desc' },
      ],
      bytes: eventBytes,
      count: { organization: '', kind: 'integration events received', owner: integration },
      present: (row) => presentEvent(row, ctx.secretKey),
    });
  },

  async getIntegrationEvent({ path }, { database, caller, secretKey }) {
    await integrationFor(database.query, caller.id, path.integrationName, 'admin');
    const row = await receivedEvent(database.query, path.integrationName, path.eventId);
    return presentEventWithTrace(row, secretKey);
  },
} satisfies Slice;
