import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import { MAX_LIST_PAGE_BYTES } from '../../../server/database/lists/keyset.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { install, installed, publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Rows of each kind. Two of them fit in a page. */
const COUNT = 5;
const ROW_BYTES = Math.floor(MAX_LIST_PAGE_BYTES / 2.5);
const PADDING = 'p'.repeat(ROW_BYTES);
const NAME = 'large-rows';

let server: TestServer;
let client: Client;
let site: string;
let installation: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ client } = server.admin);
  const { organization, database } = server;
  const params = { path: { organizationId: organization } };
  for (let created = 0; created < COUNT; created++) {
    const body = { title: 'Large', spaces: 'empty' as const };
    ({ id: site } = await ok(client.POST('/v1/orgs/{organizationId}/sites', { params, body })));
  }
  await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', {
      params: { path: { ...params.path, siteId: site } },
    }),
  );
  await ok(publish(server.admin, NAME, { organization, visibility: 'unlisted' }));
  ({ id: installation } = await install(server.admin, NAME, organization));
  for (let created = 0; created < COUNT; created++) {
    await ok(publish(server.admin, `${NAME}-${created}`, { organization }));
    const other = await ok(client.POST('/v1/orgs', { body: { title: 'Other' } }));
    await install(server.admin, NAME, other.id);
  }
  const { query } = database;
  // States that requests reach with large bodies.
  const padded = <Row extends string>(json: Row): Row =>
    JSON.stringify({ ...JSON.parse(json), padding: PADDING }) as Row;
  const { definition } = await query
    .selectFrom('integrationVersions')
    .select('definition')
    .where('integration', '=', NAME)
    .executeTakeFirstOrThrow();
  await query
    .updateTable('integrationVersions')
    .set({ definition: padded(definition) })
    .execute();
  const customization = await ok(
    client.GET('/v1/orgs/{organizationId}/sites/{siteId}/customization', {
      params: { path: { ...params.path, siteId: site } },
    }),
  );
  const settings = padded(JSON.stringify(customization));
  await query
    .updateTable('sites')
    .set({ customization: settings as never })
    .execute();
  const { path } = installed(NAME, installation).params;
  const sites = await query.selectFrom('sites').select('id').execute();
  for (const { id } of sites) {
    await ok(
      client.POST('/v1/integrations/{integrationName}/installations/{installationId}/sites', {
        params: { path },
        body: { site: id },
      }),
    );
  }
  const events = Array.from({ length: COUNT }, (_, at) => ({
    id: `evt_${at}`,
    integration: NAME,
    installation,
    organization,
    type: 'space_content_updated' as const,
    fields: '{"spaceId":"spc_1","revisionId":"rev_1","updatedBy":[]}' as never,
    configuration: null,
    state: 'success' as const,
    attempted: 1 as const,
    attempts: 1,
    logs: '[]' as never,
    createdAt: new Date().toISOString(),
    expiresAt: null,
  }));
  await query.insertInto('integrationEvents').values(events).execute();
}, 60_000);
afterAll(() => server.stop());

type Page = { items: unknown[]; next?: { page: string } };
type ListPage = (query: { limit: number; page?: string }) => Promise<Page>;

const LISTS: Readonly<Record<string, ListPage>> = {
  sites: async (query) =>
    await ok(
      client.GET('/v1/orgs/{organizationId}/sites', {
        params: { path: { organizationId: server.organization }, query },
      }),
    ),
  integrations: async (query) => await ok(client.GET('/v1/integrations', { params: { query } })),
  installations: async (query) =>
    await ok(
      client.GET('/v1/integrations/{integrationName}/installations', {
        params: { path: { integrationName: NAME }, query },
      }),
    ),
  'installations on sites': async (query) =>
    await ok(
      client.GET('/v1/integrations/{integrationName}/sites', {
        params: { path: { integrationName: NAME }, query },
      }),
    ),
  'events of an integration': async (query) =>
    await ok(
      client.GET('/v1/integrations/{integrationName}/events', {
        params: { path: { integrationName: NAME }, query },
      }),
    ),
};

test.each(Object.entries(LISTS))('a page of %s ends before its rows are too large', async (_name, list) => {
  const sizes: number[] = [];
  for (let next: string | undefined, isLast = false; !isLast; ) {
    const page = await list({ limit: 1000, ...(next !== undefined && { page: next }) });
    sizes.push(page.items.length);
    next = page.next?.page;
    isLast = next === undefined;
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThanOrEqual(COUNT);
});

test.runIf(isFirstEngine)('the spaces of a list are read without the settings of their sites', async () => {
  const { sql } = await statementsOf(async () => {
    const { items } = await ok(
      client.GET('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization } },
      }),
    );
    expect(items.filter(({ urls }) => urls.published !== undefined)).toHaveLength(1);
  });
  const reading = sql.filter((statement) => statement.includes('"sites"'));
  expect(reading.length).toBeGreaterThan(0);
  expect(reading.filter((statement) => /"sites"\.\*|"customization"/.test(statement))).toEqual([]);
});
