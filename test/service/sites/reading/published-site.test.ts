// Runs on one engine: a browser shows what reading-visitors.test.ts reads.
import { SignJWT } from 'jose';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { inaccessible } from '../../../support/browser/axe.ts';
import { launchBrowser } from '../../../support/browser/browser.ts';
import { runsInBrowser } from '../../../support/browser/find-browser.ts';
import { createSpace, importRepository } from '../../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

let server: TestServer;
let repositories: GitServer;
let browser: Browser;
beforeAll(async () => {
  [server, repositories] = await Promise.all([startTestServer(), startGitServer()]);
  if (runsInBrowser) {
    browser = await launchBrowser();
  }
});
afterAll(async () => {
  if (runsInBrowser) {
    await browser.close();
  }
  await Promise.all([server.stop(), repositories.close()]);
});

test.runIf(runsInBrowser)('publishes two repositories as a site, which four visitors read', async () => {
  const { client } = server.admin;
  const organizationId = server.organization;

  // Two repositories become spaces; the second one has a variant.
  const handbook = await spaceOf('Handbook', {
    'README.md':
      '# Handbook\n\nHow we sail.\n\n{% hint style="info" %}\nMind the [tides](tides.md).\n{% endhint %}\n',
    'SUMMARY.md': '# Summary\n\n* [Handbook](README.md)\n* [Tides](tides.md)\n',
    'tides.md': '# Tides\n\nThe water rises twice a day.\n',
  });
  const api = await spaceOf('API', {
    'README.md': '# API\n\nAsk for the depth of a harbor.\n',
    'SUMMARY.md': '# Summary\n\n* [API](README.md)\n',
  });
  const { id: earlier } = await ok(
    client.POST('/v1/spaces/{spaceId}/duplicate', { params: { path: { spaceId: api } } }),
  );
  const { id: beta } = await ok(
    client.POST('/v1/spaces/{spaceId}/duplicate', { params: { path: { spaceId: handbook } } }),
  );

  // The site has three sections, one of them in a group, and a variant.
  const { id: siteId } = await ok(
    client.POST('/v1/orgs/{organizationId}/sites', {
      params: { path: { organizationId } },
      body: { title: 'Harbor' },
    }),
  );
  const path = { organizationId, siteId };
  const addSection = (spaceId: string, title: string) =>
    ok(
      client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
        params: { path },
        body: { spaceId, title },
      }),
    );
  await addSection(handbook, 'Handbook');
  const apiSection = await addSection(api, 'API');
  const betaSection = await addSection(beta, 'Beta');
  await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
      params: { path },
      body: { spaceId: earlier, sectionId: apiSection.id },
    }),
  );
  await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/section-groups', {
      params: { path },
      body: { title: 'Developers', sections: [apiSection.id] },
    }),
  );

  // Only visitors who take part in the beta see its section.
  const claim = { type: 'boolean', description: 'Takes part in the beta.' } as const;
  await ok(
    client.PUT('/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', {
      params: { path },
      body: { jsonSchema: { type: 'object', properties: { beta: claim }, additionalProperties: false } },
    }),
  );
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
      params: { path },
      body: { adaptiveContent: { enabled: true } },
    }),
  );
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
      params: { path: { ...path, siteSectionId: betaSection.id } },
      body: { condition: 'visitor.claims.beta' },
    }),
  );

  const site = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', { params: { path } }),
  );
  const url = site.urls.published ?? '';

  // Everyone reads a public site, which search engines index.
  const anyone = await visitor();
  const home = await anyone.open(url);
  expect(home).toMatchObject({ status: 200, heading: 'Handbook', robots: null });
  expect(home.navigation).toEqual(expect.arrayContaining(['Handbook', 'API']));
  expect(home.navigation).not.toContain('Beta');
  expect((await anyone.open(`${url}/beta`)).status).toBe(404);
  await anyone.page.goto(url);
  await anyone.page.getByRole('link', { name: 'tides', exact: true }).click();
  expect(await anyone.page.getByRole('heading', { level: 1 }).textContent()).toBe('Tides');
  expect(await inaccessible(anyone.page)).toEqual([]);
  expect((await anyone.open(`${url}/api`)).heading).toBe('API');

  // Everyone with its address reads an unlisted site, which search engines do not index.
  const update = (visibility: 'unlisted' | 'share-link' | 'visitor-auth') =>
    ok(client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', { params: { path }, body: { visibility } }));
  await update('unlisted');
  expect(await anyone.open(url)).toMatchObject({ status: 200, robots: expect.stringContaining('noindex') });

  // A share link opens the site to a reviewer.
  await update('share-link');
  expect((await anyone.open(url)).status).not.toBe(200);
  const link = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/share-links', {
      params: { path },
      body: { name: 'Reviewers' },
    }),
  );
  const reviewer = await visitor();
  expect(await reviewer.open(link.urls.published ?? '')).toMatchObject({ status: 200, heading: 'Handbook' });
  expect(await reviewer.open(`${url}/tides`)).toMatchObject({ status: 200, heading: 'Tides' });

  // A signed token identifies a customer, and states that they take part in the beta.
  await update('visitor-auth');
  expect((await reviewer.open(url)).status).not.toBe(200);
  const { privateKey } = await ok(
    client.GET('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', { params: { path } }),
  );
  const sign = (claims: Record<string, boolean>) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(privateKey));
  const customer = await visitor();
  const entered = await customer.open(`${url}?visitorToken=${await sign({ beta: true })}`);
  expect(entered).toMatchObject({ status: 200, heading: 'Handbook' });
  expect(entered.navigation).toContain('Beta');
  expect((await customer.open(`${url}/beta`)).status).toBe(200);
  const another = await visitor();
  const ordinary = await another.open(`${url}?visitorToken=${await sign({ beta: false })}`);
  expect(ordinary.navigation).not.toContain('Beta');
  expect((await another.open(`${url}/beta`)).status).toBe(404);
});

/** Creates a space from the files of a repository. */
async function spaceOf(title: string, files: Record<string, string>): Promise<string> {
  const { id } = await createSpace(server, title);
  await importRepository(server, id, await repositories.createRepository(files));
  return id;
}

/** A visitor with cookies of their own. */
async function visitor() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  return {
    page,
    /** Opens an address, and returns what the visitor sees. */
    open: async (url: string) => {
      const response = await page.goto(url);
      const robots = page.locator('meta[name="robots"]');
      return {
        status: response?.status(),
        heading: await page.getByRole('heading', { level: 1 }).first().textContent(),
        // Including the links of closed menus.
        navigation: (await page.locator('header a, nav a').allTextContents()).map((text) => text.trim()),
        robots: (await robots.count()) === 0 ? null : await robots.getAttribute('content'),
      };
    },
  };
}
