import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import type { JsonText } from '../../../database/json.ts';
import type { IntegrationEventsTable } from '../../../database/schema/integrations/integration-events.ts';
import type { StoredDefinition } from '../../../database/schema/integrations/integrations.ts';
import { notFound } from '../../../errors/errors.ts';
import { isCurrentVersion } from '../integrations/queries.ts';

/** Maximum number of installations whose waiting events are counted. */
export const MAX_COUNTED_STREAMS = 10_000;

/** Counts the installations with events to deliver, up to {@link MAX_COUNTED_STREAMS}, and finds when the first became due. */
export async function readDeliveryDepth(
  queries: Queries,
): Promise<{ count: number; firstDueAt: string | null }> {
  return await queries
    .selectFrom((streams) =>
      streams
        .selectFrom('integrationEventStreams')
        .select('dueAt')
        .orderBy('dueAt')
        .limit(MAX_COUNTED_STREAMS)
        .as('waiting'),
    )
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<string | null>('dueAt').as('firstDueAt')])
    .executeTakeFirstOrThrow();
}

/** An event with the definition of its integration. */
export interface EventRow extends Selectable<IntegrationEventsTable> {
  definition: JsonText<StoredDefinition>;
}

/** Selects events with the definitions of their integrations. */
export const selectEvents = (queries: Queries) =>
  queries
    .selectFrom('integrationEvents')
    .selectAll('integrationEvents')
    // Not joined, so that counting reads only an index.
    .select((event) =>
      event
        .selectFrom('integrations')
        .innerJoin('integrationVersions', isCurrentVersion)
        .select('integrationVersions.definition')
        .whereRef('integrations.name', '=', 'integrationEvents.integration')
        .$asScalar()
        .$notNull()
        .as('definition'),
    );

/** The size of an event in lists. */
export const eventBytes: RawBuilder<number> = sql<number>`
  octet_length("integrationEvents"."fields") + octet_length("integrationEvents"."logs")
  + coalesce(octet_length("integrationEvents"."configuration"), 0)
  + coalesce((
    select octet_length("integrationVersions"."definition") from "integrations"
    inner join "integrationVersions" on "integrationVersions"."integration" = "integrations"."name"
      and "integrationVersions"."version" = "integrations"."version"
    where "integrations"."name" = "integrationEvents"."integration"), 0)`;

/** Selects the events that an integration received: those that were sent to it at least once. */
export const receivedEvents = (queries: Queries, integration: string) =>
  selectEvents(queries)
    .where('integrationEvents.integration', '=', integration)
    .where('integrationEvents.attempted', '=', 1);

/**
 * Finds an event that an integration received.
 *
 * @throws ContractError 404 if it does not exist
 */
export async function receivedEvent(queries: Queries, integration: string, id: string): Promise<EventRow> {
  const row = await receivedEvents(queries, integration)
    .where('integrationEvents.id', '=', id)
    .executeTakeFirst();
  if (!row) {
    throw notFound('event');
  }
  return row;
}
