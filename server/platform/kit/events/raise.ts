import type { Insertable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import { batches } from '../../../database/batches.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import type {
  RaisedEventsTable,
  StoredContentEventType,
  StoredEventFields,
  StoredEventType,
  StoredInstallationEventType,
} from '../../../database/schema/integrations/integration-events.ts';
import type { StoredIntegrationScope } from '../../../database/schema/integrations/integrations.ts';
import type { Clock } from '../../../database/seams.ts';
import { currentTraceParent } from '../../../diagnostics/trace-parent.ts';
import type { Queue } from '../../../jobs/queue.ts';

type Payload = components['schemas']['IntegrationEventPayload'];

/** Fields of an event that all its recipients receive. */
export type EventFields<Type extends StoredEventType> = Omit<
  Extract<Payload, { type: Type }>,
  'type' | 'eventId' | 'installationId'
>;

/** The scope that an installation needs to receive an event about a space or site. */
export const REQUIRED_SCOPES: Readonly<Record<StoredContentEventType, StoredIntegrationScope>> = {
  space_content_updated: 'space:content:read',
  space_gitsync_started: 'space:git:sync',
  space_gitsync_completed: 'space:git:sync',
  space_visibility_updated: 'space:metadata:read',
  space_view: 'space:views:read',
  site_view: 'site:views:read',
  page_feedback: 'page:feedback:read',
};

/** Number of events that one statement stores. */
const BATCH_SIZE = 200;

/** Services that raise events. */
export interface EventServices {
  clock: Clock;
  queue: Pick<Queue, 'wakeLoopsAfter'>;
}

/** An event about a space or site of an organization. */
export type ContentEvent = {
  [Type in StoredContentEventType]: { organization: string; type: Type; fields: EventFields<Type> };
}[StoredContentEventType];

/**
 * Returns whether an installation of an organization may receive events of a type. One indexed read, which finds
 * nothing in an organization without integrations.
 */
export async function hasRecipients(
  queries: Queries,
  organization: string,
  type: StoredContentEventType,
): Promise<boolean> {
  const installation = await queries
    .selectFrom('installations')
    .innerJoin('integrationTags', 'integrationTags.integration', 'installations.integration')
    .select('installations.id')
    .where('installations.organization', '=', organization)
    .where('installations.paused', '=', 0)
    .where('integrationTags.kind', '=', 'scope')
    .where('integrationTags.value', '=', REQUIRED_SCOPES[type])
    .limit(1)
    .executeTakeFirst();
  return installation !== undefined;
}

/**
 * Raises an event about a space or site in the transaction of the change, unless no installation can receive it. Stores
 * one row regardless of the number of recipients, which are determined after the commit.
 */
export async function raiseEvent(
  trx: Transaction,
  services: EventServices,
  event: ContentEvent,
): Promise<void> {
  if (await hasRecipients(trx, event.organization, event.type)) {
    await storeEvents(trx, services, [event]);
  }
}

/** Raises events. The caller must have checked that installations can receive them. */
export async function storeEvents(
  trx: Transaction,
  services: EventServices,
  events: readonly ContentEvent[],
): Promise<void> {
  await storeRows(
    trx,
    services,
    events.map((event) => ({
      ...event,
      integration: null,
      installation: null,
      configuration: null,
    })),
  );
}

/** An event about an installation, or about an installation on a space or site. */
export type InstallationEvent = {
  [Type in StoredInstallationEventType]: {
    organization: string;
    integration: string;
    installation: string;
    type: Type;
    /** The earlier state without its configuration, which is `configuration`. */
    fields: EventFields<Type>;
    /** Configuration before the change, as the row of the installation stores it. */
    configuration: string | null;
  };
}[StoredInstallationEventType];

/** Raises events about installations in the transaction of the change. Only the installation itself receives them. */
export async function raiseInstallationEvents(
  trx: Transaction,
  services: EventServices,
  events: readonly InstallationEvent[],
): Promise<void> {
  await storeRows(trx, services, events);
}

type NewRow = Omit<Insertable<RaisedEventsTable>, 'fields' | 'raisedAt' | 'traceParent'> & { fields: object };

async function storeRows(
  trx: Transaction,
  { clock, queue }: EventServices,
  rows: readonly NewRow[],
): Promise<void> {
  const raisedAt = clock().toISOString();
  for (const batch of batches(rows, BATCH_SIZE)) {
    const values = batch.map((row) => ({
      ...row,
      // The fields of an event are an object with string keys.
      fields: writeJson(row.fields as StoredEventFields),
      raisedAt,
      traceParent: currentTraceParent() ?? null,
    }));
    await trx.insertInto('raisedEvents').values(values).execute();
  }
  if (rows.length > 0) {
    queue.wakeLoopsAfter(trx);
  }
}
