import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import { countMemberships, isInManyTeams } from '../../../server/models/teams/memberships.ts';
import { fill, idOf, TIME } from '../../support/fill-table.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

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
    const title = index % 3 === 0 ? `Night ${index}` : `Day ${index}`;
    await ok(
      client.PUT('/v1/orgs/{organizationId}/teams', {
        params: { path: { organizationId: server.organization } },
        body: { title, members: index % 4 === 0 ? [other.id] : [member.id, other.id] },
      }),
    );
  }
}, 60_000);
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

/** Reads all pages. `between` runs before the second. */
async function titles(title: string, between?: () => Promise<void>): Promise<string[]> {
  const all: string[] = [];
  let page = await list(title);
  await between?.();
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
  DAY: ['Day 1', 'Day 2', 'Day 5', 'Day 7', 'Day 10', 'Day 11'],
  night: ['Night 3', 'Night 6', 'Night 9'],
  '1': ['Day 1', 'Day 10', 'Day 11'],
  'day 8': [],
  y: ['Day 1', 'Day 2', 'Day 5', 'Day 7', 'Day 10', 'Day 11'],
};

describe('a search in the titles of the teams of a member', () => {
  test.each(Object.entries(found))('finds and counts them in their order: %s', async (title, expected) => {
    expect(await titles(title)).toEqual(expected);
  });

  test.each(Object.entries(found))(
    'counts the same, however many teams may be looked up: %s',
    async (title, expected) => {
      const search = { organization: server.organization, user: member.id, title };
      for (const maxLookups of [0, 1, 3, 4, 7, 8, 11, 12, 100]) {
        const count = await countMemberships(server.database.query, search, maxLookups);
        expect(count, `${maxLookups} lookups`).toBe(expected.length);
      }
    },
  );

  test('continues after a page if the member is no longer in many of the teams', async () => {
    const { query } = server.database;
    const organization = server.organization;
    const own = { organization, user: member.id };
    expect(await isInManyTeams(query, own)).toBe(true);
    const addTeams = async () => {
      const teams = { id: idOf('team'), organization, title: 'Day', createdAt: TIME, createdBy: null };
      await fill(server.database, 'teams', 200, teams);
      expect(await isInManyTeams(query, own)).toBe(false);
    };
    expect(await titles('day', addTeams)).toEqual(found.DAY);
  });
});
