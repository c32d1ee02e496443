// Runs on one engine: anchors are read from texts.
import { expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';
import { git, server, useServers } from '../../git/servers.ts';

useServers();

/** Headings of the page that is linked, with the anchors that hosts derive from them. */
const ANCHORS: Record<string, string[]> = {
  'Version 2.1': ['version-2.1', 'version-21', 'Version-2.1'],
  '3 steps / one day': ['id-3-steps-one-day', '3-steps--one-day', '3-steps-one-day'],
  'Trips & tours': ['trips-and-tours', 'trips--tours'],
  'Der Überblick': ['der-uberblick', 'der-ueberblick', 'der-%C3%BCberblick'],
  Search: ['search'],
};
const TITLES = Object.keys(ANCHORS);
const FRAGMENTS = [
  ...Object.values(ANCHORS).flat(),
  ...['port', 'shared-part', 'cell', 'row', 'where-is-it', 'late'],
];
const FILES = {
  'SUMMARY.md': '* [Home](README.md)\n* [Port](port.md)\n',
  'README.md': `# Home\n\n${[...FRAGMENTS, 'gone'].map((to) => `[${to}](port.md#${to})\n`).join('\n')}`,
  'port.md':
    `# Port\n\n${TITLES.map((title) => `## ${title}\n`).join('\n')}\n{% include ".gitbook/includes/part.md" %}\n\n` +
    '<table><thead><tr><th>h</th></tr></thead><tbody><tr id="row"><td>a</td><td id="cell">b</td></tr></tbody></table>\n\n' +
    '<details>\n\n<summary>Where is it?</summary>\n\nHere.\n\n</details>\n\n' +
    `${'A paragraph with words.\n\n'.repeat(250)}> ## Late {#late}\n`,
  '.gitbook/includes/part.md': '---\ntitle: Part\n---\n\n## Shared part\n',
};

/** Returns the IDs of the elements of a page; each only once. */
async function idsAt(url: string): Promise<string[]> {
  const ids = [...(await (await fetch(url)).text()).matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
  expect(new Set(ids).size).toBe(ids.length);
  return ids;
}

test('a link to an anchor is valid exactly if the page that it leads to has the fragment', async () => {
  const { space } = await spaceFrom(server, git, 'Port', FILES);
  const { items } = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/links', {
      params: { path: { spaceId: space.id }, query: { limit: 100 } },
    }),
  );
  const statuses = new Map(
    items.flatMap(({ status, targetReference }) =>
      targetReference?.kind === 'page' && targetReference.internalLocation?.type === 'anchor'
        ? [[targetReference.internalLocation.anchor, status]]
        : [],
    ),
  );
  const decoded = FRAGMENTS.map((fragment) => decodeURIComponent(fragment));
  expect(Object.fromEntries(statuses)).toEqual({
    ...Object.fromEntries(decoded.map((fragment) => [fragment, 'ok'])),
    gone: 'broken',
  });
  const { url } = await publishSite(server, { visibility: 'public', spaces: [space.id] });
  const home = await (await fetch(url)).text();
  const [, port = ''] = /<a href="([^"#]*)#[^"]*">port</.exec(home) ?? [];
  const ids = await idsAt(new URL(port, url).href);
  const found = new Map(
    [...home.matchAll(/<a href="[^"]*#([^"]*)">([^<]*)<\/a>/g)].map(([, fragment = '', label = '']) => [
      label,
      ids.includes(decodeURIComponent(fragment)),
    ]),
  );
  expect(Object.fromEntries(found)).toEqual({
    ...Object.fromEntries(FRAGMENTS.map((fragment) => [fragment, true])),
    gone: false,
  });
  // Bookmarks of readers lead to the headings without the script of the page.
  expect(ids).toEqual(
    expect.arrayContaining(['version-21', '3-steps--one-day', 'trips--tours', 'der-ueberblick']),
  );
  // The Markdown of the page links to the same anchors.
  const markdown = await (await fetch(`${url}/readme.md`)).text();
  expect(markdown).toContain('#trips-and-tours)');
  expect(markdown).not.toContain('#trips--tours)');
});

test('links to anchors of another space are checked and lead to them', async () => {
  const { space: other } = await spaceFrom(server, git, 'Port', FILES);
  const tree = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/content/pages', {
      params: { path: { spaceId: other.id } },
    }),
  );
  const port = tree.pages.find(({ title }) => title === 'Port')?.id ?? '';
  const to = `/spaces/${other.id}/pages/${port}`;
  const { space } = await spaceFrom(server, git, 'Home', {
    'README.md': `# Home\n\n[tours](${to}#trips--tours)\n\n[gone](${to}#gone)\n`,
  });
  const { items } = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/links', { params: { path: { spaceId: space.id } } }),
  );
  expect(items.map(({ status }) => status).toSorted()).toEqual(['broken', 'in-app']);
  const { url } = await publishSite(server, { visibility: 'public', spaces: [space.id, other.id] });
  const home = await (await fetch(url)).text();
  expect(home).toMatch(/<a href="[^"]*#trips-and-tours">tours<\/a>/);
});
