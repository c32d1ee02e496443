import { sql } from 'kysely';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { Database } from '../../../server/database/database.ts';
import { install, publish } from '../integrations/integrations.ts';
import { fill, idOf, TIME } from './fill-table.ts';
import { spaceInstallationRow } from './large-rows.ts';

/** Creates public integrations, and installs another one, which has received events, on each space of the organization. */
export async function fillIntegrations(
  database: Database,
  client: Client,
  { organization, count }: { organization: string; count: number },
): Promise<{ integrationName: string; installationId: string }> {
  const integrationName = 'installed';
  await ok(publish({ client }, integrationName, { organization, visibility: 'public' }));
  const { id: installationId } = await install({ client }, integrationName, organization);
  const { definition } = await database.query
    .selectFrom('integrationVersions')
    .select('definition')
    .where('integration', '=', integrationName)
    .executeTakeFirstOrThrow();
  const integration = sql`'integration-' || i`;
  await fill(database, 'integrations', count, {
    name: integration,
    organization,
    version: 1,
    title: sql`'Integration ' || i`,
    searchedText: sql`'integration ' || i`,
    target: 'all',
    visibility: 'public',
    scopes: '[]',
    hasBlocks: 0,
    hasContentSources: 0,
    secrets: null,
    tunnelURL: null,
    tunnelAll: 0,
    createdAt: TIME,
    updatedAt: TIME,
  });
  const version = { integration, organization, version: 1, createdAt: TIME };
  await fill(database, 'integrationVersions', count, {
    ...version,
    definition,
    script: 'none',
    createdBy: 'operator',
  });
  const tag = { integration, organization, visibility: 'public' };
  await fill(database, 'integrationTags', count, { ...tag, kind: 'category', value: 'analytics' });
  const ids = { installation: installationId, integration: integrationName, organization };
  await fill(database, 'contentInstallations', count, spaceInstallationRow(ids));
  await fill(database, 'integrationEvents', count, {
    id: idOf('evt'),
    integration: integrationName,
    installation: installationId,
    organization,
    type: 'installation_setup',
    fields: '{"status":"active"}',
    configuration: null,
    state: 'success',
    attempted: 1,
    attempts: 1,
    logs: '[]',
    createdAt: TIME,
    expiresAt: '2099-01-01T00:00:00.000Z',
  });
  return { integrationName, installationId };
}
