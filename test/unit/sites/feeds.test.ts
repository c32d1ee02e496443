import { expect, test } from 'vitest';
import type { ReadingSite } from '../../../server/platform/sites/reading/reading-site.ts';
import { readFeed } from '../../../server/platform/sites/reading/resources/feeds.ts';
import { SITE } from './site-row.ts';

/** A site without pages that counts how often its structure is read. */
function emptySite(version: string) {
  const counted = { reads: 0 };
  // The members that feeds read.
  const reading = {
    version,
    site: SITE,
    get structure() {
      counted.reads += 1;
      return { site: SITE, entries: [] };
    },
  } as unknown as ReadingSite;
  return { reading, counted };
}

test('a sitemap is made once for each version of a site, also for concurrent readers', async () => {
  const { reading, counted } = emptySite('first');
  const [first, concurrent] = await Promise.all([
    readFeed(reading, 'sitemap.xml'),
    readFeed(reading, 'sitemap.xml'),
  ]);
  expect(first).toBeDefined();
  expect(concurrent).toBe(first);
  const { reads } = counted;
  expect(await readFeed(reading, 'sitemap.xml')).toBe(first);
  expect(counted.reads).toBe(reads);
  expect(await readFeed(emptySite('second').reading, 'sitemap.xml')).not.toBe(first);
});
