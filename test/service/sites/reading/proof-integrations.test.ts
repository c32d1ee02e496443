// Runs on one engine: a browser runs what integration-blocks.test.ts reads.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { inaccessible } from '../../../support/browser/axe.ts';
import { launchBrowser } from '../../../support/browser/browser.ts';
import { runsInBrowser } from '../../../support/browser/find-browser.ts';
import { importRepository } from '../../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { bundledIntegration } from '../../../support/integrations/bundled-integrations.ts';
import { install, installed, publish } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

/** The engine makes no difference. */

let server: TestServer;
let git: GitServer;
let browser: Browser;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  if (runsInBrowser) {
    browser = await launchBrowser();
  }
});
afterAll(async () => {
  if (runsInBrowser) {
    await browser.close();
  }
  await Promise.all([server.stop(), git.close()]);
});

/** Bundles an integration as its author does, publishes it, and installs it in the organization. */
async function add(name: string): Promise<string> {
  await ok(
    publish(server.admin, name, { ...(await bundledIntegration(name)), organization: server.organization }),
  );
  return (await install(server.admin, name, server.organization)).id;
}

test.runIf(runsInBrowser)('integrations of authors run on a published site', async () => {
  const { client } = server.admin;
  const { space } = await spaceFrom(server, git, 'Handbook', {
    'README.md': '# Handbook\n\n{% @poll/poll question="Do you sail?" answers="Yes, Sometimes" %}\n',
  });
  const site = await publishSite(server, { spaces: [space.id] });

  // One shows a block, and one runs a script on every page.
  await add('poll');
  const banner = await add('banner');
  const siteInstallation = { ...installed('banner', banner), body: { site: site.id } };
  await ok(
    client.POST('/v1/integrations/{integrationName}/installations/{installationId}/sites', siteInstallation),
  );
  await ok(
    client.PATCH(
      '/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}',
      {
        params: {
          path: { integrationName: 'banner', installationId: banner, installedSiteId: site.id },
        },
        body: { configuration: { message: 'The harbor is open.' } },
      },
    ),
  );

  // The script shows what is configured for the site, and its cookie.
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) {
      violations.push(message.text());
    }
  });
  await page.goto(site.url);
  await page.getByText('The harbor is open.').waitFor();
  expect(await page.evaluate(() => document.cookie)).toContain('banner=seen');

  // The block handles the actions of the reader, and has the height of its content.
  const poll = page.frameLocator('iframe[title="poll/poll"]');
  await poll.getByText('Nobody voted yet.').waitFor();
  await poll.getByLabel('Answer').selectOption('Sometimes');
  await poll.getByLabel('Name').fill('Ada');
  await poll.getByRole('button', { name: 'Vote' }).click();
  await poll.getByText('Ada voted Sometimes (1)').waitFor();
  await poll.getByRole('button', { name: 'Details' }).click();
  await poll.getByText('You voted 1 times.').waitFor();
  await poll.getByRole('button', { name: 'Reset' }).click();
  await poll.getByText('Nobody voted yet.').waitFor();
  // The block reports its height once it is drawn.
  await expect.poll(() => isFitted(page)).toBe(true);
  expect(await inaccessible(page)).toEqual([]);
  expect(violations).toEqual([]);
  await page.close();

  // Without scripts, the block works as well.
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await plain.goto(site.url);
  const form = plain.frameLocator('iframe[title="poll/poll"]');
  await form.getByRole('button', { name: 'Vote' }).click();
  await form.getByText('Somebody voted nothing (1)').waitFor();
});

test.runIf(runsInBrowser)('pages of integrations draw what the page contains, and send actions', async () => {
  const { space } = await spaceFrom(server, git, 'Processes', {
    'README.md': [
      '# Processes',
      '```steps\nMoor -> Sail -> Anchor\n```',
      '{% @diagram/steps content="Load -> Unload" %}',
      'https://diagrams.example.com/process/7?steps=Buy%20->%20Sell',
      'https://diagrams.example.com/process/8',
    ].join('\n\n'),
  });
  const site = await publishSite(server, { title: 'Processes', spaces: [space.id] });
  await add('diagram');
  const page = await browser.newPage({ viewport: { width: 1280, height: 2000 } });
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) {
      violations.push(message.text());
    }
  });
  await page.goto(site.url);
  const block = (at: number) => page.locator('iframe[title="diagram/steps"]').nth(at).contentFrame();
  const drawn = (at: number) => block(at).frameLocator('iframe').locator('svg text');
  for (const [at, steps] of [
    ['Moor', 'Sail', 'Anchor'],
    ['Load', 'Unload'],
    ['Buy', 'Sell'],
  ].entries()) {
    await drawn(at)
      .getByText(steps[0] ?? '', { exact: true })
      .waitFor();
    expect(await drawn(at).allTextContents()).toEqual(steps);
    await expect
      .poll(() =>
        block(at)
          .locator('iframe')
          .evaluate((frame) => frame.clientHeight),
      )
      .toBe(60 * steps.length);
  }
  expect(await block(2).getByRole('link', { name: 'Source' }).getAttribute('href')).toContain('/process/7');
  // What the script rejects remains a link.
  await block(3).getByRole('link', { name: 'https://diagrams.example.com/process/8' }).waitFor();

  await drawn(0).getByText('Sail').click();
  await block(0).getByText('Selected: Sail').waitFor();
  await drawn(0).getByText('Moor').waitFor();
  await expect.poll(() => isFitted(page)).toBe(true);
  expect(violations).toEqual([]);
  await page.close();
});

/** Shows two pages of its own: one with a value that is bound to it, one without. Both request a height, in different ways. */
const FRAMES = `
const page = \`<!doctype html><p id="state"></p><script>
  const post = (action) => parent.postMessage({ action }, '*');
  addEventListener('message', ({ data }) => {
    document.getElementById('state').textContent = JSON.stringify(data.state);
    if (data.state.title) {
      parent.postMessage(JSON.stringify({ context: 'iframe.resize', height: 321 }), '*');
    } else {
      post({ action: '@webframe.resize', size: { aspectRatio: 4, maxHeight: 10_000 } });
    }
  });
  document.addEventListener('click', () => post({ action: '@webframe.ready' }));
</script>\`;
export default {
  async fetch(request) {
    const form = await request.formData();
    const event = JSON.parse(form.get('event'));
    if (event.type !== 'ui_render') return new Response(page, { headers: { 'Content-Type': 'text/html' } });
    const { integration } = JSON.parse(form.get('environment'));
    const frame = { type: 'webframe', source: { url: integration.urls.publicEndpoint }, aspectRatio: 2 };
    const children = [{ ...frame, data: { title: { $state: 'title' } } }, frame];
    return Response.json({ type: 'element', element: { type: 'block', children }, state: { title: 'Tides' }, props: {} });
  }
};`;

test.runIf(runsInBrowser)(
  'pages that a block embeds have their proportions, and the height that they request',
  async () => {
    const { space } = await spaceFrom(server, git, 'Frames', {
      'README.md': '# Frames\n\n{% @frames/pages %}\n',
    });
    const site = await publishSite(server, { title: 'Frames', spaces: [space.id] });
    const { organization } = server;
    const blocks = [{ id: 'pages', title: 'Pages' }];
    await ok(publish(server.admin, 'frames', { organization, script: FRAMES, blocks }));
    await install(server.admin, 'frames', organization);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(site.url);
    const block = page.frameLocator('iframe[title="frames/pages"]');
    const sizes = () =>
      block
        .locator('iframe')
        .evaluateAll((frames) => frames.map(({ clientWidth, clientHeight }) => [clientWidth, clientHeight]));
    const [width = 0] = (await sizes())[0] ?? [];
    expect(width).toBeGreaterThan(300);
    expect(await sizes()).toEqual([
      [width, Math.round(width / 2)],
      [width, Math.round(width / 2)],
    ]);
    for (const [at, state] of ['{"title":"Tides"}', '{}'].entries()) {
      const embedded = block.locator('iframe').nth(at).contentFrame();
      await embedded.locator('html').click();
      await embedded.getByText(state).waitFor();
    }
    await expect.poll(sizes).toEqual([
      [width, 321],
      [width, Math.ceil(width / 4)],
    ]);
    await expect.poll(() => isFitted(page)).toBe(true);
    await page.close();
  },
);

/** Returns whether the frames of a page have the height of their content. */
const isFitted = (page: Page): Promise<boolean> =>
  page.evaluate(() =>
    [...document.querySelectorAll('iframe')].every(({ contentDocument, clientHeight }) => {
      const height = contentDocument?.body.getBoundingClientRect().height ?? 0;
      return Math.abs(height - clientHeight) < 2;
    }),
  );

test('an integration reads changed content with the token of its installation', async () => {
  const summary = '# Summary\n\n* [Log](README.md)\n';
  const { space, repository } = await spaceFrom(server, git, 'Log', {
    'README.md': '# Log\n',
    'SUMMARY.md': summary,
  });
  const digest = installed('digest', await add('digest'));
  await repository.update({ 'tides.md': '# Tides\n', 'SUMMARY.md': `${summary}* [Tides](tides.md)\n` });
  const { revision } = await importRepository(server, space.id, repository);
  await expect
    .poll(async () => {
      const { configuration } = await ok(
        server.admin.client.GET('/v1/integrations/{integrationName}/installations/{installationId}', digest),
      );
      return configuration.latest;
    })
    .toBe(`Log at ${revision}: Log, Tides`);
});

test.runIf(runsInBrowser)('an abusive integration costs itself only', async () => {
  const { space } = await spaceFrom(server, git, 'Abused', {
    'README.md': '# Abused\n\n{% @abusive/markup %}\n\n{% @abusive/garbage %}\n',
    'loop.md': '# Loop\n\n{% @abusive/loop %}\n\n{% @poll/poll %}\n',
    'SUMMARY.md': '# Summary\n\n* [Abused](README.md)\n* [Loop](loop.md)\n',
  });
  const site = await publishSite(server, { title: 'Abused', spaces: [space.id] });
  await add('abusive');
  const page = await browser.newPage();

  // A developer entered a token on the documentation pages of the same server before.
  await page.goto(`${server.url}/docs`);
  await page.evaluate(() => sessionStorage.setItem('colophon-docs:credential:AccessToken', 'secret'));

  // Elements are texts, and nothing else is shown.
  await page.goto(site.url);
  const markup = page.frameLocator('iframe[title="abusive/markup"]');
  await markup.getByText('<script>document.title = "hacked"</script>').waitFor();
  expect(await markup.locator('script:not([src]), iframe, [onerror], a').count()).toBe(0);
  expect(await page.title()).toBe('Abused');
  await failureIn(page, 'abusive/garbage');

  // Its script ran, and the policy of the page prevented everything that it tried.
  const attempts = page.locator('html[data-attempts]');
  await attempts.waitFor();
  expect(JSON.parse((await attempts.getAttribute('data-attempts')) ?? '')).toEqual({
    eval: false,
    inline: false,
    base: false,
    upload: false,
    worker: false,
    credentials: false,
  });

  // A component that never ends delays neither the page nor other integrations.
  await page.goto(`${site.url}/loop`);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Loop');
  await page.frameLocator('iframe[title="poll/poll"]').getByText('Nobody voted yet.').waitFor();
  await failureIn(page, 'abusive/loop');
});

/** Waits until a block is shown as failed. */
const failureIn = (page: Page, block: string): Promise<void> =>
  page
    .frameLocator(`iframe[title="${block}"]`)
    .getByText('This block cannot be shown at the moment.')
    .waitFor();
