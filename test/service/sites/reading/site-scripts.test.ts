// Runs on one engine: a browser runs what integration-scripts.test.ts reads.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { inaccessible } from '../../../support/browser/axe.ts';
import { launchBrowser, PHONE } from '../../../support/browser/browser.ts';
import { runsInBrowser } from '../../../support/browser/find-browser.ts';
import { startGitServer } from '../../../support/git/git-server.ts';
import { bundledIntegration } from '../../../support/integrations/bundled-integrations.ts';
import { eventsOf } from '../../../support/integrations/event-receiver.ts';
import { install, installed, publish } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

const PATIENCE = { timeout: 30_000, interval: 100 };

/** What other hosts send. The tag uses all that the manifest lists, and some that it does not. */
const HOSTS: Record<string, { contentType: string; body: string }> = {
  'https://tags.example.com/tag.js': {
    contentType: 'text/javascript',
    body: `
      const plugin = document.createElement('script');
      plugin.src = 'https://plugins.example.net/plugin.js';
      document.head.append(plugin);
      fetch('https://events.example.com/collect', { method: 'POST', mode: 'no-cors' });
      navigator.sendBeacon('https://beacons.example.com/collect', 'view');
      new Image().src = 'https://pixels.example.com/p.gif';
      const chat = document.createElement('iframe');
      chat.src = 'https://chat.example.com/widget';
      document.body.append(chat);
      const style = document.createElement('style');
      style.textContent = 'body { outline: 7px solid red }';
      const sheet = document.createElement('link');
      sheet.rel = 'stylesheet';
      sheet.href = 'https://styles.example.com/s.css';
      document.head.append(style, sheet);
      const button = document.createElement('button');
      button.setAttribute('onclick', 'window.inlineRan = true');
      button.click();
      fetch('https://elsewhere.example.org/collect?key=secret').catch(() => {});
    `,
  },
  'https://plugins.example.net/plugin.js': {
    contentType: 'text/javascript',
    body: `document.documentElement.dataset.plugin = 'loaded';`,
  },
  'https://visits.example.com/counter.js': { contentType: 'text/javascript', body: '' },
  'https://styles.example.com/s.css': { contentType: 'text/css', body: 'body { outline-offset: 3px }' },
};

let server: TestServer;
let browser: Browser;
let space: string;
let arabic: string;
beforeAll(async () => {
  const git = await startGitServer();
  server = await startTestServer();
  space = (await spaceFrom(server, git, 'Guide', { 'README.md': '# Guide\n' })).space.id;
  arabic = (await spaceFrom(server, git, 'دليل', { 'README.md': '# دليل\n' }, 'ar')).space.id;
  await git.close();
  if (runsInBrowser) {
    browser = await launchBrowser();
  }
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});

/** Publishes an integration of the fixtures, and installs it on no site. */
async function installOnly(name: string): Promise<string> {
  const { admin, organization } = server;
  await ok(publish(admin, name, { ...(await bundledIntegration(name)), organization }));
  const { id } = await install(admin, name, organization);
  await ok(
    admin.client.PATCH('/v1/integrations/{integrationName}/installations/{installationId}', {
      ...installed(name, id),
      body: { site_selection: 'selected' },
    }),
  );
  return id;
}

/** Publishes a site, and installs an integration on it. */
async function siteWith(
  name: string,
  id: string,
  configuration: Record<string, unknown> = {},
  spaces = [space],
) {
  const { admin } = server;
  const site = await publishSite(server, { spaces });
  await ok(
    admin.client.POST('/v1/integrations/{integrationName}/installations/{installationId}/sites', {
      ...installed(name, id),
      body: { site: site.id },
    }),
  );
  const params = { path: { integrationName: name, installationId: id, installedSiteId: site.id } };
  await ok(
    admin.client.PATCH(
      '/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}',
      { params, body: { configuration } },
    ),
  );
  return site;
}

/** Records the requests of a page to other hosts, and answers them. */
async function openRecording(
  url: string,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ page: Page; requests: string[] }> {
  const page = await browser.newPage(options);
  await prepare(page);
  const requests: string[] = [];
  await page.route(/^https:/, async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    requests.push(`${origin}${pathname}`);
    await route.fulfill(HOSTS[`${origin}${pathname}`] ?? { contentType: 'text/plain', body: '' });
  });
  await page.goto(url);
  return { page, requests };
}

/** Returns the log of what was blocked on the pages of a site. */
async function blockedIn(name: string, siteId: string): Promise<string[]> {
  const messages: string[] = [];
  for (const { id, payload, status } of await eventsOf(server.admin, name)) {
    if (payload.type === 'fetch_published_script' && payload.siteId === siteId && status === 'failed') {
      const params = { path: { integrationName: name, eventId: id } };
      const { trace } = await ok(
        server.admin.client.GET('/v1/integrations/{integrationName}/events/{eventId}', { params }),
      );
      messages.push(...(trace?.logs ?? []).map(({ level, message }) => `${level} ${message}`));
    }
  }
  return messages.toSorted();
}

test.runIf(runsInBrowser)(
  'the script of an integration loads what its manifest lists, and scripts',
  async () => {
    const site = await siteWith('tracker', await installOnly('tracker'), { tag: 'T-1' });
    const { page, requests } = await openRecording(site.url);
    await page.locator('html[data-plugin="loaded"]').waitFor();
    await expect
      .poll(() => requests.toSorted(), PATIENCE)
      .toEqual([
        'https://beacons.example.com/collect',
        'https://chat.example.com/widget',
        'https://events.example.com/collect',
        'https://pixels.example.com/p.gif',
        'https://plugins.example.net/plugin.js',
        'https://styles.example.com/s.css',
        'https://tags.example.com/tag.js',
      ]);
    const shown = page.evaluate(() => {
      const { outlineWidth, outlineOffset } = getComputedStyle(document.body);
      return [outlineWidth, outlineOffset, 'inlineRan' in window];
    });
    expect(await shown).toEqual(['7px', '3px', false]);

    // What the policy blocked is in the trace, without what may be a credential.
    const source = ', requested by https://tags.example.com/tag.js, line';
    await expect
      .poll(() => blockedIn('tracker', site.id), PATIENCE)
      .toEqual([
        expect.stringContaining(
          `warn Blocked by the content security policy on the page /: connect-src https://elsewhere.example.org/collect${source}`,
        ),
        expect.stringContaining(
          `warn Blocked by the content security policy on the page /: script-src-attr inline${source}`,
        ),
      ]);
    await page.close();
  },
);

describe.runIf(runsInBrowser)('scripts that require the consent to cookies', () => {
  const counter = 'https://visits.example.com/counter.js';
  let visits: string;
  beforeAll(async () => {
    visits = await installOnly('visits');
  });

  /** The page has run the scripts of its integrations. */
  const loaded = (page: Page, tracking: string) =>
    page.locator(`html[data-tracking="${tracking}"]`).waitFor({ state: 'attached' });
  const banner = (page: Page) => page.getByRole('dialog', { name: 'Cookies' });

  test('start after the consent and not before', async () => {
    const site = await siteWith('visits', visits);
    await setPrivacyPolicy(site.id, 'https://example.com/privacy');
    const { page, requests } = await openRecording(site.url, { viewport: PHONE });
    await loaded(page, 'undefined');
    await banner(page).waitFor();
    expect(await inaccessible(page)).toEqual([]);
    expect(await banner(page).getByRole('link', { name: 'Privacy policy' }).getAttribute('href')).toBe(
      'https://example.com/privacy',
    );
    expect([requests, await page.context().cookies()]).toEqual([[], []]);

    // The keyboard reaches it after the link to the content.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Accept');
    await page.keyboard.press('Enter');
    await loaded(page, 'false');
    await expect.poll(() => requests).toEqual([counter]);
    expect(await banner(page).isVisible()).toBe(false);
    expect(await page.context().cookies()).toMatchObject([
      { name: '__gitbook_cookie_granted', value: 'yes', path: new URL(site.url).pathname, sameSite: 'Lax' },
    ]);

    // Scripts end with the page, and the consent is remembered.
    await page.goto(`${site.url}/~search`);
    await expect.poll(() => requests).toEqual([counter, counter]);
    expect(await page.evaluate(() => sessionStorage.getItem('visits'))).toBe('ended');
    await page.context().close();
  });

  test('do not start after a refusal, or if the visitor closes the banner', async () => {
    const site = await siteWith('visits', visits, {}, [arabic]);
    const { page, requests } = await openRecording(site.url);
    const dialog = page.locator('[id="site:cookie-banner"]');
    await dialog.waitFor();
    // It is at the end of the line in right-to-left languages, too.
    expect(await dialog.evaluate((element) => element.getBoundingClientRect().left)).toBeLessThan(100);
    expect(await inaccessible(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'إغلاق' }).focus();
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(false);
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await dialog.getByRole('button', { name: 'رفض' }).click();
    await loaded(page, 'true');
    expect(await dialog.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.cookie)).toBe('__gitbook_cookie_granted=no');
    expect(requests).toEqual([]);
    await page.context().close();
  });

  test('do not start if the browser objects to tracking, without a question', async () => {
    const site = await siteWith('visits', visits);
    const { page, requests } = await openRecording(site.url, {}, (opened) =>
      opened.addInitScript(() => {
        Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });
      }),
    );
    await loaded(page, 'true');
    expect(await banner(page).isVisible()).toBe(false);
    expect(await page.evaluate(() => window.GitBook.isGlobalPrivacyControlEnabled())).toBe(true);
    expect(requests).toEqual([]);
    await page.context().close();
  });

  test('may replace the banner', async () => {
    const site = await siteWith('visits', visits);
    const { page, requests } = await openRecording(site.url, {}, (opened) =>
      opened.addInitScript(() => {
        addEventListener('load', () => {
          window.GitBook.registerCookieBanner(({ onApprove }) => {
            Object.assign(window, { approveCookies: onApprove });
          });
        });
      }),
    );
    await loaded(page, 'undefined');
    expect(await banner(page).isVisible()).toBe(false);
    const reloaded = page.waitForEvent('load');
    await page.evaluate(() => window.approveCookies());
    await reloaded;
    await loaded(page, 'false');
    expect(requests).toEqual([counter]);
    await page.context().close();
  });

  test('show nothing without scripts, and on sites without such integrations', async () => {
    const site = await siteWith('visits', visits);
    const { page } = await openRecording(site.url, { javaScriptEnabled: false });
    expect(await page.locator('[id="site:cookie-banner"]').count()).toBe(1);
    expect(await page.locator('[id="site:cookie-banner"]').isVisible()).toBe(false);
    await page.context().close();
    const other = await publishSite(server, { spaces: [space] });
    await setPrivacyPolicy(other.id, 'https://example.com/privacy');
    expect(await (await fetch(other.url)).text()).not.toMatch(/cookie-banner|integrations\.js/);
    // Integrations that receive views require the consent, too; the privacy policy states for what.
    await ok(
      publish(server.admin, 'views', { organization: server.organization, scopes: ['site:views:read'] }),
    );
    await install(server.admin, 'views', server.organization);
    expect(await (await fetch(other.url)).text()).toMatch(/cookie-banner/);
    const without = await publishSite(server, { spaces: [space] });
    expect(await (await fetch(without.url)).text()).not.toMatch(/cookie-banner/);
  });
});

async function setPrivacyPolicy(siteId: string, url: string): Promise<void> {
  const params = { path: { organizationId: server.organization, siteId } };
  const path = '/v1/orgs/{organizationId}/sites/{siteId}/customization';
  const customization = await ok(server.admin.client.GET(path, { params }));
  await ok(server.admin.client.PUT(path, { params, body: { ...customization, privacyPolicy: { url } } }));
}
