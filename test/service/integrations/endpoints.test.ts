// Runs on one engine: requests are forwarded after the reads of installations.test.ts.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { MAX_BUFFERED_BODY_BYTES_PER_CALLER } from '../../../server/contract/limits/body-memory.ts';
import { MAX_ENDPOINT_BODY_BYTES } from '../../../server/platform/integrations/calls/routes.ts';
import {
  type IntegrationReceiver,
  type ReceivedCall,
  startReceiver,
} from '../../support/integrations/integration-receiver.ts';
import { install, installed, named, publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let receiver: IntegrationReceiver;
let answer: (call: ReceivedCall) => Response;
let installation: string;
const NAME = 'endpoint';
const POLICY = "img-src 'self'";

beforeAll(async () => {
  server = await startTestServer();
  receiver = await startReceiver((call) => (call.event.type === 'fetch' ? answer(call) : new Response('OK')));
  await ok(
    publish(server.admin, NAME, {
      organization: server.organization,
      contentSecurityPolicy: POLICY,
      secrets: { KEY: 'value' },
    }),
  );
  await server.admin.client.PUT('/v1/integrations/{integrationName}/dev', {
    ...named(NAME),
    body: { tunnelUrl: receiver.url, all: true },
  });
  ({ id: installation } = await install(server.admin, NAME, server.organization));
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
});

const endpoint = async () =>
  (await ok(server.admin.client.GET('/v1/integrations/{integrationName}', named(NAME)))).urls.publicEndpoint;

const installationEndpoint = async () =>
  (
    await ok(
      server.admin.client.GET(
        '/v1/integrations/{integrationName}/installations/{installationId}',
        installed(NAME, installation),
      ),
    )
  ).urls.publicEndpoint;

/** Sends a request, and returns the response with the call that the integration received. */
async function send(url: string, init?: RequestInit): Promise<{ response: Response; call: ReceivedCall }> {
  let received: ReceivedCall | undefined;
  const answerCall = answer;
  answer = (call) => {
    received = call;
    return answerCall(call);
  };
  const response = await fetch(url, { redirect: 'manual', ...init });
  expect(received).toBeDefined();
  // The expectation before.
  return { response, call: received as ReceivedCall };
}

describe('the public endpoint of an integration', () => {
  test('uses limited memory for requests that are sent slowly', async () => {
    answer = () => new Response('received');
    const { port, hostname, host, pathname } = new URL(await endpoint());
    const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${MAX_ENDPOINT_BODY_BYTES}\r\n\r\n`;
    const allButLast = Buffer.alloc(MAX_ENDPOINT_BODY_BYTES - 1);
    const senders = Array.from(
      { length: MAX_BUFFERED_BODY_BYTES_PER_CALLER / MAX_ENDPOINT_BODY_BYTES + 1 },
      () => connect(Number(port), hostname),
    );
    const rejected = Promise.race(senders.map((sender) => once(sender, 'data')));
    for (const sender of senders) {
      sender.on('error', () => undefined).write(head);
      sender.write(allButLast);
    }
    expect(String(await rejected)).toContain('HTTP/1.1 503');
    for (const sender of senders) {
      sender.destroy();
    }
    await expect
      .poll(async () => (await fetch(await endpoint(), { method: 'POST', body: allButLast })).status)
      .toBe(200);
  });

  test('passes requests to the script, without cookies', async () => {
    answer = () => new Response('created', { status: 201, headers: { 'Content-Type': 'text/plain' } });
    const url = `${await endpoint()}/hooks/new?of=repository`;
    const { response, call } = await send(url, {
      method: 'POST',
      headers: { Cookie: 'session=secret', 'X-Signature': 'abc' },
      body: new Uint8Array([0, 255, 1]),
    });
    expect(response.status).toBe(201);
    expect(await response.text()).toBe('created');
    expect(call.event).toMatchObject({ type: 'fetch', request: { method: 'POST', url } });
    const { request } = call.event as Extract<typeof call.event, { type: 'fetch' }>;
    expect(request.headers['x-signature']).toBe('abc');
    expect(request.headers).not.toHaveProperty('cookie');
    expect([...(call.fetchBody ?? [])]).toEqual([0, 255, 1]);
    expect(call.environment.secrets).toEqual({ KEY: 'value' });
    expect(call.environment.installation).toBeUndefined();
  });

  test('isolates documents, and forwards no cookies', async () => {
    answer = () =>
      new Response('<script>1</script>', {
        headers: {
          'Content-Type': 'text/html',
          'Set-Cookie': 'a=b',
          'Content-Security-Policy': 'default-src *',
          'Clear-Site-Data': '"storage"',
        },
      });
    const { response } = await send(await endpoint());
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/^sandbox /);
    expect(policy).not.toContain('allow-same-origin');
    // The policy of the integration is for its scripts and blocks.
    expect(policy).not.toContain(POLICY);
    expect(policy).not.toContain('default-src');
    expect(response.headers.get('Set-Cookie')).toBeNull();
    expect(response.headers.get('Clear-Site-Data')).toBeNull();
    expect(response.headers.get('Content-Type')).toContain('text/html');
  });

  test('forwards redirects', async () => {
    answer = () => new Response(null, { status: 302, headers: { Location: 'https://example.com/login' } });
    const { response } = await send(await endpoint());
    expect([response.status, response.headers.get('Location')]).toEqual([302, 'https://example.com/login']);
  });

  test('rejects bodies that are too large', async () => {
    const url = await endpoint();
    const body = new Uint8Array(MAX_ENDPOINT_BODY_BYTES + 1);
    expect((await fetch(url, { method: 'POST', body })).status).toBe(413);
    answer = () => new Response('OK');
    const { call } = await send(url, { method: 'POST', body: body.slice(1) });
    expect(call.fetchBody).toHaveLength(MAX_ENDPOINT_BODY_BYTES);
  });

  test('is not found for other names', async () => {
    const base = await endpoint();
    for (const path of [
      '/integrations/unknown/endpoint',
      `/integrations/${NAME}/installations/unknown/endpoint`,
      `/integrations/${NAME}/installations/${installation}/spaces/unknown/endpoint`,
      `/integrations/${NAME}/installations/${installation}/pages/unknown/endpoint`,
    ]) {
      expect((await fetch(new URL(path, base))).status, path).toBe(404);
    }
  });

  test('returns 502 if the integration does not answer', async () => {
    await ok(publish(server.admin, 'silent', { organization: server.organization }));
    const closed = await startReceiver();
    await closed.close();
    await server.admin.client.PUT('/v1/integrations/{integrationName}/dev', {
      ...named('silent'),
      body: { tunnelUrl: closed.url, all: true },
    });
    const { urls } = await ok(server.admin.client.GET('/v1/integrations/{integrationName}', named('silent')));
    const response = await fetch(urls.publicEndpoint);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { reason: 'integration_failed' } });
  });
});

describe('the public endpoint of an installation', () => {
  test('passes requests with the installation', async () => {
    answer = () => new Response('OK');
    const { call } = await send(await installationEndpoint());
    expect(call.event).toMatchObject({ type: 'fetch', installationId: installation });
    expect(call.environment.installation?.id).toBe(installation);
    expect(call.environment.apiTokens.installation).toBeDefined();
  });

  test('on a space passes requests with the space', async () => {
    const { client } = server.admin;
    const { id: space } = await ok(
      client.POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization } },
        body: { title: 'Docs' },
      }),
    );
    const { urls } = await ok(
      client.POST('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
        ...installed(NAME, installation),
        body: { space },
      }),
    );
    answer = () => new Response('OK');
    const { call } = await send(urls.publicEndpoint);
    expect(call.event).toMatchObject({ type: 'fetch', installationId: installation, spaceId: space });
    expect(call.environment.spaceInstallation?.space).toBe(space);

    await ok(client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } }));
    expect((await fetch(urls.publicEndpoint)).status).toBe(404);
  });

  test('is not found while the installation is paused', async () => {
    const url = await installationEndpoint();
    const setStatus = (status: 'paused' | 'active') =>
      ok(
        server.admin.client.PATCH('/v1/integrations/{integrationName}/installations/{installationId}', {
          ...installed(NAME, installation),
          body: { status },
        }),
      );
    await setStatus('paused');
    expect((await fetch(url)).status).toBe(404);
    await setStatus('active');
    answer = () => new Response('OK');
    expect((await send(url)).response.status).toBe(200);
  });
});
