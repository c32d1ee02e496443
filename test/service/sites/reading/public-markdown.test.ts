// Runs on one engine: pages are printed after they are read.
import { expect, test } from 'vitest';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';
import { git, server, useServers } from '../../git/servers.ts';

useServers();

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>';
const FILES = {
  'SUMMARY.md':
    '# Table of contents\n\n* [Harbor](README.md)\n* [Boats](boats/README.md)\n  * [Dinghy](boats/dinghy.md)\n  * [Sails](boats/sails/README.md)\n    * [Jib](boats/sails/jib.md)\n\n## Ashore\n\n* [Café](ashore/café au lait.md)\n',
  'README.md':
    '---\ndescription: Where boats rest\n---\n\n# Harbor\n\n{% include ".gitbook/includes/tides.md" %}\n\n[boats](boats/) [jib](./boats/sails/jib.md#cloth) [café](ashore/caf%C3%A9%20au%20lait.md) [pdf](.gitbook/assets/map.pdf)\n',
  '.gitbook/includes/tides.md':
    '---\ntitle: Tides\n---\n\nTwice a day, see [the dinghy](../../boats/dinghy.md).\n\n![Moon](../assets/moon.svg)\n\n{% include "moon.md" %}\n',
  '.gitbook/includes/moon.md': 'The moon [pulls](../../boats/README.md).\n',
  '.gitbook/assets/moon.svg': SVG,
  '.gitbook/assets/map.pdf': '%PDF-1.4\n',
  'boats/README.md':
    '# Boats\n\n[dinghy](dinghy.md) [sails](sails/README.md) [sails again](sails) [home](../README.md) [root](/README.md)\n\n{% content-ref url="sails/jib.md" %}\n[jib.md](sails/jib.md)\n{% endcontent-ref %}\n\n<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>Jib</td><td><a href="sails/jib.md">jib.md</a></td></tr></tbody></table>\n\n{% include "/parts/rope.md" %}\n',
  'boats/dinghy.md':
    '# Dinghy\n\n{% tabs %}\n{% tab title="One" %}\n[up](README.md) [ref][jib]\n{% endtab %}\n{% endtabs %}\n\n[jib]: sails/jib.md\n\n<a href="../ashore/café au lait.md">html</a> <img src="../.gitbook/assets/moon.svg" alt="">\n',
  'boats/sails/README.md':
    '# Sails\n\n* [jib](jib.md)\n\n> [boats](../README.md)\n\n| a |\n| - |\n| [dinghy](../dinghy.md) |\n',
  'boats/sails/jib.md': '# Jib\n\n## Cloth\n\n[here](#cloth) [sails](./README.md)\n',
  'ashore/café au lait.md':
    '# Café\n\n{% file src="../.gitbook/assets/map.pdf" %}\n\n[boats](../boats/README.md)\n',
  'parts/rope.md': 'Rope for [the dinghy](dinghy.md).\n',
};

/** Returns the addresses of the links, images and tags of a Markdown text. */
const addressesIn = (markdown: string): string[] =>
  [...markdown.matchAll(/\]\(<?([^)>\s]+)|\b(?:href|src|url)="([^"]+)"|^\[[^\]]+\]: (\S+)/gm)].map(
    ([, link, attribute, definition]) => link ?? attribute ?? definition ?? '',
  );

test('every link of the Markdown of a published page leads to an existing address', async () => {
  const { space } = await spaceFrom(server, git, 'Harbor', FILES);
  const { url } = await publishSite(server, { visibility: 'public', spaces: [space.id] });
  const index = await (await fetch(`${url}/llms.txt`)).text();
  const pages = addressesIn(index);
  expect(pages).toHaveLength(6);
  const texts = new Map<string, string>();
  const broken: string[] = [];
  let count = 0;
  for (const page of pages) {
    const response = await fetch(page);
    expect(response.status).toBe(200);
    const markdown = await response.text();
    texts.set(page, markdown);
    expect(markdown).not.toContain('{% include');
    for (const address of addressesIn(markdown)) {
      count += 1;
      const target = await fetch(new URL(address.replaceAll('&amp;', '&'), page));
      if (target.status !== 200) {
        broken.push(`${page}: ${address}`);
      }
    }
  }
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThanOrEqual(27);
  const full = await fetch(`${url}/llms-full.txt`);
  expect(full.status).toBe(200);
  expect(await full.text()).toBe(`${[...texts.values()].map((text) => text.trimEnd()).join('\n\n')}\n`);
  const [home = '', boats = ''] = pages;
  expect(texts.get(home)).toContain('Twice a day');
  expect(texts.get(home)).toContain('The moon [pulls]');
  expect(texts.get(boats)).toContain('Rope for [the dinghy]');
});
