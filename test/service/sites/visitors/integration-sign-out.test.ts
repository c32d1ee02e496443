// Runs on one engine: sessions and their deletion are tested on both by visitor tests; calls of integrations have no
// statements of their own.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import {
  type IntegrationReceiver,
  type ReceivedCall,
  startReceiver,
} from '../../../support/integrations/integration-receiver.ts';
import { install, named, publish } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { signVisitorToken, VisitedSite } from '../../../support/sites/visited-sites.ts';

const NAME = 'provider';
const PROVIDER = 'https://provider.example.com';

let server: TestServer;
let receiver: IntegrationReceiver;
let space: string;
let answer: (call: ReceivedCall) => Response;
const calls: ReceivedCall[] = [];

beforeAll(async () => {
  [server, receiver] = await Promise.all([
    startTestServer(),
    startReceiver((call) => {
      if (call.event.type !== 'fetch_visitor_authentication') {
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
  await install(admin, NAME, organization);
  const params = { path: { organizationId: organization } };
  const body = { title: 'Guide' };
  ({ id: space } = await ok(admin.client.POST('/v1/orgs/{organizationId}/spaces', { params, body })));
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
});
beforeEach(() => {
  calls.length = 0;
  answer = () => Response.redirect(`${PROVIDER}/authorize`);
});

const read = (address: string, headers: Record<string, string> = {}) =>
  fetch(address, { redirect: 'manual', headers });

/** Creates a site that authenticates visitors with the integration, which applies to all sites. */
async function authenticatedSite() {
  const site = await VisitedSite.create(server, { visibility: 'visitor-auth', spaces: [space] });
  const { urls } = await site.update({});
  await ok(
    server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
      params: { path: site.path },
      body: { backend: 'integration', integration: NAME },
    }),
  );
  const url = server.url + new URL(urls.published ?? '').pathname;
  await read(url);
  const secret = calls[0]?.environment.signingSecrets.siteInstallation ?? '';
  calls.length = 0;
  return { site, url, secret };
}

/** Enters a site, and returns the cookie of the session. */
async function enter(url: string, secret: string): Promise<string> {
  const entered = await read(`${url}?jwt_token=${await signVisitorToken(secret)}`);
  return entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

test('a sign-out ends the session here and at the identity provider', async () => {
  const { site, url, secret } = await authenticatedSite();
  const cookie = await enter(url, secret);
  expect((await read(url, { Cookie: cookie })).status).toBe(200);
  answer = ({ event }) =>
    Response.redirect(
      `${PROVIDER}/${'action' in event && event.action === 'logout' ? 'logout' : 'authorize'}`,
    );
  const left = await read(`${url}/~gitbook/auth/logout?location=%2Fsetup`, { Cookie: cookie });
  expect([left.status, left.headers.get('location')]).toEqual([302, `${PROVIDER}/logout`]);
  expect(left.headers.getSetCookie()[0]).toMatch(/^colophon-visitor-session=; Max-Age=0; Path=\/sites/);
  expect(calls[0]).toMatchObject({
    event: { type: 'fetch_visitor_authentication', action: 'logout', location: '/setup', siteId: site.id },
    environment: { siteInstallation: { site: site.id } },
  });
  // A copy of the cookie has no session either.
  expect((await read(url, { Cookie: cookie })).status).toBe(401);
  // The next visit is a sign-in, which has no action.
  await read(url);
  expect(calls.at(-1)?.event).not.toHaveProperty('action');
});

test('a sign-out leads to the site if the integration has no other address', async () => {
  const { url, secret } = await authenticatedSite();
  const cookie = await enter(url, secret);
  answer = () => new Response('no', { status: 500 });
  const left = await read(`${url}/~gitbook/auth/logout`, { Cookie: cookie });
  expect([left.status, left.headers.get('location')]).toEqual([302, new URL(url).pathname]);
  expect((await read(url, { Cookie: cookie })).status).toBe(401);
});

test('a site without authenticated visitors has no address to sign out', async () => {
  const site = await VisitedSite.create(server, { visibility: 'public', spaces: [space] });
  const address = `${server.url}/sites/${server.organization}/${site.id}/~gitbook/auth/logout`;
  expect((await read(address)).status).toBe(404);
});

test.each([
  [400, 400],
  [403, 403],
  [401, 400],
  [451, 400],
])('an error of the integration for its users is the text of a page: %i', async (status, shown) => {
  const { url } = await authenticatedSite();
  answer = () => Response.json({ error: 'Your plan has no <b>single sign-on</b>.' }, { status });
  for (const address of [url, `${url}/~gitbook/auth/logout`]) {
    const response = await read(address);
    expect(response.status).toBe(shown);
    expect(await response.text()).toContain('Your plan has no &lt;b&gt;single sign-on&lt;/b&gt;.');
  }
});

test('a failure of the integration has no text of its own', async () => {
  const { url } = await authenticatedSite();
  answer = () => Response.json({ error: 'stack trace' }, { status: 500 });
  const response = await read(url);
  expect(response.status).toBe(401);
  expect(await response.text()).not.toContain('stack trace');
});
