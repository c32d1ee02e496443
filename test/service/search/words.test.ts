import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Language = components['schemas']['Language'];

const ENGLISH = {
  'README.md': '# Welcome\n\nStart here.\n',
  'install.md': '# Installing\n\nRun the program once.\n',
  'database.md':
    '# Databases\n\nThe policy of a replica expires.\n\n## Retries\n\nFailed writes are retried.\n',
  'languages.md':
    '# Languages\n\nClients exist for C#, F# and C++17. A note in C sharp major.\n\n' +
    '## Runtimes\n\nOn .NET, or on Node.js with e-mail support. See `.env` and internet access.\n',
  'plain.md': '# Plain C\n\nThe net of a node. Write C, not plus.\n',
  'release.md':
    '# Release notes\n\nThe installer asks before it writes. Notes of a release follow.\n' +
    '<!-- hiddenword -->\n\n<!--\nsecond hiddenline\n-->\n\nText <!-- inline hiddenpart --> after.\n',
  'authentication.md':
    '# Authentication\n\nTokens expire after an hour, and then a program has to get another one from its owner.\n',
};
const GERMAN = {
  'README.md': '# Willkommen\n\nDie Häuser am Platz. Straße und Schlüssel.\n',
  'einstellung.md': '# Einstellungen\n\nAnmeldung mit Webhooks.\n',
};

let server: TestServer;
let git: GitServer;
let english: string;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  english = await spaceWith(ENGLISH);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

async function spaceWith(files: Record<string, string>, language?: Language): Promise<string> {
  const { id } = await createSpace(server);
  if (language) {
    await setLanguage(id, language);
  }
  await importRepository(server, id, await git.createRepository(files));
  return id;
}

const setLanguage = (spaceId: string, language: Language) =>
  ok(
    server.admin.client.PATCH('/v1/spaces/{spaceId}', { params: { path: { spaceId } }, body: { language } }),
  );

async function find(query: string, space = english, client = server.admin.client): Promise<string[]> {
  const params = { path: { spaceId: space }, query: { query } };
  const { items } = await ok(client.GET('/v1/spaces/{spaceId}/search', { params }));
  return items.map(({ title }) => title);
}

async function findInOrganization(query: string, client = server.admin.client): Promise<string[]> {
  const params = { path: { organizationId: server.organization }, query: { query } };
  const { items } = await ok(client.GET('/v1/orgs/{organizationId}/search', { params }));
  return items.flatMap(({ pages }) => pages.map(({ title }) => title));
}

test('finds the forms of a word, and exact forms first', async () => {
  expect(await find('installation')).toEqual(['Installing', 'Release notes']);
  expect(await find('policies replicas')).toEqual(['Databases']);
  expect(await find('retry write')).toEqual(['Databases']);
  expect(await find('expires')).toEqual(['Databases', 'Authentication']);
  expect(await find('expire')).toEqual(['Authentication', 'Databases']);
  expect(await find('installing')).toEqual(['Installing', 'Release notes']);
  expect(await findInOrganization('policies replicas')).toEqual(['Databases']);
});

test('finds names with symbols as words', async () => {
  expect(await find('c#')).toEqual(['Languages']);
  expect(await find('F# clients')).toEqual(['Languages']);
  expect(await find('C++')).toEqual(['Languages']);
  expect(await find('.NET')).toEqual(['Languages']);
  expect(await find('.env')).toEqual(['Languages']);
  expect(await find('node.js')).toEqual(['Languages']);
  expect(await find('node js')).toEqual(['Languages']);
  expect(await find('nodejs')).toEqual(['Languages']);
  expect(await find('email')).toEqual(['Languages']);
  expect((await find('c')).toSorted()).toEqual(['Languages', 'Plain C', 'Release notes'].slice(0, 2));
  expect((await find('net')).toSorted()).toEqual(['Languages', 'Plain C']);
});

test('ignores elided articles and the ends of contractions', async () => {
  expect(await find("the replica's policy")).toEqual(['Databases']);
  expect(await find('l’installation')).toEqual(['Installing', 'Release notes']);
});

test('does not find comments', async () => {
  for (const query of ['hiddenword', 'hiddenline', 'hiddenpart']) {
    expect.soft(await find(query)).toEqual([]);
  }
  expect(await find('text after')).toEqual(['Release notes']);
});

test('finds quoted words only as written and consecutive', async () => {
  expect((await find('notes release')).toSorted()).toEqual(['Release notes']);
  expect(await find('"release notes"')).toEqual(['Release notes']);
  expect(await find('"notes release"')).toEqual([]);
  expect(await find('"Notes of a release" installers')).toEqual(['Release notes']);
  expect(await find('“asks before it” writes')).toEqual(['Release notes']);
  expect(await find('"install"')).toEqual([]);
  // A quote without a counterpart is ignored.
  expect(await find('"notes release')).toEqual(['Release notes']);
  expect(await find('"release notes" "asks')).toEqual(['Release notes']);
  expect(await find('""')).toEqual([]);
  expect(await find('"C# and"')).toEqual([]);
  expect(await find('"C#, F# and C++17"')).toEqual(['Languages']);
});

test('corrects one letter of words of five letters and more, if nothing matches', async () => {
  for (const query of [
    'authntication',
    'authenticaton',
    'uathentication',
    'authenticatiom',
    'xauthentication',
    'tokens expjre',
  ]) {
    expect.soft([query, await find(query)]).toEqual([query, ['Authentication']]);
    expect.soft([query, await findInOrganization(query)]).toEqual([query, ['Authentication']]);
  }
  expect(await find('relaese')).toEqual(['Release notes']);
  expect(await find('databse')).toEqual(['Databases']);
  // Two letters, short words and quoted words are not corrected.
  expect(await find('authntcation')).toEqual([]);
  expect(await find('hoir')).toEqual([]);
  expect(await find('"tokens expjre"')).toEqual([]);
  // A query that matches is not corrected.
  expect(await find('writes')).not.toContain('Whites');
});

test('corrects words that hyphens join, whether the text joins them or not', async () => {
  for (const query of ['release-ntoes', 'relaese-notes', 'relase-notes installers']) {
    expect.soft([query, (await find(query))[0]]).toEqual([query, 'Release notes']);
  }
});

test('splits words that occur nowhere, if nothing matches', async () => {
  expect(await find('releasenotes')).toEqual(['Release notes']);
  expect(await find('tokensexpire')).toEqual(['Authentication']);
  expect(await find('netinternet')).toEqual(['Languages']);
});

test('finds words that texts write as one, and versions by their number', async () => {
  const space = await spaceWith({
    'README.md': '# Start\n\nAbout the photo. Book a room.\n',
    'book.md': '# Export\n\nHow to print a photobook.\n',
    'version.md': '# Protocol version 4\n\nFrames are compressed.\n',
    'old.md': '# Older protocols\n\nThose before protocol v4 and frames.\n',
  });
  expect(await find('photo books print', space)).toEqual(['Export']);
  expect(await find('print phot', space)).toEqual(['Export']);
  expect((await find('photo book', space)).toSorted()).toEqual(['Export', 'Start']);
  expect(await find('protocol v4', space)).toEqual(['Protocol version 4', 'Older protocols']);
});

test('finds nouns that texts write as two words, and the other way around', async () => {
  const space = await spaceWith({
    'README.md': '# Start\n\nThe mail setup of servers is described elsewhere.\n',
    'mail.md': '# Setting up your own mail\n\nChoose a server.\n',
    'login.md': '# Login\n\nWith a password.\n',
    'log.md': '# Log of changes\n\nIn order of time.\n',
  });
  expect((await find('setup mail', space))[0]).toBe('Setting up your own mail');
  expect((await find('mail setup described', space))[0]).toBe('Start');
  expect((await find('how do I log in', space)).toSorted()).toEqual(['Log of changes', 'Login']);
  expect(await find('log in password', space)).toEqual(['Login']);
});

test('ignores question words of scripts without spaces', async () => {
  const space = await spaceWith({
    'README.md': '# 密码\n\n如何重置密码取决于计划。\n',
    'reset.md': '# 重置密码\n\n打开设置。\n',
  });
  for (const query of ['如何重置密码', '重置密码', '怎么重置密码呢']) {
    expect((await find(query, space))[0], query).toBe('重置密码');
  }
});

test('finds pages with most of the words, if no section has all of them', async () => {
  // On one page, in two sections.
  expect((await find('replica retried'))[0]).toBe('Databases');
  expect(await find('replica retried clients')).toEqual(['Databases', 'Languages']);
  expect(await find('unheard replica unknown')).toEqual(['Databases']);
  expect(await find('unheard replica unknown unseen')).toEqual([]);
  expect(await find('"replica" retried clients')).toEqual(['Databases']);
  expect(await find('"unheard" replica')).toEqual([]);
});

test('ignores articles and question words beside others', async () => {
  expect(await find('why does the replica expire')).toEqual(['Databases']);
  expect(await find('"how do" replica')).toEqual([]);
});

test('corrects words only by what the caller can see', async () => {
  const secret = await spaceWith({ 'README.md': '# Confidential\n\nThe codename is bluebird.\n' });
  const shared = await spaceWith({ 'README.md': '# Shared\n\nA bluebell and a bluebirt.\n' });
  const guest = await server.member('guest', null);
  await ok(
    server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
      params: { path: { spaceId: shared } },
      body: { users: [guest.id], role: 'read' },
    }),
  );
  expect(await findInOrganization('bluebirp')).toEqual(expect.arrayContaining(['Confidential', 'Shared']));
  expect(await findInOrganization('bluebirp', guest.client)).toEqual(['Shared']);
  expect(await find('bluebirp', shared, guest.client)).toEqual(['Shared']);
  expect(await findInOrganization('bluebird', guest.client)).toEqual(['Shared']);
  expect(await findInOrganization('codenome', guest.client)).toEqual([]);
  expect(await find('bluebird', secret)).toEqual(['Confidential']);
});

test('indexes a space again in its new language', async () => {
  const german = await spaceWith(GERMAN, 'en');
  const findsIn = (query: string, titles: string[]) =>
    vi.waitFor(async () => expect(await find(query, german)).toEqual(titles), {
      timeout: 60_000,
      interval: 25,
    });
  expect(await find('anmelden', german)).toEqual([]);
  await setLanguage(german, 'de');
  await findsIn('anmelden', ['Einstellungen']);
  expect(await find('haus', german)).toEqual(['Willkommen']);
  expect(await find('STRASSE', german)).toEqual(['Willkommen']);
  expect(await find('schlussel', german)).toEqual(['Willkommen']);
  expect(await findInOrganization('anmelden')).toEqual(['Einstellungen']);
  await setLanguage(german, 'ja');
  await findsIn('anmelden', []);
  await findsIn('webhook', ['Einstellungen']);
});
