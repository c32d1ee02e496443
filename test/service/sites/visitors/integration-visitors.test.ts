import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import {
  type IntegrationReceiver,
  type ReceivedCall,
  startReceiver,
} from '../../../support/integrations/integration-receiver.ts';
import { install, installed, named, publish } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { signVisitorToken, VisitedSite } from '../../../support/sites/visited-sites.ts';

const NAME = 'provider';
const FALLBACK = 'https://accounts.example.com/login';
const PROVIDER = 'https://provider.example.com/authorize';
const one = '/v1/integrations/{integrationName}/installations/{installationId}';

let server: TestServer;
let receiver: IntegrationReceiver;
let installation: string;
let space: string;
let answer: (call: ReceivedCall) => Response;
const calls: ReceivedCall[] = [];

const redirectTo = (location: string, ...cookies: string[]) => {
  const headers = new Headers({ Location: location });
  for (const cookie of cookies) {
    headers.append('Set-Cookie', cookie);
  }
  return new Response(null, { status: 302, headers });
};

beforeAll(async () => {
  [server, receiver] = await Promise.all([
    startTestServer(),
    startReceiver((call) => {
      if (!['fetch', 'fetch_visitor_authentication'].includes(call.event.type)) {
        return new Response('OK');
      }
      calls.push(call);
      return answer(call);
    }),
  ]);
  const { admin, organization } = server;
  await ok(publish(admin, NAME, { organization, target: 'site', scopes: ['site:visitor:auth'] }));
  const dev = { ...named(NAME), body: { tunnelUrl: receiver.url } };
  await admin.client.PUT('/v1/integrations/{integrationName}/dev', dev);
  ({ id: installation } = await install(admin, NAME, organization));
  const params = { path: { organizationId: organization } };
  const body = { title: 'Guide' };
  ({ id: space } = await ok(admin.client.POST('/v1/orgs/{organizationId}/spaces', { params, body })));
}, 60_000);
afterAll(async () => {
  await receiver.close();
  await server.stop();
});

beforeEach(() => {
  calls.length = 0;
  answer = () => redirectTo(PROVIDER);
});

/**
 * Creates a site that authenticates visitors with the integration, and returns it with the secret of its installation.
 */
async function authenticatedSite(fallbackURL: string | null = null, proxyOrigin?: string) {
  const { client } = server.admin;
  const site = await VisitedSite.create(server, { visibility: 'visitor-auth', spaces: [space] });
  const { urls } = await site.update(proxyOrigin === undefined ? {} : { proxy: proxyOrigin });
  await ok(
    client.POST('/v1/integrations/{integrationName}/installations/{installationId}/sites', {
      ...installed(NAME, installation),
      body: { site: site.id },
    }),
  );
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
      params: { path: site.path },
      body: { backend: 'integration', integration: NAME, fallbackURL },
    }),
  );
  const url = server.url + new URL(urls.published ?? '').pathname;
  const local = `${server.url}/sites/${server.organization}/${site.id}`;
  await fetch(local, { redirect: 'manual' });
  const { environment } = calls[0] as ReceivedCall;
  calls.length = 0;
  const secret = environment.signingSecrets.siteInstallation ?? '';
  const endpoint = environment.siteInstallation?.urls.publicEndpoint ?? '';
  return { site, url: proxyOrigin === undefined ? url : local, secret, endpoint };
}

const read = (address: string, headers: Record<string, string> = {}) =>
  fetch(address, { redirect: 'manual', headers });

/** Reads a site with a token in its address, and then with the cookie that remembers an accepted token. */
async function enter(url: string, token: string): Promise<Response> {
  const entered = await read(`${url}?jwt_token=${token}`);
  const [cookie = ''] = entered.headers.getSetCookie();
  return entered.status === 303 ? await read(url, { Cookie: cookie.split(';')[0] ?? '' }) : entered;
}

/** Statuses of a page, of the site and of the space in the API. */
async function statusesOf({ site, url }: { site: VisitedSite; url: string }, token: string) {
  const client = server.as(token);
  const published = await client.GET('/v1/orgs/{organizationId}/sites/{siteId}/published', {
    params: { path: site.path },
  });
  const read = await client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } });
  return [(await enter(url, token)).status, published.response.status, read.response.status];
}

/** Claims of identity providers. */
const ID_TOKENS: [string, Record<string, unknown>][] = [
  ['another audience and issuer', { aud: 'client-1', iss: 'https://idp.example.com/' }],
  ['several audiences', { aud: ['client-1', 'https://api.example.com'], azp: 'client-1', nonce: 'n' }],
  ['no audience', { sub: 'user', email: 'ann@example.com' }],
];

describe('a site whose visitors an integration authenticates', () => {
  test.each(ID_TOKENS)('accepts tokens with %s, signed by its installation', async (_name, claims) => {
    const authenticated = await authenticatedSite();
    const now = Math.floor(Date.now() / 1000);
    const token = await signVisitorToken(authenticated.secret, { iat: now, nbf: now, ...claims });
    expect(await statusesOf(authenticated, token)).toEqual([200, 200, 200]);
    const own = await authenticated.site.visitorToken(claims);
    expect(await statusesOf(authenticated, own)).toEqual([200, 200, 200]);
  });

  test.runIf(isFirstEngine)('rejects tokens of other secrets', async () => {
    const authenticated = await authenticatedSite();
    const other = await authenticatedSite();
    await read(authenticated.url);
    const { signingSecrets } = (calls[0] as ReceivedCall).environment;
    for (const secret of [signingSecrets.integration, signingSecrets.installation ?? '', other.secret]) {
      const [page, site] = await statusesOf(authenticated, await signVisitorToken(secret));
      expect([page, site]).toEqual([401, 401]);
    }
  });

  test.runIf(isFirstEngine)('rejects tokens of the installation while it is paused or replaced', async () => {
    const authenticated = await authenticatedSite();
    const token = await signVisitorToken(authenticated.secret);
    const setStatus = (status: 'paused' | 'active') =>
      ok(server.admin.client.PATCH(one, { ...installed(NAME, installation), body: { status } }));
    await setStatus('paused');
    expect(await statusesOf(authenticated, token)).toEqual([401, 401, 401]);
    await setStatus('active');
    expect(await statusesOf(authenticated, token)).toEqual([200, 200, 200]);
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
        params: { path: authenticated.site.path },
        body: { backend: 'custom' },
      }),
    );
    expect(await statusesOf(authenticated, token)).toEqual([401, 401, 401]);
    const forProvider = await authenticated.site.visitorToken({ aud: 'client-1' });
    expect(await statusesOf(authenticated, forProvider)).toEqual([401, 401, 401]);
  });
});

const past = { exp: Math.floor(Date.now() / 1000) - 120 };
/** Tokens that are not accepted. */
const REJECTED: [string, (secret: string) => Promise<string> | string][] = [
  ['expired', (secret) => signVisitorToken(secret, past)],
  ['signed with another key', () => signVisitorToken('another key')],
  ['malformed', () => 'a.b.c'],
  ['empty', () => ''],
  ['too long', (secret) => signVisitorToken(secret, { text: 'x'.repeat(8000) })],
];

describe.runIf(isFirstEngine)('a token that is not accepted', () => {
  test.each(REJECTED)('ends in a page with status 401 if it is %s', async (_name, forge) => {
    for (const fallback of [null, FALLBACK]) {
      const { url, secret } = await authenticatedSite(fallback);
      const token = await forge(secret);
      for (const response of [
        await read(`${url}/setup?jwt_token=${token}&x=1`),
        await read(`${url}/setup?x=1`, { Cookie: `colophon-visitor-session=${token}` }),
      ]) {
        expect([response.status, response.headers.get('location')]).toEqual([401, null]);
        expect(response.headers.getSetCookie()[0]).toMatch(
          /^colophon-visitor-session=; Max-Age=0; Path=\/sites/,
        );
        const page = await response.text();
        expect(page).toContain('Your sign-in was not accepted');
        const { pathname } = new URL(url);
        expect(page).toContain(`href="${pathname}/setup?x=1"`);
      }
      // It is not asked where to sign in: it would return the same token again.
      expect(calls).toEqual([]);
    }
  });

  test('ends in a page in place of the fallback URL of a site without an integration', async () => {
    const site = await VisitedSite.create(server, { visibility: 'visitor-auth', spaces: [space] });
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
        params: { path: site.path },
        body: { fallbackURL: FALLBACK },
      }),
    );
    const url = `${server.url}/sites/${server.organization}/${site.id}`;
    const rejected = await read(`${url}?visitorToken=${await site.visitorToken(past)}`);
    expect(rejected.status).toBe(401);
    expect(await rejected.text()).toContain(`href="${new URL(url).pathname}/"`);
    expect((await read(url)).headers.get('location')).toBe(`${FALLBACK}?location=%2F`);
  });

  test('states so in the language of the visitor', async () => {
    const { url } = await authenticatedSite();
    const response = await read(`${url}?jwt_token=x`, { 'Accept-Language': 'de' });
    expect(await response.text()).toContain('Ihre Anmeldung wurde nicht akzeptiert');
  });
});

describe.runIf(isFirstEngine)('the cookies of the integration', () => {
  test('reach the browser, limited to its endpoint', async () => {
    const { url, endpoint } = await authenticatedSite();
    const path = new URL(endpoint).pathname;
    const long = 'x'.repeat(5000);
    answer = () => {
      const response = redirectTo(
        PROVIDER,
        `verifier=a%20b; Path=/; Domain=example.com; Max-Age=600; Secure; SameSite=None`,
        'plain=1',
        'colophon_session=stolen; Path=/',
        'Colophon-visitor-session=stolen',
        `large=${long}`,
        `padded=1; Comment=${long}${long}`,
        'kept=1; Max-Age=999999999999; SameSite=Strict',
        'malformed name=1',
        'expired=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      );
      response.headers.set('Content-Length', '0');
      response.headers.set('Clear-Site-Data', '"*"');
      response.headers.set('Strict-Transport-Security', 'max-age=99');
      return response;
    };
    const { status, headers } = await read(`${url}/setup`);
    expect([status, headers.get('location')]).toEqual([302, PROVIDER]);
    expect(headers.getSetCookie()).toEqual([
      `verifier=a%20b; Max-Age=600; Path=${path}; HttpOnly; Secure; SameSite=None`,
      `plain=1; Path=${path}; HttpOnly; SameSite=Lax`,
      `kept=1; Max-Age=2592000; Path=${path}; HttpOnly; SameSite=Strict`,
      `expired=1; Max-Age=0; Path=${path}; HttpOnly; SameSite=Lax`,
    ]);
    expect(headers.get('clear-site-data')).toBeNull();
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('cache-control')).toBe('private, no-store');
  });

  test('are limited in number', async () => {
    const { url } = await authenticatedSite();
    answer = () => redirectTo(PROVIDER, ...Array.from({ length: 50 }, (_, index) => `c${index}=1`));
    expect((await read(url)).headers.getSetCookie()).toHaveLength(10);
  });

  test('return to its endpoint, which can replace them, without cookies of the service', async () => {
    const { endpoint } = await authenticatedSite();
    answer = () => redirectTo('https://example.com/', 'verifier=; Path=/; Max-Age=0');
    const Cookie =
      'colophon_session=secret; verifier=a%20b; verifier=shadow; colophon-visitor-session=secret';
    const { headers } = await read(`${endpoint}/response?code=1`, { Cookie });
    const { event } = calls[0] as ReceivedCall;
    expect(event).toMatchObject({ type: 'fetch', request: { headers: { cookie: 'verifier=a%20b' } } });
    expect(headers.getSetCookie()).toEqual([
      `verifier=; Max-Age=0; Path=${new URL(endpoint).pathname}; HttpOnly; SameSite=Lax`,
    ]);
  });

  test('are exchanged only by the integration that authenticates the visitors of the site', async () => {
    const { endpoint, site } = await authenticatedSite();
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
        params: { path: site.path },
        body: { backend: 'custom' },
      }),
    );
    answer = () => redirectTo('https://example.com/', 'a=b');
    const installationEndpoint = endpoint.replace(/\/sites\/.*/, '/endpoint');
    for (const address of [endpoint, installationEndpoint]) {
      calls.length = 0;
      const { headers } = await read(address, { Cookie: 'verifier=1' });
      expect(headers.getSetCookie()).toEqual([]);
      expect(calls[0]?.event).not.toMatchObject({ request: { headers: { cookie: expect.anything() } } });
    }
  });

  test('are set at the public URL for a site at another origin', async () => {
    const { url } = await authenticatedSite(null, 'docs.example.com/help');
    // Without cookies, the visitor is redirected at once.
    expect((await read(`${url}/setup`)).headers.get('location')).toBe(PROVIDER);
    answer = () => redirectTo(PROVIDER, 'verifier=1');
    const elsewhere = await read(`${url}/setup`);
    expect(elsewhere.headers.getSetCookie()).toEqual([]);
    const signIn = elsewhere.headers.get('location') ?? '';
    expect(signIn).toBe(`${url}/~sign-in?location=%2Fsetup`);
    const { status, headers } = await read(signIn);
    expect([status, headers.get('location')]).toEqual([302, PROVIDER]);
    expect(headers.getSetCookie()[0]).toMatch(/^verifier=1; Path=\/integrations\//);
    expect(calls.at(-1)?.event).toMatchObject({ location: '/setup' });
  });

  test('are not needed by a visitor who is already signed in', async () => {
    const { url, secret } = await authenticatedSite();
    const headers = { Authorization: `Bearer ${await signVisitorToken(secret)}` };
    for (const [location, target] of [
      ['/setup', '/setup'],
      ['//example.com', ''],
      ['https://example.com', ''],
    ]) {
      const query = new URLSearchParams({ location: location ?? '' });
      const response = await read(`${url}/~sign-in?${query}`, headers);
      expect(response.headers.get('location')).toBe(`${url}${target}`);
    }
  });
});
