import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { engineOf } from '../../../server/database/engine.ts';
import { Searches } from '../../../server/database/search/searches.ts';
import { createEarlierDatabase } from '../../support/earlier-release.ts';
import { testLocation } from '../../support/engines.ts';
import { recordLog } from '../../support/own-postgres.ts';

test('has the spaces of an earlier release indexed again, which are found until then', async () => {
  const { location, remove } = await testLocation({ blank: true });
  await createEarlierDatabase(location, '0023-runs', async (before) => {
    await addIndexedSpace(before);
    const values = sql`1, 'org_a', 'spc_a', 'page', '', 0, '', 'Users', 'users', '', 'All users.'`;
    const columns = sql`"id", "organization", "space", "page", "section", "ordinal", "title", "pageTitle", "pagePath",
      "anchor", "body"`;
    if (engineOf(before) === 'postgres') {
      await sql`insert into "searchSections" (${columns}, "words")
        values (${values}, '''users'':1B,4 ''all'':3')`.execute(before);
    } else {
      await sql`insert into "searchSections" (${columns}) values (${values})`.execute(before);
      await sql`insert into "searchWords" ("rowid", "title", "page", "body")
        values (1, '', 'users', 'all users')`.execute(before);
    }
    await sql`insert into "searchPages" ("organization", "space", "page", "version")
      values ('org_a', 'spc_a', 'page', 'earlier')`.execute(before);
  });

  const database = await openDatabase(location);
  const searches = new Searches({ database, log: recordLog() });
  const { groups } = await searches.find({
    organization: 'org_a',
    searcher: 'member',
    spaces: ['spc_a'],
    query: 'all users',
    groupBy: 'page',
    offset: 0,
    limit: 10,
  });
  expect(groups.map(([section]) => section?.pageTitle)).toEqual(['Users']);
  await expectIndexing(database);
  await searches.close();
  await database.close();
  await remove();
});

test.each(['0054-guest-versions', '0057-earlier-forms'])(
  'has spaces indexed again whose index may contain conditional texts, after %s',
  async (last) => {
    const { location, remove } = await testLocation({ blank: true });
    await createEarlierDatabase(location, last, addIndexedSpace);
    const database = await openDatabase(location);
    await expectIndexing(database);
    await database.close();
    await remove();
  },
);

/** Adds an organization with a space whose index is current. */
async function addIndexedSpace(before: Kysely<unknown>): Promise<void> {
  const now = '2026-01-01T00:00:00.000Z';
  await sql`insert into "organizations"
    ("id", "title", "emailDomains", "type", "hasDefaultRole", "sso", "ai", "inviteLinks", "plan", "createdAt")
    values ('org_a', 'A', '[]', 'business', 0, 0, 0, 0, 'free', ${now})`.execute(before);
  await sql`insert into "spaces"
    ("id", "organization", "title", "editMode", "position", "createdAt", "updatedAt", "revision", "searchedRevision")
    values ('spc_a', 'org_a', 'A', 'live', 'V', ${now}, ${now}, 'rev_a', 'rev_a')`.execute(before);
}

/** Expects that the index of the space is outdated, and that its indexing is queued. */
async function expectIndexing(database: Database): Promise<void> {
  const space = await database.query
    .selectFrom('spaces')
    .select('searchedRevision')
    .executeTakeFirstOrThrow();
  expect(space.searchedRevision).toBeNull();
  const jobs = await database.query
    .selectFrom('jobs')
    .select(['organization', 'kind', 'key', 'payload', 'state'])
    .execute();
  expect(jobs).toEqual([
    {
      organization: 'org_a',
      kind: 'index-space',
      key: 'space spc_a',
      payload: '{"space":"spc_a"}',
      state: 'queued',
    },
  ]);
}
