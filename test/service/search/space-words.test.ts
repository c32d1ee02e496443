import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { migrations } from '../../../server/database/migrations/index.ts';
import { Searches } from '../../../server/database/search/searches.ts';
import { ANY_SPACE, searchedPrefixes, spacePrefix } from '../../../server/database/search/space-words.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { testEngine } from '../../support/database/engines.ts';
import { recordLog } from '../../support/database/own-postgres.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const FILES = {
  'README.md': '# Start\n\nRegional settings of a warehouse.\n',
  'limits.md': '# Limits\n\nA warehouse has several gates.\n\n## Gates\n\nEach gate opens once.\n',
};

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

async function find(spaceId: string, query: string): Promise<string[]> {
  const params = { path: { spaceId }, query: { query } };
  const { items } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/search', { params }));
  return items.map(({ title }) => title);
}

const prefixesOf = (...spaces: string[]) => searchedPrefixes(server.database.query, { spaces });

/** Searches for whole words, the last word as a prefix, forms, a phrase, a typo and some of the words. */
async function expectFound(space: string): Promise<void> {
  const found = await Promise.all(
    ['gate', 'wareh', 'setting', '"regional settings"', 'warehuose', 'regional elephants'].map((query) =>
      find(space, query),
    ),
  );
  expect(found.map((titles) => titles.toSorted())).toEqual([
    ['Limits'],
    ['Limits', 'Start'],
    ['Start'],
    ['Start'],
    ['Limits', 'Start'],
    ['Start'],
  ]);
}

test('finds in a space what it contains, and nothing of a space with the same words', async () => {
  const [space, other] = [
    await spaceWith(FILES),
    await spaceWith({ 'README.md': '# Other\n\nElephants.\n' }),
  ];
  expect(await prefixesOf(space, other)).toEqual([spacePrefix(space), spacePrefix(other)]);
  await expectFound(space);
  expect(await find(space, 'elephants')).toEqual([]);
  expect(await find(other, 'warehouse')).toEqual([]);
  // The prefix of a space is not part of its words.
  expect(await find(other, `${spacePrefix(other)}elephants`)).toEqual([]);
});

test('finds in several spaces the matches of each', async () => {
  const spaces = [await spaceWith(FILES), await spaceWith(FILES)];
  const searches = new Searches({ database: server.database, log: recordLog() });
  const { count, groups } = await searches.find({
    organization: server.organization,
    spaces,
    query: 'warehouse gates',
    searcher: 'member',
    groupBy: 'space',
    offset: 0,
    limit: 10,
  });
  await searches.close();
  expect(count).toBe(2);
  expect(new Set(groups.map(([hit]) => hit?.space))).toEqual(new Set(spaces));
});

describe.runIf(testEngine() === 'sqlite')('spaces that an earlier release indexed', () => {
  /** Changes the index of a space to that of an earlier release: without the words with its prefix. */
  async function indexAsBefore(space: string): Promise<void> {
    const { query } = server.database;
    const ids = sql`select "id" from "searchSections" where "space" = ${space}`;
    await sql`delete from "searchWords" where "rowid" in (${ids})`.execute(query);
    await sql`
      insert into "searchWords" ("rowid", "title", "page", "body")
      select "id", lower("title"), lower("pageTitle"), lower("body") || ' \u{e100}set' from "searchSections"
      where "space" = ${space}`.execute(query);
    await query
      .updateTable('searchPages')
      .set({ version: 'sections 7' })
      .where('space', '=', space)
      .execute();
  }

  test('are searched until a job has indexed them again, and after that', async () => {
    const spaces = [await spaceWith(FILES), await spaceWith(FILES)];
    const space = spaces[0] ?? '';
    await indexAsBefore(space);
    const migration = new Map(migrations).get('space-words');
    await server.database.transaction(async (trx) => await migration?.up(trx));
    expect(await prefixesOf(space)).toEqual([ANY_SPACE]);
    expect(await find(space, 'gate')).toEqual(['Limits']);
    expect(await find(space, 'wareh')).toHaveLength(2);
    const jobs = await server.database.query
      .selectFrom('jobs')
      .select(['payload', 'createdAt', 'runAt'])
      .where('kind', '=', 'index-space')
      .where('key', 'is', null)
      .execute();
    expect(jobs.map(({ payload }) => payload)).toEqual(
      expect.arrayContaining(spaces.map((id) => JSON.stringify({ space: id }))),
    );
    expect(new Set(jobs.map(({ runAt }) => runAt)).size).toBe(jobs.length);
    await vi.waitFor(
      async () => expect(await prefixesOf(...spaces)).toEqual(spaces.map(spacePrefix)),
      20_000,
    );
    await expectFound(space);
  });
});
