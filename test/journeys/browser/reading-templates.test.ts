import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { problemsInAllViews } from '../../support/browser/axe.ts';
import { DESKTOP, launchBrowser, PHONE, withPage } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { serveInParts } from '../../support/http/partial-page.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishDemonstration } from '../../support/sites/demonstration-site.ts';
import { publishSite } from '../../support/sites/published-site.ts';

const SIZES = { desktop: DESKTOP, phone: PHONE };

describe.runIf(runsInBrowser)('every template of a site in a browser', () => {
  let browser: Browser;
  let server: TestServer;
  let git: GitServer;
  let site: Awaited<ReturnType<typeof publishDemonstration>>;
  let empty: string;
  let refused: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    server = await startTestServer();
    git = await startGitServer();
    site = await publishDemonstration(server, git);
    empty = (await publishSite(server, { title: 'Soon' })).url;
    refused = (await publishSite(server, { title: 'Private', visibility: 'visitor-auth' })).url;
  });

  afterAll(async () => {
    await browser?.close();
    await git?.close();
    await server?.stop();
  });

  const open = (address: string, options: BrowserContextOptions, work: (page: Page) => Promise<void>) =>
    withPage(browser, address, options, work);

  const addresses: [name: string, address: () => string][] = [
    ['a page', () => site.url],
    ['all blocks', () => site.blocks],
    ['an operation', () => site.operation],
    ['a page from right to left', () => `${site.url}/العربية`],
    ['a page in Japanese', () => `${site.url}/日本語`],
    ['the results of a search', () => `${site.url}/~search?q=payment`],
    ['a missing page', () => `${site.url}/missing`],
    ['an empty site', () => empty],
    ['a refused site', () => refused],
  ];
  test.each(addresses)('is accessible and fits in all views: %s', async (_, address) => {
    await open(address(), {}, async (page) => {
      expect(await problemsInAllViews(page)).toEqual([]);
    });
  });

  test('is accessible and fits in all views, with its menus', async () => {
    await open(site.url, { viewport: DESKTOP }, async (page) => {
      const entry = page.getByRole('link', { name: 'API reference' });
      await page.locator('.section-tabs button').click();
      await entry.waitFor();
      expect(await problemsInAllViews(page)).toEqual([]);
      // Each menu was open in all views.
      expect(await entry.isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await page.setViewportSize(DESKTOP);
      const variants = page.locator('.variants[open] summary:visible');
      await page.locator('.variants summary:visible').click();
      // The rest of the page was checked above.
      expect(await problemsInAllViews(page, { within: '.variants[open]' })).toEqual([]);
      expect(await variants.count()).toBe(1);
    });
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`reaches every section on a phone, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      await open(site.url, { viewport: PHONE, javaScriptEnabled }, async (page) => {
        await page.locator('.section-tabs').getByText('Support').click();
        await page.waitForURL('**/support');
        const current = page.locator('.section-tab[aria-current]');
        expect(await current.textContent()).toBe('Support');
        if (javaScriptEnabled) {
          // It is the seventh of the sections, which do not fit.
          const box = await current.boundingBox();
          expect(box && box.x >= 0 && box.x + box.width <= PHONE.width).toBe(true);
        }
        await page.locator('.section-tabs').getByText('Developers').click();
        await page.locator('.section-tabs').getByText('API reference').click();
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      });
    });
  }

  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`moves nothing while it loads on a ${name}`, async () => {
      for (const address of [site.url, site.operation, `${site.url}/العربية`]) {
        // Images are in view, too, and load after the text is.
        await open('about:blank', { viewport: { ...viewport, height: 3000 } }, async (page) => {
          await page.route('**/~files/**', async (route) => {
            await page.waitForFunction(() => performance.getEntriesByType('paint').length > 0);
            await route.continue();
          });
          await recordShifts(page);
          await page.goto(address, { waitUntil: 'networkidle' });
          const hasImage = (await page.locator('.content img').count()) > 0;
          expect([address, hasImage]).toEqual([address, address === site.url]);
          expect([address, await shiftsOf(page)]).toEqual([address, []]);
        });
      }
    });
  }

  test('moves nothing while it arrives in parts', async () => {
    const link = /<a class="header-link".*?<\/a>/s;
    const tab = /<a class="section-tab".*?<\/a>/s;
    const partial = await serveInParts(site.url, [link, tab]);
    onTestFinished(partial.close);
    await open('about:blank', { viewport: DESKTOP }, async (page) => {
      await recordShifts(page);
      await page.goto(partial.url, { waitUntil: 'commit' });
      for (const last of ['.header-link', '.section-tab']) {
        await page.locator(last).waitFor({ state: 'attached' });
        await drawFrames(page);
        partial.next();
      }
      await page.waitForLoadState('networkidle');
      expect(await page.locator('.header-link').count()).toBeGreaterThan(1);
      expect(await page.locator('.section-tab').count()).toBeGreaterThan(1);
      expect(await shiftsOf(page)).toEqual([]);
    });
  });

  test('has the theme switch at the end of the header, also without a search field', async () => {
    for (const address of [site.url, refused]) {
      await open(address, { viewport: DESKTOP }, async (page) => {
        const box = await page.locator('.theme-button').boundingBox();
        expect(box?.x).toBeGreaterThan(1100);
      });
    }
  });

  test('keeps the place in the page tree', async () => {
    const viewport = { width: 1280, height: 260 };
    await open(`${site.url}/guides/guides/quickstart`, { viewport }, async (page) => {
      const top = () => page.locator('.sidebar').evaluate(({ scrollTop }) => scrollTop);
      await page.locator('.sidebar').evaluate((sidebar) => sidebar.scrollTo(0, 1e6));
      const before = await top();
      expect(before).toBeGreaterThan(0);
      await page.locator('.sidebar').getByText('Limits').click();
      await page.waitForURL('**/limits');
      expect(await top()).toBe(before);
    });
  });

  test('aligns columns in the direction of their table', async () => {
    await open(`${site.url}/العربية`, { viewport: DESKTOP }, async (page) => {
      const edges = await page.locator('.content table tr > :nth-child(2)').evaluateAll((cells) =>
        cells.map((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return Math.round(range.getBoundingClientRect().right);
        }),
      );
      expect(edges.length).toBe(3);
      expect(new Set(edges).size).toBe(1);
    });
  });

  test('links all results of a search, and a reader in a section to its pages', async () => {
    await open(`${site.url}/changelog`, { viewport: DESKTOP }, async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('quickstart');
      await page.locator('.search-panel a', { hasText: 'Quickstart' }).first().waitFor();
      const href = await page
        .locator('.search-panel a[href$="/guides/quickstart"]')
        .first()
        .getAttribute('href');
      expect(href).toContain('/changelog/');
      await page.locator('[id="site:search"]').fill('a');
      await page.locator('.search-panel .all-results').click();
      await page.waitForURL('**/~search?in=*&q=a');
      expect(await page.locator('.results > li').count()).toBeGreaterThan(8);
    });
  });
});

/** Records how far the parts of the following documents of a page move. */
async function recordShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        shifts.push(Number((entry as PerformanceEntry & { value: number }).value));
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Returns the recorded shifts that a reader could see. */
async function shiftsOf(page: Page): Promise<number[]> {
  await drawFrames(page);
  const shifts = await page.evaluate(() => (window as Window & { shifts?: number[] }).shifts ?? []);
  return shifts.filter((shift) => shift > 0.0001);
}

/** Waits until a page has drawn what it has. */
async function drawFrames(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}
