import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok, paginate } from '../../../client/platform/index.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const inOrganization = () => ({ params: { path: { organizationId: server.organization } } });
const team = (teamId: string) => ({ params: { path: { organizationId: server.organization, teamId } } });
const teamMember = (teamId: string, userId: string) => ({
  params: { path: { organizationId: server.organization, teamId, userId } },
});

const put = async (title: string, members?: string[], client = server.admin.client) =>
  await client.PUT('/v1/orgs/{organizationId}/teams', {
    ...inOrganization(),
    body: { title, ...(members && { members }) },
  });
const create = async (title: string, members?: string[]) => await ok(put(title, members));
const read = async (teamId: string, client = server.admin.client) =>
  await client.GET('/v1/orgs/{organizationId}/teams/{teamId}', team(teamId));
const rename = async (teamId: string, title: string, client = server.admin.client) =>
  await client.PATCH('/v1/orgs/{organizationId}/teams/{teamId}', { ...team(teamId), body: { title } });
const remove = async (teamId: string, client = server.admin.client) =>
  (await client.DELETE('/v1/orgs/{organizationId}/teams/{teamId}', team(teamId))).response.status;

type Update = {
  add?: string[];
  remove?: string[];
  memberships?: Record<string, { role: 'owner' | 'member' }>;
};
const update = async (teamId: string, body: Update, client = server.admin.client) =>
  await client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', { ...team(teamId), body });
const set = async (teamId: string, userId: string, role?: 'owner' | 'member', client = server.admin.client) =>
  (
    await client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}', {
      ...teamMember(teamId, userId),
      body: { ...(role && { role }) },
    })
  ).response.status;
const take = async (teamId: string, userId: string, client = server.admin.client) =>
  (
    await client.DELETE(
      '/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}',
      teamMember(teamId, userId),
    )
  ).response.status;

/** Returns the members of a team by name, with their roles. */
const membersOf = async (teamId: string, client = server.admin.client) => {
  const roles: Record<string, string> = {};
  for await (const { organization, team: membership, permissions } of paginate(
    client,
    '/v1/orgs/{organizationId}/teams/{teamId}/members',
    { params: { path: { organizationId: server.organization, teamId }, query: { limit: 1 } } },
  )) {
    expect(permissions).toEqual({ view: true });
    roles[organization.user.displayName] = membership.role;
  }
  return roles;
};

const titles = async (query: { owner?: string; title?: string }, client = server.admin.client) => {
  const titles: string[] = [];
  for await (const { title } of paginate(client, '/v1/orgs/{organizationId}/teams', {
    params: { path: { organizationId: server.organization }, query: { limit: 2, ...query } },
  })) {
    titles.push(title);
  }
  return titles;
};

describe('a team', () => {
  test('is owned by its creator, with its initial members', async () => {
    const member = await server.member('Starter', 'read');
    const { data, response } = await put('Founders', [member.id, member.id, server.admin.id]);
    expect(response.status).toBe(201);
    expect(data).toEqual({
      object: 'team',
      id: expect.stringMatching(/^team_/),
      title: 'Founders',
      members: 2,
      spaces: 0,
      createdAt: expect.any(String),
      permissions: { admin: true, view: true },
    });
    expect(await membersOf(data?.id ?? '')).toEqual({ Admin: 'owner', Starter: 'member' });
    expect((await read(data?.id ?? '')).data).toEqual(data);
  });

  test('accepts only members of the organization', async () => {
    const [member, outsider] = [await server.member('Proper', 'read'), await server.person('Improper')];
    const rejected = await put('Mixed', [member.id, outsider.id]);
    expect(rejected.response.status).toBe(400);
    expect(rejected.error?.details).toMatchObject([{ in: 'body', path: 'members.1' }]);
    expect(await titles({ title: 'Mixed' })).toEqual([]);
  });

  test('is created only by admins, and changed and deleted by them and its owners', async () => {
    const [owner, plain] = [await server.member('Owner', 'read'), await server.member('Plain', 'create')];
    expect((await put('Not mine', [], plain.client)).response.status).toBe(403);
    const { id } = await create('Owned', [owner.id, plain.id]);
    expect(await ok(read(id, plain.client))).toMatchObject({ permissions: { admin: false, view: true } });
    expect((await rename(id, 'Taken', plain.client)).response.status).toBe(403);
    expect(await remove(id, plain.client)).toBe(403);
    expect(await set(id, owner.id, 'owner')).toBe(204);
    expect(await ok(read(id, owner.client))).toMatchObject({ permissions: { admin: true, view: true } });
    expect((await ok(rename(id, 'Renamed', owner.client))).title).toBe('Renamed');
    expect(await remove(id, owner.client)).toBe(204);
    expect((await read(id)).response.status).toBe(404);
    expect(await remove(id, plain.client)).toBe(204);
  });

  test('is visible to guests and hidden from other organizations', async () => {
    const { id } = await create('Seen');
    const [guest, outsider] = [await server.member('Onlooker', null), await server.person('Outsider')];
    expect((await read(id, guest.client)).response.status).toBe(200);
    expect(await membersOf(id, guest.client)).toEqual({ Admin: 'owner' });
    expect((await read(id, outsider.client)).response.status).toBe(404);
    expect(await remove(id, outsider.client)).toBe(204);
    expect((await read(id)).response.status).toBe(200);
    expect((await read('team_nowhere', guest.client)).response.status).toBe(404);
  });

  test('counts each space that its grants reach once', async () => {
    const { id } = await create('Reaching');
    const { client } = server.admin;
    const collection = async (title: string, parent?: string) =>
      await ok(
        client.POST('/v1/orgs/{organizationId}/collections', {
          ...inOrganization(),
          body: { title, ...(parent && { parent }) },
        }),
      );
    const space = async (title: string, parent?: string) =>
      await ok(
        client.POST('/v1/orgs/{organizationId}/spaces', {
          ...inOrganization(),
          body: { title, ...(parent && { parent }) },
        }),
      );
    const outer = await collection('Outer');
    const inner = await collection('Inner', outer.id);
    const [deep, alone] = [await space('Deep', inner.id), await space('Alone')];
    await space('Unreached');
    const spaces = async () => (await ok(read(id))).spaces;
    const grantOn = async (spaceId: string) =>
      await ok(
        client.POST('/v1/spaces/{spaceId}/permissions', {
          params: { path: { spaceId } },
          body: { role: 'read', teams: [id] },
        }),
      );
    await grantOn(alone.id);
    expect(await spaces()).toBe(1);
    await grantOn(deep.id);
    await ok(
      client.POST('/v1/collections/{collectionId}/permissions', {
        params: { path: { collectionId: outer.id } },
        body: { role: 'edit', teams: [id] },
      }),
    );
    expect(await spaces()).toBe(2);
    await ok(client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: alone.id } } }));
    expect(await spaces()).toBe(1);
  });

  test('is deleted with its grants and its role as a default team', async () => {
    const { client } = server.admin;
    const guest = await server.member('Granted', null);
    const { id } = await create('Going', [guest.id]);
    const space = await ok(
      client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization(), body: { title: 'Secret' } }),
    );
    const reads = async () =>
      (await guest.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: space.id } } })).response
        .status;
    await ok(
      client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: space.id } },
        body: { role: 'read', teams: [id] },
      }),
    );
    const provider = await ok(
      client.POST('/v1/orgs/{organizationId}/saml', {
        ...inOrganization(),
        body: { label: 'Accounts', defaultTeam: id },
      }),
    );
    expect(provider.defaultTeam?.id).toBe(id);
    expect(await reads()).toBe(200);
    expect(await remove(id)).toBe(204);
    expect(await reads()).toBe(404);
    const grants = await server.database.query
      .selectFrom('grants')
      .select('target')
      .where('subject', '=', id)
      .execute();
    expect(grants).toEqual([]);
    const after = await ok(
      client.GET('/v1/orgs/{organizationId}/saml/{samlProviderId}', {
        params: { path: { organizationId: server.organization, samlProviderId: provider.id } },
      }),
    );
    expect(after.defaultTeam).toBeUndefined();
  });
});

describe('the list of teams', () => {
  test('is ordered from oldest to newest, and filtered by title on request', async () => {
    for (const title of ['List one', 'list two', 'Other_one']) {
      await create(title);
    }
    expect(await titles({ title: 'LIST' })).toEqual(['List one', 'list two']);
    expect(await titles({ title: '_' })).toEqual(['Other_one']);
  });

  test('contains the teams that a member may manage: for admins all, for others their own', async () => {
    const owner = await server.member('Manager', 'read');
    const { id } = await create('Managed', [owner.id]);
    expect(await titles({ owner: owner.id })).toEqual([]);
    await set(id, owner.id, 'owner');
    expect(await titles({ owner: owner.id })).toEqual(['Managed']);
    expect(await titles({ owner: server.admin.id }, owner.client)).toEqual(await titles({}));
    expect(await titles({ owner: 'usr_nobody' })).toEqual([]);
  });
});

describe('the members of a team', () => {
  test('are added and removed together, by id or email address', async () => {
    const [a, b, c] = [
      await server.member('Anna', 'read'),
      await server.member('Bert', 'read'),
      await server.member('Cleo', null),
    ];
    const { id } = await create('Changing', [a.id]);
    const changed = await update(id, {
      add: [b.email.toUpperCase(), c.id, a.id],
      remove: [server.admin.email, 'usr_nobody'],
      memberships: { [a.id]: { role: 'owner' } },
    });
    expect(changed.response.status).toBe(204);
    expect(await membersOf(id)).toEqual({ Anna: 'owner', Bert: 'member', Cleo: 'member' });
    await ok(update(id, { add: [a.id, b.id], remove: [b.id] }));
    expect(await membersOf(id)).toEqual({ Anna: 'owner', Cleo: 'member' });
    await ok(update(id, { memberships: { [b.id]: { role: 'owner' }, [a.id]: { role: 'member' } } }));
    expect(await membersOf(id)).toEqual({ Anna: 'member', Bert: 'owner', Cleo: 'member' });
  });

  test('are rejected as a whole unless they are members of the organization', async () => {
    const [member, outsider] = [await server.member('Dora', 'read'), await server.person('Egon')];
    const { id } = await create('Strict');
    const rejected = await update(id, { add: [member.id, outsider.email], remove: [server.admin.id] });
    expect(rejected.error?.details).toMatchObject([{ in: 'body', path: 'add.1' }]);
    const named = await update(id, { memberships: { [outsider.id]: { role: 'owner' } } });
    expect(named.error?.details).toMatchObject([{ path: `memberships.${outsider.id}` }]);
    expect(await membersOf(id)).toEqual({ Admin: 'owner' });
    expect(await set(id, outsider.id, 'member')).toBe(404);
  });

  test('have the role member by default, or keep their own', async () => {
    const member = await server.member('Ida', 'read');
    const { id } = await create('Roleless');
    expect(await set(id, member.id)).toBe(204);
    expect(await membersOf(id)).toEqual({ Admin: 'owner', Ida: 'member' });
    await set(id, member.id, 'owner');
    expect(await set(id, member.id)).toBe(204);
    expect(await membersOf(id)).toEqual({ Admin: 'owner', Ida: 'owner' });
  });

  test('are changed by its owners, and can leave by themselves', async () => {
    const [owner, plain] = [await server.member('Fritz', 'read'), await server.member('Gerda', 'create')];
    const { id } = await create('Guarded', [plain.id]);
    await set(id, owner.id, 'owner');
    const rejected = [
      (await update(id, { add: [owner.id] }, plain.client)).response.status,
      await set(id, plain.id, 'owner', plain.client),
      await take(id, owner.id, plain.client),
    ];
    expect(rejected).toEqual([403, 403, 403]);
    expect(await take(id, plain.id, plain.client)).toBe(204);
    expect(await take(id, server.admin.id, owner.client)).toBe(204);
    expect(await membersOf(id)).toEqual({ Fritz: 'owner' });
    expect(await take(id, 'usr_nobody', owner.client)).toBe(204);
    expect(await take('team_nowhere', owner.id, plain.client)).toBe(204);
  });

  test('see the resources of the team', async () => {
    const guest = await server.member('Hugo', null);
    const { id } = await create('Granting', [guest.id]);
    const { client } = server.admin;
    const space = await ok(
      client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization(), body: { title: 'Shared' } }),
    );
    const level = async (by: Client) =>
      (await by.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: space.id } } })).data?.permissions
        .edit;
    expect(await level(guest.client)).toBeUndefined();
    await ok(
      client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: space.id } },
        body: { role: 'edit', teams: [id] },
      }),
    );
    expect(await level(guest.client)).toBe(true);
    await take(id, guest.id);
    expect(await level(guest.client)).toBeUndefined();
  });
});
