// Runs on one engine: headers are computed after the reads of large-files.test.ts.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { callerIdOf } from '../../../server/identity/caller.ts';
import { type FileLink, fileUrl } from '../../../server/platform/content/files/link.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import { launchBrowser } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Reports that it ran by everything that a script of a page can do. */
const SCRIPT =
  "document.title = 'ran'; window.ran = true; fetch('/ran'); localStorage.setItem('ran', 'yes');";
const HTML = `<!doctype html><title>still</title><img src=x onerror="${SCRIPT}"><script>${SCRIPT}</script>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`;
const ASSETS = {
  'page.html': HTML,
  'image.svg': SVG,
  'notes.txt': '0123456789 Ünïcödé',
  'data.json': '{"ä": 1}',
  'отчёт "1".csv': 'a,b\n',
  'empty.txt': '',
};

let server: TestServer;
let git: GitServer;
let files: components['schemas']['File'][];

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const { id } = await createSpace(server);
  const assets = Object.entries(ASSETS).map(([name, text]) => [`.gitbook/assets/${name}`, text]);
  const links = Object.keys(ASSETS).map((name) => `[file](<.gitbook/assets/${name}>)`);
  const repository = { 'README.md': `# Files\n\n${links.join('\n\n')}\n`, ...Object.fromEntries(assets) };
  await importRepository(server, id, await git.createRepository(repository));
  const params = { path: { spaceId: id } };
  ({ items: files } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content/files', { params })));
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const addressOf = (name: keyof typeof ASSETS): string =>
  files.find((file) => file.name === name)?.downloadURL ?? `there is no ${name}`;
const expiryOf = (name: keyof typeof ASSETS): number =>
  Number(new URL(addressOf(name)).searchParams.get('expires'));
const read = async (name: keyof typeof ASSETS, headers: Record<string, string> = {}, method = 'GET') =>
  await fetch(addressOf(name), { headers, method });

describe('a file', () => {
  test.each([
    ['notes.txt', 'text/plain; charset=utf-8', 'attachment; filename=notes.txt'],
    ['page.html', 'text/html; charset=utf-8', 'attachment; filename=page.html'],
    ['data.json', 'application/json; charset=utf-8', 'attachment; filename=data.json'],
    ['image.svg', 'image/svg+xml', 'inline; filename=image.svg'],
    [
      'отчёт "1".csv',
      'text/csv; charset=utf-8',
      `attachment; filename="????? \\"1\\".csv"; filename*=UTF-8''${encodeURIComponent('отчёт "1".csv')}`,
    ],
  ] as const)('has its metadata: %s', async (name, type, disposition) => {
    const { headers, ...response } = await read(name);
    expect(response).toBeDefined();
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toBe(disposition);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    );
    const [, rest] = /^private, max-age=(\d+), immutable$/.exec(headers.get('cache-control') ?? '') ?? [];
    expect(Number(rest)).toBeLessThanOrEqual((expiryOf(name) - Date.now()) / 1000 + 1);
    expect(Number(rest)).toBeGreaterThan(23 * 60 * 60);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  test('is returned byte by byte as stored', async () => {
    for (const [name, text] of Object.entries(ASSETS)) {
      // The keys of the object above.
      const response = await read(name as keyof typeof ASSETS);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(text);
    }
  });

  test('returns the same headers without a body for HEAD', async () => {
    const [full, head] = await Promise.all([read('notes.txt'), read('notes.txt', {}, 'HEAD')]);
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    for (const name of ['content-length', 'content-type', 'etag', 'accept-ranges']) {
      expect(head.headers.get(name)).toBe(full.headers.get(name));
    }
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(ASSETS['notes.txt'])));
  });

  test.each([
    ['its tag', (tag: string) => tag, 304],
    ['its tag, weakly', (tag: string) => `W/${tag}`, 304],
    ['one of several', (tag: string) => `"other", ${tag}`, 304],
    ['anything', () => '*', 304],
    ['another', () => '"other"', 200],
    ['no tag at all', () => 'nonsense', 200],
  ])('is not sent again to a caller that has %s', async (_, header, status) => {
    const tag = (await read('notes.txt')).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    const response = await read('notes.txt', { 'if-none-match': header(tag) });
    expect(response.status).toBe(status);
    if (status !== 304) {
      return;
    }
    expect(await response.text()).toBe('');
    expect(response.headers.get('etag')).toBe(tag);
    expect(response.headers.get('cache-control')).toContain('immutable');
  });
});

describe('the URL of a file', () => {
  const status = async (address: string | URL) => (await fetch(address)).status;
  /** Returns the issued URL with changes, signed. */
  const signed = (more: Partial<FileLink>) => {
    const { origin, pathname, searchParams } = new URL(addressOf('notes.txt'));
    const [, , space = '', blob = '', name = ''] = pathname.split('/');
    const link = {
      reader: callerIdOf(searchParams.get('reader') ?? ''),
      space,
      blob,
      name,
      contentType: searchParams.get('type') ?? '',
      expires: expiryOf('notes.txt'),
    };
    return fileUrl({ ...link, ...more }, SECRET_KEY, createResourceUrls(origin));
  };

  test('works for one to two days', async () => {
    expect(signed({})).toBe(addressOf('notes.txt'));
    expect(await status(signed({ expires: Date.now() + 60_000 }))).toBe(200);
    expect(await status(signed({ expires: Date.now() - 1 }))).toBe(404);
  });

  test.each([
    ['expires', '99999999999999'],
    ['expires', ''],
    ['type', 'text/html'],
    ['signature', 'x'],
    ['reader', 'usr_nobody'],
  ])('is valid only as issued: %s', async (name, value) => {
    const url = new URL(addressOf('notes.txt'));
    url.searchParams.set(name, value);
    expect(await status(url)).toBe(404);
    url.searchParams.delete(name);
    expect(await status(url)).toBe(404);
  });

  test('stops working with its space', async () => {
    const { id } = await createSpace(server);
    const repository = { 'README.md': '# A\n\n[b](b.txt)\n', 'b.txt': 'B' };
    await importRepository(server, id, await git.createRepository(repository));
    const params = { path: { spaceId: id } };
    const { items } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content/files', { params }));
    const address = items[0]?.downloadURL ?? '';
    expect(await status(address)).toBe(200);
    await ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', { params }));
    expect(await status(address)).toBe(404);
    await ok(server.admin.client.POST('/v1/spaces/{spaceId}/restore', { params }));
    expect(await status(address)).toBe(200);
    await server.database.query.deleteFrom('revisions').where('space', '=', id).execute();
    await server.database.query.deleteFrom('spaces').where('id', '=', id).execute();
    expect(await status(address)).toBe(404);
  });

  test('of another space is a 404, even for the same bytes', async () => {
    const { id } = await createSpace(server);
    const address = addressOf('notes.txt').replace(/files\/\w+/, `files/${id}`);
    expect(await status(address)).toBe(404);
  });
});

describe('a part of a file', () => {
  const size = Buffer.byteLength(ASSETS['notes.txt']);

  test.each([
    ['bytes=0-3', '0123', `bytes 0-3/${size}`],
    ['bytes=4-4', '4', `bytes 4-4/${size}`],
    ['bytes=8-', '89 Ünïcödé', `bytes 8-${size - 1}/${size}`],
    ['bytes=-3', 'dé', `bytes ${size - 3}-${size - 1}/${size}`],
    ['bytes=0-999', ASSETS['notes.txt'], `bytes 0-${size - 1}/${size}`],
    ['bytes=-999', ASSETS['notes.txt'], `bytes 0-${size - 1}/${size}`],
  ])('is returned for %s', async (range, text, contentRange) => {
    const response = await read('notes.txt', { range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(contentRange);
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(await response.text()).toBe(text);
  });

  test.each(['bytes=999-', 'bytes=-0', `bytes=${size}-${size}`])(
    'is rejected if it is out of range: %s',
    async (range) => {
      const response = await read('notes.txt', { range });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe(`bytes */${size}`);
    },
  );

  test.each(['bytes=3-1', 'bytes=0-1,4-5', 'lines=0-1', 'bytes=-', 'bytes=a-b'])(
    'is the whole file for a range that is unknown or multiple: %s',
    async (range) => {
      const response = await read('notes.txt', { range });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(ASSETS['notes.txt']);
    },
  );

  test('is the whole file if the condition names other bytes', async () => {
    const tag = (await read('notes.txt')).headers.get('etag') ?? '';
    expect((await read('notes.txt', { range: 'bytes=0-3', 'if-range': tag })).status).toBe(206);
    for (const other of ['"other"', `W/${tag}`, new Date().toUTCString()]) {
      expect((await read('notes.txt', { range: 'bytes=0-3', 'if-range': other })).status).toBe(200);
    }
  });

  test('of an empty file is empty', async () => {
    expect((await read('empty.txt', { range: 'bytes=0-' })).status).toBe(416);
    expect((await read('empty.txt')).status).toBe(200);
  });
});

describe.runIf(runsInBrowser)('in a browser, a file', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  test('with a script runs nothing in our origin, however it is opened', async () => {
    const page = await browser.newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    // HTML is a download; SVG is displayed without its script.
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.goto(addressOf('page.html')).catch(() => undefined),
    ]);
    expect(download.suggestedFilename()).toBe('page.html');
    await page.goto(addressOf('image.svg'));
    expect(await page.evaluate('document.documentElement.tagName')).toBe('svg');
    expect(await page.evaluate('String(window.ran)')).toBe('undefined');
    // Framed by a page of our origin, where an attacker would want it to run.
    await page.goto(`${server.url}/nowhere`);
    const frame = async (address: string) =>
      await page.evaluate((source) => {
        const element = document.createElement('iframe');
        element.src = source;
        document.body.append(element);
      }, address);
    await Promise.all([page.waitForResponse(addressOf('image.svg')), frame(addressOf('image.svg'))]);
    await expect.poll(() => page.frames().at(-1)?.url()).toBe(addressOf('image.svg'));
    await page.frames().at(-1)?.waitForLoadState('load');
    expect(await page.evaluate('String(document.querySelector("iframe").contentDocument)')).toBe('null');
    await Promise.all([page.waitForEvent('download'), frame(addressOf('page.html'))]);
    expect(await page.evaluate("localStorage.getItem('ran')")).toBeNull();
    expect(requests.filter((address) => address.endsWith('/ran'))).toEqual([]);
    await page.close();
  });
});
