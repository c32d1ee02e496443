import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { install, installed, named, publish } from '../../support/integrations/integrations.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];

const INSTALLATIONS = '/v1/integrations/{integrationName}/installations';
const ONE = `${INSTALLATIONS}/{installationId}` as const;
const SPACES = `${ONE}/spaces` as const;
const SPACE = `${SPACES}/{installedSpaceId}` as const;

let server: TestServer;
let admin: Person;
/** Admin of another organization. */
let other: Person;
let otherOrganization: string;
beforeAll(async () => {
  server = await startTestServer();
  admin = server.admin;
  other = await server.person('Other');
  otherOrganization = (await ok(other.client.POST('/v1/orgs', { body: { title: 'Other' } }))).id;
});
afterAll(() => server.stop());

const SETTINGS = {
  properties: {
    channel: { type: 'string', enum: ['docs', 'news'] },
    limit: { type: 'number', default: 5 },
    silent: { type: 'boolean' },
    credentials: { type: 'button', callback_url: 'https://a.example', button_text: 'Sign in' },
  },
  required: ['channel', 'limit'],
} satisfies Schemas['IntegrationSettings'];

/** Publishes a public integration with settings, and installs it. */
async function installNew(name: string, settings: Partial<Schemas['IntegrationPublication']> = {}) {
  await ok(
    publish(admin, name, { visibility: 'public', configurations: { account: SETTINGS }, ...settings }),
  );
  return await install(admin, name, server.organization);
}

const update = async (name: string, id: string, body: Schemas['InstallationPatch'], by: Person = admin) =>
  await by.client.PATCH(ONE, { ...installed(name, id), body });
const read = async (name: string, id: string, by: Person = admin) =>
  await ok(by.client.GET(ONE, installed(name, id)));
const createSpace = async (by: Person = admin, organizationId = server.organization) =>
  (
    await ok(
      by.client.POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId } },
        body: { title: 'Guide' },
      }),
    )
  ).id;
const createSite = async (by: Person, organizationId: string) =>
  (
    await ok(
      by.client.POST('/v1/orgs/{organizationId}/sites', {
        params: { path: { organizationId } },
        body: { title: 'Docs' },
      }),
    )
  ).id;
const installOn = async (name: string, id: string, space: string, by: Person = admin) =>
  await by.client.POST(SPACES, { ...installed(name, id), body: { space } });
const onSpace = (name: string, installationId: string, installedSpaceId: string) => ({
  params: { path: { integrationName: name, installationId, installedSpaceId } },
});

describe('an installation', () => {
  test('is created once in each organization, with its location', async () => {
    await ok(publish(admin, 'once', { visibility: 'public' }));
    const { data, response } = await admin.client.POST(INSTALLATIONS, {
      ...named('once'),
      body: { organization: server.organization },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe(data?.urls.location);
    expect(data).toMatchObject({
      status: 'active',
      space_selection: 'all',
      site_selection: 'all',
      configuration: {},
      externalIds: [],
      target: { organization: server.organization },
    });
    expect(await read('once', data?.id ?? '')).toEqual(data);
    const again = await admin.client.POST(INSTALLATIONS, {
      ...named('once'),
      body: { organization: server.organization },
    });
    expect([again.response.status, again.data]).toEqual([201, data]);
    await install(other, 'once', otherOrganization);
  });

  test('of a private integration belongs to its owner', async () => {
    await ok(publish(admin, 'internal', { organization: server.organization }));
    const second = await ok(admin.client.POST('/v1/orgs', { body: { title: 'Second' } }));
    const { error } = await admin.client.POST(INSTALLATIONS, {
      ...named('internal'),
      body: { organization: second.id },
    });
    expect(error?.details?.map(({ path }) => path)).toEqual(['organization']);
  });

  test('keeps a private integration visible where it is installed', async () => {
    await ok(publish(admin, 'withdrawn', { organization: server.organization, visibility: 'public' }));
    await install(other, 'withdrawn', otherOrganization);
    await ok(publish(admin, 'withdrawn', { visibility: 'private' }));
    const { response } = await other.client.GET('/v1/integrations/{integrationName}', named('withdrawn'));
    expect(response.status).toBe(200);
  });

  test('is pending without a required setting, then active, and paused by its admin', async () => {
    const { id, status } = await installNew('states', { organization: server.organization });
    const statuses = [status];
    const then = async (body: Schemas['InstallationPatch']) => {
      const { data, error } = await update('states', id, body);
      statuses.push(data?.status ?? (error?.reason as typeof status));
    };
    await then({ status: 'active' });
    await then({ status: 'paused' });
    await then({ status: 'active' });
    await then({ configuration: { channel: 'docs' } });
    await then({ status: 'active' });
    await then({ configuration: {}, status: 'active' });
    await then({ configuration: {} });
    await then({ configuration: { channel: 'news' }, status: 'paused' });
    expect(statuses).toEqual([
      'pending',
      'installation_incomplete',
      'paused',
      'installation_incomplete',
      'paused',
      'active',
      'installation_incomplete',
      'pending',
      'paused',
    ]);
    // A new version requires another setting.
    await update('states', id, { status: 'active' });
    const properties = { ...SETTINGS.properties, token: { type: 'string' as const } };
    await ok(publish(admin, 'states', { configurations: { account: { properties, required: ['token'] } } }));
    expect((await read('states', id)).status).toBe('pending');
  });

  test.each([
    ['a text that is not allowed', { channel: 'x' }, ['configuration.channel']],
    ['values of other types', { limit: '5', silent: 1 }, ['configuration.limit', 'configuration.silent']],
    ['an unknown setting', { colour: 'red' }, ['configuration.colour']],
  ])('rejects %s and names each setting', async (_case, configuration, fields) => {
    const name = `invalid-${fields.length}-${fields[0]?.length}`;
    const { id } = await installNew(name, { organization: server.organization });
    const { error, response } = await update(name, id, { configuration });
    expect([response.status, error?.details?.map(({ path }) => path)]).toEqual([400, fields]);
    expect((await read(name, id)).configuration).toEqual({ limit: 5 });
  });

  test('accepts what a button returned, and any values of a form', async () => {
    const organization = server.organization;
    const { id } = await installNew('button', { organization });
    const configuration = { channel: 'docs', credentials: { token: 'signed in' } };
    expect((await ok(update('button', id, { configuration }))).configuration).toEqual({
      ...configuration,
      limit: 5,
    });
    const form = await installNew('form', {
      organization,
      configurations: { account: { componentId: 'f' } },
    });
    expect((await ok(update('form', form.id, { configuration }))).configuration).toEqual(configuration);
  });

  test('rejects every value of a text for which its integration allows none', async () => {
    const properties = { region: { type: 'string' as const, enum: [] } };
    const { id } = await installNew('none-allowed', {
      organization: server.organization,
      configurations: { account: { properties } },
    });
    const { error, response } = await update('none-allowed', id, { configuration: { region: 'x' } });
    expect([response.status, error?.details?.map(({ path }) => path)]).toEqual([
      400,
      ['configuration.region'],
    ]);
  });

  test('stores its configuration encrypted, and shows it to its admins alone', async () => {
    const { id } = await installNew('sealed', { organization: server.organization });
    const configuration = { channel: 'docs', credentials: 'a secret token' };
    await ok(update('sealed', id, { configuration }));
    const rows = await server.database.query.selectFrom('installations').selectAll().execute();
    const events = await server.database.query.selectFrom('auditEvents').selectAll().execute();
    expect(JSON.stringify([rows, events])).not.toContain('secret token');
    const reader = await server.member('Reader', 'create');
    expect((await read('sealed', id, reader)).configuration).toEqual({});
    const { items } = await ok(reader.client.GET(INSTALLATIONS, named('sealed')));
    expect(items.map((item) => item.configuration)).toEqual([{}]);
    expect((await read('sealed', id)).configuration).toEqual({ ...configuration, limit: 5 });
  });

  test('is listed to its organization alone, and found by an external id', async () => {
    await ok(publish(admin, 'listed', { organization: server.organization, visibility: 'public' }));
    const [ours, theirs] = [
      await install(admin, 'listed', server.organization),
      await install(other, 'listed', otherOrganization),
    ];
    await ok(update('listed', ours.id, { externalIds: ['team-1', 'team-2'] }));
    const list = async (by: Person, externalId?: string) =>
      await Array.fromAsync(
        paginate(by.client, INSTALLATIONS, {
          params: {
            path: { integrationName: 'listed' },
            query: { limit: 1, ...(externalId && { externalId }) },
          },
        }),
        ({ id }) => id,
      );
    expect(await list(admin)).toEqual([ours.id]);
    expect(await list(other)).toEqual([theirs.id]);
    expect(await list(await server.member('Guest', null))).toEqual([]);
    expect([await list(admin, 'team-2'), await list(admin, 'team'), await list(other, 'team-2')]).toEqual([
      [ours.id],
      [],
      [],
    ]);
    await ok(update('listed', ours.id, { externalIds: ['team-3'] }));
    expect([await list(admin, 'team-2'), await list(admin, 'team-3')]).toEqual([[], [ours.id]]);
    const { response } = await admin.client.GET(ONE, installed('listed', theirs.id));
    expect(response.status).toBe(404);
  });

  test('is removed with its integration', async () => {
    await ok(publish(admin, 'removed', { organization: server.organization, visibility: 'public' }));
    const { id } = await install(other, 'removed', otherOrganization);
    await admin.client.DELETE('/v1/integrations/{integrationName}', named('removed'));
    const rows = await server.database.query
      .selectFrom('installations')
      .select('id')
      .where('id', '=', id)
      .execute();
    expect(rows).toEqual([]);
    const { items } = await ok(
      other.client.GET('/v1/orgs/{organizationId}/audit-events', {
        params: { path: { organizationId: otherOrganization }, query: { resource: id } },
      }),
    );
    expect(items.map(({ action }) => action)).toEqual(['installation.deleted', 'installation.created']);
  });
});

describe('an installation on a space', () => {
  test('has a configuration, a status and external ids of its own', async () => {
    const { id } = await installNew('on-space', {
      organization: server.organization,
      configurations: { account: { properties: {} }, space: SETTINGS },
    });
    const space = await createSpace();
    const created = await ok(installOn('on-space', id, space));
    expect(created).toMatchObject({
      integration: 'on-space',
      installation: id,
      status: 'pending',
      configuration: { limit: 5 },
      externalIds: [],
      space,
    });
    const path = onSpace('on-space', id, space);
    expect(await ok(admin.client.GET(SPACE, path))).toEqual(created);
    const invalid = await admin.client.PATCH(SPACE, { ...path, body: { configuration: { channel: 1 } } });
    expect(invalid.error?.details?.map(({ path: field }) => field)).toContain('configuration.channel');
    const body = { configuration: { channel: 'docs' }, externalIds: ['repo'] };
    expect(await ok(admin.client.PATCH(SPACE, { ...path, body }))).toMatchObject({
      status: 'active',
      configuration: { channel: 'docs', limit: 5 },
      externalIds: ['repo'],
    });
    expect((await read('on-space', id)).configuration).toEqual({});
    expect((await ok(installOn('on-space', id, space))).externalIds).toEqual(['repo']);
    expect((await admin.client.DELETE(SPACE, path)).response.status).toBe(204);
    expect((await admin.client.GET(SPACE, path)).response.status).toBe(404);
    expect((await ok(installOn('on-space', id, space))).externalIds).toEqual([]);
  });

  test('requires a space of the organization, and an integration for spaces', async () => {
    const { id } = await installNew('targets', { organization: server.organization, target: 'site' });
    const space = await createSpace();
    expect((await installOn('targets', id, space)).error?.reason).toBe('integration_target_unsupported');
    await ok(publish(admin, 'targets', { target: 'space' }));
    const foreign = await createSpace(other, otherOrganization);
    for (const unknown of [foreign, 'spc_unknown']) {
      const { error } = await installOn('targets', id, unknown);
      expect(error?.details?.map(({ path }) => path)).toEqual(['space']);
    }
    await ok(installOn('targets', id, space));
  });

  test('is listed with complete spaces on request, and counted', async () => {
    const { id } = await installNew('several', { organization: server.organization });
    const spaces = [await createSpace(), await createSpace(), await createSpace()];
    for (const space of spaces) {
      await ok(installOn('several', id, space));
    }
    const path = onSpace('several', id, spaces[1] ?? '');
    await ok(admin.client.PATCH(SPACE, { ...path, body: { externalIds: ['middle'] } }));
    const list = async (query: { externalId?: string; extended?: boolean }) =>
      await Array.fromAsync(
        paginate(admin.client, '/v1/integrations/{integrationName}/spaces', {
          params: { path: { integrationName: 'several' }, query: { limit: 2, ...query } },
        }),
        ({ space }) => space,
      );
    expect(await list({})).toEqual(spaces);
    expect(await list({ externalId: 'middle' })).toEqual([spaces[1]]);
    const complete = await list({ extended: true });
    expect(complete).toEqual(
      await Promise.all(
        spaces.map(
          async (spaceId) =>
            await ok(admin.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } })),
        ),
      ),
    );
    const { items } = await ok(admin.client.GET(SPACES, installed('several', id)));
    expect(items.map(({ space }) => space)).toEqual(spaces);

    const { count } = await ok(
      admin.client.GET('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization } },
      }),
    );
    expect((await read('several', id)).spaces).toBe(count);
    expect((await ok(update('several', id, { space_selection: 'selected' }))).spaces).toBe(3);
    await admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: spaces[2] ?? '' } } });
    expect((await read('several', id)).spaces).toBe(2);
    expect(await list({})).toEqual(spaces.slice(0, 2));
  });
});

test('an installation on a site has a configuration and a status of its own', async () => {
  const { id } = await installNew('on-site', {
    organization: server.organization,
    configurations: { site: SETTINGS },
  });
  const site = await createSite(admin, server.organization);
  const foreign = await createSite(other, otherOrganization);
  const unknown = await admin.client.POST(`${ONE}/sites`, {
    ...installed('on-site', id),
    body: { site: foreign },
  });
  expect(unknown.error?.details?.map(({ path }) => path)).toEqual(['site']);
  const created = await ok(
    admin.client.POST(`${ONE}/sites`, { ...installed('on-site', id), body: { site } }),
  );
  expect(created).toMatchObject({ status: 'pending', site, configuration: { limit: 5 } });
  const path = {
    params: { path: { integrationName: 'on-site', installationId: id, installedSiteId: site } },
  };
  const body = { configuration: { channel: 'docs' } };
  const updated = await ok(admin.client.PATCH(`${ONE}/sites/{installedSiteId}`, { ...path, body }));
  expect(updated.status).toBe('active');
  const all = await ok(admin.client.GET('/v1/integrations/{integrationName}/sites', named('on-site')));
  const ofInstallation = await ok(admin.client.GET(`${ONE}/sites`, installed('on-site', id)));
  expect([all.items, ofInstallation.items]).toEqual([[updated], [updated]]);
  const extended = await ok(
    admin.client.GET(`${ONE}/sites`, {
      params: { path: { integrationName: 'on-site', installationId: id }, query: { extended: true } },
    }),
  );
  const complete = await ok(
    admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}', {
      params: { path: { organizationId: server.organization, siteId: site } },
    }),
  );
  expect(extended.items).toEqual([{ ...updated, site: complete }]);
  expect((await admin.client.DELETE(`${ONE}/sites/{installedSiteId}`, path)).response.status).toBe(204);
});
