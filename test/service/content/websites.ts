import { afterEach } from 'vitest';
import type { Client } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { docsPage, type SiteResponse, startSite, type TestSite } from '../../support/http/site.ts';
import { PNG } from '../../support/zip.ts';

/** Returns a function that serves websites until the end of a test. */
export function useSites(): (responses: Record<string, SiteResponse>) => Promise<TestSite> {
  const sites: TestSite[] = [];
  afterEach(async () => {
    for (const site of sites.splice(0)) {
      await site.close();
    }
  });
  return async (responses) => {
    const site = await startSite(responses);
    sites.push(site);
    return site;
  };
}

/** Imports content into a space. Returns the response. */
export const importContent = (
  client: Client,
  spaceId: string,
  body: components['schemas']['ContentImport'],
) => client.POST('/v1/spaces/{spaceId}/content/import', { params: { path: { spaceId } }, body });

/** A website of three pages and an image. */
export const WEBSITE = {
  '/docs/': docsPage('Welcome', '<p>See <a href="install#linux">how to install</a>.</p>', {
    menu: '<a href="/docs/install">Install</a><a href="/docs/guide/tables.html">Tables</a>',
    head: '<meta name="description" content="All of it">',
  }),
  '/docs/install': docsPage('Install', '<h2 id="linux">Linux</h2><p><img src="dot.png" alt="Dot"></p>'),
  '/docs/guide/tables.html': docsPage('Tables', '<p><a href="https://elsewhere.example/">Else</a></p>'),
  '/docs/dot.png': PNG,
};
