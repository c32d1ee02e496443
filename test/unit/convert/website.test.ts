import { afterEach, describe, expect, test } from 'vitest';
import { Budget } from '../../../server/content/convert/budget.ts';
import { type Converted, countConverted } from '../../../server/content/convert/types.ts';
import { convertWebsite } from '../../../server/content/convert/website/website.ts';
import type { ImportedPage } from '../../../server/content/repository/types.ts';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { Fetcher } from '../../../server/outgoing/fetch.ts';
import { docsPage, redirect, type SiteResponse, startSite, type TestSite } from '../../support/http/site.ts';
import { PNG } from '../../support/zip.ts';

const sites: TestSite[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) {
    await site.close();
  }
});

async function serve(responses: Record<string, SiteResponse>): Promise<TestSite> {
  const site = await startSite(responses);
  sites.push(site);
  return site;
}

async function crawl(
  url: string,
  { pages = 1_000, bytes = 10_000_000, milliseconds = 20_000, signal = new AbortController().signal } = {},
): Promise<Converted> {
  await using fetcher = new Fetcher(parseAllowedRanges('127.0.0.0/8'));
  return await convertWebsite(new URL(url), new Budget(fetcher, { bytes, milliseconds }, signal), pages);
}

const outline = (pages: readonly ImportedPage[], indent = ''): string[] =>
  pages.flatMap((page) => [
    `${indent}${page.type} ${page.title}${'slug' in page ? ` /${page.slug}` : ''}`,
    ...('pages' in page ? outline(page.pages, `${indent}  `) : []),
  ]);

const documents = (pages: readonly ImportedPage[]): Extract<ImportedPage, { type: 'document' }>[] =>
  pages.flatMap((page) => [
    ...(page.type === 'document' ? [page] : []),
    ...('pages' in page ? documents(page.pages) : []),
  ]);

const menu =
  '<a href="/docs/">Start</a><a href="/docs/install">Install</a><a href="/docs/guide/tables.html">Tables</a><a href="/docs/guide/files/">Files</a><a href="/blog/">Blog</a><a href="https://elsewhere.example/docs/">Elsewhere</a>';

describe('a website', () => {
  test('becomes a tree of its paths, in the order of its links, below the start page', async () => {
    const site = await serve({
      '/docs/': docsPage('Welcome', '<p>Hello</p>', { menu }),
      '/docs/install': docsPage('Install', '<p>One</p>', { menu }),
      '/docs/guide/tables.html': docsPage('Tables', '<p>Two</p>', { menu }),
      '/docs/guide/files/': docsPage('Files', '<p><a href="large">More</a></p>', { menu }),
      '/docs/guide/files/large': docsPage('Large files', '<p>Three</p>', { menu }),
      '/blog/': docsPage('Blog', '<p>No docs</p>'),
    });
    const converted = await crawl(`${site.url}/docs/`);
    expect(outline(converted.pages)).toEqual([
      'document Welcome /welcome',
      '  document Install /install',
      '  group Guide /guide',
      '    document Tables /tables',
      '    document Files /files',
      '      document Large files /large',
    ]);
    expect(documents(converted.pages).map(({ markdown }) => markdown.trim())).toEqual([
      'Hello',
      'One',
      'Two',
      `[More](${site.url}/docs/guide/files/large)`,
      'Three',
    ]);
    expect(site.requestedPaths).not.toContain('/blog/');
    expect([converted.sourceEntries, countConverted(converted)]).toEqual([5, 5]);
  });

  test('has all pages whose paths differ only in their form', async () => {
    const site = await serve({
      '/docs/': docsPage(
        'Home',
        '<a href="api.html">File</a><a href="api/">Folder</a><a href="api">Page</a>',
      ),
      '/docs/api.html': docsPage('API file', '<p>One</p>'),
      '/docs/api/': docsPage('API folder', '<p>Two</p>'),
    });
    const { pages } = await crawl(`${site.url}/docs/`);
    expect(outline(pages)).toEqual([
      'document Home /home',
      '  document API file /api',
      '  document API folder /api-2',
    ]);
  });

  test('resolves links to its pages with any query and fragment', async () => {
    const site = await serve({
      '/docs/': docsPage(
        'Welcome',
        '<a href="old">Old</a><a href="a/index.html">A</a><a href="a/?utm_source=x#part">A again</a><a href="b?v=2">B</a>',
      ),
      '/docs/old': redirect('new'),
      '/docs/new': docsPage('New', '<p>Moved here</p>'),
      '/docs/a/': docsPage('A', '<p>a</p>'),
      '/docs/b?v=2': docsPage('B', '<p>b</p>', { head: '<link rel="canonical" href="/docs/b">' }),
      '/docs/b': docsPage('B', '<p>b</p>', { head: '<link rel="canonical" href="/docs/b">' }),
    });
    const converted = await crawl(`${site.url}/docs/`);
    expect(outline(converted.pages)).toEqual([
      'document Welcome /welcome',
      '  document New /new',
      '  document A /a',
      '  document B /b',
    ]);
    const key = (address: string) => converted.target(`${site.url}${address}`, '')?.key;
    expect(key('/docs/old#x')).toBe(`${site.url}/docs/new`);
    expect(key('/docs/a/index.html')).toBe(`${site.url}/docs/a/`);
    expect(key('/docs/b?v=2')).toBe(`${site.url}/docs/b`);
    expect(key('/docs/missing')).toBeUndefined();
    expect(site.requestedPaths.filter((path) => path.startsWith('/docs/a'))).toEqual(['/docs/a/']);
    expect(converted.sourceEntries).toBe(4);
  });

  test('includes its images as files of their actual type and size', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"></svg>';
    const other = await serve({ '/far.png': PNG });
    const site = await serve({
      '/': docsPage(
        'Welcome',
        `<img src="i/dot"><img src="${other.url}/far.png" alt="Far"><img src="gone.png"><img src="page"><img src="i/dot">`,
      ),
      '/i/dot': (response) => response.setHeader('Content-Type', 'text/plain').end(svg),
      '/page': docsPage('No image', ''),
      '/logo.svg': svg,
    });
    const { files, sourceEntries, target } = await crawl(`${site.url}/`);
    expect(files.map(({ content: _, ...file }) => file)).toEqual([
      {
        key: `${site.url}/i/dot`,
        name: 'dot.svg',
        contentType: 'image/svg+xml',
        size: svg.length,
        dimensions: { width: 30, height: 40 },
      },
      {
        key: `${other.url}/far.png`,
        name: 'far.png',
        contentType: 'image/png',
        size: PNG.length,
        dimensions: { width: 1, height: 1 },
      },
    ]);
    expect(sourceEntries).toBe(3);
    expect(target(`${site.url}/i/dot`, '')).toEqual({ kind: 'file', key: `${site.url}/i/dot` });
    expect(site.requestedPaths).not.toContain('/logo.svg');
  });

  test('is read as its robots directives allow', async () => {
    const site = await serve({
      '/robots.txt':
        'User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /docs/secret\nAllow: /docs/secret/not\nDisallow: /*.cgi$\n',
      '/docs/': docsPage(
        'Welcome',
        '<a href="secret/a">S</a><a href="secret/not">N</a><a href="x.cgi">X</a><a href="hidden">H</a><a href="dead-end">D</a>',
      ),
      '/docs/secret/a': docsPage('Secret', '<p>a</p>'),
      '/docs/x.cgi': docsPage('Made by a program', '<p>a</p>'),
      '/docs/secret/not': docsPage('Not secret', '<p>a</p>'),
      '/docs/hidden': docsPage('Hidden', '<a href="behind">B</a>', {
        head: '<meta name="robots" content="noindex">',
      }),
      '/docs/behind': docsPage('Behind', '<p>a</p>'),
      '/docs/dead-end': docsPage('Dead end', '<a href="nowhere">B</a>', {
        head: '<meta name="robots" content="nofollow">',
      }),
      '/docs/nowhere': docsPage('Nowhere', '<p>a</p>'),
    });
    const { pages } = await crawl(`${site.url}/docs/`);
    expect(documents(pages).map(({ title }) => title)).toEqual([
      'Welcome',
      'Not secret',
      'Dead end',
      'Behind',
    ]);
    expect(site.requestedPaths).not.toContain('/docs/secret/a');
    const closed = await serve({ '/robots.txt': 'User-agent: *\nDisallow: /', '/': docsPage('A', '') });
    await expect(crawl(`${closed.url}/`)).rejects.toThrow('robots.txt');
  });

  test('compares paths of robots.txt in percent-encoded form', async () => {
    const site = await serve({
      '/robots.txt': 'User-agent: *\nDisallow: /docs/тайна\nDisallow: /docs/%c3%a4\n',
      '/docs/': docsPage('Welcome', '<a href="тайна">S</a><a href="%C3%A4">A</a><a href="b">B</a>'),
      '/docs/%D1%82%D0%B0%D0%B9%D0%BD%D0%B0': docsPage('Secret', '<p>a</p>'),
      '/docs/%C3%A4': docsPage('Also secret', '<p>a</p>'),
      '/docs/b': docsPage('Public', '<p>b</p>'),
    });
    const { pages } = await crawl(`${site.url}/docs/`);
    expect(documents(pages).map(({ title }) => title)).toEqual(['Welcome', 'Public']);
  });

  test('is limited to the requested scope, regardless of links and redirects', async () => {
    const other = await serve({ '/docs/': docsPage('Other', '') });
    const site = await serve({
      '/docs': redirect('/docs/intro'),
      '/docs/intro': docsPage(
        'Intro',
        '<a href="/docs/away">A</a><a href="/docs/b">B</a><a href="/docs2">C</a>',
      ),
      '/docs/away': redirect(`${other.url}/docs/`),
      '/docs/b': docsPage('B', '<p>b</p>'),
      '/docs2': docsPage('Other docs', ''),
    });
    const { pages, sourceEntries } = await crawl(`${site.url}/docs`);
    expect(outline(pages)).toEqual(['document Intro /intro', '  document B /b']);
    expect(sourceEntries).toBe(2);
    expect(other.requestedPaths).toEqual([]);
  });

  test('is imported up to the limits, with a report of the rest', async () => {
    const links = Array.from({ length: 30 }, (_, at) => `<a href="/p${at}">${at}</a>`).join('');
    const responses: Record<string, SiteResponse> = { '/': docsPage('Welcome', links) };
    for (let at = 0; at < 30; at++) {
      responses[`/p${at}`] = docsPage(`Page ${at}`, '<p>x</p>'.repeat(200));
    }
    const site = await serve(responses);
    const few = await crawl(`${site.url}/`, { pages: 5 });
    expect([countConverted(few), few.sourceEntries]).toEqual([5, 31]);
    expect(few.problems).toEqual([
      { path: `${site.url}/`, reason: 'too_large', message: expect.stringContaining('Skipped pages: 26') },
    ]);
    const small = await crawl(`${site.url}/`, { bytes: 6_000 });
    expect(countConverted(small)).toBeLessThan(8);
    expect(small.sourceEntries).toBe(31);
    expect(documents(few.pages).map(({ title }) => title)).toEqual([
      'Welcome',
      'Page 0',
      'Page 1',
      'Page 2',
      'Page 3',
    ]);
  });

  test('is imported as far as time allows', async () => {
    const site = await serve({
      '/': docsPage('Welcome', '<a href="/fast">F</a><a href="/slow">S</a><a href="/other">O</a>'),
      '/fast': docsPage('Fast', '<p>x</p>'),
      '/slow': (response) => response.write('<html>'),
      '/other': docsPage('Other', '<p>x</p>'),
    });
    const converted = await crawl(`${site.url}/`, { milliseconds: 700 });
    expect(documents(converted.pages).map(({ title }) => title)).toEqual(['Welcome', 'Fast', 'Other']);
    expect(converted.sourceEntries).toBe(4);
  });

  test('ends when its caller aborts', async () => {
    const controller = new AbortController();
    const site = await serve({
      '/': docsPage('Welcome', '<a href="/a">A</a><a href="/b">B</a>'),
      '/a': () => controller.abort(),
      '/b': () => undefined,
    });
    await expect(crawl(`${site.url}/`, { signal: controller.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  test.each([
    ['/missing', 'status 404'],
    ['/manual.pdf', 'application/pdf'],
  ])('is rejected if %s is not a page', async (path, message) => {
    const site = await serve({ '/manual.pdf': 'PDF' });
    await expect(crawl(`${site.url}${path}`)).rejects.toThrow(message);
  });
});
