import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { createSession, SESSION_COOKIE } from '../../../../server/identity/sessions.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { Wire } from '../../../support/http/wire.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

const HOST = 'harbor.sites.test';

let server: TestServer;
let git: GitServer;
let wire: Wire;
let space: string;

beforeAll(async () => {
  server = await startTestServer({ COLOPHON_SITES_DOMAIN: 'sites.test' });
  git = await startGitServer();
  wire = new Wire(server.url);
  await updateOrganization({ hostname: 'harbor' });
  const imported = await spaceFrom(server, git, 'Guide', {
    'README.md': '# Guide\n',
    'setup.md': '# Setup\n',
    'SUMMARY.md': '* [Guide](README.md)\n* [Setup](setup.md)\n',
  });
  space = imported.space.id;
});
afterAll(async () => {
  wire.close();
  await git.close();
  await server.stop();
});

const updateOrganization = async (body: components['schemas']['OrganizationPatch']) =>
  await ok(
    server.admin.client.PATCH('/v1/orgs/{organizationId}', {
      params: { path: { organizationId: server.organization } },
      body,
    }),
  );

/** Requests a path of a host. */
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await wire.send({ method: 'GET', target: path, headers: { host: HOST, ...headers } });
  return { ...response, location: response.headers.location };
};

/** Creates a published site with a basename. */
async function named(basename: string, body: components['schemas']['SitePatch'] = {}): Promise<VisitedSite> {
  const site = await VisitedSite.create(server, { title: `Site ${basename}`, spaces: [space] });
  await site.update({ basename, ...body });
  return site;
}

const publicHost = () => new URL(server.url).host;

describe('the address of an organization', () => {
  test('leads to its default content, while that is published and needs no share link', async () => {
    const site = await named('start');
    expect((await get('/')).status).toBe(404);
    expect((await get('/sites/harbor', { host: publicHost() })).status).toBe(404);
    await updateOrganization({ defaultContent: { type: 'site', site: site.id } });
    for (const [path, host] of [
      ['/', HOST],
      ['/sites/harbor', publicHost()],
      [`/sites/${server.organization}`, publicHost()],
    ] as const) {
      expect(await get(path, { host })).toMatchObject({ status: 307, location: `https://${HOST}/start` });
    }
    expect((await get('/', { host: 'elsewhere.sites.test' })).status).toBe(404);
    await site.update({ visibility: 'share-link' });
    expect((await get('/')).status).toBe(404);
    await site.update({ visibility: 'visitor-auth' });
    expect((await get('/')).status).toBe(307);
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', {
        params: { path: site.path },
      }),
    );
    const { status, text } = await get('/');
    expect(status).toBe(404);
    // The page has its styles.
    const [, style = ''] = /<link rel="stylesheet" [^>]*href="([^"]+)"/.exec(text) ?? [];
    expect((await get(style)).headers['content-type']).toBe('text/css; charset=utf-8');
  });

  test('has rules for the crawlers of all its public sites', async () => {
    await named('open');
    await named('closed-to-agents', { agentsContext: 'excluded' });
    await named('hidden', { visibility: 'unlisted' });
    await named('secret', { visibility: 'share-link' });
    await named('proxied', { proxy: 'www.example.com/docs' });
    const { status, text } = await get('/robots.txt');
    expect(status).toBe(200);
    expect(text).toContain(`Sitemap: https://${HOST}/open/sitemap.xml\n`);
    expect(text).toMatch(/User-agent: GPTBot\n(?:User-agent: [\w-]+\n)*Disallow: \/closed-to-agents\/\n\n/);
    expect(text).toMatch(/User-agent: \*\nDisallow: \/open\/~search\n/);
    expect(text).not.toMatch(/Disallow: \/open\/\n|hidden|secret|docs/);
    expect((await get('/robots.txt', { host: 'elsewhere.sites.test' })).text).toBe(
      'User-agent: *\nDisallow:\n',
    );
  });

  test.runIf(isFirstEngine)('is the same in upper case, and with a dot at the end', async () => {
    for (const host of ['HARBOR.Sites.test', `${HOST}.`, `${HOST}:8080`]) {
      expect((await get('/v1/orgs', { host })).headers['content-type']).toBe('text/html; charset=utf-8');
      expect((await get('/open', { host })).status).toBe(200);
    }
  });
});

describe.runIf(isFirstEngine)('another address of a site', () => {
  test('reveals the names of the site to nobody who may not read it', async () => {
    const site = await named('project-x', { visibility: 'share-link' });
    const { shareKey } = await site.createShareLink();
    for (const path of [`/sites/${server.organization}/${site.id}`, '/sites/harbor/project-x']) {
      const refused = await get(path, { host: publicHost() });
      expect([refused.status, refused.location]).toEqual([404, undefined]);
      expect(refused.text).not.toContain('https://harbor');
      expect(await get(`${path}/setup?shareKey=${shareKey}`, { host: publicHost() })).toMatchObject({
        status: 307,
        location: `https://${HOST}/project-x/setup?shareKey=${shareKey}`,
      });
    }
    await site.update({ visibility: 'visitor-auth' });
    const { status, location } = await get(`/sites/harbor/${site.id}`, { host: publicHost() });
    expect([status, location]).toEqual([401, undefined]);
  });

  test('takes members who are signed in to the origin of the site', async () => {
    const site = await named('for-members', { visibility: 'visitor-auth' });
    const member = await server.member('Signed.In', 'read');
    const guest = await server.member('Signed.In.Guest', null);
    const provider = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/saml', {
        params: { path: { organizationId: server.organization } },
        body: { label: 'Identity provider' },
      }),
    );
    const sessionOf = async (user: string) => {
      const session = { user, organization: server.organization, samlProvider: provider.id, now: new Date() };
      const { secret } = await server.database.transaction((trx) => createSession(trx, session));
      return { host: publicHost(), cookie: `${SESSION_COOKIE}=${secret}` };
    };
    // The session is a cookie of the public URL.
    expect((await get('/for-members/setup')).status).toBe(401);
    const entered = await get('/sites/harbor/for-members/setup', await sessionOf(member.id));
    expect(entered.status).toBe(307);
    const target = new URL(String(entered.location));
    expect(`${target.origin}${target.pathname}`).toBe(`https://${HOST}/for-members/setup`);
    const remembered = await get(target.pathname + target.search);
    expect([remembered.status, remembered.location]).toEqual([303, '/for-members/setup']);
    const [cookie = ''] = remembered.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; Path=\/for-members;.*HttpOnly; Secure/);
    expect((await get('/for-members/setup', { cookie: cookie.split(';')[0] ?? '' })).status).toBe(200);
    // Neither for others, nor to a site that everyone reads.
    expect((await get('/sites/harbor/for-members', await sessionOf(guest.id))).status).toBe(401);
    await site.update({ visibility: 'public' });
    expect((await get('/sites/harbor/for-members', await sessionOf(member.id))).location).toBe(
      `https://${HOST}/for-members`,
    );
  });
});

test.runIf(isFirstEngine)('a basename is neither that of another site nor its ID', async () => {
  const [first, second] = [await VisitedSite.create(server), await VisitedSite.create(server)];
  const { response, error } = await server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
    params: { path: second.path },
    body: { basename: first.id },
  });
  expect([response.status, error]).toMatchObject([409, { reason: 'basename_taken' }]);
});

describe.runIf(isFirstEngine)('a site behind a proxy', () => {
  let proxy: Server;
  let origin: string;
  let target: URL;
  let site: VisitedSite;

  beforeAll(async () => {
    site = await named('behind', { proxy: 'www.example.com/help/docs' });
    target = new URL((await site.update({})).proxy?.target ?? '');
    proxy = createServer((incoming, response) => {
      const path = incoming.url ?? '';
      if (!path.startsWith('/help/docs')) {
        response.writeHead(502).end('another site');
        return;
      }
      const headers: IncomingHttpHeaders = { ...incoming.headers, host: target.host };
      const { hostname, port } = new URL(server.url);
      const forwarded = request(
        {
          hostname,
          port,
          method: incoming.method,
          path: target.pathname + path.slice('/help/docs'.length),
          headers,
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      incoming.pipe(forwarded);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port has an address with a port.
    origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => proxy.close(resolve)));

  const read = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}${path}`, { redirect: 'manual', headers });
    return { response, text: await response.text() };
  };
  /** Returns the addresses of the same origin that a page has. */
  const addressesIn = (text: string): string[] => [
    ...new Set(
      [...text.matchAll(/(?:href|src|action|data-search)="(\/[^"#]*)/g)].map(([, path = '']) =>
        path.replaceAll('&amp;', '&'),
      ),
    ),
  ];

  test('has all its addresses below the path of the proxy', async () => {
    const { response, text } = await read('/help/docs/setup');
    expect(response.status).toBe(200);
    expect(text).toContain('<link rel="canonical" href="https://www.example.com/help/docs/setup">');
    const addresses = addressesIn(text);
    expect(addresses).toContain('/help/docs/setup.md');
    expect(addresses.length).toBeGreaterThan(8);
    for (const address of addresses) {
      expect([address, (await read(address)).response.status]).toEqual([address, 200]);
    }
    expect((await read('/help/docs/setup/')).response.headers.get('location')).toBe('/help/docs/setup');
    expect((await read('/help/docs/robots.txt')).text).toContain(
      'https://www.example.com/help/docs/sitemap.xml',
    );
    expect((await read('/help/docs/sitemap.xml')).text).toContain(
      '<loc>https://www.example.com/help/docs</loc>',
    );
  });

  test('has its styles on pages of errors, too', async () => {
    await site.update({ visibility: 'visitor-auth' });
    for (const [path, headers, status] of [
      ['/help/docs', {}, 401],
      ['/help/docs/setup', {}, 401],
      ['/help/docs/missing', { Authorization: `Bearer ${await site.visitorToken()}` }, 404],
      ['/help/docs/~pdf/ssp_x/y', { Authorization: `Bearer ${await site.visitorToken()}` }, 404],
    ] as const) {
      const { response, text } = await read(path, headers);
      expect([path, response.status]).toEqual([path, status]);
      const styles = addressesIn(text).filter((address) => address.endsWith('.css'));
      expect(styles.length).toBeGreaterThan(0);
      for (const style of styles) {
        expect([style, (await read(style)).response.status]).toEqual([style, 200]);
      }
    }
  });

  test('remembers credentials for the path of the proxy', async () => {
    await site.update({ visibility: 'visitor-auth' });
    const { response } = await read(`/help/docs/setup?visitorToken=${await site.visitorToken()}`);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/help/docs/setup']);
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toContain('; Path=/help/docs;');
    const headers = { Cookie: cookie.split(';')[0] ?? '' };
    expect((await read('/help/docs/setup', headers)).response.status).toBe(200);
  });
});
