import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { createId } from '../../../server/database/seams.ts';
import { hashToken } from '../../../server/identity/tokens.ts';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { callIntegration } from '../../../server/platform/integrations/calls/call-integration.ts';
import type { IntegrationCall } from '../../../server/platform/integrations/calls/calls.ts';
import { CALL_TOKEN_LIFETIME_MS } from '../../../server/platform/integrations/calls/tokens.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import { createSandbox, type Sandbox } from '../../../server/sandbox/sandbox.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { type IntegrationReceiver, startReceiver } from '../../support/integrations/integration-receiver.ts';
import { install, installed, named, publish } from '../../support/integrations/integrations.ts';
import { untilEventsSettle } from '../../support/jobs.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let sandbox: Sandbox;
let other: Person;
let otherOrganization: string;
const receivers: IntegrationReceiver[] = [];
beforeAll(async () => {
  server = await startTestServer();
  sandbox = createSandbox({ allow: [], ownOrigin: server.url, clock: () => new Date() });
  other = await server.person('Other');
  otherOrganization = (await ok(other.client.POST('/v1/orgs', { body: { title: 'Other' } }))).id;
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await sandbox.close();
  await server.stop();
});

/** Starts a receiver. Its calls are those of this file: it also receives the events that the server raises. */
async function receiver(answer?: Parameters<typeof startReceiver>[0]): Promise<IntegrationReceiver> {
  const started = await startReceiver(answer);
  receivers.push(started);
  return {
    ...started,
    get calls() {
      return started.calls.filter(({ event }) => event.eventId === EVENT_ID);
    },
  };
}

const EVENT_ID = 'evt_1';

let now = new Date();
const call = (
  options: Omit<IntegrationCall, 'deadlineMs'> & { deadlineMs?: number },
  allow = '127.0.0.0/8',
) =>
  callIntegration(
    {
      database: server.database,
      objectStorage: undefined,
      clock: () => now,
      createId,
      resourceUrls: createResourceUrls(server.url),
      secretKey: SECRET_KEY,
      outgoing: { allow: parseAllowedRanges(allow) },
      sandbox,
      calls: { record: () => {}, flush: async () => {} },
    },
    { deadlineMs: 10_000, ...options },
  );

/** Publishes an integration in development, and installs it. */
async function inDevelopment(
  name: string,
  { url }: IntegrationReceiver,
  {
    all = false,
    organization = server.organization,
    ...publication
  }: Record<string, unknown> & {
    all?: boolean;
    organization?: string;
  } = {},
) {
  await ok(
    publish(server.admin, name, {
      organization: server.organization,
      visibility: 'public',
      secrets: { key: 'the secret' },
      ...publication,
    }),
  );
  const admin = organization === server.organization ? server.admin : other;
  const installation = await install(admin, name, organization);
  // The event of the installation is not one of the calls.
  await untilEventsSettle(server.database);
  await server.database.query.deleteFrom('tokens').where('user', '=', installation.id).execute();
  await server.admin.client.PUT('/v1/integrations/{integrationName}/dev', {
    ...named(name),
    body: { tunnelUrl: url, all },
  });
  return { name, organization, admin, ...installation };
}

const taskOf = (installationId?: string) =>
  ({
    type: 'task',
    eventId: EVENT_ID,
    task: { type: 'clean' },
    ...(installationId && { installationId }),
  }) as const;

describe.runIf(isFirstEngine)('a call of an integration in development', () => {
  test('sends the event and the environment of the installation in a form', async () => {
    const tunnel = await receiver();
    const { name, id } = await inDevelopment('form', tunnel, {
      scopes: ['space:content:read'],
      configurations: { account: { properties: { color: { type: 'string', default: 'red' } } } },
    });
    const event = taskOf(id);
    const { status, body, logs } = await call({ integration: name, installation: id, event });
    expect([status, Buffer.from(body).toString(), logs]).toEqual([200, 'OK', []]);
    const [received] = tunnel.calls;
    expect(received).toMatchObject({
      method: 'POST',
      path: '/v1',
      event,
      environment: {
        integration: { name, version: 1, owner: { id: server.organization, emailDomains: [] } },
        installation: { id, status: 'active', configuration: { color: 'red' } },
        secrets: { key: 'the secret' },
        apiEndpoint: server.url,
      },
    });
    const { apiTokens, signingSecrets, spaceInstallation, siteInstallation } = received?.environment ?? {};
    expect([spaceInstallation, siteInstallation]).toEqual([undefined, undefined]);
    expect(signingSecrets?.integration).toMatch(/^[\w-]{43}$/);
    expect(signingSecrets?.installation).toMatch(/^[\w-]{43}$/);
    expect(signingSecrets?.installation).not.toBe(signingSecrets?.integration);
    expect(apiTokens?.integration).not.toBe(apiTokens?.installation);
    const self = server.as(apiTokens?.installation);
    expect(
      (
        await ok(
          self.GET(`/v1/integrations/{integrationName}/installations/{installationId}`, installed(name, id)),
        )
      ).id,
    ).toBe(id);
    const spaces = await self.GET('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization } },
    });
    expect([spaces.response.status, spaces.error?.reason]).toEqual([403, 'scope_missing']);
  });

  test('describes the installation on the space', async () => {
    const tunnel = await receiver();
    const { name, id } = await inDevelopment('on-space', tunnel);
    const space = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization } },
        body: { title: 'Guide' },
      }),
    );
    await ok(
      server.admin.client.POST('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
        ...installed(name, id),
        body: { space: space.id },
      }),
    );
    await call({ integration: name, installation: id, space: space.id, event: taskOf(id) });
    const { environment } = tunnel.calls.find(({ event }) => event.type === 'task') ?? {};
    expect(environment?.spaceInstallation).toMatchObject({
      space: space.id,
      installation: id,
      status: 'active',
    });
    expect(environment?.signingSecrets.spaceInstallation).toMatch(/^[\w-]{43}$/);
  });

  test('sends the body of a request with its bytes', async () => {
    const tunnel = await receiver();
    const { name } = await inDevelopment('bytes', tunnel, { all: true });
    const fetchBody = Uint8Array.from({ length: 512 }, (_, at) => at % 256);
    const request = { method: 'POST', url: 'https://example.com/hook', headers: { 'x-one': '1' } };
    await call({ integration: name, event: { type: 'fetch', eventId: EVENT_ID, request }, fetchBody });
    expect(tunnel.calls[0]?.event).toMatchObject({ request });
    expect(tunnel.calls[0]?.fetchBody).toEqual(fetchBody);
    expect(tunnel.calls[0]?.environment.apiTokens).toEqual({
      integration: expect.stringMatching(/^colophon_/),
    });
  });

  test('returns the answer with its status and headers, also a redirect', async () => {
    const location = 'https://example.com/signed-in';
    const tunnel = await receiver(() => new Response('moved', { status: 302, headers: { location } }));
    const { name, id } = await inDevelopment('redirect', tunnel);
    const { status, headers } = await call({ integration: name, installation: id, event: taskOf(id) });
    expect([status, headers.get('location')]).toEqual([302, location]);
  });
});

describe.runIf(isFirstEngine)('the tunnel of an integration in development', () => {
  test('receives the calls of other organizations only with `all`', async () => {
    const tunnel = await receiver();
    const own = await inDevelopment('own-only', tunnel, {
      organization: otherOrganization,
      script: 'export default { fetch: () => new Response("from the script") };',
    });
    const event = taskOf(own.id);
    const { body } = await call({ integration: own.name, installation: own.id, event });
    expect([Buffer.from(body).toString(), tunnel.calls]).toEqual(['from the script', []]);
    const all = await inDevelopment('all', tunnel, { organization: otherOrganization, all: true });
    await call({ integration: all.name, installation: all.id, event: taskOf(all.id) });
    expect(tunnel.calls).toHaveLength(1);
  });

  test('receives the event of a removed installation of its own organization', async () => {
    const tunnel = await receiver();
    const { name, id, organization } = await inDevelopment('removed', tunnel);
    await server.admin.client.DELETE(
      '/v1/integrations/{integrationName}/installations/{installationId}',
      installed(name, id),
    );
    await call({ integration: name, installation: id, organization, event: taskOf(id) });
    expect(tunnel.calls[0]?.environment.installation).toBeUndefined();
  });

  test('is not called at an address that is not allowed', async () => {
    const tunnel = await receiver();
    const { name, id } = await inDevelopment('private', tunnel);
    await expect(call({ integration: name, installation: id, event: taskOf(id) }, '')).rejects.toMatchObject({
      reason: 'unreachable',
    });
    expect(tunnel.calls).toEqual([]);
  });

  test('must answer in time, and with a bounded size', async () => {
    let release = () => {};
    const slow = await receiver(() => new Promise((resolve) => (release = () => resolve(new Response()))));
    const late = await inDevelopment('late', slow);
    const event = taskOf(late.id);
    await expect(
      call({ integration: late.name, installation: late.id, event, deadlineMs: 200 }),
    ).rejects.toMatchObject({ reason: 'timeout' });
    release();
    const large = await inDevelopment('large', await receiver(() => new Response('x'.repeat(1001))));
    const bounded = { integration: large.name, installation: large.id, event: taskOf(large.id) };
    await expect(call({ ...bounded, maxResponseBytes: 1000 })).rejects.toMatchObject({ reason: 'output' });
    expect((await call({ ...bounded, maxResponseBytes: 1001 })).body).toHaveLength(1001);
  });

  test('is unreachable if it does not listen', async () => {
    const tunnel = await startReceiver();
    await tunnel.close();
    const { name, id } = await inDevelopment('gone', tunnel);
    await expect(call({ integration: name, installation: id, event: taskOf(id) })).rejects.toMatchObject({
      reason: 'unreachable',
    });
  });
});

/** A script that answers with what a function body returns, in JSON. It reads `event`, `environment` and `body`. */
const answering = (body: string) => `export default {
  async fetch(request) {
    const form = await request.formData();
    const event = JSON.parse(form.get('event'));
    const environment = JSON.parse(form.get('environment'));
    const body = form.get('fetch-body');
    const answer = await (async () => { ${body} })();
    return answer instanceof Response ? answer : Response.json(answer);
  },
};`;

describe('a published script', () => {
  const published = async (name: string, script: string, publication: Record<string, unknown> = {}) => {
    await ok(publish(server.admin, name, { organization: server.organization, script, ...publication }));
    return (await install(server.admin, name, server.organization)).id;
  };
  const callScript = async (name: string, id: string, options: Partial<IntegrationCall> = {}) =>
    await call({ integration: name, installation: id, event: taskOf(id), ...options });
  const read = async (name: string, id: string, options: Partial<IntegrationCall> = {}) =>
    JSON.parse(Buffer.from((await callScript(name, id, options)).body).toString());

  test.runIf(isFirstEngine)('receives its event, its own secrets and the body of a request', async () => {
    const script = answering(`
      console.log('handling', event.type);
      const bytes = body && [...new Uint8Array(await body.arrayBuffer())];
      return [event, environment.secrets, environment.integration.version, bytes];`);
    const one = await published('one', script, { secrets: { key: 'one' } });
    const two = await published('two', script, { secrets: { key: 'two' } });
    expect(await read('one', one)).toEqual([taskOf(one), { key: 'one' }, 1, null]);
    const fetchBody = Uint8Array.from([0, 255, 10]);
    expect(await read('two', two, { fetchBody })).toEqual([taskOf(two), { key: 'two' }, 1, [0, 255, 10]]);
    expect((await callScript('one', one)).logs).toEqual([
      { message: 'handling task', level: 'info', timestamp: expect.stringMatching(/Z$/) },
    ]);
  });

  test('calls this API with the token of the installation', async () => {
    const id = await published(
      'calling',
      answering(`
        const { apiEndpoint, apiTokens, integration, installation } = environment;
        const get = async (path) => {
          const headers = { Authorization: 'Bearer ' + apiTokens.installation };
          return (await fetch(apiEndpoint + '/v1' + path, { headers })).status;
        };
        return [await get('/integrations/' + integration.name + '/installations/' + installation.id), await get('/orgs')];`),
    );
    expect(await read('calling', id)).toEqual([200, 403]);
  });

  test.runIf(isFirstEngine)('is that of the current version', async () => {
    const id = await published('versions', answering('return 1;'));
    expect(await read('versions', id)).toBe(1);
    await ok(publish(server.admin, 'versions', { script: answering('return 2;') }));
    expect(await read('versions', id)).toBe(2);
  });

  test.runIf(isFirstEngine)(
    'answers when its work in the background is complete, unless somebody waits',
    async () => {
      const id = await published(
        'background',
        `export default { async fetch(request, env, ctx) {
        const { type } = JSON.parse((await request.formData()).get('event'));
        const delay = type === 'fetch_published_script' ? 60_000 : 10;
        ctx.waitUntil(new Promise((resolve) => setTimeout(resolve, delay)).then(() => console.log('complete')));
        return new Response('OK');
      } };`,
      );
      expect((await callScript('background', id)).logs).toMatchObject([{ message: 'complete' }]);
      const event = { type: 'fetch_published_script', eventId: EVENT_ID, installationId: id } as const;
      expect((await callScript('background', id, { event })).logs).toEqual([]);
    },
  );

  test.runIf(isFirstEngine)('fails with a reason and its log', async () => {
    // The event of its installation ends, which would otherwise use the processor until its deadline.
    const loop = `if (event.eventId === '${EVENT_ID}') { console.log('before'); for (;;); }`;
    const id = await published('failing', answering(loop));
    await expect(callScript('failing', id, { deadlineMs: 1000 })).rejects.toMatchObject({
      name: 'IntegrationCallError',
      reason: 'timeout',
      logs: [{ message: 'before' }],
    });
  });
});

describe('the token of an installation', () => {
  /** Counts the stored tokens among those that the receiver received from this file. */
  const storedOf = async ({ calls }: IntegrationReceiver) => {
    const hashes = calls.map(({ environment }) => hashToken(environment.apiTokens.installation ?? ''));
    const rows = await server.database.query
      .selectFrom('tokens')
      .select('id')
      .where('hash', 'in', hashes)
      .execute();
    return rows.length;
  };

  test('is used again until half of its lifetime has passed, and expired ones are deleted', async () => {
    const tunnel = await receiver();
    const { name, id } = await inDevelopment('tokens', tunnel);
    const send = async () => {
      await call({ integration: name, installation: id, event: taskOf(id) });
      return tunnel.calls.at(-1)?.environment.apiTokens.installation;
    };
    now = new Date();
    const first = await send();
    expect(await send()).toBe(first);
    expect(await storedOf(tunnel)).toBe(1);
    now = new Date(now.getTime() + CALL_TOKEN_LIFETIME_MS / 2 + 1);
    expect(await send()).not.toBe(first);
    expect(await storedOf(tunnel)).toBe(2);
    now = new Date(now.getTime() + CALL_TOKEN_LIFETIME_MS);
    await send();
    expect(await storedOf(tunnel)).toBe(1);
    now = new Date();
  });

  test('is replaced after it was revoked', async () => {
    const tunnel = await receiver();
    const { name, id } = await inDevelopment('revoked', tunnel);
    await call({ integration: name, installation: id, event: taskOf(id) });
    await server.database.query
      .updateTable('tokens')
      .set({ revokedAt: new Date().toISOString() })
      .where('user', '=', id)
      .execute();
    await call({ integration: name, installation: id, event: taskOf(id) });
    const [revoked, current] = tunnel.calls.map(({ environment }) => environment.apiTokens.installation);
    expect(current).not.toBe(revoked);
  });
});
