import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { pageDescriber } from '../../../server/platform/content/search/present/page-descriptions.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
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

test('lists pages first whose title is the query, starts with it or contains it, in this order', async () => {
  const space = await spaceWith(FILES);
  const { titles } = await find(space, 'limits');
  expect(titles).toEqual(['Limits', 'Limit', 'Limits of the API', 'Beyond the limits', 'Other', 'Text']);
  expect((await find(space, 'Limit')).titles.slice(0, 3)).toEqual(['Limit', 'Limits', 'Limits of the API']);
  expect((await find(space, 'limits of')).titles[0]).toBe('Limits of the API');
  const params = { path: { organizationId: server.organization }, query: { query: 'limits' } };
  const { items } = await ok(server.admin.client.GET('/v1/orgs/{organizationId}/search', { params }));
  expect(items[0]?.pages.slice(0, 3).map(({ title }) => title)).toEqual(titles.slice(0, 3));
});

test('lists pages first whose title contains all words of a query in their order', async () => {
  const space = await spaceWith({
    'README.md': `# Home\n\n${often('Single-sign-on access to computers.')}\n`,
    'access.md': `# Access\n\n## Single-sign-on access\n\n${often('single sign on access')}\n`,
    'guide.md': `# Setting up Single-Sign-On Accesses\n\nAbout groups. ${often('Other words.')}\n`,
    'parts.md': `# Sign on for single access\n\n${often('single sign on access')}\n`,
  });
  for (const query of ['single-sign-on access', 'single sign on access', 'Sign-On acc']) {
    expect((await find(space, query)).titles[0], query).toBe('Setting up Single-Sign-On Accesses');
  }
});

test('lists pages before others whose title contains all words of a query in any order', async () => {
  const space = await spaceWith({
    'README.md': `# Home\n\n${often('Add the widget to the toolbar. Legacy profiles are converted.')}\n`,
    'other.md': `# Other widgets\n\n## Adding other widgets to a toolbar\n\n${often('toolbar widget add')}\n`,
    'toolbar.md': `# Adding Widgets to Your Toolbar\n\n${often('Other words.')}\n`,
    'convert.md': `# How are legacy profiles converted?\n\n${often('Other words.')}\n`,
  });
  for (const query of ['toolbar widget add', 'toolbar: adding widgets', 'add toolbar wid']) {
    expect((await find(space, query)).titles[0], query).toBe('Adding Widgets to Your Toolbar');
  }
  expect((await find(space, 'how do I convert a legacy profile')).titles[0]).toBe(
    'How are legacy profiles converted?',
  );
});

test('lists a page whose heading is the query before one whose title only has its words', async () => {
  const space = await spaceWith({
    'README.md': '# Home\n\n## Message queue\n\nText.\n',
    'message.md': `# Queues that a message passes\n\n${often('Message queue.')}\n`,
  });
  expect((await find(space, 'message queue')).titles).toEqual(['Home', 'Queues that a message passes']);
});

test('compares titles without the number before them', async () => {
  const space = await spaceWith({
    'README.md': '# 1. Start\n\nText.\n',
    'quota.md': `# 3.2 Quotas\n\n${often('Other words.')}\n`,
    'more.md': `# 3.3 Quotas of teams\n\n${often('quotas')}\n`,
    'rules.md': `# 2 quotas\n\n${often('Other words.')}\n`,
    'zh.md': `# 4.10 密钥\n\n${often('Other words.')}\n`,
    'zh-more.md': `# 4.11 密钥轮换\n\n${often('密钥')}\n`,
  });
  expect((await find(space, 'quotas')).titles.slice(0, 3).toSorted()).toEqual([
    '2 quotas',
    '3.2 Quotas',
    '3.3 Quotas of teams',
  ]);
  expect((await find(space, 'quotas')).titles[2]).toBe('3.3 Quotas of teams');
  expect((await find(space, '2 quotas')).titles[0]).toBe('2 quotas');
  expect((await find(space, '密钥')).titles).toEqual(['4.10 密钥', '4.11 密钥轮换']);
});

test('scores results in their order, and counts the rank of pages over all spaces and pages of a list', async () => {
  const spaces = [
    await spaceWith(FILES),
    await spaceWith(FILES),
    await spaceWith({ 'README.md': often('limits') }),
  ];
  const path = { organizationId: server.organization };
  const searched = async (page?: string) =>
    await ok(
      server.admin.client.GET('/v1/orgs/{organizationId}/search', {
        params: { path, query: { query: 'limits', limit: 1, ...(page !== undefined && { page }) } },
      }),
    );
  const found: Awaited<ReturnType<typeof searched>>['items'] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const list = await searched(next === '' ? undefined : next);
    found.push(...list.items);
    next = list.next?.page;
  }
  expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(spaces));
  expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['space']));
  const descending = (results: readonly { score: number }[]) => {
    const scores = results.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
    return scores[0];
  };
  expect(descending(found)).toBeGreaterThan(1);
  for (const space of found) {
    expect(descending(space.pages)).toBe(space.score);
    for (const page of space.pages) {
      expect(descending(page.sections)).toBe(page.score);
    }
  }
  const pages = found.flatMap((space) => space.pages).toSorted((a, b) => a.rank - b.rank);
  expect(pages.map(({ rank }) => rank)).toEqual(pages.map((_, at) => at + 1));
  descending(pages);
  // Pages of equal titles in several spaces precede the other pages of each of them.
  expect(found[0]?.pages[1]?.rank).toBeGreaterThan(2);
});

test('describes pages, and names the pages and groups that contain them', async () => {
  const space = await spaceWith({
    'README.md': '# Start\n',
    'guide.md': '# Guide\n',
    'setup.md': '---\ndescription: How to begin.\n---\n\n# Setup\n\nInstallword.\n',
    'SUMMARY.md': '* [Start](README.md)\n\n## Basics\n\n* [Guide](guide.md)\n  * [Setup](setup.md)\n',
  });
  const setup = {
    title: 'Setup',
    description: 'How to begin.',
    ancestors: [{ title: 'Basics' }, { title: 'Guide' }],
  };
  expect((await find(space, 'installword')).items).toMatchObject([setup]);
  expect((await find(space, 'start')).items).toMatchObject([{ description: '', ancestors: [] }]);
  const params = { path: { organizationId: server.organization }, query: { query: 'installword' } };
  const { items } = await ok(server.admin.client.GET('/v1/orgs/{organizationId}/search', { params }));
  expect(items).toMatchObject([{ id: space, pages: [setup] }]);
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
  const { titles } = await find(space, 'billing');
  expect(titles[0]).toBe('Billing');
  expect(titles.slice(1, expected.length).toSorted()).toEqual(expected.slice(1));
  const params = { path: { organizationId: server.organization }, query: { query: 'billing' } };
  const found = await ok(server.admin.client.GET('/v1/orgs/{organizationId}/search', { params }));
  const pages = found.items[0]?.pages.map(({ title }) => title) ?? [];
  expect(pages[0]).toBe('Billing');
  expect(pages.slice(1, expected.length).toSorted()).toEqual(expected.slice(1));
});

test('reads the pages of many spaces without statements for each', async () => {
  const spaces: string[] = [];
  for (let at = 0; at < 6; at++) {
    spaces.push(
      await spaceWith({ 'README.md': '# Start\n', [`a${at}.md`]: `# Page ${at}\n\nManyword ${at}.\n` }),
    );
  }
  const found = await Promise.all(
    spaces.map(async (space) =>
      (await find(space, 'manyword')).items.map(({ id: page }) => ({ space, page })),
    ),
  );
  const describing = async (pages: readonly { space: string; page: string }[]) => {
    // A new instance has no cache of objects.
    const describe = pageDescriber(server.database.query.withoutPlugins(), server.organization);
    const { sql } = await statementsOf(() => Promise.all(pages.map(describe)));
    // Jobs run other statements meanwhile.
    return sql.filter((statement) => /from "(objects|spaces" inner join "revisions)"/.test(statement)).length;
  };
  const ofOne = await describing(found.slice(0, 1).flat());
  expect(ofOne).toBeGreaterThan(1);
  // On a busy machine, pages that yield to other work are read later than the others.
  const ofAll: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    ofAll.push(await describing(found.flat()));
  }
  expect(Math.min(...ofAll)).toBeLessThanOrEqual(2 * ofOne);
});
