// Runs on one engine: sign-ins are stored by saml-sign-in.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { Wire } from '../../../support/http/wire.ts';
import { cookiesOf, signInAt } from '../../../support/saml/browser.ts';
import { type SamlServer, startSamlServer } from '../../../support/saml/sign-ins.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

const HOST = 'harbor.sites.test';

let saml: SamlServer;
let git: GitServer;
let wire: Wire;
let space: string;
let provider: components['schemas']['SamlProvider'];

beforeAll(async () => {
  saml = await startSamlServer({ COLOPHON_SITES_DOMAIN: 'sites.test' });
  git = await startGitServer();
  const { server } = saml;
  wire = new Wire(server.url);
  await ok(
    server.admin.client.PATCH('/v1/orgs/{organizationId}', {
      params: { path: { organizationId: server.organization } },
      body: { hostname: 'harbor' },
    }),
  );
  const imported = await spaceFrom(server, git, 'Guide', {
    'README.md': '# Guide\n',
    'setup.md': '# Setup\n',
    'SUMMARY.md': '* [Guide](README.md)\n* [Setup](setup.md)\n',
  });
  space = imported.space.id;
  provider = await saml.createProvider({ defaultRole: 'read' });
});
afterAll(async () => {
  wire.close();
  await git.close();
  await saml.stop();
});

const get = async (target: string, headers: Record<string, string> = {}) => {
  const {
    status,
    headers: received,
    text,
  } = await wire.send({
    method: 'GET',
    target,
    headers: { host: HOST, ...headers },
  });
  return { status, text, location: String(received.location), cookies: received['set-cookie'] ?? [] };
};

const publish = async (basename: string, body: components['schemas']['SitePatch']) => {
  const site = await VisitedSite.create(saml.server, { title: 'Private', spaces: [space] });
  await site.update({ basename, ...body });
  return site;
};

/** Returns the sign-in addresses on a page. */
const signInsOf = (text: string): string[] =>
  [...text.matchAll(/<a class="button button-primary"[^>]* href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );

test('members sign in at the identity provider, and return to the page that they requested', async () => {
  await publish('private', { visibility: 'visitor-auth' });
  const refused = await get('/private/setup');
  expect(refused.status).toBe(401);
  const [startURL = '', ...others] = signInsOf(refused.text);
  expect(others).toEqual([]);
  expect(startURL).toBe(`${provider.service.startURL}?return=%2Fsites%2Fharbor%2Fprivate%2Fsetup`);
  saml.identity.user = { email: 'ada@example.com' };
  const signedIn = await signInAt(startURL);
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([
    303,
    `${saml.server.url}/sites/harbor/private/setup`,
  ]);
  const session = { host: new URL(saml.server.url).host, cookie: cookiesOf(signedIn) };
  const { status, location } = await get('/sites/harbor/private/setup', session);
  expect([status, location]).toEqual([
    307,
    expect.stringMatching(/^https:\/\/harbor\.sites\.test\/private\/setup\?visitorToken=/),
  ]);
  const { pathname, search } = new URL(location);
  const entered = await get(pathname + search);
  expect(entered.status).toBe(303);
  const cookie = [entered.cookies]
    .flat()
    .map((text) => text.split(';')[0])
    .join('; ');
  expect(await get('/private/setup', { cookie })).toMatchObject({
    status: 200,
    text: expect.stringContaining('<h1 id="setup">Setup</h1>'),
  });
  // Also behind a proxy: the session is not sent to its origin.
  await publish('proxied', { visibility: 'visitor-auth', proxy: 'www.example.com/help' });
  const proxied = await get('/sites/harbor/proxied/setup', session);
  expect([proxied.status, proxied.location]).toEqual([
    307,
    expect.stringMatching(/^https:\/\/www\.example\.com\/help\/setup\?visitorToken=/),
  ]);
});

test('only active providers are offered, by their labels, where a token is required', async () => {
  await publish('several', { visibility: 'visitor-auth' });
  const { client } = saml.server.admin;
  const params = { path: { organizationId: saml.server.organization } };
  await ok(client.POST('/v1/orgs/{organizationId}/saml', { params, body: { label: 'Pending' } }));
  await saml.createProvider({ label: 'Contractors' });
  const { text } = await get('/several');
  expect(signInsOf(text)).toHaveLength(2);
  expect(text).toMatch(/>Accounts<\/a>.*>Contractors<\/a>/);
  expect(text).not.toContain('Pending');
  const site = await publish('keyed', { visibility: 'share-link' });
  const refused = await get('/keyed');
  expect([refused.status, signInsOf(refused.text)]).toEqual([404, []]);
  await site.update({ visibility: 'public' });
  expect(signInsOf((await get('/keyed/missing')).text)).toEqual([]);
});
