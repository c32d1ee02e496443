import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { inaccessible, problemsInAllViews, unfold } from '../../support/browser/axe.ts';
import { DESKTOP, launchBrowser, PHONE, withPage } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';
import { arabicHandbook, handbook, japaneseHandbook } from '../../support/content/published-content.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishSite, spaceFrom } from '../../support/sites/published-site.ts';

describe.runIf(runsInBrowser)('a published site in a browser', () => {
  let browser: Browser;
  let server: TestServer;
  let git: GitServer;
  let url: string;
  let english: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    server = await startTestServer();
    git = await startGitServer();
    const spaces: string[] = [];
    for (const [title, files, language] of [
      ['English', handbook(), 'en'],
      ['العربية', arabicHandbook(), 'ar'],
      ['日本語', japaneseHandbook(), 'ja'],
    ] as const) {
      spaces.push((await spaceFrom(server, git, title, files, language)).space.id);
    }
    ({ url } = await publishSite(server, { spaces }));
    [english = ''] = spaces;
  });

  afterAll(async () => {
    await browser?.close();
    await git?.close();
    await server?.stop();
  });

  const open = (address: string, options: BrowserContextOptions, work: (page: Page) => Promise<void>) =>
    withPage(browser, address, options, work);

  // The other pages are those of reading-templates.test.ts.
  test.each(['', '/guides/quickstart'])(
    'is accessible and fits on a desktop and a phone, in light and dark mode: %s',
    async (path) => {
      await open(`${url}${path}`, { viewport: DESKTOP }, async (page) => {
        await unfold(page, '.content details');
        expect(await problemsInAllViews(page)).toEqual([]);
      });
    },
  );

  test.each([
    [
      'a tint, without a header',
      {
        tint: { color: { light: '#c2185b', dark: '#80deea' } },
        font: 'Merriweather',
        monospaceFont: 'JetBrains Mono',
        links: 'accent',
        icons: 'regular',
      },
      'none',
    ],
    [
      'the bold theme',
      {
        theme: 'bold',
        primaryColor: { light: '#ffb300', dark: '#ffd54f' },
        font: 'Open Sans',
        monospaceFont: 'Fira Code',
        corners: 'straight',
      },
      'default',
    ],
  ] as const)('is accessible with %s', async (_name, styling, preset) => {
    const { id, url: customized } = await publishSite(server, { spaces: [english] });
    const { client } = server.admin;
    const params = { path: { organizationId: server.organization, siteId: id } };
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/customization';
    const before = await ok(client.GET(path, { params }));
    const header = { ...before.header, preset };
    const body = { ...before, header, styling: { ...before.styling, ...styling } };
    await ok(client.PUT(path, { params, body }));
    await open(customized, { viewport: DESKTOP }, async (page) => {
      expect(await problemsInAllViews(page)).toEqual([]);
      const fonts = await page.evaluate(async () => {
        await document.fonts.ready;
        return [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family);
      });
      expect(fonts.join()).toContain(styling.font);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const colors = await page.evaluate(() => {
          const link = document.querySelector('.content p a:not([class])');
          return [link, link?.closest('p')].map((element) => element && getComputedStyle(element).color);
        });
        expect(colors[0] === colors[1]).toBe('links' in styling);
      }
    });
  });

  test('is searched with the keyboard', async () => {
    await open(url, { viewport: DESKTOP }, async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('signature');
      await page.locator('.search-panel a[aria-selected="true"]').waitFor();
      expect(await inaccessible(page)).toEqual([]);
      await page.keyboard.press('ArrowDown');
      expect(await page.locator('a[aria-selected="true"]').textContent()).toContain('Verify the signature');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/guides/webhooks#verify-the-signature');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('nothinglikethis');
      await page.locator('.search-panel p').waitFor();
      await page.keyboard.press('Escape');
      expect(await page.locator('.search-panel').isVisible()).toBe(false);
    });
  });

  test('remembers the theme, and copies code', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await open(
      `${url}/guides/quickstart`,
      { viewport: DESKTOP, colorScheme: 'light', permissions },
      async (page) => {
        const background = () => page.evaluate(() => getComputedStyle(window.document.body).backgroundColor);
        const light = await background();
        await page.locator('.theme-button').click();
        expect(await background()).not.toBe(light);
        await page.reload();
        expect(await background()).not.toBe(light);
        await page.locator('.code-titled .code-copy').click();
        await page.getByText('Copied').waitFor();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^import \{ Meridian \}/);
      },
    );
  });

  test('has its page tree in a drawer on a phone', async () => {
    await open(url, { viewport: PHONE }, async (page) => {
      await page.locator('.menu-button').click();
      await page.locator('.sidebar').getByText('Testing').click();
      await page.waitForURL('**/guides/testing');
      await page.locator('.menu-button').click();
      expect(await page.locator('.sidebar [aria-current="page"]').textContent()).toContain('Testing');
      expect(await inaccessible(page)).toEqual([]);
      await page.locator('.drawer-variants').getByText('日本語').click();
      await page.getByRole('heading', { level: 1, name: 'はじめに' }).waitFor();
    });
  });

  test('works without scripts', async () => {
    await open(url, { viewport: DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.locator('.search input[type="search"]').fill('signature');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Webhooks' }).last().click();
      await page.waitForURL('**/guides/webhooks');
      await page.getByText('Next', { exact: true }).click();
      await page.waitForURL('**/guides/testing');
      await page.locator('.variants summary').click();
      await page.locator('.menu-list').getByText('العربية').click();
      await page.getByRole('heading', { level: 1, name: 'مقدمة' }).waitFor();
      await page.goto(`${url}/guides/quickstart`);
      await page.getByText('Python').click();
      await page.getByText('pip install meridian').waitFor();
    });
  });
});
