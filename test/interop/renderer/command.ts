/** `npm run interop -- renderer FOLDER` */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ok } from '../../../client/platform/index.ts';
import { launchBrowser } from '../../support/browser/browser.ts';
import { handbook } from '../../support/content/published-content.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { publishSite, spaceFrom } from '../../support/sites/published-site.ts';
import { type Service, startService } from '../integrations/service.ts';
import { API_PORT, startRenderer } from './renderer.ts';

/** Public URL of the server: the renderer rejects addresses with a port. */
const PUBLIC_URL = 'https://docs.test';
const SITE_PATH = '/sites/acme/handbook';

/** Paths of the pages to compare, below the site. */
const PAGES = ['', '/guides/quickstart', '/guides/webhooks', '/reference/errors'];

/** Minimum share of the words of a page of this service, including labels, that the renderer shows. */
const MIN_SHARED_WORDS = 0.8;

const VIEWPORT = { width: 1100, height: 1400 };

/** A page of both, as text and as picture. */
interface Comparison {
  path: string;
  status: { ours: number; theirs: number };
  /** Share of the words of our page that theirs contains. */
  shared: number;
  missing: string[];
}

/**
 * Shows pages of a site with the public renderer, which reads them from this service, and compares them with the
 * published pages. Writes pictures of both, side by side. Returns the exit status.
 *
 * @param folder checkout of the renderer, built as its README describes
 * @param output folder of the pictures
 */
export async function compareRenderer(folder: string, output: string): Promise<number> {
  await mkdir(output, { recursive: true });
  await using server = await startService(undefined, {
    PORT: String(API_PORT),
    COLOPHON_PUBLIC_URL: PUBLIC_URL,
  });
  const git = await startGitServer();
  const browser = await launchBrowser();
  const comparisons: Comparison[] = [];
  try {
    await publishHandbook(server, git);
    await using renderer = await startRenderer(folder);
    const theirs = `${renderer.url}/url/${new URL(PUBLIC_URL).host}${SITE_PATH}`;
    for (const [index, path] of PAGES.entries()) {
      const pair = [`${server.url}${SITE_PATH}${path}`, `${theirs}${path}`] as const;
      comparisons.push(
        await compare(browser, server, { path, pair, file: join(output, `${index + 1}.png`) }),
      );
    }
    for (const error of renderer.errors()) {
      console.log(error);
    }
  } finally {
    await browser.close();
    await git.close();
  }
  for (const { path, status, shared, missing } of comparisons) {
    const words = missing.length === 0 ? '' : `  without: ${missing.slice(0, 10).join(' ')}`;
    console.log(
      `${path || '/'}  published ${status.ours}  renderer ${status.theirs}  words ${(shared * 100).toFixed(0)} %${words}`,
    );
  }
  console.log(`Pictures: ${output}`);
  return comparisons.every(({ status, shared }) => status.theirs === 200 && shared >= MIN_SHARED_WORDS)
    ? 0
    : 1;
}

/** Publishes a handbook at {@link SITE_PATH}. */
async function publishHandbook(server: Service, git: GitServer): Promise<void> {
  const { client } = server.admin;
  const organization = { organizationId: server.organization };
  await ok(
    client.PATCH('/v1/orgs/{organizationId}', { params: { path: organization }, body: { hostname: 'acme' } }),
  );
  const { space } = await spaceFrom(server, git, 'Handbook', handbook(), 'en');
  const { id } = await publishSite(server, { title: 'Meridian', spaces: [space.id] });
  const params = { path: { ...organization, siteId: id } };
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', { params, body: { basename: 'handbook' } }),
  );
}

/** Opens a page of both, and writes their picture. */
async function compare(
  browser: Browser,
  server: Service,
  { path, pair: [ours, theirs], file }: { path: string; pair: readonly [string, string]; file: string },
): Promise<Comparison> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    // Addresses at the public URL, such as those of files, are served by the server.
    await context.route(`${PUBLIC_URL}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const response = await fetch(`${server.url}${pathname}${search}`);
      await route.fulfill({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: Buffer.from(await response.arrayBuffer()),
      });
    });
    const [own, other] = [
      await open(await context.newPage(), ours, 'article'),
      await open(await context.newPage(), theirs, 'main'),
    ];
    const words = wordsOf(own.text);
    const shown = wordsOf(other.text);
    const missing = [...words].filter((word) => !shown.has(word));
    await writeFile(file, await sideBySide(await context.newPage(), [own.picture, other.picture]));
    return {
      path,
      status: { ours: own.status, theirs: other.status },
      shared: words.size === 0 ? 0 : 1 - missing.length / words.size,
      missing,
    };
  } finally {
    await context.close();
  }
}

/** Opens an address, and returns the text of an element of its page and a picture of the window. */
async function open(
  page: Page,
  url: string,
  content: string,
): Promise<{ status: number; text: string; picture: Buffer }> {
  const response = await page.goto(url, { waitUntil: 'load' });
  const [text = ''] = await page.locator(content).allInnerTexts();
  return { status: response?.status() ?? 0, text, picture: await page.screenshot() };
}

const wordsOf = (text: string): Set<string> =>
  new Set(text.toLowerCase().match(/[\p{Letter}\p{Number}]{3,}/gu));

/** Draws two pictures next to each other. */
async function sideBySide(page: Page, pictures: readonly Buffer[]): Promise<Buffer> {
  await page.setViewportSize({ width: 2 * VIEWPORT.width, height: VIEWPORT.height });
  const images = pictures.map(
    (picture) => `<img width="50%" src="data:image/png;base64,${picture.toString('base64')}">`,
  );
  await page.setContent(`<body style="margin:0;display:flex">${images.join('')}</body>`);
  return await page.screenshot();
}
