import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../../client/platform/index.ts';
import type { components, paths } from '../../../../generated/schema.d.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

type Schemas = components['schemas'];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const inOrganization = () => ({ params: { path: { organizationId: server.organization } } });
const site = (siteId: string) => ({ params: { path: { organizationId: server.organization, siteId } } });

const createSpace = async (title: string) =>
  await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization(), body: { title } }),
  );
const create = async (body: Schemas['SiteCreate'], client = server.admin.client) =>
  await client.POST('/v1/orgs/{organizationId}/sites', { ...inOrganization(), body });
const read = async (siteId: string, client = server.admin.client) =>
  await client.GET('/v1/orgs/{organizationId}/sites/{siteId}', site(siteId));
const update = async (siteId: string, body: Schemas['SitePatch'], client = server.admin.client) =>
  await client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', { ...site(siteId), body });
const publish = async (siteId: string) =>
  await ok(server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', site(siteId)));
const unpublish = async (siteId: string) =>
  await ok(server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', site(siteId)));

type Filters = NonNullable<paths['/v1/orgs/{organizationId}/sites']['get']['parameters']['query']>;
const list = async (query: Filters = {}, client = server.admin.client) => {
  const titles: string[] = [];
  const pages = paginate(client, '/v1/orgs/{organizationId}/sites', {
    params: { path: { organizationId: server.organization }, query: { limit: 2, ...query } },
  });
  for await (const { title } of pages) {
    titles.push(title);
  }
  return titles;
};

describe('a new site', () => {
  test('is empty, untitled, public and unpublished by default', async () => {
    const { data, response } = await server.admin.client.POST(
      '/v1/orgs/{organizationId}/sites',
      inOrganization(),
    );
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe(data?.urls.location);
    expect(data).toMatchObject({
      object: 'site',
      type: 'basic',
      appliedType: 'basic',
      title: 'Untitled',
      visibility: 'public',
      defaultLevel: 'inherit',
      published: false,
      siteSpaces: 0,
      adaptiveContent: { enabled: false },
      agentsContext: 'included',
    });
    expect(data?.urls.published).toBeUndefined();
    expect(await ok(read(data?.id ?? ''))).toEqual(data);
  });

  test('shows existing spaces', async () => {
    const spaces = [(await createSpace('Guide')).id, (await createSpace('Reference')).id];
    expect(await ok(create({ title: 'Two spaces', spaces }))).toMatchObject({ siteSpaces: 2 });
  });

  test.each(['empty', 'sample'] as const)('shows a new space with %s content', async (spaces) => {
    const created = await ok(create({ title: `Started ${spaces}`, spaces }));
    expect(created.siteSpaces).toBe(1);
    const { items } = await ok(
      server.admin.client.GET('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization }, query: { limit: 1000 } },
      }),
    );
    expect(items.filter(({ title }) => title === `Started ${spaces}`)).toHaveLength(1);
  });

  test('cannot show a space that does not exist, is repeated, or cannot be changed by the caller', async () => {
    const { id } = await createSpace('Restricted');
    const missing = await create({ title: 'Missing', spaces: [id, 'spc_missing'] });
    expect(missing.error).toMatchObject({ details: [{ path: 'spaces.1' }] });
    const repeated = await create({ title: 'Repeated', spaces: [id, id] });
    expect(repeated.error).toMatchObject({ status: 400, details: [{ path: 'spaces' }] });
    await ok(
      server.admin.client.PATCH('/v1/spaces/{spaceId}', {
        params: { path: { spaceId: id } },
        body: { defaultLevel: 'read' },
      }),
    );
    const creator = await server.member('Publisher', 'create');
    const refused = await create({ title: 'Refused', spaces: [id] }, creator.client);
    expect([refused.response.status, refused.error]).toMatchObject([403, { reason: 'permission_missing' }]);
    expect(await list({ title: 'Re' })).toEqual([]);
  });
});

describe('the settings of a site', () => {
  test('change only if the request contains them', async () => {
    const { id, ...created } = await ok(create({ title: 'Settings', type: 'premium' }));
    const changed = await ok(
      update(id, {
        title: 'New settings',
        visibility: 'unlisted',
        basename: 'new-settings',
        agentsContext: 'excluded',
        adaptiveContent: { enabled: true },
      }),
    );
    expect(changed).toEqual({
      ...created,
      id,
      title: 'New settings',
      visibility: 'unlisted',
      basename: 'new-settings',
      agentsContext: 'excluded',
      adaptiveContent: { enabled: true },
    });
    expect(await ok(update(id, {}))).toEqual(changed);
    expect(await ok(read(id))).toEqual(changed);
  });

  test('include a basename that is unique in the organization', async () => {
    const [first, second] = [await ok(create({ title: 'First' })), await ok(create({ title: 'Second' }))];
    await ok(update(first.id, { basename: 'shared' }));
    await ok(update(first.id, { basename: 'shared' }));
    const taken = await update(second.id, { basename: 'shared' });
    expect([taken.response.status, taken.error]).toMatchObject([409, { reason: 'basename_taken' }]);
  });

  test('include a proxy that no other site has, which changes the published URL', async () => {
    const [first, second] = [await ok(create({ title: 'One' })), await ok(create({ title: 'Other' }))];
    await publish(first.id);
    const proxied = await ok(update(first.id, { proxy: 'www.example.com/docs' }));
    expect(proxied.proxy?.origin).toBe('www.example.com/docs');
    expect(proxied.urls.published).toBe('https://www.example.com/docs');
    const taken = await update(second.id, { proxy: 'www.example.com/docs' });
    expect([taken.response.status, taken.error]).toMatchObject([409, { reason: 'proxy_taken' }]);
    const direct = await ok(update(first.id, { proxy: null }));
    expect(direct.proxy).toBeUndefined();
    expect(direct.urls.published).toBe(proxied.proxy?.target);
  });

  test('include features that a lower plan lacks', async () => {
    const frozen = async (type: Schemas['SiteType']) =>
      (await ok(create({ title: `On ${type}`, type }))).features.filter((feature) => feature.frozen).length;
    expect(await frozen('ultimate')).toBe(0);
    expect(await frozen('premium')).toBeGreaterThan(0);
    expect(await frozen('basic')).toBeGreaterThan(await frozen('premium'));
  });
});

describe('publishing', () => {
  test('adds the published URL, and unpublishing removes it', async () => {
    const { id } = await ok(create({ title: 'Published' }));
    const published = await publish(id);
    expect(published).toMatchObject({ published: true });
    expect(published.urls.published).toBe(`${server.url}/sites/${server.organization}/${id}`);
    expect(await publish(id)).toEqual(published);
    const hidden = await unpublish(id);
    expect(hidden).toMatchObject({ published: false });
    expect(hidden.urls.published).toBeUndefined();
  });
});

describe('the list of sites', () => {
  test('filters by title, space, status and plan', async () => {
    const { id: space } = await createSpace('Listed');
    const listed = await ok(create({ title: 'Kiln handbook', spaces: [space], type: 'ultimate' }));
    await ok(create({ title: 'Kiln API', type: 'premium' }));
    await ok(create({ title: 'kiln notes' }));
    await publish(listed.id);
    expect(await list({ title: 'KILN' })).toEqual(['Kiln handbook', 'Kiln API', 'kiln notes']);
    expect(await list({ space })).toEqual(['Kiln handbook']);
    expect(await list({ title: 'kiln', published: true })).toEqual(['Kiln handbook']);
    expect(await list({ title: 'kiln', published: false })).toEqual(['Kiln API', 'kiln notes']);
    expect(await list({ title: 'kiln', type: ['ultimate', 'premium'] })).toEqual([
      'Kiln handbook',
      'Kiln API',
    ]);
  });

  test('contains for a guest only the sites that show a visible space', async () => {
    const guest = await server.member('Visitor', null);
    const { id: space } = await createSpace('Granted');
    const hidden = await createSpace('Hidden');
    const { id } = await ok(create({ title: 'For guests', spaces: [hidden.id, space] }));
    expect(await list({}, guest.client)).toEqual([]);
    expect((await read(id, guest.client)).response.status).toBe(404);
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: space } },
        body: { users: [guest.id], role: 'read' },
      }),
    );
    expect(await list({}, guest.client)).toEqual(['For guests']);
    expect(await ok(read(id, guest.client))).toMatchObject({ siteSpaces: 1 });
    expect(await list({ space: hidden.id }, guest.client)).toEqual([]);
  });
});

describe('the permissions on a site', () => {
  test('are those that its operations enforce', async () => {
    const { id } = await ok(create({ title: 'Guarded' }));
    for (const role of ['read', 'edit', 'create', 'admin'] as const) {
      const { client } = await server.member(`Permitted.${role}`, role);
      const { permissions } = await ok(read(id, client));
      const structure = await client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', site(id));
      const schema = await client.PUT('/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', {
        ...site(id),
        body: { jsonSchema: { type: 'object', properties: {}, additionalProperties: false } },
      });
      const settings = await update(id, { title: `Guarded by ${role}` }, client);
      expect({ role, ...permissions }).toEqual({
        role,
        view: true,
        access: true,
        edit: structure.response.ok,
        create: structure.response.ok,
        admin: settings.response.ok,
        installIntegration: role === 'admin',
        viewAdaptiveSchema: true,
        editAdaptiveSchema: schema.response.ok,
      });
      expect([permissions.create, permissions.admin]).toEqual([
        role === 'create' || role === 'admin',
        role === 'admin',
      ]);
    }
  });
});

describe('a deleted site', () => {
  test('no longer exists, but its spaces do', async () => {
    const { id: space } = await createSpace('Remaining');
    const { id } = await ok(create({ title: 'Deleted', spaces: [space] }));
    const remove = () => server.admin.client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}', site(id));
    expect((await remove()).response.status).toBe(204);
    expect((await remove()).response.status).toBe(204);
    expect((await read(id)).response.status).toBe(404);
    expect(await list({ space })).toEqual([]);
    await ok(server.admin.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } }));
  });
});
