import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { MAX_SITE_REDIRECTS } from '../../../../server/platform/sites/site-redirects/rules.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import { statementsOf } from '../../../support/database/statements.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { fill, idOf, TIME } from '../../../support/large/fill-table.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

type Schemas = components['schemas'];
type Destination = Schemas['SiteRedirectDestination'];

const SITE = '/v1/orgs/{organizationId}/sites/{siteId}';

let server: TestServer;
let git: GitServer;
let spaces: string[];
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const guide = await spaceFrom(server, git, 'Guide', {
    'README.md': '# Guide\n',
    'setup.md': '# Setup\n',
    '.gitbook.yaml': 'redirects:\n  legacy: ./setup.md\n',
    'SUMMARY.md': '* [Guide](README.md)\n* [Setup](setup.md)\n',
  });
  const beta = await spaceFrom(server, git, 'Beta', { 'README.md': '# Beta\n' });
  spaces = [guide.space.id, beta.space.id];
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

/** Creates a public site with a guide, and a section that visitors with the claim `beta` see. */
async function siteWithRedirects() {
  const [guide = '', beta = ''] = spaces;
  const { client } = server.admin;
  const site = await VisitedSite.create(server, { spaces: [guide] });
  const params = { path: site.path };
  const section = await site.addConditionalSection(beta, 'Beta', 'visitor.claims.beta == true');
  await site.update({ adaptiveContent: { enabled: false } });
  const { items } = await ok(client.GET(`${SITE}/site-spaces`, { params }));
  const siteSpaceId = items.find(({ space }) => space.id === guide)?.id ?? '';
  const { pages } = await ok(
    client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId: guide } } }),
  );
  const url = (await site.publish()).urls.published ?? '';
  return {
    site,
    url,
    section,
    siteSpaceId,
    setup: pages.find(({ title }) => title === 'Setup')?.id ?? '',
    add: (request: Schemas['SiteRedirectCreate']) =>
      client.POST(`${SITE}/redirects`, { params, body: request }),
    /** Status and location of a page, and the target that the API reports. */
    get: async (path: string, token?: string) => {
      const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const page = await fetch(`${url}${path}`, { redirect: 'manual', headers });
      const location = page.headers.get('location');
      const [source = ''] = path.split('?');
      const { data } = await server.as(token).GET(`${SITE}/redirect`, {
        params: { path: site.path, query: { source } },
      });
      return [page.status, location === null ? undefined : new URL(location, url).href, data?.target];
    },
  };
}

type Place = Awaited<ReturnType<typeof siteWithRedirects>>;

const DESTINATIONS: [string, (place: Place) => Destination, (place: Place) => string][] = [
  [
    'a section',
    ({ section }) => ({ kind: 'site-section', siteSectionId: section }),
    ({ url }) => `${url}/beta`,
  ],
  ['a site space', ({ siteSpaceId }) => ({ kind: 'site-space', siteSpaceId }), ({ url }) => url],
  [
    'a page',
    ({ siteSpaceId, setup }) => ({ kind: 'site-page', siteSpaceId, pageId: setup }),
    ({ url }) => `${url}/setup`,
  ],
  [
    'a URL',
    () => ({ kind: 'external', url: 'https://example.com/a?b=c#d' }),
    () => 'https://example.com/a?b=c#d',
  ],
];

describe('a redirect of a site', () => {
  test.each(DESTINATIONS)('leads to %s, for pages and in the API', async (_name, destination, target) => {
    const place = await siteWithRedirects();
    const redirect = await ok(place.add({ source: '/gone/start', destination: destination(place) }));
    expect(redirect).toMatchObject({
      object: 'site-redirect',
      source: '/gone/start',
      draft: false,
      permanent: false,
    });
    const expected = target(place);
    expect(await place.get('/gone/start')).toEqual([307, expected, expected]);
    expect(await place.get('/gone')).toEqual([404, undefined, undefined]);
  });

  test.each([
    ['/a/*', '/a/b/c%20d', '/b/c%20d'],
    ['/a/*', '/a', undefined],
    ['/a/*', '/ab', undefined],
    ['/a*', '/ab/c', '/b/c'],
    ['/a*', '/a', ''],
    ['/%C3%A4/*', '/%C3%A4/x', '/x'],
  ])('of %s captures the rest of %s', async (source, path, rest) => {
    const { add, get } = await siteWithRedirects();
    const destination: Destination = { kind: 'external', url: 'https://example.com/docs/?v=1' };
    await ok(add({ source, destination, captureWildcard: true, permanent: true }));
    const target = rest === undefined ? undefined : `https://example.com/docs${rest || '/'}?v=1`;
    expect(await get(path)).toEqual([rest === undefined ? 404 : 308, target, target]);
  });

  test('applies in the order of precision, after pages and before those of repositories', async () => {
    const { add, get, url } = await siteWithRedirects();
    const to = (path: string): Destination => ({ kind: 'external', url: `https://example.com${path}` });
    await ok(add({ source: '/x*', destination: to('/text') }));
    await ok(add({ source: '/x/y/*', destination: to('/below') }));
    await ok(add({ source: '/x/y/z', destination: to('/exact') }));
    await ok(add({ source: '/setup', destination: to('/setup') }));
    await ok(add({ source: '/legacy', destination: to('/legacy') }));
    const targets = await Promise.all(
      ['/x/y/z', '/x/y/w', '/x/w', '/setup', '/legacy'].map(async (path) => (await get(path))[1]),
    );
    expect(targets).toEqual([
      ...['/exact', '/below', '/text'].map((path) => `https://example.com${path}`),
      undefined,
      'https://example.com/legacy',
    ]);
    expect((await fetch(`${url}/setup`)).status).toBe(200);
  });

  test('is not followed as a draft, or to what the visitor does not see', async () => {
    const place = await siteWithRedirects();
    const { site, add, get, section, siteSpaceId } = place;
    await ok(add({ source: '/draft', destination: { kind: 'site-space', siteSpaceId }, draft: true }));
    await ok(add({ source: '/beta-start', destination: { kind: 'site-section', siteSectionId: section } }));
    const missing: Destination = { kind: 'site-page', siteSpaceId, pageId: 'unknown' };
    await ok(add({ source: '/missing', destination: missing }));
    await site.update({ adaptiveContent: { enabled: true } });
    for (const path of ['/draft', '/beta-start', '/missing']) {
      expect([path, await get(path)]).toEqual([path, [404, undefined, undefined]]);
    }
    const [status, location] = await get('/beta-start', await site.visitorToken({ beta: true }));
    expect([status, location]).toEqual([307, `${place.url}/beta`]);
  });

  test('is permanent only on a public site, and keeps the query within the site', async () => {
    const { site, add, get, url, siteSpaceId } = await siteWithRedirects();
    await ok(add({ source: '/gone', destination: { kind: 'site-space', siteSpaceId }, permanent: true }));
    expect(await get('/gone?q=1')).toEqual([308, `${url}?q=1`, url]);
    await site.update({ visibility: 'visitor-auth' });
    expect(await get('/gone', await site.visitorToken())).toEqual([307, url, url]);
  });

  test('does not lead to itself, and applies to its site only', async () => {
    const { add, get, section } = await siteWithRedirects();
    const destination: Destination = { kind: 'site-section', siteSectionId: section };
    await ok(add({ source: '/beta*', destination, captureWildcard: true }));
    expect(await get('/beta/x')).toEqual([404, undefined, undefined]);
    expect((await get('/betamax'))[0]).toBe(307);
    const other = await siteWithRedirects();
    expect((await other.get('/betamax'))[0]).toBe(404);
  });

  test.runIf(isFirstEngine)('is not looked up for the address of a page', async () => {
    const { add, url, siteSpaceId } = await siteWithRedirects();
    await ok(add({ source: '/gone', destination: { kind: 'site-space', siteSpaceId } }));
    const lookups = async (path: string) =>
      (await statementsOf(() => fetch(`${url}${path}`, { redirect: 'manual' }))).sql.filter((statement) =>
        statement.includes('"siteRedirects"'),
      ).length;
    expect([await lookups('/setup'), await lookups('/gone')]).toEqual([0, 1]);
  });
});

describe('the redirects of a site', () => {
  test('are updated, listed and deleted', async () => {
    const { site, add, get } = await siteWithRedirects();
    const { client } = server.admin;
    const to = (path: string): Destination => ({ kind: 'external', url: `https://example.com${path}` });
    const { id } = await ok(add({ source: '/old', destination: to('/one') }));
    const params = { path: { ...site.path, siteRedirectId: id } };
    const one = `${SITE}/redirects/{siteRedirectId}` as const;
    const body = { source: '/older/*', destination: to('/two'), permanent: true };
    const updated = await ok(client.PATCH(one, { params, body }));
    expect(updated).toMatchObject({
      id,
      ...body,
      draft: false,
      captureWildcard: false,
      updatedAt: expect.any(String),
    });
    expect([(await get('/old'))[0], await get('/older/x')]).toEqual([
      404,
      [308, 'https://example.com/two', 'https://example.com/two'],
    ]);
    expect(await ok(client.GET(one, { params }))).toEqual(updated);
    const { items } = await ok(client.GET(`${SITE}/redirects`, { params: { path: site.path } }));
    expect(items).toEqual([updated]);
    await ok(client.DELETE(one, { params }));
    await ok(client.DELETE(one, { params }));
    expect((await get('/older/x'))[0]).toBe(404);
    // Of another site.
    const other = await siteWithRedirects();
    const foreign = await ok(other.add({ source: '/old', destination: to('/one') }));
    const path = { ...site.path, siteRedirectId: foreign.id };
    expect((await client.PATCH(one, { params: { path }, body: {} })).response.status).toBe(404);
  });

  test('have different sources, however they are encoded', async () => {
    const { add } = await siteWithRedirects();
    const destination: Destination = { kind: 'external', url: 'https://example.com' };
    const statusOf = async (source: string, draft = false) =>
      (await add({ source, destination, draft })).response.status;
    expect(await statusOf('/%C3%A4')).toBe(201);
    expect(await statusOf('/a%CC%88')).toBe(409);
    expect(await statusOf('/%C3%A4', true)).toBe(201);
    expect(await statusOf('/%C3%A4/*')).toBe(201);
    expect(await statusOf('/%C3%A4*')).toBe(201);
    expect(await statusOf('/%C3%A4/*')).toBe(409);
  });

  test.each(['a', '/', '//a', '/*', '/a/*/b', '/a b', '/a?b', '/%zz', '/%ff', '/a/', ''])(
    'have a valid source: not %j',
    async (source) => {
      const { add } = await siteWithRedirects();
      const { response, error } = await add({
        source,
        destination: { kind: 'external', url: 'https://example.com' },
      });
      expect([response.status, error?.details?.[0]?.path]).toEqual([400, 'source']);
    },
  );

  test('lead to entries of the site', async () => {
    const [place, other] = [await siteWithRedirects(), await siteWithRedirects()];
    const invalid: [Destination, string][] = [
      [{ kind: 'site-section', siteSectionId: other.section }, 'destination.siteSectionId'],
      [{ kind: 'site-space', siteSpaceId: other.siteSpaceId }, 'destination.siteSpaceId'],
      [{ kind: 'site-page', siteSpaceId: other.siteSpaceId, pageId: 'x' }, 'destination.siteSpaceId'],
      [{ kind: 'external', url: 'javascript:alert(1)' }, 'destination.url'],
    ];
    for (const [destination, path] of invalid) {
      const { response, error } = await place.add({ source: '/a', destination });
      expect([response.status, error?.details?.[0]?.path]).toEqual([400, path]);
    }
  });

  test('are limited in number', async () => {
    const { site, add } = await siteWithRedirects();
    await fill(server.database, 'siteRedirects', MAX_SITE_REDIRECTS - 1, {
      ...{ id: idOf(`rdr_${site.id}`), organization: server.organization, site: site.id, source: '/a' },
      ...{ path: idOf('path'), wildcard: '', draft: 0, captureWildcard: 0, permanent: 0, createdAt: TIME },
      destination: JSON.stringify({ kind: 'external', url: 'https://example.com' }),
    });
    const destination: Destination = { kind: 'external', url: 'https://example.com' };
    expect((await add({ source: '/last', destination })).response.status).toBe(201);
    const { response, error } = await add({ source: '/more', destination });
    expect([response.status, error?.reason]).toEqual([409, 'redirect_limit_exceeded']);
  });
});
