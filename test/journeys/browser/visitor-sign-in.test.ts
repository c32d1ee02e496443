import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { MAX_VISITOR_TOKEN_CHARACTERS } from '../../../server/platform/sites/visitors/token-form.ts';
import { launchBrowser, withPage } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { VisitedSite } from '../../support/sites/visited-sites.ts';

describe.runIf(runsInBrowser)('the sign-in of a visitor in a browser', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launchBrowser(), startTestServer()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  // More than 4 kB, where browsers drop cookies, and as many as the maximum length of a token permits.
  test.each([75, 1000, 1200])('lasts with %i groups in the token', async (count) => {
    const { admin, organization } = server;
    const { id: space } = await ok(
      admin.client.POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: organization } },
        body: { title: 'Guide' },
      }),
    );
    const site = await VisitedSite.create(server, {
      visibility: 'visitor-auth',
      spaces: [space],
      title: 'Acme',
    });
    const groups = Array.from({ length: count }, (_, at) => (at + 36).toString(36));
    const token = await site.visitorToken({ groups });
    expect(token.length).toBeLessThanOrEqual(MAX_VISITOR_TOKEN_CHARACTERS);
    const url = (await site.publish()).urls.published ?? '';
    await withPage(browser, `${url}?jwt_token=${token}&x=1`, {}, async (page) => {
      expect(page.url()).toBe(`${url}?x=1`);
      expect(await page.title()).toContain('Acme');
      // The address has no token any more: the cookie admits.
      const response = await page.goto(url);
      expect(response?.status()).toBe(200);
      const [cookie, ...others] = await page.context().cookies();
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: new URL(url).pathname });
      expect(cookie?.value).toHaveLength(43);
    });
  });
});
