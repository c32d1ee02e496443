// Runs on one engine: responses are verified before the statements of saml-sign-in.test.ts.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createId } from '../../../server/database/seams.ts';
import { createSamlService } from '../../../server/platform/accounts/saml/routes.ts';
import { createSamlThreads } from '../../../server/platform/accounts/saml/threads.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import { ATTACKS } from '../../support/saml/attacks.ts';
import { cookiesOf, postForm, startSignIn, visit } from '../../support/saml/browser.ts';
import { PROVIDER_KEY } from '../../support/saml/keys.ts';
import { encode, signedResponse } from '../../support/saml/responses.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type SamlProvider = components['schemas']['SamlProvider'];

/** URL of a server behind a proxy with TLS. */
const PUBLIC_URL = 'https://docs.example.com';
const SETTINGS = {
  entityID: 'https://accounts.example.com/saml',
  certificate: PROVIDER_KEY.certificate,
  ssoURL: 'https://accounts.example.com/saml/login?tenant=acme',
};

let server: TestServer;
let secure: TestServer;
beforeAll(async () => {
  [server, secure] = await Promise.all([
    startTestServer(),
    startTestServer({ COLOPHON_PUBLIC_URL: PUBLIC_URL }),
  ]);
});
afterAll(() => Promise.all([server.stop(), secure.stop()]));

const createProvider = (body: object = {}, at = server): Promise<SamlProvider> =>
  ok(
    at.admin.client.POST('/v1/orgs/{organizationId}/saml', {
      params: { path: { organizationId: at.organization } },
      body: { label: 'Accounts', ...SETTINGS, ...body },
    }),
  );
/** Returns a service URL as the proxy requests it. */
const behindProxy = (url: string) => url.replace(PUBLIC_URL, secure.url);

/** Returns a body without a known size in its headers. */
const streamOf = (...chunks: Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new Response(new Blob(chunks)).body ?? new ReadableStream();

/** Starts a sign-in, and returns the values that its response needs. */
async function start(provider: SamlProvider, path = '', headers: Record<string, string> = {}) {
  const { acsURL, entityID, startURL } = provider.service;
  const started = await startSignIn(behindProxy(startURL) + path, headers);
  const { requestId, relayState, cookie } = started;
  const values = { acsURL, audience: entityID, issuer: SETTINGS.entityID, requestId };
  const send = (response = encode(signedResponse(values)), headers: Record<string, string> = {}) =>
    postForm(behindProxy(acsURL), { SAMLResponse: response, RelayState: relayState }, headers);
  return { ...started, values, cookie, send };
}

describe('the metadata', () => {
  test('describes the service to an identity provider', async () => {
    const { service } = await createProvider();
    const response = await visit(service.entityID);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/samlmetadata+xml; charset=utf-8',
    ]);
    const xml = await response.text();
    expect(xml).toContain(`entityID="${service.entityID}"`);
    expect(xml).toContain(`Location="${service.acsURL}"`);
    expect(xml).toContain('WantAssertionsSigned="true"');
    expect(xml).toContain('Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"');
  });
});

describe('a sign-in', () => {
  test('starts with a redirect to the identity provider', async () => {
    const provider = await createProvider();
    const { url, requestId, relayState } = await start(provider);
    expect(`${url.origin}${url.pathname}`).toBe('https://accounts.example.com/saml/login');
    expect([...url.searchParams.keys()]).toEqual(['tenant', 'SAMLRequest', 'RelayState']);
    expect(requestId).toMatch(/^_[\da-f]{40}$/);
    // At most 80 bytes (SAML bindings, section 3.4.3).
    expect(relayState).toMatch(/^[\w-]{43}$/);
  });

  test('ends with a page, or a redirect to a path of this server', async () => {
    const provider = await createProvider();
    const page = await (await start(provider)).send();
    expect(page.status).toBe(200);
    const redirect = await (await start(provider, '?return=/docs%3Fa%3Db%23c')).send();
    expect([redirect.status, redirect.headers.get('location')]).toEqual([303, `${server.url}/docs?a=b#c`]);
    expect(cookiesOf(redirect)).toContain('colophon_session=');
  });

  test.each([
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    'https://evil.example',
    '/a&return=/b',
    '',
  ])('does not start with the path to return to %j', async (path) => {
    const { service } = await createProvider();
    const query = path.includes('&') ? path : encodeURIComponent(path);
    const response = await visit(`${service.startURL}?return=${query}`);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('is possible with active providers only', async () => {
    const ids = ['saml_nowhere'];
    for (const missing of ['entityID', 'certificate', 'ssoURL'] as const) {
      const { [missing]: _, ...body } = SETTINGS;
      const { id } = await ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/saml', {
          params: { path: { organizationId: server.organization } },
          body: { label: 'Pending', ...body },
        }),
      );
      ids.push(id);
    }
    // As stored by releases that did not validate settings.
    for (const invalid of [{ certificate: 'x' }, { ssoURL: 'javascript:alert(1)' }]) {
      const { id } = await createProvider();
      await server.database.query.updateTable('samlProviders').set(invalid).where('id', '=', id).execute();
      ids.push(id);
    }
    for (const id of ids) {
      const at = `${server.url}/saml/${id}`;
      const responses = [await visit(at), await visit(`${at}/start`), await postForm(`${at}/acs`, {})];
      for (const response of responses) {
        expect(response.status).toBe(404);
        expect(await response.text()).toContain('its settings are incomplete or invalid');
      }
    }
  });

  test.each(ATTACKS)('is rejected with $name', async ({ response }) => {
    const provider = await createProvider();
    const { values, send } = await start(provider);
    const rejected = await send(response(values));
    expect([rejected.status, cookiesOf(rejected)]).toEqual([400, '']);
    expect(await rejected.text()).toContain('The response of the identity provider was rejected.');
    const sessions = server.database.query.selectFrom('sessions').select('hash');
    expect(await sessions.where('samlProvider', '=', provider.id).execute()).toEqual([]);
    expect((await send()).status).toBe(200);
  });

  test('is rejected with a form that is too large, compressed or incomplete', async () => {
    const { service } = await createProvider();
    const { send } = await start(await createProvider());
    expect((await send('A'.repeat(262_144))).status).toBe(413);
    const post = (body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(service.acsURL, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      });
    const chunk = Buffer.alloc(100_000, 'A');
    expect((await post(streamOf(chunk, chunk, chunk))).status).toBe(413);
    const compressed = gzipSync(`SAMLResponse=${'A'.repeat(10_000_000)}`);
    const unsupported = [
      await post(compressed, { 'Content-Encoding': 'gzip' }),
      await post('{}', { 'Content-Type': 'application/json' }),
    ];
    expect(unsupported.map(({ status }) => status)).toEqual([415, 415]);
    const incomplete = [
      'RelayState=x',
      'SAMLResponse=a&SAMLResponse=b&RelayState=x',
      'SAMLResponse=a&RelayState=x&RelayState=y',
    ];
    for (const body of incomplete) {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('must contain one SAMLResponse and one RelayState');
    }
  });
});

describe('responses', () => {
  test('are pages without scripts for browsers, and JSON for others', async () => {
    const url = `${server.url}/saml/saml_nowhere/start`;
    const page = await visit(url, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^' ]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await page.text()).toContain(page.headers.get('x-request-id'));
    for (const Accept of ['*/*', 'application/json']) {
      const json = await visit(url, { Accept });
      expect(await json.json()).toEqual({
        error: {
          code: 404,
          reason: 'not_found',
          message: expect.stringContaining('SAML provider'),
          requestId: json.headers.get('x-request-id'),
        },
      });
    }
  });

  test('escape the title of the organization', async () => {
    const title = '<script>alert(1)</script>';
    const { id } = await ok(server.admin.client.POST('/v1/orgs', { body: { title } }));
    const provider = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/saml', {
        params: { path: { organizationId: id } },
        body: { label: 'Accounts', ...SETTINGS },
      }),
    );
    const page = await (await (await start(provider)).send()).text();
    expect(page).toContain('Signed in to &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toContain('<script');
  });

  test('are limited in number for each address', async () => {
    const limited = await startTestServer({ COLOPHON_RATE_LIMIT: '3' });
    try {
      const statuses: number[] = [];
      for (let index = 0; index < 4; index++) {
        statuses.push((await visit(`${limited.url}/saml/saml_nowhere/start`)).status);
      }
      expect(statuses).toEqual([404, 404, 404, 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe('the log', () => {
  test('states why a sign-in was rejected', async () => {
    const lines: object[] = [];
    const app = express();
    app.use((_req, res, next) => {
      res.locals.requestId = 'request-1';
      next();
    });
    const ignore = () => undefined;
    const warn = (details: object, message: string) => lines.push({ ...details, message });
    const log = { debug: ignore, info: ignore, error: ignore, warn };
    const { database, url } = server;
    const resourceUrls = createResourceUrls(url);
    const samlThreads = createSamlThreads();
    app.use(
      createSamlService({
        clock: () => new Date(),
        database,
        log,
        createId,
        resourceUrls,
        samlThreads,
        quotas: NO_QUOTAS,
      }),
    );
    const listener = app.listen(0, '127.0.0.1');
    try {
      await once(listener, 'listening');
      // The address of a server that listens on a port is an object.
      const { port } = listener.address() as AddressInfo;
      const { id, service } = await createProvider();
      const { requestId, relayState } = await startSignIn(service.startURL);
      const values = { acsURL: service.acsURL, audience: service.entityID, issuer: SETTINGS.entityID };
      for (const destination of ['https://other.example.com', `https://${'o'.repeat(1000)}.example.com`]) {
        const response = signedResponse({ ...values, requestId, destination });
        const fields = { SAMLResponse: encode(response), RelayState: relayState };
        const { status } = await postForm(`http://127.0.0.1:${port}/saml/${id}/acs`, fields);
        expect(status).toBe(400);
      }
      const cause = `The response is for the destination https://other.example.com, not for ${service.acsURL}.`;
      const line = { requestId: 'request-1', samlProvider: id, message: 'SAML sign-in rejected' };
      expect(lines).toEqual([
        { ...line, cause },
        { ...line, cause: expect.stringMatching(/^.{500}$/) },
      ]);
    } finally {
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
      await samlThreads.close();
    }
  });
});

describe('cookies', () => {
  test('of sessions are not available to scripts and other sites', async () => {
    const plain = await (await start(await createProvider())).send();
    expect(plain.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^colophon_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
    ]);
    const { send, cookie } = await start(await createProvider({}, secure));
    const response = await send(undefined, { Cookie: cookie });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^colophon_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
  });

  test('bind a sign-in to the browser that started it', async () => {
    const provider = await createProvider({}, secure);
    const [mine, theirs] = [await start(provider), await start(provider)];
    expect(mine.cookie).toMatch(/^colophon_sign_in=[\w-]{43}$/);
    expect(theirs.cookie).not.toBe(mine.cookie);
    for (const headers of [{}, { Cookie: theirs.cookie }, { Cookie: 'colophon_sign_in=' }]) {
      const rejected = await mine.send(undefined, headers);
      expect([rejected.status, cookiesOf(rejected)]).toEqual([400, '']);
    }
    // Another sign-in in the same browser.
    const second = await start(provider, '', { Cookie: mine.cookie });
    expect(second.cookie).toBe(mine.cookie);
    expect((await mine.send(undefined, { Cookie: mine.cookie })).status).toBe(200);
    expect((await second.send(undefined, { Cookie: mine.cookie })).status).toBe(200);
    const planted = await start(provider, '', { Cookie: 'colophon_sign_in=known' });
    expect(planted.cookie).not.toContain('known');
  });
});
