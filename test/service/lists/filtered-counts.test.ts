import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let client: Client;
let first: Person;
beforeAll(async () => {
  server = await startTestServer();
  client = server.admin.client;
  first = await server.member('Ada Searched', 'read');
});
afterAll(() => server.stop());

const path = () => ({ organizationId: server.organization });
const teamPath = (teamId: string) => ({ params: { path: { ...path(), teamId } } });
const memberPath = (userId: string) => ({ params: { path: { ...path(), userId } } });

/** Compares the cached counts of lists with their items. Returns the ids. */
async function expectTrue(after: string) {
  const counted = async <Item>({ items, count }: { items: Item[]; count?: number }) => {
    expect(count, after).toBe(items.length);
    return items;
  };
  const members = async (query: { search: string; role?: 'edit'; sort?: 'lastSeenAt' }) => {
    const list = (limit: number) =>
      ok(
        client.GET('/v1/orgs/{organizationId}/members', {
          params: { path: path(), query: { ...query, limit } },
        }),
      );
    // A page of one item, so that the others are counted.
    const { count = 0 } = await list(1);
    const items = await counted(await list(1000));
    expect(count, after).toBe(items.length);
    return items.map(({ user }) => user.displayName).sort();
  };
  const teams = await counted(
    await ok(
      client.GET('/v1/orgs/{organizationId}/teams', {
        params: { path: path(), query: { title: 'searched', limit: 1000 } },
      }),
    ),
  );
  const others = await counted(
    await ok(
      client.GET('/v1/orgs/{organizationId}/members/{userId}/teams', {
        params: { path: { ...path(), userId: first.id }, query: { title: 'searched', limit: 1000 } },
      }),
    ),
  );
  return {
    all: await members({ search: 'searched' }),
    editors: await members({ search: 'searched', role: 'edit' }),
    seen: await members({ search: 'searched', sort: 'lastSeenAt' }),
    teams: teams.map(({ title }) => title).sort(),
    others: others.map(({ team }) => team.title).sort(),
  };
}

const createTeam = async (title: string, members: string[]) =>
  (
    await ok(
      client.PUT('/v1/orgs/{organizationId}/teams', { params: { path: path() }, body: { title, members } }),
    )
  ).id;

test('counts of filtered lists are correct after each change', async () => {
  const uninvolved = await server.member('Somebody else', 'read');
  expect(await expectTrue('one member')).toMatchObject({ all: ['Ada Searched'], teams: [], others: [] });

  const second = await server.member('Bob Searched', 'edit');
  expect(await expectTrue('a new member')).toMatchObject({
    all: ['Ada Searched', 'Bob Searched'],
    editors: ['Bob Searched'],
  });
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/members/{userId}', {
      ...memberPath(first.id),
      body: { role: 'edit' },
    }),
  );
  expect((await expectTrue('a role')).editors).toEqual(['Ada Searched', 'Bob Searched']);
  const { seen } = await expectTrue('before a visit');
  await server.database.query
    .updateTable('members')
    .set({ lastSeenAt: seen.includes('Bob Searched') ? null : '2026-01-01T00:00:00.000Z' })
    .where('user', '=', second.id)
    .execute();
  expect((await expectTrue('a first visit')).seen).not.toEqual(seen);
  await server.database.query
    .updateTable('users')
    .set({ displayName: 'Searched too' })
    .where('id', '=', uninvolved.id)
    .execute();
  expect((await expectTrue('a name')).all).toEqual(['Ada Searched', 'Bob Searched', 'Searched too']);
  await ok(client.DELETE('/v1/orgs/{organizationId}/members/{userId}', memberPath(second.id)));
  expect((await expectTrue('a removal')).all).toEqual(['Ada Searched', 'Searched too']);

  const team = await createTeam('Searched', []);
  expect(await expectTrue('a new team')).toMatchObject({ teams: ['Searched'], others: [] });
  await ok(
    client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', {
      ...teamPath(team),
      body: { add: [first.id] },
    }),
  );
  expect((await expectTrue('a membership')).others).toEqual(['Searched']);
  const other = await createTeam('Other', [first.id]);
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/teams/{teamId}', {
      ...teamPath(other),
      body: { title: 'Searched, too' },
    }),
  );
  expect(await expectTrue('a title')).toMatchObject({
    teams: ['Searched', 'Searched, too'],
    others: ['Searched', 'Searched, too'],
  });
  await ok(client.DELETE('/v1/orgs/{organizationId}/teams/{teamId}', teamPath(team)));
  expect(await expectTrue('a team less')).toMatchObject({
    teams: ['Searched, too'],
    others: ['Searched, too'],
  });
  await ok(
    client.DELETE('/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}', {
      params: { path: { ...path(), teamId: other, userId: first.id } },
    }),
  );
  expect((await expectTrue('a membership less')).others).toEqual([]);
});
