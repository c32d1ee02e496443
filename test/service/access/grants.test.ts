import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { Role } from '../../../server/identity/levels.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const inOrganization = () => ({ params: { path: { organizationId: server.organization } } });

const team = async (title: string, members: string[] = []) =>
  await ok(
    server.admin.client.PUT('/v1/orgs/{organizationId}/teams', {
      ...inOrganization(),
      body: { title, members },
    }),
  );

/** Resources with grants: the operations are the same for spaces and collections. */
interface GrantTarget {
  create(title: string): Promise<string>;
  grant(
    id: string,
    body: { role: Role; users?: string[]; teams?: string[] },
    client?: Client,
  ): Promise<{ status: number; details: unknown }>;
  users(id: string, client?: Client): Promise<{ status: number; items: Array<[string, Role]> }>;
  teams(id: string, client?: Client): Promise<{ status: number; items: Array<[string, Role]> }>;
  change(id: string, subject: Subject, role: Role | undefined, client?: Client): Promise<number>;
  remove(id: string, subject: Subject, client?: Client): Promise<number>;
  /** Permissions of a user on the resource: whether they see, edit or administer it. */
  admin(id: string, client: Client): Promise<boolean | undefined>;
}
type Subject = { userId: string } | { teamId: string };

const onSpaces: GrantTarget = {
  create: async (title) =>
    (
      await ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
          ...inOrganization(),
          body: { title },
        }),
      )
    ).id,
  grant: async (spaceId, body, client = server.admin.client) => {
    const { response, error } = await client.POST('/v1/spaces/{spaceId}/permissions', {
      params: { path: { spaceId } },
      body,
    });
    return { status: response.status, details: error?.details };
  },
  users: async (spaceId, client = server.admin.client) => {
    const { response, data } = await client.GET('/v1/spaces/{spaceId}/permissions/users', {
      params: { path: { spaceId } },
    });
    return {
      status: response.status,
      items: (data?.items ?? []).map(({ user, permission }) => [user.id, permission]),
    };
  },
  teams: async (spaceId, client = server.admin.client) => {
    const { response, data } = await client.GET('/v1/spaces/{spaceId}/permissions/teams', {
      params: { path: { spaceId } },
    });
    return {
      status: response.status,
      items: (data?.items ?? []).map(({ team, permission }) => [team.id, permission]),
    };
  },
  change: async (spaceId, subject, role, client = server.admin.client) =>
    'userId' in subject
      ? (
          await client.PATCH('/v1/spaces/{spaceId}/permissions/users/{userId}', {
            params: { path: { spaceId, ...subject } },
            body: { ...(role && { role }) },
          })
        ).response.status
      : (
          await client.PATCH('/v1/spaces/{spaceId}/permissions/teams/{teamId}', {
            params: { path: { spaceId, ...subject } },
            body: { ...(role && { role }) },
          })
        ).response.status,
  remove: async (spaceId, subject, client = server.admin.client) =>
    'userId' in subject
      ? (
          await client.DELETE('/v1/spaces/{spaceId}/permissions/users/{userId}', {
            params: { path: { spaceId, ...subject } },
          })
        ).response.status
      : (
          await client.DELETE('/v1/spaces/{spaceId}/permissions/teams/{teamId}', {
            params: { path: { spaceId, ...subject } },
          })
        ).response.status,
  admin: async (spaceId, client) =>
    (await client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } })).data?.permissions.admin,
};

const onCollections: GrantTarget = {
  create: async (title) =>
    (
      await ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
          ...inOrganization(),
          body: { title },
        }),
      )
    ).id,
  grant: async (collectionId, body, client = server.admin.client) => {
    const { response, error } = await client.POST('/v1/collections/{collectionId}/permissions', {
      params: { path: { collectionId } },
      body,
    });
    return { status: response.status, details: error?.details };
  },
  users: async (collectionId, client = server.admin.client) => {
    const { response, data } = await client.GET('/v1/collections/{collectionId}/permissions/users', {
      params: { path: { collectionId } },
    });
    return {
      status: response.status,
      items: (data?.items ?? []).map(({ user, permission }) => [user.id, permission]),
    };
  },
  teams: async (collectionId, client = server.admin.client) => {
    const { response, data } = await client.GET('/v1/collections/{collectionId}/permissions/teams', {
      params: { path: { collectionId } },
    });
    return {
      status: response.status,
      items: (data?.items ?? []).map(({ team, permission }) => [team.id, permission]),
    };
  },
  change: async (collectionId, subject, role, client = server.admin.client) =>
    'userId' in subject
      ? (
          await client.PATCH('/v1/collections/{collectionId}/permissions/users/{userId}', {
            params: { path: { collectionId, ...subject } },
            body: { ...(role && { role }) },
          })
        ).response.status
      : (
          await client.PATCH('/v1/collections/{collectionId}/permissions/teams/{teamId}', {
            params: { path: { collectionId, ...subject } },
            body: { ...(role && { role }) },
          })
        ).response.status,
  remove: async (collectionId, subject, client = server.admin.client) =>
    'userId' in subject
      ? (
          await client.DELETE('/v1/collections/{collectionId}/permissions/users/{userId}', {
            params: { path: { collectionId, ...subject } },
          })
        ).response.status
      : (
          await client.DELETE('/v1/collections/{collectionId}/permissions/teams/{teamId}', {
            params: { path: { collectionId, ...subject } },
          })
        ).response.status,
  admin: async (collectionId, client) =>
    (await client.GET('/v1/collections/{collectionId}', { params: { path: { collectionId } } })).data
      ?.permissions.admin,
};

describe.each([
  ['a space', onSpaces],
  ['a collection', onCollections],
])('grants on %s', (kind, target) => {
  test('set the level of users and teams, and replace their previous level', async () => {
    const [first, second] = [
      await server.member(`One.${kind}`, null),
      await server.member(`Two.${kind}`, null),
    ];
    const { id: writers } = await team(`Writers of ${kind}`, [second.id]);
    const id = await target.create('Granted');
    expect(await target.admin(id, first.client)).toBeUndefined();
    const granted = await target.grant(id, { role: 'read', users: [first.id], teams: [writers] });
    expect(granted.status).toBe(204);
    expect(await target.admin(id, first.client)).toBe(false);
    expect(await target.admin(id, second.client)).toBe(false);
    expect((await target.users(id)).items).toEqual([[first.id, 'read']]);
    expect((await target.teams(id)).items).toEqual([[writers, 'read']]);
    expect((await target.grant(id, { role: 'admin', users: [first.id] })).status).toBe(204);
    expect((await target.users(id)).items).toEqual([[first.id, 'admin']]);
    expect(await target.admin(id, first.client)).toBe(true);
    expect(await target.admin(id, second.client)).toBe(false);
  });

  test('are changed and revoked individually', async () => {
    const member = await server.member(`Changed.${kind}`, null);
    const { id: all } = await team(`All of ${kind}`);
    const id = await target.create('Changed');
    const [user, group] = [{ userId: member.id }, { teamId: all }];
    expect(await target.change(id, user, 'edit')).toBe(404);
    await target.grant(id, { role: 'read', users: [member.id], teams: [all] });
    expect([await target.change(id, user, 'edit'), await target.change(id, group, 'review')]).toEqual([
      204, 204,
    ]);
    expect((await target.users(id)).items).toEqual([[member.id, 'edit']]);
    expect((await target.teams(id)).items).toEqual([[all, 'review']]);
    expect(await target.change(id, user, undefined)).toBe(204);
    expect((await target.users(id)).items).toEqual([[member.id, 'edit']]);
    expect([await target.remove(id, user), await target.remove(id, group)]).toEqual([204, 204]);
    expect([await target.remove(id, user), await target.change(id, group, 'read')]).toEqual([204, 404]);
    expect((await target.users(id)).items).toEqual([]);
    expect((await target.teams(id)).items).toEqual([]);
    expect(await target.admin(id, member.client)).toBeUndefined();
  });

  test('are rejected as a whole unless they name members and teams of the organization', async () => {
    const [member, outsider] = [
      await server.member(`Named.${kind}`, null),
      await server.person(`Unnamed.${kind}`),
    ];
    const otherOrganization = await ok(outsider.client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }));
    const { id: foreign } = await ok(
      outsider.client.PUT('/v1/orgs/{organizationId}/teams', {
        params: { path: { organizationId: otherOrganization.id } },
        body: { title: 'Foreign' },
      }),
    );
    const id = await target.create('Closed');
    expect(await target.grant(id, { role: 'read', users: [member.id, outsider.id] })).toMatchObject({
      status: 400,
      details: [{ in: 'body', path: 'users.1' }],
    });
    expect(await target.grant(id, { role: 'read', users: [member.id], teams: [foreign] })).toMatchObject({
      status: 400,
      details: [{ in: 'body', path: 'teams.0' }],
    });
    expect((await target.grant(id, { role: 'read' })).status).toBe(400);
    expect((await target.users(id)).items).toEqual([]);
  });

  test('are managed by its admins only', async () => {
    const [reader, guest, outsider] = [
      await server.member(`Reader.${kind}`, 'create'),
      await server.member(`Guest.${kind}`, null),
      await server.person(`Outsider.${kind}`),
    ];
    const id = await target.create('Guarded');
    await target.grant(id, { role: 'edit', users: [reader.id] });
    const subject = { userId: reader.id };
    const statuses = async (client: Client) => [
      (await target.users(id, client)).status,
      (await target.teams(id, client)).status,
      (await target.grant(id, { role: 'admin', users: [reader.id] }, client)).status,
      await target.change(id, subject, 'admin', client),
      await target.remove(id, subject, client),
    ];
    expect(await statuses(reader.client)).toEqual([403, 403, 403, 403, 403]);
    for (const { client } of [guest, outsider]) {
      expect(await statuses(client)).toEqual([404, 404, 404, 404, 204]);
    }
    expect((await target.users(id)).items).toEqual([[reader.id, 'edit']]);
    await target.grant(id, { role: 'admin', users: [guest.id] });
    expect((await statuses(guest.client)).slice(0, 4)).toEqual([200, 200, 204, 204]);
  });
});
