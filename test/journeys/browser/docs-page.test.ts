import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../generated/operations.ts';
import { readDocument, serveDocs } from '../../contract/docs/server.ts';
import { type SmallServer, serveSmallContract } from '../../contract/small-server.ts';
import { problemsInAllViews, unfold } from '../../support/browser/axe.ts';
import { DESKTOP, expectNoProblems, launchBrowser, PHONE, visit } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';

/** Maximum size of everything that the first visit of a page loads, compressed. */
const MAX_WIRE_BYTES = 600_000;

describe.runIf(runsInBrowser)('the documentation in a browser', () => {
  let browser: Browser;
  let server: SmallServer;
  /** Documentation of the platform. */
  let platform: string;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    const onEnd = (stop: () => Promise<void>) => ends.push(stop);
    server = await serveSmallContract({}, { onEnd });
    platform = await serveDocs(readDocument(), { onEnd });
  });

  afterAll(async () => {
    await browser?.close();
    for (const end of ends) {
      await end();
    }
  });

  const isWide = (page: Page) =>
    page.evaluate(() => window.document.documentElement.scrollWidth > window.innerWidth);

  /** Names of the operations that the navigation shows. */
  const shown = (page: Page) =>
    page
      .locator('.navigation a:visible .title')
      .evaluateAll((titles) => titles.map((title) => title.textContent));

  /** Removes the entries of a list that differ from an earlier one in words only. Returns their number. */
  const removeRepeated = (page: Page, list: string) =>
    page.locator(list).evaluateAll((entries) => {
      const looks = entries.map((entry) => {
        const elements = [entry, ...entry.querySelectorAll('*')];
        return [...new Set(elements.map(({ tagName, className }) => `${tagName}.${className}`))].join(' ');
      });
      const repeated = entries.filter((_, index) => looks.indexOf(looks[index] ?? '') < index);
      for (const entry of repeated) {
        entry.remove();
      }
      return repeated.length;
    });

  test.each(['docs', 'docs/operations/createSpace', 'docs/models/Space'])(
    '/%s is accessible and fits on a desktop and a phone, in light and dark mode',
    async (path) => {
      const visited = await visit(browser, `${platform}/${path}`);
      const { page } = visited;
      await unfold(page);
      for (const size of [PHONE, DESKTOP]) {
        await page.setViewportSize(size);
        expect(await isWide(page)).toBe(false);
      }
      // Their colors take most of the time.
      await removeRepeated(page, 'main li');
      expect(await removeRepeated(page, '.navigation a:not([aria-current])')).toBeGreaterThan(100);
      expect(await problemsInAllViews(page, { onPhone: () => page.locator('button.menu').click() })).toEqual(
        [],
      );
      expectNoProblems(visited);
      await page.close();
    },
  );

  test('fits on a phone with words that are longer than a line', async () => {
    const word = 'Long'.repeat(100);
    const schema = { $ref: `#/components/schemas/${word}` };
    const url = await serveDocs({
      openapi: '3.1.0',
      info: { title: word, version: word, description: `\`${word}\` ${word}\n\n| ${word} |\n| --- |\n| x |` },
      tags: [{ name: word }],
      paths: {
        [`/${word}/{${word}}`]: {
          post: {
            operationId: 'create',
            summary: word,
            description: word,
            tags: [word],
            parameters: [
              { name: word, in: 'path', required: true, schema: { type: 'string', enum: [word] } },
            ],
            requestBody: { content: { 'application/json': { schema } } },
            responses: { 200: { description: word, content: { 'application/json': { schema } } } },
          },
        },
      },
      components: { schemas: { [word]: { type: 'object', properties: { [word]: { const: word } } } } },
    });
    for (const path of ['docs', 'docs/operations/create', `docs/models/${word}`]) {
      const { page } = await visit(browser, `${url}/${path}`);
      await page.setViewportSize(PHONE);
      expect(await isWide(page), path).toBe(false);
      await page.setViewportSize(DESKTOP);
      expect(await isWide(page), path).toBe(false);
      await page.close();
    }
  });

  test('loads little over the network', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${platform}/docs`);
    await page.waitForLoadState('networkidle');
    await page.evaluate(async () => await (await fetch('openapi.json')).text());
    await page.waitForLoadState('networkidle');
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MAX_WIRE_BYTES);
    await context.close();
  });

  test('finds operations by summary and by operation id, with the keyboard alone', async () => {
    const { page } = await visit(browser, `${platform}/docs`);
    expect(await shown(page)).toHaveLength(Object.keys(operations).length);
    await page.keyboard.press('/');
    await page.keyboard.type('merge change');
    expect(await shown(page)).toEqual(['Merge a change request']);
    await page.keyboard.press('Escape');
    expect(await shown(page)).toHaveLength(Object.keys(operations).length);

    await page.keyboard.type('listspaces');
    expect(await shown(page)).toEqual(['List spaces']);
    expect(await page.locator('#search-hint').textContent()).toBe('1 operation found.');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${platform}/docs/operations/listSpaces`);
    expect(await page.locator('h1').textContent()).toBe('List spaces');
    expect(await page.locator('.navigation [aria-current="page"] .title').textContent()).toBe('List spaces');

    await page.keyboard.press('/');
    await page.keyboard.type('/v1/orgs/{organizationId}/spaces');
    expect((await shown(page)).toSorted()).toEqual(['Create a space', 'List spaces']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${platform}/docs/operations/createSpace`);
    await page.close();
  });

  test('skips the navigation, and opens it on a phone, with the keyboard', async () => {
    const { page } = await visit(browser, `${platform}/docs/operations/getSpace`);
    const focused = () => page.evaluate(() => window.document.activeElement?.id);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('content');

    await page.setViewportSize(PHONE);
    expect(await page.locator('.navigation').isVisible()).toBe(false);
    await page.keyboard.press('/');
    expect(await page.locator('.navigation').isVisible()).toBe(true);
    expect(await focused()).toBe('search');
    await page.keyboard.press('Escape');
    expect(await page.locator('.navigation').isVisible()).toBe(false);
    await page.close();
  });

  test('switches between light and dark mode, and remembers it', async () => {
    const { page } = await visit(browser, `${platform}/docs`);
    const background = () =>
      page.evaluate(() => getComputedStyle(window.document.documentElement).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
    const light = await background();
    const button = page.locator('button.theme');
    expect(await button.getAttribute('aria-pressed')).toBe('false');
    await button.click();
    const dark = await background();
    expect(dark).not.toBe(light);
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await page.reload();
    expect(await background()).toBe(dark);
    await page.locator('button.theme').click();
    expect(await background()).toBe(light);
    await page.close();
  });

  test('shows code samples with the address of the server', async () => {
    const { page } = await visit(browser, `${server.url}/docs/operations/getWidget`);
    const samples = await page.locator('aside .sample pre').allTextContents();
    expect(samples).toEqual([
      `curl '${server.url}/v1/widgets/text' \\\n  -H "Authorization: Bearer $TOKEN"`,
      "const result = await getWidget(client, { widgetId: 'text' });",
    ]);
    await page.close();
  });

  test('is restricted by the browser to its own server, without inline scripts and styles', async () => {
    const { page, problems } = await visit(browser, `${server.url}/docs`);
    const blocked = await page.evaluate(async () => {
      const directives: string[] = [];
      const all = new Promise<void>((done) => {
        window.document.addEventListener('securitypolicyviolation', (event) => {
          if (directives.push(event.effectiveDirective) === 4) {
            done();
          }
        });
      });
      const other = 'http://127.0.0.2:9/x';
      const script = window.document.createElement('script');
      script.src = other;
      const inline = window.document.createElement('script');
      inline.textContent = 'window.name = "changed"';
      const style = window.document.createElement('style');
      style.textContent = 'body { color: red }';
      window.document.head.append(script, inline, style);
      await fetch(other, { mode: 'no-cors' }).catch(() => undefined);
      await all;
      return directives.sort();
    });
    expect(blocked).toEqual(['connect-src', 'script-src-elem', 'script-src-elem', 'style-src-elem']);
    expect(problems.join()).toContain('Content Security Policy');
    await page.close();
  });
});
