// Runs on one engine: a browser sends what feedback.test.ts sends.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { inaccessible, problemsInAllViews } from '../../../support/browser/axe.ts';
import { launchBrowser, withPage } from '../../../support/browser/browser.ts';
import { runsInBrowser } from '../../../support/browser/find-browser.ts';
import { startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

describe.runIf(runsInBrowser)('the form for feedback in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof publishSite>>;
  beforeAll(async () => {
    const git = await startGitServer();
    server = await startTestServer();
    const { space } = await spaceFrom(server, git, 'Guide', { 'README.md': '# Guide\n' });
    await git.close();
    site = await publishSite(server, { spaces: [space.id] });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const given = async () => {
    const params = { path: { organizationId: server.organization, siteId: site.id } };
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/feedback';
    const { items } = await ok(server.admin.client.GET(path, { params }));
    return items.map(({ rating, comment }) => [rating, comment]);
  };

  test('sends a rating and a comment with the keyboard, and thanks on the page', async () => {
    await withPage(browser, site.url, {}, async (page) => {
      const form = page.locator('form.feedback');
      expect(await form.getByLabel('Comment').isVisible()).toBe(false);
      await form.getByRole('radio', { name: 'Yes' }).focus();
      await page.keyboard.press('ArrowRight');
      expect(await form.getByRole('group', { name: 'Was this page helpful?' }).count()).toBe(1);
      expect(await problemsInAllViews(page)).toEqual([]);
      await page.keyboard.press('Tab');
      await page.keyboard.type('Add a picture.');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const thanks = page.getByRole('status').filter({ hasText: 'Thank you for your feedback.' });
      await thanks.waitFor();
      expect(page.url()).toBe(site.url);
      expect(await inaccessible(page)).toEqual([]);
    });
    expect(await given()).toEqual([['ok', 'Add a picture.']]);
  });

  test('thanks on a page of its own without scripts', async () => {
    await withPage(browser, site.url, { javaScriptEnabled: false }, async (page) => {
      const form = page.locator('form.feedback');
      await form.getByText('No', { exact: true }).click();
      await form.getByLabel('Comment').fill('It\nfails.');
      await form.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('heading', { level: 1, name: 'Thank you for your feedback.' }).waitFor();
      await page.reload();
      await page.getByRole('main').getByRole('link', { name: 'Guide' }).click();
      expect(page.url()).toBe(site.url);
    });
    expect(await given()).toContainEqual(['bad', 'It\nfails.']);
    expect(await given()).toHaveLength(2);
  });
});
