import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { SEARCH_LIMIT } from '../../../server/database/search/matches.ts';
import { type GitServer, startGitServer } from '../../support/git-server.ts';
import { createSpace, importRepository } from '../../support/imports.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const often = (word: string) => `${word} `.repeat(30);

const FILES = {
  'README.md': '# Start\n\nOverview.\n',
  'limits.md': '# Limits\n\nOne value.\n',
  'limit.md': '# Limit\n\nAnother value.\n',
  'limits-api.md': '# Limits of the API\n\nA third value.\n',
  'other.md': `# Other\n\n## Limits\n\n${often('limits')}\n`,
  'text.md': `# Text\n\n## About values\n\n${often('limits limit')}\n`,
  'beyond.md': `# Beyond the limits\n\n${often('limits')}\n`,
};
/** Sections with a word, more than a search ranks. */
const MANY = Object.fromEntries(
  Array.from({ length: 30 }, (_, page) => [
    `page-${page}.md`,
    `# Page ${page}\n\n${Array.from({ length: 45 }, (_, at) => `## Part ${at}\n\nAbout billing.`).join('\n\n')}\n`,
  ]),
);

let server: TestServer;
let git: GitServer;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

async function spaceWith(files: Record<string, string>): Promise<string> {
  const { id } = await createSpace(server);
  await importRepository(server, id, await git.createRepository(files));
  return id;
}

async function find(spaceId: string, query: string) {
  const params = { path: { spaceId }, query: { query, limit: 1000 } };
  const { items, count } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/search', { params }));
  return { titles: items.map(({ title }) => title), items, count };
}

test('lists pages first whose title is the query, then those whose title starts with it', async () => {
  const space = await spaceWith(FILES);
  const { titles } = await find(space, 'limits');
  expect(titles).toEqual([
    'Limits',
    'Limit',
    'Limits of the API',
    'Other',
    expect.any(String),
    expect.any(String),
  ]);
  expect((await find(space, 'Limit')).titles.slice(0, 3)).toEqual(['Limit', 'Limits', 'Limits of the API']);
  expect((await find(space, 'limits of')).titles[0]).toBe('Limits of the API');
  const params = { path: { organizationId: server.organization }, query: { query: 'limits' } };
  const { items } = await ok(server.admin.client.GET('/v1/orgs/{organizationId}/search', { params }));
  expect(items[0]?.pages.slice(0, 3).map(({ title }) => title)).toEqual(titles.slice(0, 3));
});

test('finds titles among more sections than are ranked', async () => {
  const names = ['address', 'cards', 'dates', 'limits', 'overview', 'periods', 'rules', 'taxes'];
  const files: Record<string, string> = {
    'billing.md': '# Billing\n\nCards.\n',
    ...Object.fromEntries(names.map((name) => [`${name}.md`, `# Billing ${name}\n\nMore.\n`])),
    ...MANY,
  };
  const expected = ['Billing', ...names.map((name) => `Billing ${name}`)];
  const space = await spaceWith({
    'SUMMARY.md': `${Object.keys(files)
      .map((file) => `* [${/^# (.*)/.exec(files[file] ?? '')?.[1]}](${file})`)
      .join('\n')}\n`,
    ...files,
  });
  const { titles, items } = await find(space, 'billing');
  expect(titles[0]).toBe('Billing');
  expect(titles.slice(1, expected.length).toSorted()).toEqual(expected.slice(1));
  expect(items.flatMap(({ sections }) => sections)).toHaveLength(SEARCH_LIMIT);
  const params = { path: { organizationId: server.organization }, query: { query: 'billing' } };
  const found = await ok(server.admin.client.GET('/v1/orgs/{organizationId}/search', { params }));
  const pages = found.items[0]?.pages.map(({ title }) => title) ?? [];
  expect(pages[0]).toBe('Billing');
  expect(pages.slice(1, expected.length).toSorted()).toEqual(expected.slice(1));
});
