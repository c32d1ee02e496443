import type { components } from '../../../../generated/schema.d.ts';
import { readJson } from '../../../database/json.ts';
import type { StoredConfigurationLevel } from '../../../database/schema/integrations/integrations.ts';
import { openConfiguration, withDefaults } from '../installations/queries/configuration.ts';
import type { EventRow } from './queries.ts';

type Schemas = components['schemas'];

/** Converts an event to its representation in the API. */
export function presentEvent(row: EventRow, secretKey: string): Schemas['IntegrationEvent'] {
  return {
    id: row.id,
    integrationId: row.integration,
    ...(row.installation !== '' && { installationId: row.installation }),
    createdAt: row.createdAt,
    payload: payloadOf(row, secretKey),
    // A failed attempt that will be repeated has failed so far.
    status: row.state === 'success' ? 'success' : 'failed',
  };
}

/** Converts an event to its representation in the API, with the log of its last attempt. */
export const presentEventWithTrace = (
  row: EventRow,
  secretKey: string,
): Schemas['IntegrationEventWithTrace'] => ({
  event: presentEvent(row, secretKey),
  trace: { logs: readJson(row.logs) },
});

/** Returns the payload of an event, as its installation receives it. */
export function payloadOf(row: EventRow, secretKey: string): Schemas['IntegrationEventPayload'] {
  const { previous, ...fields } = readJson(row.fields);
  const payload = {
    eventId: row.id,
    type: row.type,
    ...(row.installation !== '' && { installationId: row.installation }),
    ...fields,
    ...(isObjectOrList(previous) && {
      previous: { ...previous, configuration: previousConfiguration(row, fields, secretKey) },
    }),
  };
  // The fields were stored by `raise.ts` and `calls.ts`, where the contract gives them their types.
  return payload as Schemas['IntegrationEventPayload'];
}

function previousConfiguration(
  { type, installation, configuration, definition }: EventRow,
  { spaceId, siteId }: Record<string, unknown>,
  secretKey: string,
): Record<string, unknown> {
  const target = String(spaceId ?? siteId ?? '');
  const values = openConfiguration(configuration, { installation, target }, secretKey);
  return withDefaults(readJson(definition), levelOf(type), values);
}

function levelOf(type: EventRow['type']): StoredConfigurationLevel {
  if (type.startsWith('space_')) {
    return 'space';
  }
  return type.startsWith('site_') ? 'site' : 'account';
}

const isObjectOrList = (value: unknown): value is object => typeof value === 'object' && value !== null;
