import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok, paginate } from '../../../client/platform/index.ts';
import { PROVIDER_KEY, UNSUPPORTED_CERTIFICATES } from '../../support/saml/keys.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const inOrganization = () => ({ params: { path: { organizationId: server.organization } } });
const at = (samlProviderId: string) => ({
  params: { path: { organizationId: server.organization, samlProviderId } },
});

const SETTINGS = {
  entityID: 'https://accounts.example.com/saml',
  certificate: PROVIDER_KEY.certificate,
  ssoURL: 'https://accounts.example.com/saml/login',
};

type Body = Partial<typeof SETTINGS> & { defaultTeam?: string; defaultRole?: 'read' | null };

const create = async (label: string, body: Body = {}, client = server.admin.client) =>
  await client.POST('/v1/orgs/{organizationId}/saml', { ...inOrganization(), body: { label, ...body } });
const read = async (id: string, client = server.admin.client) =>
  await client.GET('/v1/orgs/{organizationId}/saml/{samlProviderId}', at(id));
const change = async (id: string, body: Body & { label?: string }, client = server.admin.client) =>
  await client.PATCH('/v1/orgs/{organizationId}/saml/{samlProviderId}', { ...at(id), body });
const remove = async (id: string, client = server.admin.client) =>
  (await client.DELETE('/v1/orgs/{organizationId}/saml/{samlProviderId}', at(id))).response.status;
const logins = async (client = server.admin.client) =>
  (await ok(client.GET('/v1/orgs/{organizationId}/sso', inOrganization()))).items;

describe('a SAML provider', () => {
  test('is pending until all required fields are set, then active', async () => {
    const { data, response } = await create('Accounts');
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(data?.urls.location);
    const id = data?.id ?? '';
    expect(data).toEqual({
      object: 'saml-provider',
      id: expect.stringMatching(/^saml_/),
      label: 'Accounts',
      ssoURL: '',
      entityID: '',
      certificate: '',
      defaultRole: null,
      createdAt: expect.any(String),
      status: 'pending',
      service: {
        acsURL: `${server.url}/saml/${id}/acs`,
        startURL: `${server.url}/saml/${id}/start`,
        entityID: `${server.url}/saml/${id}`,
      },
      urls: { location: `${server.url}/v1/orgs/${server.organization}/saml/${id}` },
    });
    const { entityID, certificate, ssoURL } = SETTINGS;
    expect((await ok(change(id, { entityID }))).status).toBe('pending');
    expect((await ok(change(id, { certificate }))).status).toBe('pending');
    expect(await ok(change(id, { ssoURL }))).toMatchObject({ ...SETTINGS, status: 'active' });
    expect(await ok(change(id, { certificate: '' }))).toMatchObject({ entityID, status: 'pending' });
    expect(await remove(id)).toBe(204);
    expect(await remove(id)).toBe(204);
    expect((await read(id)).response.status).toBe(404);
  });

  test('keeps fields that an update omits', async () => {
    const { id } = await ok(create('Keeps', { ...SETTINGS, defaultRole: 'read' }));
    expect(await ok(change(id, { label: 'Kept' }))).toMatchObject({
      ...SETTINGS,
      label: 'Kept',
      defaultRole: 'read',
    });
    expect((await ok(change(id, { defaultRole: null }))).defaultRole).toBeNull();
    expect(await ok(change(id, {}))).toEqual((await read(id)).data);
    await remove(id);
  });

  test('requires a certificate and a sign-in URL that users can sign in with', async () => {
    const { id } = await ok(create('Strict', SETTINGS));
    const invalid = [
      ['certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
      ['certificate', UNSUPPORTED_CERTIFICATES.curve],
      ['ssoURL', 'javascript:alert(1)'],
      ['ssoURL', 'ldap://accounts.example.com'],
    ] as const;
    for (const [path, value] of invalid) {
      for (const { error } of [
        await create('Invalid', { [path]: value }),
        await change(id, { [path]: value }),
      ]) {
        expect(error).toMatchObject({
          status: 400,
          reason: 'field_invalid',
          details: [{ in: 'body', path }],
        });
      }
    }
    const bare = SETTINGS.certificate.replaceAll(/-----.*-----/g, '');
    expect(await ok(change(id, { certificate: bare }))).toMatchObject({
      certificate: bare,
      status: 'active',
    });
    await remove(id);
  });

  test('adds new users to a team of the organization', async () => {
    const [team, otherTeam] = await Promise.all(
      ['Newcomers', 'Partners'].map((title) =>
        ok(
          server.admin.client.PUT('/v1/orgs/{organizationId}/teams', {
            ...inOrganization(),
            body: { title },
          }),
        ),
      ),
    );
    const { id, defaultTeam } = await ok(create('Teaming', { defaultTeam: team?.id ?? '' }));
    expect(defaultTeam).toEqual(team);
    await ok(change(id, { defaultTeam: otherTeam?.id ?? '' }));
    expect((await read(id)).data?.defaultTeam).toEqual(otherTeam);
    const rejected = [
      await create('Nowhere', { defaultTeam: 'team_nowhere' }),
      await change(id, { defaultTeam: 'team_nowhere' }),
    ];
    for (const { error } of rejected) {
      expect(error).toMatchObject({ status: 400, details: [{ in: 'body', path: 'defaultTeam' }] });
    }
    await remove(id);
  });

  test('is configured by admins; other members see only its sign-in URL', async () => {
    const [reader, outsider] = [await server.member('Reader', 'create'), await server.person('Outsider')];
    const { id } = await ok(create('Guarded', SETTINGS));
    const statuses = async (client: Client) => [
      (await client.GET('/v1/orgs/{organizationId}/saml', inOrganization())).response.status,
      (await create('Mine', {}, client)).response.status,
      (await read(id, client)).response.status,
      (await change(id, { label: 'Mine' }, client)).response.status,
      await remove(id, client),
      (await client.GET('/v1/orgs/{organizationId}/sso', inOrganization())).response.status,
    ];
    expect(await statuses(reader.client)).toEqual([403, 403, 403, 403, 403, 200]);
    expect(await statuses(outsider.client)).toEqual([404, 404, 404, 404, 204, 404]);
    expect((await ok(read(id))).label).toBe('Guarded');
    expect(await remove('saml_nowhere', reader.client)).toBe(204);
    await remove(id);
  });
});

describe('the sign-in options', () => {
  test('are the active providers, from oldest to newest', async () => {
    const guest = await server.member('Guest', null);
    const ids = [
      (await ok(create('First', SETTINGS))).id,
      (await ok(create('Pending'))).id,
      (await ok(create('Second', SETTINGS))).id,
    ];
    expect(await logins(guest.client)).toEqual([
      { id: ids[0], label: 'First', startURL: `${server.url}/saml/${ids[0]}/start` },
      { id: ids[2], label: 'Second', startURL: `${server.url}/saml/${ids[2]}/start` },
    ]);
    const listed: string[] = [];
    for await (const { id } of paginate(server.admin.client, '/v1/orgs/{organizationId}/saml', {
      params: { path: { organizationId: server.organization }, query: { limit: 1 } },
    })) {
      listed.push(id);
    }
    expect(listed).toEqual(ids);
    for (const id of ids) {
      await remove(id);
    }
    expect(await logins()).toEqual([]);
  });
});
