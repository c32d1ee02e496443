import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import type { components } from '../../../generated/schema.d.ts';
import { OWN_OPERATIONS, SCOPE_RIGHTS } from '../../../server/identity/installation-scopes.ts';
import type { OperationId } from '../../../server/platform/kit/slice.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { fillPath } from '../../support/http/requests.ts';
import { install, installed, named, publish, tokenOf } from '../../support/integrations/integrations.ts';
import { TestResources } from '../../support/resources.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';
import { queryOf, TABLE } from '../access/access-table.ts';

type Scope = components['schemas']['IntegrationScope'];
// The keys of the table are scopes.
const SCOPES = Object.keys(SCOPE_RIGHTS) as Scope[];
// The keys of the table of operations are operation ids.
const OPERATIONS = Object.keys(operations) as OperationId[];

const ONE = '/v1/integrations/{integrationName}/installations/{installationId}';

let server: TestServer;
let git: GitServer;
let admin: Person;
let resources: TestResources;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  admin = server.admin;
  resources = await TestResources.ofServer(server, git);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

let integrations = 0;

/** Publishes an integration with scopes, installs it, and creates a token. */
async function withScopes(scopes: Scope[]) {
  integrations += 1;
  const name = `scoped-${integrations}`;
  await ok(publish(admin, name, { organization: server.organization, visibility: 'public', scopes }));
  const { id } = await install(admin, name, server.organization);
  const { token } = await tokenOf(admin, name, id);
  return { name, id, token, client: server.as(token) };
}

/** Sends the request of an operation, and returns its status and the reason of its error. */
async function send(id: OperationId, token: string, own: TestResources) {
  const { method, path } = operations[id];
  const row = TABLE[id];
  const values = await own.pathValues(path);
  await row?.prepare?.(own);
  const body = row?.body && JSON.stringify(await row.body(own, admin));
  const response = await fetch(`${server.url}${fillPath(path, values)}${await queryOf(row, own)}`, {
    method: method.toUpperCase(),
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, reason: /"reason":"(\w+)"/.exec(await response.text())?.[1] };
}

describe.runIf(isFirstEngine)('a token with the scope', () => {
  // Each scope is tested with a quarter of the other operations, and each operation with a quarter of the scopes.
  test.each(SCOPES.map((scope, index) => [scope, index % 4] as const))(
    '%s permits its operations and no others',
    async (scope, quarter) => {
      const { token } = await withScopes([scope]);
      const permitted = new Set<OperationId>([...SCOPE_RIGHTS[scope].operations, ...OWN_OPERATIONS]);
      const others = OPERATIONS.filter((id, index) => index % 4 === quarter && !permitted.has(id));
      for (const id of others) {
        const { method, path } = operations[id];
        const response = await fetch(`${server.url}${path.replaceAll(/\{\w+\}/g, '1')}`, {
          method: method.toUpperCase(),
          headers: { Authorization: `Bearer ${token}` },
        });
        const text = await response.text();
        expect([id, response.status, /"reason":"(\w+)"/.exec(text)?.[1]]).toEqual([id, 403, 'scope_missing']);
      }
      for (const id of SCOPE_RIGHTS[scope].operations) {
        const { status, reason } = await send(id, token, resources.fresh());
        expect([id, status, reason]).toEqual([id, TABLE[id]?.outcomes[0], undefined]);
      }
    },
    120_000,
  );
});

describe('the scopes', () => {
  const methodsOf = (scope: Scope) =>
    new Set(SCOPE_RIGHTS[scope].operations.map((id) => operations[id].method));

  test.each(SCOPES.filter((scope) => scope.endsWith(':read')))('%s permits reads alone', (scope) => {
    expect([...methodsOf(scope)].filter((method) => method !== 'get')).toEqual([]);
  });

  test('permit no deletion, and no operation on members, grants or tokens', () => {
    const ids = SCOPES.flatMap((scope) => SCOPE_RIGHTS[scope].operations);
    expect(
      ids.filter((id) => /^(delete|revoke|transfer|move|publish)|Grant|Member|Token|Invite/.test(id)),
    ).toEqual([]);
  });
});

describe('an installation token', () => {
  const getSpace = async (client: Person['client'], spaceId: string) =>
    (await client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } })).response.status;
  const createSpace = async (organizationId = server.organization) =>
    (
      await ok(
        admin.client.POST('/v1/orgs/{organizationId}/spaces', {
          params: { path: { organizationId } },
          body: { title: 'Guide' },
        }),
      )
    ).id;

  test('has the format of all tokens, and expires after an hour', async () => {
    const { name, id, token } = await withScopes([]);
    expect(token).toMatch(/^colophon_[0-9A-Za-z]{49}$/);
    const { expiresAt } = await tokenOf(admin, name, id);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 59 * 60_000);
    const { client } = await withScopes([]);
    expect((await client.GET('/v1/integrations')).error?.reason).toBe('scope_missing');
    await server.database.query
      .updateTable('tokens')
      .set({ expiresAt: new Date(0).toISOString() })
      .where('user', '=', id)
      .execute();
    const { response } = await server.as(token).GET(ONE, installed(name, id));
    expect(response.status).toBe(401);
  });

  test('reaches the spaces of its organization alone', async () => {
    const { client } = await withScopes(['space:metadata:read', 'openapi:read']);
    const elsewhere = (await ok(admin.client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }))).id;
    expect(await getSpace(client, await createSpace())).toBe(200);
    expect(await getSpace(client, await createSpace(elsewhere))).toBe(404);
    const specs = await client.GET('/v1/orgs/{organizationId}/openapi', {
      params: { path: { organizationId: elsewhere } },
    });
    expect(specs.response.status).toBe(404);
  });

  test('reaches only the selected spaces, while it is active on them', async () => {
    const { name, id, client } = await withScopes(['space:metadata:read']);
    const [selected, unselected] = [await createSpace(), await createSpace()];
    await ok(admin.client.POST(`${ONE}/spaces`, { ...installed(name, id), body: { space: selected } }));
    expect([await getSpace(client, selected), await getSpace(client, unselected)]).toEqual([200, 200]);
    await ok(admin.client.PATCH(ONE, { ...installed(name, id), body: { space_selection: 'selected' } }));
    expect([await getSpace(client, selected), await getSpace(client, unselected)]).toEqual([200, 404]);
    const path = {
      params: { path: { integrationName: name, installationId: id, installedSpaceId: selected } },
    };
    await ok(admin.client.PATCH(`${ONE}/spaces/{installedSpaceId}`, { ...path, body: { status: 'paused' } }));
    expect(await getSpace(client, selected)).toBe(404);
  });

  test('reaches only the selected sites, and of these only the spaces that it reaches', async () => {
    const site = async (spaces: string[]) =>
      (
        await ok(
          admin.client.POST('/v1/orgs/{organizationId}/sites', {
            params: { path: { organizationId: server.organization } },
            body: { spaces },
          }),
        )
      ).id;
    const space = await createSpace();
    const [selected, other] = [await site([space]), await site([])];
    const { name, id, client } = await withScopes(['site:metadata:read', 'space:metadata:read']);
    const sites = async () => {
      const params = { path: { organizationId: server.organization } };
      return (await ok(client.GET('/v1/orgs/{organizationId}/sites', { params }))).items.map(
        (item) => item.id,
      );
    };
    expect(await sites()).toEqual(expect.arrayContaining([selected, other]));
    await ok(admin.client.POST(`${ONE}/sites`, { ...installed(name, id), body: { site: selected } }));
    await ok(admin.client.PATCH(ONE, { ...installed(name, id), body: { site_selection: 'selected' } }));
    expect(await sites()).toEqual([selected]);
    const spacesOf = (siteId: string) =>
      client.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
        params: { path: { organizationId: server.organization, siteId } },
      });
    expect((await spacesOf(other)).response.status).toBe(404);
    expect((await ok(spacesOf(selected))).items).toMatchObject([{ space: { id: space } }]);
    await ok(admin.client.PATCH(ONE, { ...installed(name, id), body: { space_selection: 'selected' } }));
    expect((await ok(spacesOf(selected))).items).toEqual([]);
  });

  test('writes specifications with the scope, and sees its permission', async () => {
    const params = { path: { organizationId: server.organization } };
    const body = { slug: 'by-a-script', source: { text: '{"openapi":"3.1.0"}' } };
    const { client } = await withScopes(['openapi:write']);
    const created = await ok(client.POST('/v1/orgs/{organizationId}/openapi', { params, body }));
    expect(created.permissions).toEqual({ view: true, edit: true });
    const reader = await withScopes(['openapi:read']);
    const { items } = await ok(reader.client.GET('/v1/orgs/{organizationId}/openapi', { params }));
    expect(items.find(({ slug }) => slug === body.slug)?.permissions).toEqual({ view: true, edit: false });
  });

  test('loses a scope with the version that drops it', async () => {
    const { name, client } = await withScopes(['space:metadata:read']);
    const space = await createSpace();
    expect(await getSpace(client, space)).toBe(200);
    await ok(publish(admin, name, { scopes: ['space:content:read'] }));
    expect(await getSpace(client, space)).toBe(403);
  });

  test('is rejected while the installation is paused, and after it is removed', async () => {
    const { name, id, client } = await withScopes([]);
    const read = async () => (await client.GET(ONE, installed(name, id))).response.status;
    expect(await read()).toBe(200);
    await ok(admin.client.PATCH(ONE, { ...installed(name, id), body: { status: 'paused' } }));
    expect(await read()).toBe(401);
    const paused = await admin.client.POST(`${ONE}/tokens`, installed(name, id));
    expect(paused.error?.reason).toBe('installation_paused');
    await ok(admin.client.PATCH(ONE, { ...installed(name, id), body: { status: 'active' } }));
    expect(await read()).toBe(200);
    await admin.client.DELETE(ONE, installed(name, id));
    expect(await read()).toBe(401);
  });

  test('configures its own installation, without changing its extent', async () => {
    const { name, id, client } = await withScopes([]);
    const body = { externalIds: ['customer'] };
    expect((await ok(client.PATCH(ONE, { ...installed(name, id), body }))).externalIds).toEqual(['customer']);
    for (const extent of [{ status: 'paused' }, { space_selection: 'all' }] as const) {
      const { response } = await client.PATCH(ONE, { ...installed(name, id), body: extent });
      expect(response.status).toBe(403);
    }
    const { items } = await ok(client.GET('/v1/integrations/{integrationName}/installations', named(name)));
    expect(items.map((item) => item.id)).toEqual([id]);
    const another = await withScopes([]);
    const { response } = await client.PATCH(ONE, { ...installed(another.name, another.id), body });
    expect(response.status).toBe(404);
  });

  test('is the actor of its changes in the audit trail', async () => {
    const { name, id, client } = await withScopes([]);
    await ok(client.PATCH(ONE, { ...installed(name, id), body: { externalIds: ['audited'] } }));
    const { items } = await ok(
      admin.client.GET('/v1/orgs/{organizationId}/audit-events', {
        params: { path: { organizationId: server.organization }, query: { actor: id } },
      }),
    );
    expect(items).toMatchObject([
      {
        action: 'installation.updated',
        actor: { type: 'installation', id },
        details: { fields: ['externalIds'] },
      },
    ]);
  });

  test('is the author of its changes', async () => {
    const { id, client } = await withScopes(['space:content:write']);
    const params = { path: { spaceId: await createSpace() } };
    const created = await ok(
      client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: { subject: 'By a script' } }),
    );
    expect(created.createdBy).toMatchObject({ id, displayName: expect.stringMatching(/^scoped-/) });
  });

  test('cannot change the default level of a space', async () => {
    const { client } = await withScopes(['space:metadata:write']);
    const params = { path: { spaceId: await createSpace() } };
    const level = await client.PATCH('/v1/spaces/{spaceId}', { params, body: { defaultLevel: 'admin' } });
    expect(level.response.status).toBe(403);
    await ok(client.PATCH('/v1/spaces/{spaceId}', { params, body: { title: 'Renamed' } }));
  });

  test('is created by admins of the owner too', async () => {
    const { name, id } = await withScopes([]);
    const customer = await server.person('Customer');
    const theirs = (await ok(customer.client.POST('/v1/orgs', { body: { title: 'Theirs' } }))).id;
    const installation = await install(customer, name, theirs);
    const { token } = await tokenOf(admin, name, installation.id);
    const read = await ok(server.as(token).GET(ONE, installed(name, installation.id)));
    expect(read.target).toEqual({ organization: theirs });
    const { response } = await customer.client.POST(`${ONE}/tokens`, installed(name, id));
    expect(response.status).toBe(404);
  });
});
