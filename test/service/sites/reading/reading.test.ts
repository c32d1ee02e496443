// Runs on one engine: pages are rendered after the reads of reading-visitors.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { importRepository } from '../../../support/content/imports.ts';
import { arabicHandbook, handbook } from '../../../support/content/published-content.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../../../support/git/git-server.ts';
import { Wire } from '../../../support/http/wire.ts';
import { png } from '../../../support/pdf/pngs.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

type Site = Awaited<ReturnType<typeof publishSite>>;

let server: TestServer;
let git: GitServer;
let english: string;
let arabic: string;
let repository: ServedRepository;
let site: Site;

beforeAll(async () => {
  server = await startTestServer({ COLOPHON_SITES_DOMAIN: 'sites.test' });
  git = await startGitServer();
  const imported = await spaceFrom(server, git, 'English', handbook(), 'en');
  repository = imported.repository;
  english = imported.space.id;
  arabic = (await spaceFrom(server, git, 'Arabic', arabicHandbook(), 'ar')).space.id;
  site = await publishSite(server, { spaces: [english, arabic] });
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

/** Requests a path of a site without following redirects. */
const get = async (path = '', init: RequestInit & { at?: Site } = {}) => {
  const response = await fetch(`${(init.at ?? site).url}${path}`, { redirect: 'manual', ...init });
  const { status, headers } = response;
  return { status, headers, text: await response.text(), location: headers.get('location') };
};

const update = async (siteId: string, body: components['schemas']['SitePatch']) =>
  await ok(
    server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
      params: { path: { organizationId: server.organization, siteId } },
      body,
    }),
  );

/** Returns the addresses that a page links to, below the site. */
const linksIn = (text: string): Set<string> => {
  const base = new URL(site.url).pathname;
  return new Set(
    [...text.matchAll(/href="([^"#]*)/g)].flatMap(([, href = '']) =>
      href.startsWith(base) && !href.includes('/~assets/') ? [href.slice(base.length)] : [],
    ),
  );
};

describe('a page', () => {
  test('has its content, metadata and navigation', async () => {
    const { status, text } = await get('/guides/quickstart');
    expect(status).toBe(200);
    expect(text).toContain('<title>Quickstart | Meridian</title>');
    expect(text).toContain('content="Send a first payment in five minutes');
    expect(text).toContain(`<link rel="canonical" href="${site.url}/guides/quickstart">`);
    expect(text).toContain('<html lang="en" dir="ltr"');
    expect(text).toContain('Create a payment</a></li>');
    expect(text).toMatch(/aria-current="page"[^>]*><span>Quickstart/);
    expect(text).toMatch(/rel="prev" href="[^"]*"><small>Previous<\/small><span>Introduction/);
    expect(text).toMatch(/rel="next" href="[^"]*\/guides\/webhooks"/);
    expect(text).toContain('hl-k');
  });

  test('is linked, with every address it links to on the site', async () => {
    const { text } = await get();
    const links = linksIn(text);
    expect(links).toContain('/guides/quickstart');
    expect(links).toContain('/arabic');
    for (const link of links) {
      expect([200, 302], link).toContain((await get(link)).status);
    }
  });

  test('is hidden from lists, but readable, if the author hides it', async () => {
    for (const path of [
      '',
      '/sitemap.xml',
      '/llms.txt',
      '/~search?q=reachable',
      '/~search.json?q=reachable',
    ]) {
      expect((await get(path)).text, path).not.toContain('Hidden page');
    }
    // They are not counted, either.
    expect(JSON.parse((await get('/~search.json?q=reachable')).text)).toEqual({ count: 0, results: [] });
    expect((await get('/~search?q=reachable')).text).toContain('No results for “reachable”');
    expect(await get('/reference/secret')).toMatchObject({ status: 200 });
  });

  test('is shown from right to left in the language of its space', async () => {
    const { status, text } = await get(encodeURI('/arabic/الأدلة/quickstart'));
    expect(status).toBe(200);
    expect(text).toContain('<html lang="ar" dir="rtl"');
    expect(text).toContain('البدء السريع');
    expect(text).toContain('placeholder="بحث"');
    const [, current] = /aria-current="true"[^>]*><span>(\w+)/.exec(text) ?? [];
    expect(current).toBe('Arabic');
    expect(text).toContain('آخر تحديث');
    // Spaces without a language have that of the site, which does not replace that of others.
    const { space } = await spaceFrom(server, git, 'Guide', { 'README.md': '# Guide\n' });
    const customized = await publishSite(server, { spaces: [space.id, arabic] });
    const { client } = server.admin;
    const params = { path: { organizationId: server.organization, siteId: customized.id } };
    const customization = await ok(
      client.GET('/v1/orgs/{organizationId}/sites/{siteId}/customization', { params }),
    );
    await ok(
      client.PUT('/v1/orgs/{organizationId}/sites/{siteId}/customization', {
        params,
        body: { ...customization, internationalization: { locale: 'fr' } },
      }),
    );
    expect((await get('', { at: customized })).text).toContain('placeholder="Rechercher"');
    expect((await get('/arabic', { at: customized })).text).toContain('placeholder="بحث"');
  });

  test('runs only scripts and styles with the nonce of its response', async () => {
    const responses = [await get(), await get()];
    const nonces = responses.map(({ headers, text }) => {
      const policy = headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /script-src 'nonce-([\w-]+)'/.exec(policy) ?? [];
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain(`style-src 'nonce-${nonce}'`);
      expect(policy).not.toContain('unsafe');
      const tags = [...text.matchAll(/<(?:script|style|link rel="stylesheet")[^>]*>/g)].map(([tag]) => tag);
      expect(tags.length).toBeGreaterThan(4);
      expect(tags.filter((tag) => !tag.includes(` nonce="${nonce}"`))).toEqual([]);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
  });

  test('is revalidated with its tag, and has no body for HEAD', async () => {
    const { headers } = await get('/guides/webhooks');
    const tag = headers.get('etag') ?? '';
    expect(headers.get('cache-control')).toBe('public, no-cache');
    const unchanged = await get('/guides/webhooks', { headers: { 'If-None-Match': tag } });
    expect(unchanged).toMatchObject({ status: 304, text: '' });
    // The stored page has the nonce of the stored policy.
    expect(unchanged.headers.get('content-security-policy')).toBeNull();
    expect(await get('/guides/webhooks', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await get('/guides/webhooks', { method: 'POST' })).toMatchObject({ status: 405 });
  });

  test('is available as Markdown', async () => {
    const { status, headers, text } = await get('/guides/quickstart.md');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text).toMatch(/^# Quickstart\n/);
    expect((await get('/missing.md')).status).toBe(404);
    // Links lead to pages as Markdown, and to files, without the paths of the repository.
    const first = (await get('/readme.md')).text;
    expect(first).toContain(`[quickstart](${site.url}/guides/quickstart.md)`);
    expect(first).toContain(`[errors](${site.url}/reference/errors.md#retries)`);
    const [, image = ''] = /<img src="([^"]+)" alt="The states of a payment"/.exec(first) ?? [];
    expect(image).toMatch(new RegExp(`^${site.url}/~files/`));
    expect((await fetch(image)).headers.get('content-type')).toBe('image/png');
    expect(first).not.toContain('](guides/');
  });

  test('sends images at the address of the site, and their dimensions in the page', async () => {
    const { text } = await get();
    const [, src = '', width, height] =
      /<img src="([^"]+flow\.png)"[^>]* width="(\d+)" height="(\d+)"/.exec(text) ?? [];
    expect([width, height]).toEqual(['960', '320']);
    expect(src).not.toContain('signature');
    const image = await fetch(new URL(src, site.url));
    expect(image.headers.get('content-type')).toBe('image/png');
    expect(image.headers.get('content-security-policy')).toContain('sandbox');
    await image.arrayBuffer();
    const foreign = src.replace(/ssp_\w+/, 'ssp_foreign');
    expect((await fetch(new URL(foreign, site.url))).status).toBe(404);
  });

  test('can be downloaded as PDF, with links to the site', async () => {
    const [, href = ''] = /href="([^"]+~pdf[^"]+)"/.exec((await get('/guides/testing')).text) ?? [];
    const pdf = await fetch(new URL(href, site.url), { redirect: 'manual' });
    expect(pdf.status).toBe(200);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect(pdf.headers.get('cache-control')).toBe('private, no-cache');
    await pdf.arrayBuffer();
    expect((await get('/~pdf/ssp_foreign/x')).status).toBe(404);
  });
});

test('a page has its cover, moved and in both themes', async () => {
  const cover = (size: string) =>
    `---\ncover: light.png\ncoverDark: dark.png\ncoverY: 120\nlayout:\n  cover:\n    visible: true\n    size: ${size}\n---\n\n`;
  const { space } = await spaceFrom(server, git, 'Covers', {
    'README.md': `${cover('full')}# Full\n`,
    'hero.md': `${cover('hero')}# Hero\n`,
    'light.png': png(1200, 800),
    'dark.png': png(600, 400),
    'SUMMARY.md': '* [Full](README.md)\n* [Hero](hero.md)\n',
  });
  const at = await publishSite(server, { spaces: [space.id] });
  const { text } = await get('', { at });
  expect(text).toMatch(
    /<div class="cover cover-full"><img class="light-only" src="[^"]+" alt="" width="1200" height="800"><img class="dark-only" src="[^"]+" alt="" width="600" height="400"><\/div>\s*<div class="layout/,
  );
  expect(text).toContain('.cover img{object-position:50% clamp(100%,50% + 10.000cqi,0%)}');
  expect(text).toContain('.cover .dark-only{object-position:50% clamp(100%,50% + 20.000cqi,0%)}');
  expect((await get('/hero', { at })).text).toMatch(/<main [^>]*>\s*<div class="cover"><img/);
});

describe('addresses', () => {
  test('redirect to the current form', async () => {
    const base = new URL(site.url).pathname;
    for (const [path, expected] of [
      ['/', ''],
      ['/readme', ''],
      ['/english', ''],
      ['/english/guides/quickstart', '/guides/quickstart'],
      ['/guides/quickstart/', '/guides/quickstart'],
      ['/guides', '/guides/quickstart'],
      ['/arabic/readme', '/arabic'],
    ]) {
      const { status, location } = await get(path);
      expect([path, status, location], path).toEqual([path, 308, `${base}${expected}`]);
    }
  });

  test('of the site redirect from its ID when it has a basename', async () => {
    const other = await publishSite(server, { spaces: [arabic] });
    await update(other.id, { basename: 'manual' });
    expect(await get('/quickstart?x=1', { at: other })).toMatchObject({
      status: 307,
      location: `${other.url.replace(other.id, 'manual')}/quickstart?x=1`,
    });
  });

  test('of pages that moved redirect to where they are now', async () => {
    const summary =
      handbook()['SUMMARY.md']?.toString().replace('guides/quickstart.md', 'guides/start.md') ?? '';
    const text = handbook()['guides/quickstart.md']?.toString() ?? '';
    await repository.update({
      'guides/quickstart.md': null,
      'guides/start.md': text,
      'SUMMARY.md': summary,
    });
    await importRepository(server, english, repository);
    const { status, location } = await get('/guides/quickstart');
    expect([status, location]).toEqual([308, `${new URL(site.url).pathname}/guides/start`]);
    // The new content is published at once.
    expect((await get()).text).toContain('/guides/start"');
    await repository.update({
      'guides/start.md': null,
      'guides/quickstart.md': text,
      'SUMMARY.md': handbook()['SUMMARY.md'] ?? '',
    });
    await importRepository(server, english, repository);
    expect((await get('/guides/quickstart')).status).toBe(200);
  });

  test('of sections take precedence over those of feeds', async () => {
    const other = await publishSite(server, { spaces: [english] });
    const { client } = server.admin;
    const path = { organizationId: server.organization, siteId: other.id };
    const { id: siteSectionId } = await ok(
      client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
        params: { path },
        body: { spaceId: arabic, title: 'llms.txt' },
      }),
    );
    const { urls } = await ok(
      client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
        params: { path: { ...path, siteSectionId } },
        body: { path: 'llms.txt' },
      }),
    );
    expect(urls.published).toBe(`${other.url}/llms.txt`);
    const { status, text } = await get('/llms.txt', { at: other });
    expect([status, text.startsWith('<!doctype html>')]).toEqual([200, true]);
  });

  test('that do not exist have a page with a search field', async () => {
    const { status, text, headers } = await get('/guides/missing');
    expect(status).toBe(404);
    expect(text).toContain('<h1>Page not found</h1>');
    expect(text).toContain('class="message-search"');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect((await get('/~unknown')).status).toBe(404);
    expect((await get('/%E0%A4%A')).status).toBe(404);
  });

  test('of a site or space without pages have a page that is not indexed', async () => {
    const empty = await publishSite(server, { title: 'Soon' });
    const space = await publishSite(server, { spaces: 'empty' });
    for (const at of [empty, space]) {
      const { status, text, headers } = await get('', { at });
      expect(status).toBe(200);
      expect(text).toContain('<h1>Nothing to read yet</h1>');
      expect(headers.get('x-robots-tag')).toBe('noindex');
      expect(text).toContain('<meta name="robots" content="noindex">');
      expect((await get('/missing', { at })).status).toBe(404);
    }
    expect((await get('', { at: empty })).text).toContain('Soon');
  });

  test('of sites that are not published do not exist', async () => {
    const other = await publishSite(server, { spaces: [english] });
    expect((await get('', { at: other })).status).toBe(200);
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', {
        params: { path: { organizationId: server.organization, siteId: other.id } },
      }),
    );
    const { status, text } = await get('', { at: other });
    expect(status).toBe(404);
    expect(text).not.toContain('Meridian');
  });
});

describe('search', () => {
  test('finds pages of the variant that is read, with their sections', async () => {
    const { results } = JSON.parse((await get('/~search.json?q=retri')).text);
    expect(results).toContainEqual(
      expect.objectContaining({
        title: 'Errors',
        trail: ['Reference'],
        href: `${new URL(site.url).pathname}/reference/errors`,
      }),
    );
    const { text } = await get('/~search?q=retries');
    expect(text).toContain('#retries');
    expect((await get('/~search?q=%D8%A7%D9%84%D8%A5%D8%B4%D8%B9%D8%A7%D8%B1%D8%A7%D8%AA')).text).toContain(
      'No results',
    );
  });

  test('accepts any query', async () => {
    for (const query of ['', '   ', '"', '%', 'a'.repeat(5000), '<script>alert(1)</script>', '\u0000']) {
      const { status, text } = await get(`/~search?q=${encodeURIComponent(query)}`);
      expect([status, text.includes('<script>alert')]).toEqual([200, false]);
      expect((await get(`/~search.json?q=${encodeURIComponent(query)}`)).status).toBe(200);
    }
  });
});

describe('visibility', () => {
  test('of a public site lets search engines and agents in', async () => {
    expect((await get('/robots.txt')).text).toContain(`Sitemap: ${site.url}/sitemap.xml`);
    expect((await get('/sitemap.xml')).text).toContain(`<loc>${site.url}/guides/webhooks</loc>`);
    await update(site.id, { agentsContext: 'included' });
    expect((await get('/llms.txt')).text).toContain(`(${site.url}/guides/webhooks.md): Receive events`);
  });

  test('of a site that excludes agents leaves them nothing that is for them', async () => {
    expect((await get('/robots.txt')).text).toMatch(/^User-agent: \*\n/);
    expect((await get('/guides/webhooks')).text).toContain('type="text/markdown"');
    await update(site.id, { agentsContext: 'excluded' });
    for (const path of ['/llms.txt', '/guides/webhooks.md']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    const page = await get('/guides/webhooks');
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/text\/markdown|webhooks\.md/);
    const { text } = await get('/robots.txt');
    expect(text).toMatch(
      new RegExp(`User-agent: GPTBot\\n(?:User-agent: .+\\n)*Disallow: ${new URL(site.url).pathname}/\\n\\n`),
    );
    expect(text).toContain(`Sitemap: ${site.url}/sitemap.xml`);
    await update(site.id, { agentsContext: 'included' });
  });

  test('of a page can keep search engines and lists out', async () => {
    const files = {
      'README.md': '# Home\n\nPelicantext\n',
      'quiet.md': '---\nnoRobotsIndex: true\n---\n\n# Quiet\n\nPelicantext\n',
      'silent.md': '---\nnoIndex: true\n---\n\n# Silent\n\nPelicantext\n',
      'SUMMARY.md': '* [Home](README.md)\n* [Quiet](quiet.md)\n* [Silent](silent.md)\n',
    };
    const { space } = await spaceFrom(server, git, 'Aviary', files);
    const at = await publishSite(server, { spaces: [space.id] });
    for (const [path, isIndexed] of [
      ['', true],
      ['/quiet', false],
      ['/silent', false],
    ] as const) {
      const { text, headers } = await get(path, { at });
      expect([path, text.includes('content="noindex"')]).toEqual([path, !isIndexed]);
      expect([path, headers.get('x-robots-tag')]).toEqual([path, isIndexed ? null : 'noindex']);
    }
    for (const feed of ['/sitemap.xml', '/llms.txt']) {
      expect((await get(feed, { at })).text).not.toMatch(/quiet|silent/i);
    }
    const { results } = JSON.parse((await get('/~search.json?q=pelicantext', { at })).text);
    expect(results.map(({ title }: { title: string }) => title).sort()).toEqual(['Home', 'Quiet']);
  });

  test('of changes is the time of the page in its sitemap', async () => {
    const [, lastmod = ''] = /<lastmod>([^<]+)/.exec((await get('/sitemap.xml')).text) ?? [];
    expect((await get()).text).toContain(`<time datetime="${lastmod}">`);
  });

  test('of an unlisted site keeps search engines out', async () => {
    const other = await publishSite(server, { spaces: [english], visibility: 'unlisted' });
    const { text, headers, status } = await get('', { at: other });
    expect(status).toBe(200);
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect((await get('/robots.txt', { at: other })).text).toContain('Disallow: /\n');
    expect((await get('/sitemap.xml', { at: other })).status).toBe(404);
  });

  test('refuses every address of other sites to visitors without credentials', async () => {
    for (const [visibility, expected] of [
      ['share-link', 404],
      ['visitor-auth', 401],
    ] as const) {
      const other = await publishSite(server, { title: 'Secret plans', spaces: [english], visibility });
      const paths = [
        '',
        '/guides/webhooks',
        '/guides/webhooks.md',
        '/~search?q=a',
        '/~search.json?q=a',
        '/sitemap.xml',
      ];
      for (const path of [...paths, '/llms.txt', '/robots.txt', '/~pdf/x', '/~files/x/y', '/missing']) {
        const { status, text, headers } = await get(path, { at: other });
        expect([path, status]).toEqual([path, expected]);
        expect(text).not.toMatch(/Secret plans|Introduction/);
        expect(headers.get('cache-control')).toBe('private, no-store');
      }
    }
  });
});

test('an origin of sites serves nothing else, and the sites of its organization only there', async () => {
  const organizationId = server.organization;
  await ok(
    server.admin.client.PATCH('/v1/orgs/{organizationId}', {
      params: { path: { organizationId } },
      body: { hostname: 'meridian' },
    }),
  );
  const other = await publishSite(server, { spaces: [english] });
  expect(other.url).toBe(`https://meridian.sites.test/${other.id}`);
  const wire = new Wire(server.url);
  const at = async (target: string, host = 'meridian.sites.test') =>
    await wire.send({ method: 'GET', target, headers: { host } });
  const page = await at(`/${other.id}/guides/quickstart`);
  expect(page).toMatchObject({ status: 200 });
  expect(page.text).toContain(`href="/${other.id}/guides/webhooks"`);
  for (const target of ['/v1/orgs', '/docs', '/openapi.json', '/healthz', '/', '/app/x', `/files/x/y/z`]) {
    const { status, headers, text } = await at(target);
    expect([target, status, headers['content-type']]).toEqual([target, 404, 'text/html; charset=utf-8']);
    expect(text).toContain('Page not found');
  }
  expect(await at(`/${other.id}`, 'elsewhere.sites.test')).toMatchObject({ status: 404 });
  expect(await at(`/sites/meridian/${other.id}`, new URL(server.url).host)).toMatchObject({
    status: 307,
    headers: { location: other.url },
  });
  wire.close();
});
