import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { document } from '../contract/small-contract.ts';
import { type SmallServer, serveSmallContract, TOKEN } from '../contract/small-server.ts';
import { launchBrowser, type Visit, visit } from '../support/browser.ts';
import { runsInBrowser } from '../support/find-browser.ts';

let browser: Browser;
let server: SmallServer;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  if (runsInBrowser) {
    browser = await launchBrowser();
  }
  server = await serveSmallContract({}, { onEnd: (stop) => ends.push(stop) });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  for (const end of ends) {
    await end();
  }
});

/** Opens the documentation of an operation. */
async function open(operation: string): Promise<Visit> {
  const visited = await visit(browser, `${server.url}/docs`);
  const { page } = visited;
  const id = `#operations-Widgets-${operation}`;
  await page.locator('#operations-tag-Widgets').click();
  await page.locator(`${id} .opblock-summary-control`).first().click();
  await page.locator(`${id} .execute`).waitFor();
  return visited;
}

test.runIf(runsInBrowser)(
  'lets a reader enter a token, send a request and see its response, without other servers',
  async () => {
    const { page, requests, problems } = await open('getWidget');
    await page.locator('button.authorize').first().click();
    await page.locator('.auth-container input').fill(TOKEN);
    await page.locator('.auth-btn-wrapper button.authorize').click();
    await page.locator('.auth-btn-wrapper button.btn-done').click();

    const operation = page.locator('#operations-Widgets-getWidget');
    await operation.locator('tr[data-param-name="widgetId"] input').fill('a/b');
    await operation.locator('.execute').click();
    const response = operation.locator('.live-responses-table');
    await response.waitFor();
    expect(await response.locator('tbody .response-col_status').first().textContent()).toContain('200');
    expect(await response.locator('tbody .response-col_description').first().textContent()).toContain(
      '"id": "a/b"',
    );
    expect(server.handled.at(-1)).toMatchObject({ operation: 'getWidget', path: { widgetId: 'a/b' } });

    expect(requests).toContain(`${server.url}/v1/widgets/a%2Fb`);
    expect(requests.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'))).toEqual(
      [],
    );
    expect(problems).toEqual([]);
    expect(await page.title()).toBe(document.info.title);
    await page.close();
  },
);

test.runIf(runsInBrowser)('shows why a request without a token is rejected', async () => {
  const { page } = await open('listWidgets');
  const operation = page.locator('#operations-Widgets-listWidgets');
  await operation.locator('.execute').click();
  const response = operation.locator('.live-responses-table');
  await response.waitFor();
  expect(await response.locator('tbody .response-col_status').first().textContent()).toContain('401');
  expect(await response.locator('tbody .response-col_description').first().textContent()).toContain(
    'access token',
  );
  await page.close();
});

test.runIf(runsInBrowser)('is restricted by the browser to its own server', async () => {
  const { page, problems } = await visit(browser, `${server.url}/docs`);
  await page.locator('#operations-tag-Widgets').waitFor();
  const blocked = await page.evaluate(async () => {
    const directives: string[] = [];
    const two = new Promise<void>((done) => {
      window.document.addEventListener('securitypolicyviolation', (event) => {
        if (directives.push(event.effectiveDirective) === 2) {
          done();
        }
      });
    });
    const other = 'http://127.0.0.2:9/x';
    const script = window.document.createElement('script');
    script.src = other;
    window.document.head.append(script);
    await fetch(other, { mode: 'no-cors' }).catch(() => undefined);
    await two;
    return directives.sort();
  });
  expect(blocked).toEqual(['connect-src', 'script-src-elem']);
  expect(problems.join()).toContain('Content Security Policy');
  await page.close();
});

test('serves the files of the page, and no others of its library', async () => {
  const get = async (path: string) => {
    const { status, headers } = await fetch(server.url + path, { redirect: 'manual' });
    return [status, headers.get('content-type')?.split(';')[0] ?? headers.get('location')];
  };
  expect(await get('/docs')).toEqual([200, 'text/html']);
  expect(await get('/docs/')).toEqual([301, 'text/plain']);
  expect(await get('/docs/swagger-ui-bundle.js')).toEqual([200, 'text/javascript']);
  expect(await get('/docs/favicon-32x32.png')).toEqual([200, 'image/png']);
  for (const path of [
    '/docs/package.json',
    '/docs/index.html',
    '/docs/../package.json',
    '/docs/%2e%2e/x',
    '/Docs',
  ]) {
    expect((await get(path))[0]).toBe(404);
  }
  const contract = await fetch(`${server.url}/openapi.json`);
  expect(contract.headers.get('content-type')).toContain('application/json');
  expect(await contract.json()).toEqual(document);
});
