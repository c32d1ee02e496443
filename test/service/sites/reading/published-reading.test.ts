// Runs on one engine: visitors are admitted, and pages are found, by the statements of reading-visitors.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { importRepository } from '../../../support/content/imports.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

type Schemas = components['schemas'];

const SITE = '/v1/orgs/{organizationId}/sites/{siteId}';
const BETA = 'visitor.claims.beta == true';

let server: TestServer;
let git: GitServer;
let repository: ServedRepository;
let site: VisitedSite;
let url: string;
/** IDs of site spaces by their title. */
const siteSpaces: Record<string, string> = {};

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const guide = await spaceFrom(server, git, 'Guide', {
    'README.md': '# Guide\n\nCommonword.\n',
    'setup.md': `# Setup\n\n## Second step\n\nCommonword setupword.\n\n{% if ${BETA} %}\nHiddenword\n{% endif %}\n`,
    'old.md': '# Old\n',
    '.gitbook.yaml': 'redirects:\n  start: ./setup.md#second-step\n  räksmörgås: ./setup.md\n',
    'SUMMARY.md': '* [Guide](README.md)\n* Group\n  * [Setup](setup.md)\n* [Old](old.md)\n',
  });
  ({ repository } = guide);
  const second = await spaceFrom(server, git, 'Guide v1', {
    'README.md': '# Guide v1\n\nCommonword.\n',
    'SUMMARY.md': '* [Guide v1](README.md)\n',
  });
  const beta = await spaceFrom(server, git, 'Beta', { 'README.md': '# Beta\n\nCommonword betaword.\n' });
  site = await VisitedSite.create(server, { title: 'Acme', spaces: [guide.space.id, second.space.id] });
  await site.addConditionalSection(beta.space.id, 'Beta', BETA);
  // A page moves, and its earlier path remains a redirect.
  await repository.update({
    'old.md': null,
    'new.md': '# Old\n',
    'SUMMARY.md': '* [Guide](README.md)\n* Group\n  * [Setup](setup.md)\n* [Old](new.md)\n',
  });
  await importRepository(server, guide.space.id, repository);
  const { items } = await ok(server.admin.client.GET(`${SITE}/site-spaces`, { params: { path: site.path } }));
  for (const { id, title } of items) {
    siteSpaces[title] = id;
  }
  url = (await site.publish()).urls.published ?? '';
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

const tokenOf = async (beta: boolean) => await site.visitorToken({ beta });

describe('the search of a site', () => {
  const search = async (body: Schemas['SiteSearch'], token?: string) =>
    await ok(server.as(token).POST(`${SITE}/search`, { params: { path: site.path }, body }));
  const titles = async (body: Schemas['SiteSearch'], token?: string) =>
    (await search(body, token)).items.flatMap(({ pages }) => pages.map(({ title }) => title)).toSorted();

  test('finds the same pages as the search page, in the same order', async () => {
    for (const beta of [true, false]) {
      const token = await tokenOf(beta);
      for (const query of ['commonword', 'hiddenword', 'betaword', 'setup', 'nowhere', '']) {
        const response = await fetch(`${url}/~search.json?q=${query}`, {
          headers: { Authorization: `Bearer ${token}` },
        });
        const panel = (await response.json()) as {
          count: number;
          results: { href: string; title: string }[];
        };
        const { items, count } = await search({ query }, token);
        const pages = items.flatMap((item) => item.pages).toSorted((a, b) => a.rank - b.rank);
        expect([query, count, pages.map(({ title, urls }) => [title, new URL(urls.app).pathname])]).toEqual([
          query,
          panel.count,
          panel.results.map(({ title, href }) => [title, href]),
        ]);
      }
    }
  });

  test('describes the pages that it finds', async () => {
    const { items } = await search({ query: 'setupword' }, await tokenOf(false));
    const path = 'group/setup';
    const section = { path: `${path}#second-step`, urls: { app: `${url}/${path}#second-step` } };
    expect(items).toMatchObject([
      {
        ...{ type: 'space', title: 'Guide' },
        pages: [
          {
            ...{ title: 'Setup', description: '', path, rank: 1, ancestors: [{ title: 'Group' }] },
            urls: { app: `${url}/${path}` },
            sections: [{ ...section, title: 'Second step', body: expect.stringContaining('setupword') }],
          },
        ],
      },
    ]);
    expect(items[0]?.score).toBeGreaterThan(0);
    expect(JSON.stringify(items)).not.toContain('Hiddenword');
  });

  test.each<[string, () => Partial<Schemas['SiteSearch']>, string[]]>([
    ['one variant of each section', () => ({}), ['Guide', 'Setup']],
    ['the current variant', () => scope('Guide v1'), ['Guide v1']],
    ['only the current variant', () => scope('Guide', 'currentSiteSpace'), ['Guide', 'Setup']],
    ['only others', () => scope('Guide', 'otherSiteSpaces'), []],
    ['all site spaces', () => ({ scope: { mode: 'all' } }), ['Guide', 'Guide v1', 'Setup']],
    [
      'some of them',
      () => ({ scope: { mode: 'specific', siteSpaceIds: [siteSpaces['Guide v1'] ?? '', 'unknown'] } }),
      ['Guide v1'],
    ],
    ['all, for an earlier client', () => ({ mode: 'all' }), ['Guide', 'Guide v1', 'Setup']],
    [
      'the current variant, for an earlier client',
      () => ({ mode: 'current', siteSpaceId: siteSpaces['Guide v1'] ?? '' }),
      ['Guide v1'],
    ],
    ['some, for an earlier client', () => ({ siteSpaceIds: [siteSpaces['Guide v1'] ?? ''] }), ['Guide v1']],
  ])('searches %s', async (_name, options, found) => {
    expect(await titles({ query: 'commonword', ...options() }, await tokenOf(false))).toEqual(found);
  });

  const scope = (
    title: string,
    restrictTo?: 'currentSiteSpace' | 'otherSiteSpaces',
  ): Partial<Schemas['SiteSearch']> => ({
    scope: { mode: 'default', currentSiteSpace: siteSpaces[title] ?? '', ...(restrictTo && { restrictTo }) },
  });
});

describe('the redirect of a path', () => {
  /** Returns the target that the API reports, and that of the page. */
  const targets = async (path: string, token: string) => {
    const { data } = await server
      .as(token)
      .GET(`${SITE}/redirect`, { params: { path: site.path, query: { source: path } } });
    const headers = { Authorization: `Bearer ${token}` };
    const page = await fetch(`${url}${path}`, { redirect: 'manual', headers });
    const location = page.headers.get('location');
    return [data?.target, location === null ? undefined : new URL(location, url).href];
  };

  test.each([
    ['a redirect of a repository', '/start', '/group/setup#second-step'],
    ['letters outside of ASCII', '/r%C3%A4ksm%C3%B6rg%C3%A5s', '/group/setup'],
    ['an earlier path', '/old', '/new'],
    ['a group', '/group', '/group/setup'],
    ['a variant that is spelled out', '/guide/group/setup', '/group/setup'],
    ['a page', '/group/setup', undefined],
    ['nothing', '/nowhere', undefined],
    ['a path with an invalid encoding', '/%', undefined],
  ])('is that of its page, for %s', async (_name, path, target) => {
    const expected = target === undefined ? undefined : `${url}${target}`;
    expect(await targets(path, await tokenOf(false))).toEqual([expected, expected]);
  });

  test('does not include the slash at the end of an address', async () => {
    const [target, ofPage] = await targets('/', await tokenOf(false));
    expect([target, ofPage]).toEqual([undefined, url]);
  });

  test('is hidden from visitors who do not see its page', async () => {
    // The segment of a section that is hidden is a path of the default space.
    expect(await targets('/beta/', await tokenOf(false))).toEqual([undefined, undefined]);
    const [, ofPage] = await targets('/beta/', await tokenOf(true));
    expect(ofPage).toBe(`${url}/beta`);
  });

  test('names the page that it leads to', async () => {
    const query = { source: '/start' };
    const { redirect } = await ok(
      server.admin.client.GET(`${SITE}/redirect`, { params: { path: site.path, query } }),
    );
    expect(redirect).toEqual({
      ...{ object: 'site-redirect', id: expect.any(String), source: '/start', draft: false },
      ...{ captureWildcard: false, permanent: true },
      destination: { kind: 'site-page', siteSpaceId: siteSpaces.Guide, pageId: redirect.id },
    });
  });
});

describe('what visitors of a site send', () => {
  const events = [
    { type: 'page_view', session: { sessionId: 'a' }, location: { url: 'https://example.com' } },
    { type: 'search_type_query', query: 'x', unknown: { nested: [1, null] } },
  ];

  test('is accepted as events', async () => {
    const { response } = await server
      .as(undefined)
      .POST(`${SITE}/insights/events`, { params: { path: site.path }, body: { events } });
    expect(response.status).toBe(204);
    const invalid = await server.as(undefined).POST(`${SITE}/insights/events`, {
      params: { path: site.path },
      body: { events: Array.from({ length: 501 }, () => ({ type: 'page_view' })) },
    });
    expect(invalid.response.status).toBe(400);
  });

  test('is not answered if it is a question, and the reason is stated', async () => {
    const { response, error } = await server.as(undefined).POST(`${SITE}/ask`, {
      params: { path: site.path },
      body: { question: 'Why?', scope: { mode: 'default' } },
    });
    expect([response.status, error?.reason]).toEqual([501, 'not_implemented']);
    expect(error?.message).toContain('language model');
  });

  test('requires the credentials that the site requires', async () => {
    const statuses = async (token?: string, shareKey?: string) => {
      const params = { path: site.path, query: { ...(shareKey !== undefined && { shareKey }) } };
      const client = server.as(token);
      const [searched, redirected, sent, asked] = await Promise.all([
        client.POST(`${SITE}/search`, { params, body: { query: 'commonword' } }),
        client.GET(`${SITE}/redirect`, { params: { ...params, query: { ...params.query, source: '/old' } } }),
        client.POST(`${SITE}/insights/events`, { params, body: { events } }),
        client.POST(`${SITE}/ask`, { params, body: { question: 'Why?', scope: { mode: 'all' } } }),
      ]);
      return [searched, redirected, sent, asked].map(({ response }) => response.status);
    };
    const admitted = [200, 200, 204, 501];
    const refused = (status: number) => [status, status, status, status];
    await site.update({ visibility: 'share-link' });
    const { shareKey } = await site.createShareLink();
    expect(await statuses(undefined, shareKey)).toEqual(admitted);
    expect(await statuses()).toEqual(refused(401));
    expect(await statuses(undefined, 'wrong')).toEqual(refused(404));
    await site.update({ visibility: 'visitor-auth' });
    expect(await statuses(await tokenOf(false))).toEqual(admitted);
    expect(await statuses(undefined, shareKey)).toEqual(refused(404));
    expect(await statuses('a.b.c')).toEqual(refused(401));
    // The token that the resolution of a URL returns to readers.
    const jwtToken = await tokenOf(false);
    const resolved = await ok(
      server.as(undefined).POST('/v1/urls/published', { body: { url, visitor: { jwtToken } } }),
    );
    expect(await statuses('apiToken' in resolved ? resolved.apiToken : '')).toEqual(admitted);
    await site.update({ visibility: 'public' });
    expect(await statuses()).toEqual(admitted);
  });
});
