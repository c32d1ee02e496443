import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { install, installed, publish } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

type Schemas = components['schemas'];

/** Signs every visitor in at once, with the key and the address of the site that it reads with its token. */
const SCRIPT = `
const encode = (value) => btoa(typeof value === 'string' ? value : JSON.stringify(value))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
export default {
  async fetch(request) {
    const form = await request.formData();
    const event = JSON.parse(form.get('event'));
    const { apiEndpoint, apiTokens, installation } = JSON.parse(form.get('environment'));
    if (event.type !== 'fetch_visitor_authentication') return new Response('OK');
    if (event.location === '/broken') throw new Error('cannot sign in');
    if (event.location === '/elsewhere') return Response.redirect('http://elsewhere.example/');
    const site = apiEndpoint + '/v1/orgs/' + installation.target.organization + '/sites/' + event.siteId;
    const headers = { Authorization: 'Bearer ' + apiTokens.installation };
    const [{ privateKey }, { urls }] = await Promise.all(
      [site + '/publishing/auth', site].map((url) => fetch(url, { headers }).then((response) => response.json())));
    const content = encode({ alg: 'HS256', typ: 'JWT' }) + '.' + encode({ exp: Math.floor(Date.now() / 1000) + 600 });
    const [bytes, algorithm] = [new TextEncoder(), { name: 'HMAC', hash: 'SHA-256' }];
    const key = await crypto.subtle.importKey('raw', bytes.encode(privateKey), algorithm, false, ['sign']);
    const signature = await crypto.subtle.sign('HMAC', key, bytes.encode(content));
    const token = content + '.' + encode(String.fromCharCode(...new Uint8Array(signature)));
    return Response.redirect(urls.published + event.location + '?jwt_token=' + token);
  }
};`;

const NAME = 'login';
const FALLBACK = 'https://accounts.example.com/login';
let server: TestServer;
let git: GitServer;
let site: Awaited<ReturnType<typeof publishSite>>;
let installation: string;
let space: string;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const files = { 'README.md': '# Handbook\n', 'setup.md': '# Setup\n' };
  const summary = '# Summary\n\n* [Handbook](README.md)\n* [Setup](setup.md)\n';
  space = (await spaceFrom(server, git, 'Handbook', { ...files, 'SUMMARY.md': summary })).space.id;
  site = await publishSite(server, { spaces: [space], visibility: 'visitor-auth' });
  const { admin, organization } = server;
  await ok(
    publish(admin, NAME, {
      organization,
      script: SCRIPT,
      scopes: ['site:visitor:auth', 'site:metadata:read'],
    }),
  );
  await ok(publish(admin, 'unscoped', { organization, scopes: ['site:metadata:read'] }));
  ({ id: installation } = await install(admin, NAME, organization));
  await install(admin, 'unscoped', organization);
}, 60_000);
afterAll(() => Promise.all([server.stop(), git.close()]));

const authenticateBy = (body: Schemas['SitePublishingAuthPatch']) =>
  server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
    params: { path: { organizationId: server.organization, siteId: site.id } },
    body,
  });
const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(path, { redirect: 'manual', headers });

beforeEach(async () => {
  await ok(authenticateBy({ backend: 'integration', integration: NAME, fallbackURL: FALLBACK }));
});

test('an installed integration signs visitors in, and they see the page that they requested', async () => {
  const refused = await read(`${site.url}/setup`);
  expect(refused.status).toBe(302);
  const target = refused.headers.get('location') ?? '';
  expect(target).toMatch(new RegExp(`^${site.url}/setup\\?jwt_token=`));
  const entered = await read(target);
  expect([entered.status, entered.headers.get('location')]).toEqual([
    303,
    `${new URL(site.url).pathname}/setup`,
  ]);
  const Cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const page = await read(`${site.url}/setup`, { Cookie });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Setup')]);
});

test.runIf(isFirstEngine)(
  'visitors are sent to the fallback URL if the integration does not redirect them',
  async () => {
    for (const path of ['/broken', '/elsewhere']) {
      const refused = await read(`${site.url}${path}`);
      expect(refused.headers.get('location')).toBe(`${FALLBACK}?location=${encodeURIComponent(path)}`);
    }
  },
);

test.runIf(isFirstEngine)('a paused installation signs nobody in', async () => {
  const one = '/v1/integrations/{integrationName}/installations/{installationId}';
  const pause = (status: 'paused' | 'active') =>
    ok(server.admin.client.PATCH(one, { ...installed(NAME, installation), body: { status } }));
  await pause('paused');
  expect((await read(site.url)).headers.get('location')).toContain(FALLBACK);
  await pause('active');
  expect((await read(site.url)).headers.get('location')).toContain('jwt_token');
});

test.runIf(isFirstEngine)('the space reports how its visitors are authenticated', async () => {
  const visitorAuth = async () => {
    const params = { path: { spaceId: space } };
    return (await ok(server.admin.client.GET('/v1/spaces/{spaceId}', { params }))).visitorAuth;
  };
  expect(await visitorAuth()).toEqual({ backend: 'integration', integration: NAME });
  expect(await ok(authenticateBy({ backend: 'custom' }))).not.toHaveProperty('integration');
  expect(await visitorAuth()).toEqual({ backend: 'custom' });
  expect((await read(site.url)).headers.get('location')).toContain(FALLBACK);
});

test.runIf(isFirstEngine).each<[string, Schemas['SitePublishingAuthPatch']]>([
  ['without the scope', { backend: 'integration', integration: 'unscoped' }],
  ['that is not installed', { integration: 'unknown' }],
])('an integration %s is rejected', async (_name, body) => {
  const { response, error } = await authenticateBy(body);
  expect([response.status, error?.details?.[0]?.path]).toEqual([400, 'integration']);
});

test.runIf(isFirstEngine).each([
  ['requires its name', { backend: 'integration' }],
  ['cannot be combined with another backend', { backend: 'custom', integration: NAME }],
])('the backend of an integration %s', async (_name, body) => {
  // The types exclude both.
  const { response } = await authenticateBy(body as Schemas['SitePublishingAuthPatch']);
  expect(response.status).toBe(400);
});
