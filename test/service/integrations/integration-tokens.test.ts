import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import type { paths } from '../../../generated/schema.d.ts';
import { install, installed, named, publish } from '../../support/integrations/integrations.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

type Query = NonNullable<paths['/v1/orgs/{organizationId}/audit-events']['get']['parameters']['query']>;

const ONE = '/v1/integrations/{integrationName}/installations/{installationId}';

/** Returns the tokens of the request, or what the installation with an external ID is, as a webhook looks it up. */
const SCRIPT = `export default {
  async fetch(request) {
    const form = await request.formData();
    const event = JSON.parse(form.get('event'));
    const { integration, apiEndpoint, apiTokens } = JSON.parse(form.get('environment'));
    const externalId = event.request && new URL(event.request.url).searchParams.get('customer');
    if (!externalId) return Response.json(apiTokens);
    const installations = apiEndpoint + '/v1/integrations/' + integration.name + '/installations';
    const call = async (path, token, method = 'GET') =>
      (await fetch(installations + path, { method, headers: { Authorization: 'Bearer ' + token } })).json();
    const { items: [found] } = await call('?externalId=' + externalId, apiTokens.integration);
    const { token } = await call('/' + found.id + '/tokens', apiTokens.integration, 'POST');
    return Response.json(await call('/' + found.id, token));
  }
};`;

let server: TestServer;
let customer: Person;
let theirs: string;
beforeAll(async () => {
  server = await startTestServer();
  customer = await server.person('Customer');
  theirs = (await ok(customer.client.POST('/v1/orgs', { body: { title: 'Theirs' } }))).id;
}, 60_000);
afterAll(() => server.stop());

/** Publishes a script, installs it in another organization, and returns the address that its requests are sent to. */
async function published(name: string) {
  const { admin, organization } = server;
  await ok(publish(admin, name, { organization, visibility: 'public', script: SCRIPT }));
  const { id } = await install(customer, name, theirs);
  const { urls } = await ok(admin.client.GET('/v1/integrations/{integrationName}', named(name)));
  const { integration: token } = await (await fetch(urls.publicEndpoint)).json();
  return { id, endpoint: urls.publicEndpoint, token: String(token) };
}

describe('the token of an integration', () => {
  test('finds the installation that a request concerns, and creates its token', async () => {
    const { id, endpoint } = await published('webhook');
    const body = { externalIds: ['customer-1'] };
    await ok(customer.client.PATCH(ONE, { ...installed('webhook', id), body }));
    const found = await (await fetch(`${endpoint}?customer=customer-1`)).json();
    expect(found).toMatchObject({ id, target: { organization: theirs } });
  });

  test('configures all installations of the integration, without changing their extent', async () => {
    const name = 'configured.v2';
    const { id, token } = await published(name);
    const client = server.as(token);
    const params = installed(name, id);
    await ok(client.PATCH(ONE, { ...params, body: { externalIds: ['new'] } }));
    const eventsWith = async (query: Query) =>
      await ok(
        customer.client.GET('/v1/orgs/{organizationId}/audit-events', {
          params: { path: { organizationId: theirs }, query },
        }),
      );
    const [updated] = (await eventsWith({ action: 'installation.updated' })).items;
    expect(updated?.actor).toMatchObject({ type: 'integration', displayName: name });
    expect((await eventsWith({ actor: updated?.actor.id ?? '' })).items).toEqual([updated]);
    expect((await client.PATCH(ONE, { ...params, body: { status: 'paused' } })).response.status).toBe(403);
    expect((await client.DELETE(ONE, params)).response.status).toBe(403);
    const spaces = await ok(client.GET('/v1/integrations/{integrationName}/spaces', named(name)));
    expect(spaces.items).toEqual([]);
  });

  test('reaches no other integration', async () => {
    const { token } = await published('one');
    const { id } = await published('other');
    expect((await server.as(token).GET(ONE, installed('other', id))).response.status).toBe(404);
    const created = await server.as(token).POST(`${ONE}/tokens`, installed('other', id));
    expect(created.response.status).toBe(404);
    const params = named('other');
    const { items } = await ok(
      server.as(token).GET('/v1/integrations/{integrationName}/installations', params),
    );
    expect(items).toEqual([]);
  });

  test('permits no other operation', async () => {
    const { token } = await published('alone');
    const permitted: string[] = [];
    for (const [id, { method, path }] of Object.entries(operations)) {
      const { status } = await fetch(`${server.url}${path.replaceAll(/\{\w+\}/g, '1')}`, {
        method: method.toUpperCase(),
        headers: { Authorization: `Bearer ${token}` },
      });
      if (status !== 403) {
        permitted.push(id);
      }
    }
    expect(permitted.filter((id) => !/Installation|^getIntegration$/.test(id))).toEqual([]);
    expect(permitted).toContain('createInstallationToken');
    expect(permitted).not.toContain('createInstallation');
    expect(permitted).not.toContain('deleteInstallation');
  });

  test('is rejected after the integration is unpublished, also if its name is used again', async () => {
    const { token } = await published('renewed');
    const read = async () => {
      const { response } = await server.as(token).GET('/v1/integrations/{integrationName}', named('renewed'));
      return response.status;
    };
    expect(await read()).toBe(200);
    await server.admin.client.DELETE('/v1/integrations/{integrationName}', named('renewed'));
    expect(await read()).toBe(401);
    await published('renewed');
    expect(await read()).toBe(401);
  });
});
