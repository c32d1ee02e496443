import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import { FIRST_NUMBER, fill, idOf, TIME } from '../../support/large/fill-table.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

/** Titles with characters that have a meaning in patterns of SQL. */
const TITLES: Readonly<Record<number, string>> = { 2: '50% day', 5: 'd_y', 7: String.raw`d\y` };

let server: TestServer;
let client: Client;
let member: Person;
let other: Person;
beforeAll(async () => {
  server = await startTestServer();
  client = server.admin.client;
  member = await server.member('Member', 'read');
  other = await server.member('Other', 'read');
  // Every third team has another title, and every fourth does not contain the member.
  for (let index = 0; index < 12; index++) {
    const title = index % 3 === 0 ? `Night ${index}` : `${TITLES[index] ?? 'Day'} ${index}`;
    await ok(
      client.PUT('/v1/orgs/{organizationId}/teams', {
        params: { path: { organizationId: server.organization } },
        body: { title, members: index % 4 === 0 ? [other.id] : [member.id, other.id] },
      }),
    );
  }
});
afterAll(() => server.stop());

const list = async (title: string, page?: string) =>
  await ok(
    client.GET('/v1/orgs/{organizationId}/members/{userId}/teams', {
      params: {
        path: { organizationId: server.organization, userId: member.id },
        query: { title, limit: 2, ...(page && { page }) },
      },
    }),
  );

/** Reads all pages. */
async function titles(title: string): Promise<string[]> {
  const all: string[] = [];
  let page = await list(title);
  for (let next = page.next?.page; ; next = page.next?.page) {
    expect(page.items.every((item) => item.member.role === 'member')).toBe(true);
    all.push(...page.items.map(({ team }) => team.title));
    if (!next) {
      expect(page.count).toBe(all.length);
      return all;
    }
    page = await list(title, next);
  }
}

const found = {
  DAY: ['Day 1', '50% day 2', 'Day 10', 'Day 11'],
  night: ['Night 3', 'Night 6', 'Night 9'],
  '1': ['Day 1', 'Day 10', 'Day 11'],
  'day 8': [],
  y: ['Day 1', '50% day 2', 'd_y 5', String.raw`d\y 7`, 'Day 10', 'Day 11'],
  '%': ['50% day 2'],
  d_y: ['d_y 5'],
  [String.raw`d\y`]: [String.raw`d\y 7`],
};

describe('a search in the titles of the teams of a member', () => {
  test.each(Object.entries(found))('finds and counts them in their order: %s', async (title, expected) => {
    expect(await titles(title)).toEqual(expected);
  });

  test('finds a renamed team, however many members it has', async () => {
    const { organization } = server;
    const { id } = await ok(
      client.PUT('/v1/orgs/{organizationId}/teams', {
        params: { path: { organizationId: organization } },
        body: { title: 'Dawn', members: [member.id] },
      }),
    );
    const rename = async (title: string) => {
      const params = { path: { organizationId: organization, teamId: id } };
      await ok(client.PATCH('/v1/orgs/{organizationId}/teams/{teamId}', { params, body: { title } }));
    };
    const expectTitle = async (expected: string, former: string) => {
      expect(await titles(former)).toEqual([]);
      expect(await titles(expected)).toEqual([expected]);
      const { query } = server.database;
      const row = await query.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      return row.hasOutdatedCopies;
    };
    const others = (start: number, count: number) =>
      fill(server.database, 'teamMembers', count, {
        organization,
        team: id,
        user: idOf('usr', sql`(i + ${sql.lit(start)})`),
        role: 'member',
        joinedAt: TIME,
        teamCreatedAt: TIME,
      });
    const users = { id: idOf('usr'), email: null, displayName: 'Somebody', photoURL: null, createdAt: TIME };
    await fill(server.database, 'users', 100, users);

    // The admin and the member are in the team, too.
    await others(0, 98);
    await rename('Dusk');
    expect(await expectTitle('Dusk', 'Dawn')).toBe(0);
    await others(98, 1);
    await rename('Evening');
    expect(await expectTitle('Evening', 'Dusk')).toBe(1);
    await rename('Midnight');
    expect(await expectTitle('Midnight', 'Evening')).toBe(1);
    await server.database.query
      .deleteFrom('teamMembers')
      .where('team', '=', id)
      .where('user', '=', `usr_${FIRST_NUMBER}`)
      .execute();
    await rename('Morning');
    expect(await expectTitle('Morning', 'Midnight')).toBe(0);
  });
});
