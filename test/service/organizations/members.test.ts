import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok, paginate } from '../../../client/platform/index.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const inOrganization = (organizationId = server.organization) => ({ params: { path: { organizationId } } });
const member = (userId: string, organizationId = server.organization) => ({
  params: { path: { organizationId, userId } },
});

const read = async (userId: string, client = server.admin.client, organization?: string) =>
  await client.GET('/v1/orgs/{organizationId}/members/{userId}', member(userId, organization));
const change = async (
  userId: string,
  role: 'admin' | 'edit' | 'read' | null,
  client = server.admin.client,
  organization?: string,
) =>
  await client.PATCH('/v1/orgs/{organizationId}/members/{userId}', {
    ...member(userId, organization),
    body: { role },
  });
const remove = async (userId: string, client = server.admin.client, organization?: string) =>
  (await client.DELETE('/v1/orgs/{organizationId}/members/{userId}', member(userId, organization))).response
    .status;

/** Creates a separate organization, with its admin, for tests that count its members. */
const organization = async (title: string) => {
  const admin = await server.person(title.replaceAll(' ', '.'));
  const { id } = await ok(admin.client.POST('/v1/orgs', { body: { title } }));
  return {
    id,
    admin,
    member: (name: string, role: Parameters<TestServer['member']>[1]) => server.member(name, role, id),
  };
};

type Query = {
  role?: 'read' | 'guest' | 'admin';
  search?: string;
  sort?: 'joinedAt' | 'lastSeenAt';
  order?: 'asc' | 'desc';
};

/** Returns the ids of all members of a list, page by page. */
const list = async (client: Client, organizationId: string, query: Query = {}) => {
  const ids: string[] = [];
  for await (const { id } of paginate(client, '/v1/orgs/{organizationId}/members', {
    params: { path: { organizationId }, query: { limit: 2, ...query } },
  })) {
    ids.push(id);
  }
  return ids;
};

const ping = async (person: Person, organizationId: string) =>
  await person.client.POST('/v1/orgs/{organizationId}/ping', inOrganization(organizationId));

const space = async (client: Client, organizationId: string, title: string, parent?: string) =>
  await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', {
      ...inOrganization(organizationId),
      body: { title, ...(parent && { parent }) },
    }),
  );

const collection = async (client: Client, organizationId: string, title: string) =>
  await ok(
    client.POST('/v1/orgs/{organizationId}/collections', {
      ...inOrganization(organizationId),
      body: { title },
    }),
  );

const grantSpace = async (client: Client, spaceId: string, users: string[], role: 'read' | 'edit') =>
  await ok(
    client.POST('/v1/spaces/{spaceId}/permissions', {
      params: { path: { spaceId } },
      body: { role, users },
    }),
  );

describe('the list of members', () => {
  test('is ordered from newest to oldest, or in reverse, and paginated', async () => {
    const org = await organization('In order');
    const [first, second, third] = [
      await org.member('Order1', 'read'),
      await org.member('Order2', 'edit'),
      await org.member('Order3', null),
    ];
    const ids = [org.admin.id, first.id, second.id, third.id];
    for (const [index, id] of ids.entries()) {
      await server.database.query
        .updateTable('members')
        .set({ joinedAt: new Date(index).toISOString() })
        .where('user', '=', id)
        .execute();
    }
    expect(await list(org.admin.client, org.id)).toEqual(ids.toReversed());
    expect(await list(org.admin.client, org.id, { order: 'asc' })).toEqual(ids);
  });

  test('can be filtered by role or guests', async () => {
    const org = await organization('By role');
    const [reader, guest] = [await org.member('ByRole1', 'read'), await org.member('ByRole2', null)];
    expect(await list(org.admin.client, org.id, { role: 'read' })).toEqual([reader.id]);
    expect(await list(org.admin.client, org.id, { role: 'guest' })).toEqual([guest.id]);
    expect(await list(org.admin.client, org.id, { role: 'admin' })).toEqual([org.admin.id]);
  });

  test('finds names and email addresses in any case, without patterns', async () => {
    const org = await organization('By text');
    const percent = await org.member('Fifty%off', 'read');
    const under = await org.member('Snake_case', 'read');
    const search = async (text: string) => await list(org.admin.client, org.id, { search: text });
    expect(await search('FIFTY')).toEqual([percent.id]);
    expect(await search('SNAKE_CASE@Example')).toEqual([under.id]);
    expect(await search('%')).toEqual([percent.id]);
    expect(await search('_')).toEqual([under.id]);
    expect(await search('e%c')).toEqual([]);
  });

  test('contains only active members when sorted by lastSeenAt', async () => {
    const org = await organization('By activity');
    const [early, never, late] = [
      await org.member('Early', 'read'),
      await org.member('Never', 'read'),
      await org.member('Late', null),
    ];
    expect(await ok(ping(early, org.id))).toEqual({ serviceVisitorClaims: expect.any(String) });
    await ok(ping(late, org.id));
    const query = { sort: 'lastSeenAt' } as const;
    expect(await list(org.admin.client, org.id, query)).toEqual([late.id, early.id]);
    expect(await list(org.admin.client, org.id, { ...query, order: 'asc' })).toEqual([early.id, late.id]);
    const seen = await ok(read(early.id, never.client, org.id));
    expect(Date.parse(seen.lastSeenAt ?? '')).toBeGreaterThanOrEqual(Date.parse(seen.joinedAt));
    expect((await ok(read(never.id, never.client, org.id))).lastSeenAt).toBeUndefined();
  });
});

describe('a member', () => {
  test('is the user with their role and resources in the organization', async () => {
    const org = await organization('Counting');
    const [reader, guest] = [await org.member('Counted', 'read'), await org.member('Invited', null)];
    const shelf = await collection(org.admin.client, org.id, 'Shelf');
    const [inside, outside] = [
      await space(org.admin.client, org.id, 'Inside', shelf.id),
      await space(org.admin.client, org.id, 'Outside'),
    ];
    expect(await ok(read(reader.id, org.admin.client, org.id))).toEqual({
      object: 'member',
      id: reader.id,
      role: 'read',
      user: expect.objectContaining({ id: reader.id, displayName: 'Counted', email: reader.email }),
      disabled: false,
      joinedAt: expect.any(String),
      sso: false,
      spaces: 2,
      teams: 0,
      sites: 0,
    });
    const spaces = async () => (await ok(read(guest.id, guest.client, org.id))).spaces;
    expect(await spaces()).toBe(0);
    await grantSpace(org.admin.client, outside.id, [guest.id], 'read');
    expect(await spaces()).toBe(1);
    await ok(
      org.admin.client.POST('/v1/collections/{collectionId}/permissions', {
        params: { path: { collectionId: shelf.id } },
        body: { role: 'read', users: [guest.id] },
      }),
    );
    expect(await spaces()).toBe(2);
    await ok(org.admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: inside.id } } }));
    expect(await spaces()).toBe(1);
  });

  test('has the number of the sites that they see', async () => {
    const org = await organization('Counting sites');
    const [reader, guest, other] = [
      await org.member('Sites1', 'read'),
      await org.member('Sites2', null),
      await org.member('Sites3', null),
    ];
    const shared = await space(org.admin.client, org.id, 'Shared');
    const apart = await space(org.admin.client, org.id, 'Apart');
    const createSite = (title: string, spaces: string[]) =>
      ok(
        org.admin.client.POST('/v1/orgs/{organizationId}/sites', {
          ...inOrganization(org.id),
          body: { title, spaces },
        }),
      );
    await createSite('One', [shared.id]);
    await createSite('Two', [shared.id, apart.id]);
    await createSite('Three', [apart.id]);
    const sites = async (user: Person, by: Person) => (await ok(read(user.id, by.client, org.id))).sites;
    expect(await sites(reader, org.admin)).toBe(3);
    expect(await sites(guest, org.admin)).toBe(0);
    await grantSpace(org.admin.client, shared.id, [guest.id], 'read');
    expect(await sites(guest, org.admin)).toBe(2);
    expect(await sites(guest, guest)).toBe(2);
    expect(await sites(reader, guest)).toBe(2);
    expect(await sites(guest, other)).toBeUndefined();
    await grantSpace(org.admin.client, apart.id, [guest.id], 'read');
    expect(await sites(guest, org.admin)).toBe(3);
    await createSite('Four', [apart.id]);
    expect(await sites(guest, org.admin)).toBe(4);
    expect(await sites(reader, org.admin)).toBe(4);
    await ok(org.admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: shared.id } } }));
    expect(await sites(guest, org.admin)).toBe(3);
  });

  test('has a role that only admins change', async () => {
    const reader = await server.member('Lowly', 'read');
    expect((await change(reader.id, 'admin', reader.client)).response.status).toBe(403);
    expect(await ok(change(reader.id, 'edit'))).toMatchObject({ id: reader.id, role: 'edit' });
    expect(await ok(change(reader.id, null))).toMatchObject({ role: null });
    expect((await change('usr_nobody', 'edit')).response.status).toBe(404);
  });

  test('becomes an SSO member only through an admin', async () => {
    const reader = await server.member('Sso', 'read');
    const enable = async (client: Client) =>
      await client.POST('/v1/orgs/{organizationId}/members/{userId}/sso', member(reader.id));
    expect((await enable(reader.client)).response.status).toBe(403);
    expect((await ok(enable(server.admin.client))).sso).toBe(true);
  });

  test('is removed by admins, or leaves; an absent or invisible one is ignored', async () => {
    const [first, second] = [await server.member('Leaver', null), await server.member('Stays', 'read')];
    const outsider = await server.person('Outsider');
    expect(await remove(second.id, first.client)).toBe(403);
    expect(await remove(second.id, outsider.client)).toBe(204);
    expect(await remove('usr_nobody', second.client)).toBe(204);
    expect((await read(second.id)).response.status).toBe(200);
    expect(await remove(first.id, first.client)).toBe(204);
    expect((await read(first.id)).response.status).toBe(404);
    expect(await remove(second.id)).toBe(204);
    expect((await read(second.id)).response.status).toBe(404);
  });

  test('loses grants and team memberships when removed', async () => {
    const org = await organization('Leaving');
    const removed = await org.member('Granted', null);
    const { client } = org.admin;
    const { id } = await space(client, org.id, 'Granted');
    await grantSpace(client, id, [removed.id], 'edit');
    const team = await ok(
      client.PUT('/v1/orgs/{organizationId}/teams', {
        ...inOrganization(org.id),
        body: { title: 'All', members: [removed.id] },
      }),
    );
    expect(team.members).toBe(2);
    expect(await remove(removed.id, client, org.id)).toBe(204);
    const grants = await ok(
      client.GET('/v1/spaces/{spaceId}/permissions/users', { params: { path: { spaceId: id } } }),
    );
    expect(grants.count).toBe(0);
    const after = await ok(
      client.GET('/v1/orgs/{organizationId}/teams/{teamId}', {
        params: { path: { organizationId: org.id, teamId: team.id } },
      }),
    );
    expect(after.members).toBe(1);
  });
});

describe('the last admin of an organization', () => {
  test('can be neither removed nor demoted', async () => {
    const org = await organization('Alone');
    const { client, id } = org.admin;
    expect(await remove(id, client, org.id)).toBe(409);
    expect((await change(id, 'edit', client, org.id)).error).toMatchObject({
      status: 409,
      reason: 'last_admin',
    });
    expect((await change(id, 'admin', client, org.id)).response.status).toBe(200);
    const second = await org.member('Second', 'admin');
    expect((await change(id, 'edit', second.client, org.id)).response.status).toBe(200);
    expect(await remove(second.id, second.client, org.id)).toBe(409);
  });

  test('does not count a disabled admin', async () => {
    const org = await organization('Disabled');
    const second = await org.member('Disabled2', 'admin');
    await server.database.query
      .updateTable('members')
      .set({ disabled: 1 })
      .where('user', '=', second.id)
      .execute();
    expect((await read(org.admin.id, second.client, org.id)).response.status).toBe(404);
    expect(await remove(org.admin.id, org.admin.client, org.id)).toBe(409);
    expect(await remove(second.id, org.admin.client, org.id)).toBe(204);
  });

  test('remains when two leave at the same time', async () => {
    for (let round = 1; round <= 3; round++) {
      const org = await organization(`Race ${round}`);
      const second = await org.member(`Racer${round}`, 'admin');
      const statuses = await Promise.all([
        remove(org.admin.id, org.admin.client, org.id),
        change(second.id, 'read', second.client, org.id).then(({ response }) => response.status),
      ]);
      expect([
        [204, 409],
        [409, 200],
      ]).toContainEqual(statuses);
    }
  });
});

describe('the resources of a member', () => {
  test('are listed as far as the caller sees them, with the level of the member', async () => {
    const org = await organization('Spaces of');
    const { client } = org.admin;
    const [reader, guest] = [await org.member('Having', 'read'), await org.member('Looking', null)];
    const [first, second] = [await space(client, org.id, 'First'), await space(client, org.id, 'Second')];
    await grantSpace(client, second.id, [reader.id, guest.id], 'edit');
    const spaces = async (by: Client, userId: string, order: 'asc' | 'desc' = 'desc') => {
      const results: Array<[string, string]> = [];
      for await (const item of paginate(by, '/v1/orgs/{organizationId}/members/{userId}/spaces', {
        params: { path: { organizationId: org.id, userId }, query: { order, limit: 1 } },
      })) {
        results.push([item.space.id, item.permission]);
      }
      return results;
    };
    const both: Array<[string, string]> = [
      [first.id, 'read'],
      [second.id, 'edit'],
    ];
    expect(await spaces(client, reader.id, 'asc')).toEqual(both);
    expect(await spaces(client, reader.id)).toEqual(both.toReversed());
    expect(await spaces(guest.client, reader.id)).toEqual([[second.id, 'edit']]);
    expect(await spaces(client, guest.id)).toEqual([[second.id, 'edit']]);
  });

  test('include their teams, filtered by title on request', async () => {
    const org = await organization('Teams of');
    const { client } = org.admin;
    const colleague = await org.member('Teaming', 'read');
    for (const title of ['Writers', 'Translators']) {
      await ok(
        client.PUT('/v1/orgs/{organizationId}/teams', {
          ...inOrganization(org.id),
          body: { title, members: [colleague.id] },
        }),
      );
    }
    const teams = async (userId: string, title?: string) =>
      (
        await ok(
          colleague.client.GET('/v1/orgs/{organizationId}/members/{userId}/teams', {
            params: { path: { organizationId: org.id, userId }, query: { ...(title && { title }) } },
          }),
        )
      ).items.map(({ team, member }) => [team.title, member.role]);
    expect(await teams(colleague.id)).toEqual([
      ['Writers', 'member'],
      ['Translators', 'member'],
    ]);
    expect(await teams(colleague.id, 'WRIT')).toEqual([['Writers', 'member']]);
    expect(await teams(org.admin.id, 'trans')).toEqual([['Translators', 'owner']]);
    expect((await ok(read(colleague.id, colleague.client, org.id))).teams).toBe(2);
  });
});

describe('members', () => {
  test('are visible to every member, including guests, and to no one else', async () => {
    const org = await organization('Readable');
    const guest = await org.member('Guesting', null);
    const outsider = await server.person('Elsewhere');
    expect(await list(guest.client, org.id)).toHaveLength(2);
    const path = inOrganization(org.id);
    const rejected = await outsider.client.GET('/v1/orgs/{organizationId}/members', path);
    expect(rejected.response.status).toBe(404);
    expect((await ping(outsider, org.id)).response.status).toBe(404);
  });
});
