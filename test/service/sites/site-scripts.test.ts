// Runs on one engine: a browser runs what integration-scripts.test.ts reads.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { launchBrowser } from '../../support/browser.ts';
import { bundledIntegration } from '../../support/bundled-integrations.ts';
import { eventsOf } from '../../support/event-receiver.ts';
import { runsInBrowser } from '../../support/find-browser.ts';
import { startGitServer } from '../../support/git-server.ts';
import { install, installed, publish } from '../../support/integrations.ts';
import { publishSite, spaceFrom } from '../../support/published-site.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

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
  'https://styles.example.com/s.css': { contentType: 'text/css', body: 'body { outline-offset: 3px }' },
};

let server: TestServer;
let browser: Browser;
let space: string;
beforeAll(async () => {
  const git = await startGitServer();
  server = await startTestServer();
  space = (await spaceFrom(server, git, 'Guide', { 'README.md': '# Guide\n' })).space.id;
  await git.close();
  if (runsInBrowser) {
    browser = await launchBrowser();
  }
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});

async function siteWith(name: string, configuration: Record<string, unknown>) {
  const { admin, organization } = server;
  const site = await publishSite(server, { spaces: [space] });
  await ok(publish(admin, name, { ...(await bundledIntegration(name)), organization }));
  const { id } = await install(admin, name, organization);
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
  return { site, installation: id };
}

/** Records the requests of a page to other hosts, and answers them. */
async function openRecording(url: string): Promise<{ page: Page; requests: string[] }> {
  const page = await browser.newPage();
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
    const { site } = await siteWith('tracker', { tag: 'T-1' });
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
