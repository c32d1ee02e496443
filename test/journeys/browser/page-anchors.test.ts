// Runs on one engine: the script of a page reads nothing from the database.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DESKTOP, launchBrowser, withPage } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishSite, spaceFrom } from '../../support/sites/published-site.ts';

const TEXT = 'A paragraph between the targets.\n\n'.repeat(60);
const PAGE = `# Harbour

[to the berth](#the-berth) and [to the tide](#tide-2.5)

${TEXT}

## Über & unter

${TEXT}

{% tabs %}
{% tab title="Sail" %}
## The mast
{% endtab %}

{% tab title="Motor" %}
## The berth

<details>

<summary>At night</summary>

### Tide 2.5

Text.

</details>
{% endtab %}
{% endtabs %}

<details>

<summary>Where is the crane?</summary>

<details>

<summary>On which quay?</summary>

### Quay <a href="#old-quay" id="old-quay"></a>

Here.

</details>

</details>

${TEXT}`;

describe.runIf(runsInBrowser)('the fragment of the address of a page', () => {
  let browser: Browser;
  let server: TestServer;
  let git: GitServer;
  let url: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    server = await startTestServer();
    git = await startGitServer();
    const { space } = await spaceFrom(server, git, 'Harbour', { 'README.md': PAGE });
    ({ url } = await publishSite(server, { spaces: [space.id] }));
  });

  afterAll(async () => {
    await browser?.close();
    await git?.close();
    await server?.stop();
  });

  /** Waits until an element is shown within the window, below the header. */
  const untilShown = (page: Page, id: string) =>
    page.waitForFunction((id) => {
      const element = document.getElementById(id);
      const box = element?.getBoundingClientRect();
      const header = document.querySelector('.site-header')?.getBoundingClientRect().bottom ?? 0;
      return element?.checkVisibility() && box && box.top >= header && box.bottom <= innerHeight;
    }, id);

  test.each([
    ['the-berth', 'the-berth'],
    ['tide-2.5', 'tide-2.5'],
    ['old-quay', 'old-quay'],
    ['on-which-quay', 'on-which-quay'],
    // The forms of other hosts, in other cases, and percent-encoded.
    ['tide-25', 'tide-2.5'],
    ['Tide-25', 'tide-2.5'],
    ['THE-BERTH', 'the-berth'],
    ['user-content-the-berth', 'the-berth'],
    ['uber-and-unter', 'uber-and-unter'],
    ['%C3%BCber--unter', 'uber-and-unter'],
    ['where-is-the-crane?', 'where-is-the-crane'],
  ])('%j is shown, within expandable blocks and tabs, too', async (fragment, id) => {
    await withPage(browser, `${url}#${fragment}`, { viewport: DESKTOP }, async (page) => {
      await untilShown(page, id);
    });
  });

  test('is shown when it changes', async () => {
    await withPage(browser, url, { viewport: DESKTOP }, async (page) => {
      expect(await page.locator('#the-berth').isVisible()).toBe(false);
      await page.getByRole('link', { name: 'to the berth' }).click();
      await untilShown(page, 'the-berth');
      await page.evaluate(() => {
        location.hash = '#Tide-2-5';
      });
      await untilShown(page, 'tide-2.5');
      // What leads nowhere changes nothing.
      await page.evaluate(() => {
        location.hash = '#%E0%A4%A';
      });
      expect(await page.locator('#the-berth').isVisible()).toBe(true);
    });
  });
});
