import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { eventsOf } from '../../support/integrations/event-receiver.ts';
import { install, installed, named, publish, tokenOf } from '../../support/integrations/integrations.ts';
import { untilEventsSettle } from '../../support/jobs.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { createSpace, TestSite } from '../../support/sites/site-structure.ts';

type Configuration = components['schemas']['SettingValues'];

const SCRIPT = `export default {
  async fetch(request) {
    const form = await request.formData();
    return Response.json(JSON.parse(form.get('environment')).apiTokens);
  }
};`;

const SETTINGS = {
  properties: {
    channel: { type: 'string', enum: ['docs', 'news'] },
    limit: { type: 'number', default: 5 },
  },
} satisfies components['schemas']['IntegrationSettings'];

const ONE = '/v1/integrations/{integrationName}/installations/{installationId}';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Publishes and installs an integration. Returns its two access tokens, and the ways to its configurations. */
async function createInstalled(name: string) {
  const { admin, organization } = server;
  const configurations = { account: SETTINGS, space: SETTINGS, site: SETTINGS };
  await ok(publish(admin, name, { organization, configurations, script: SCRIPT }));
  const { id } = await install(admin, name, organization);
  const { urls } = await ok(admin.client.GET('/v1/integrations/{integrationName}', named(name)));
  const { integration } = await (await fetch(urls.publicEndpoint)).json();
  const { token } = await tokenOf(admin, name, id);
  const { path } = installed(name, id).params;
  const space = await createSpace(server, 'Guide');
  const site = (await TestSite.create(server)).id;
  await ok(admin.client.POST(`${ONE}/spaces`, { params: { path }, body: { space } }));
  await ok(admin.client.POST(`${ONE}/sites`, { params: { path }, body: { site } }));
  const onSpace = { params: { path: { ...path, installedSpaceId: space } } };
  const onSite = { params: { path: { ...path, installedSiteId: site } } };
  const levels = {
    account: {
      write: async (client: Client, configuration: Configuration) =>
        await client.PATCH(ONE, { params: { path }, body: { configuration } }),
      read: async () => (await ok(admin.client.GET(ONE, { params: { path } }))).configuration,
    },
    space: {
      write: async (client: Client, configuration: Configuration) =>
        await client.PATCH(`${ONE}/spaces/{installedSpaceId}`, { ...onSpace, body: { configuration } }),
      read: async () =>
        (await ok(admin.client.GET(`${ONE}/spaces/{installedSpaceId}`, onSpace))).configuration,
    },
    site: {
      write: async (client: Client, configuration: Configuration) =>
        await client.PATCH(`${ONE}/sites/{installedSiteId}`, { ...onSite, body: { configuration } }),
      read: async () => (await ok(admin.client.GET(`${ONE}/sites/{installedSiteId}`, onSite))).configuration,
    },
  };
  return { tokens: { installation: token, integration: String(integration) }, levels };
}

/** Requires a write to succeed. */
const accepted = async (written: Promise<{ response: Response }>) =>
  expect((await written).response.status).toBe(200);

const OAUTH = {
  oauth_credentials: { access_token: 'abc', expires_at: 1_800_000_000, scopes: ['read', 'write'] },
  secret: 'f00',
  sites: null,
};

test('an integration stores values that it does not publish, with each of its tokens, at each level', async () => {
  const { tokens, levels } = await createInstalled('oauth');
  for (const [token, channel] of [
    [tokens.installation, 'docs'],
    [tokens.integration, 'news'],
  ] as const) {
    for (const { write, read } of Object.values(levels)) {
      await accepted(write(server.as(token), { ...OAUTH, channel }));
      expect(await read()).toEqual({ ...OAUTH, channel, limit: 5 });
    }
  }
});

test('an integration replaces its values as a whole, and is rejected where they are invalid', async () => {
  const { tokens, levels } = await createInstalled('replacing');
  const client = server.as(tokens.installation);
  const { write, read } = levels.account;
  await accepted(write(client, { ...OAUTH, channel: 'docs' }));
  await accepted(write(client, { secret: 'other' }));
  expect(await read()).toEqual({ secret: 'other', limit: 5 });
  const many = Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`value-${index}`, index]));
  for (const [configuration, path] of [
    [{ ...OAUTH, channel: 'elsewhere' }, 'configuration.channel'],
    [{ secret: 'x'.repeat(65_537) }, 'configuration.secret'],
    [many, 'configuration'],
  ] as const) {
    const { response, error } = await write(client, configuration);
    expect([response.status, error?.details?.map((detail) => detail.path)]).toEqual([400, [path]]);
  }
  expect(await read()).toEqual({ secret: 'other', limit: 5 });
});

test('others cannot add or change values that the integration does not publish', async () => {
  const { tokens, levels } = await createInstalled('protected');
  for (const { write, read } of Object.values(levels)) {
    const add = await write(server.admin.client, { channel: 'docs', colour: 'red' });
    expect([add.response.status, add.error?.details]).toMatchObject([
      400,
      [{ in: 'body', path: 'configuration.colour', message: 'is not a setting of the integration' }],
    ]);
    await accepted(write(server.as(tokens.installation), OAUTH));
    const change = await write(server.admin.client, { secret: 'stolen', constructor: 1 });
    expect([change.response.status, change.error?.details?.map(({ path }) => path)]).toEqual([
      400,
      ['configuration.secret', 'configuration.constructor'],
    ]);
    expect(await read()).toEqual({ ...OAUTH, limit: 5 });
  }
});

/** Counts the events that an integration received, except calls, which are recorded later. */
async function countReceived(name: string): Promise<number> {
  await untilEventsSettle(server.database);
  return (await eventsOf(server.admin, name)).filter(({ payload }) => payload.type !== 'fetch').length;
}

test('others change settings without removing the values of the integration', async () => {
  const { tokens, levels } = await createInstalled('retained');
  for (const { write, read } of Object.values(levels)) {
    await accepted(write(server.as(tokens.integration), { ...OAUTH, channel: 'news' }));
    await accepted(write(server.admin.client, { channel: 'docs' }));
    expect(await read()).toEqual({ ...OAUTH, channel: 'docs', limit: 5 });
    await accepted(write(server.admin.client, { ...(await read()), limit: 7 }));
    expect(await read()).toEqual({ ...OAUTH, channel: 'docs', limit: 7 });
    await accepted(write(server.admin.client, {}));
    expect(await read()).toEqual({ ...OAUTH, limit: 5 });
  }
  const before = await countReceived('retained');
  // The values are as they were: the integration is not set up again.
  await accepted(levels.account.write(server.admin.client, { limit: 5 }));
  expect(await countReceived('retained')).toBe(before);
});
