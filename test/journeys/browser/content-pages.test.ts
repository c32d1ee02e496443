import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderPage } from '../../../server/content/html/page.ts';
import { contentStyleSheet } from '../../../server/content/html/styles.ts';
import { problemsInAllViews, unfold, unreadable } from '../../support/browser/axe.ts';
import { expectNoProblems, launchBrowser, visit } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';
import { EVERY_BLOCK, EVERY_INCLUDED, EVERY_TARGET } from '../../support/content/every-block.ts';

/** The strictest policy that a site can have: no scripts, and no inline styles. */
const POLICY = "default-src 'none'; img-src 'self'; style-src 'self'";
const IMAGE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="36"><rect width="64" height="36" fill="#39c"/></svg>';

const documentOf = (html: string, language: string, direction: string): string =>
  `<!doctype html><html lang="${language}" dir="${direction}"><title>Every block</title>` +
  '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/content.css">' +
  `<body><main><h1>Every block</h1>${html}</main></body></html>`;

describe.runIf(runsInBrowser)('a page with every block in a browser', () => {
  let browser: Browser;
  let origin: string;
  const pages = new Map<string, string>();
  const server = createServer(({ url = '' }, response) => {
    const page = pages.get(url);
    if (page !== undefined) {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader('content-security-policy', POLICY);
      response.end(page);
    } else if (url === '/content.css') {
      response.setHeader('content-type', 'text/css');
      response.end(
        `${contentStyleSheet()} body { margin: 1rem; background: var(--page); color: var(--text); }`,
      );
    } else {
      response.setHeader('content-type', 'image/svg+xml');
      response.end(IMAGE);
    }
  });

  beforeAll(async () => {
    for (const [language, direction] of [
      ['en', 'ltr'],
      ['ar', 'rtl'],
    ] as const) {
      const options = { targets: EVERY_TARGET, language };
      const { html } = renderPage({ markdown: EVERY_BLOCK, options, included: EVERY_INCLUDED });
      pages.set(`/${language}`, documentOf(html, language, direction));
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port has an address.
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  test.each(['en', 'ar'])(
    'is accessible and fits on a desktop and a phone, in light and dark mode, without scripts or inline styles: %s',
    async (language) => {
      const visited = await visit(browser, `${origin}/${language}`);
      const { page } = visited;
      await unfold(page);
      expect(await problemsInAllViews(page)).toEqual([]);
      expectNoProblems(visited);
      await page.close();
    },
  );

  test('colors that a site selects remain readable', async () => {
    const { page } = await visit(browser, `${origin}/en`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const primary of ['#ffe600', '#101010', '#ff2d92', '#00e5ff']) {
        await page.evaluate((color) => {
          for (const name of ['primary', 'info', 'warning']) {
            window.document.documentElement.style.setProperty(`--${name}`, color);
          }
        }, primary);
        expect(await unreadable(page), `${primary} in ${colorScheme} mode`).toEqual([]);
      }
    }
    await page.close();
  });

  test('tabs and notes open without scripts, also with the keyboard', async () => {
    const { page } = await visit(browser, `${origin}/en`);
    const panels = page.locator('.tab-panel');
    expect(await panels.evaluateAll((all) => all.map((panel) => panel.checkVisibility()))).toEqual([
      true,
      false,
    ]);
    await page.locator('.tab input').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await panels.evaluateAll((all) => all.map((panel) => panel.checkVisibility()))).toEqual([
      false,
      true,
    ]);
    const note = page.locator('aside.note');
    expect(await note.isVisible()).toBe(false);
    await page.locator('button.annotation').focus();
    await page.keyboard.press('Enter');
    expect(await note.isVisible()).toBe(true);
    await page.close();
  });

  test('shows the image of the theme only, and text from right to left', async () => {
    const { page } = await visit(browser, `${origin}/en`);
    const shown = async (selector: string) => await page.locator(selector).isVisible();
    await page.emulateMedia({ colorScheme: 'light' });
    expect([await shown('.light-only'), await shown('.dark-only')]).toEqual([true, false]);
    await page.evaluate(() => window.document.documentElement.setAttribute('data-theme', 'dark'));
    expect([await shown('.light-only'), await shown('.dark-only')]).toEqual([false, true]);
    const arabic = page.locator('#العنوان-الفرعي');
    expect(await arabic.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    await page.close();
  });
});
