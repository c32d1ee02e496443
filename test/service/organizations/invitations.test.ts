import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok, paginate } from '../../../client/platform/index.ts';
import { issueToken } from '../../../server/commands/token.ts';
import { createId } from '../../../server/database/seams.ts';
import type { Role } from '../../../server/identity/levels.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const inOrganization = () => ({ params: { path: { organizationId: server.organization } } });
const invite = (inviteId: string) => ({
  params: { path: { organizationId: server.organization, inviteId } },
});

type LinkBody = { role: Role | null } | { level: Role; space: string } | { level: Role; collection: string };

const create = async (body: LinkBody, client = server.admin.client) =>
  await client.POST('/v1/orgs/{organizationId}/link-invites', { ...inOrganization(), body });
const link = async (body: LinkBody) => await ok(create(body));
const read = async (id: string, client = server.admin.client) =>
  await client.GET('/v1/orgs/{organizationId}/link-invites/{inviteId}', invite(id));
const change = async (
  id: string,
  body: { role: Role | null } | { level: Role },
  client = server.admin.client,
) => await client.PATCH('/v1/orgs/{organizationId}/link-invites/{inviteId}', { ...invite(id), body });
const remove = async (id: string, client = server.admin.client) =>
  (await client.DELETE('/v1/orgs/{organizationId}/link-invites/{inviteId}', invite(id))).response.status;
const accept = async (id: string, client: Client) =>
  await client.POST('/v1/orgs/{organizationId}/invites/{inviteId}', invite(id));

const list = async (client = server.admin.client) => {
  const ids: string[] = [];
  for await (const { id } of paginate(client, '/v1/orgs/{organizationId}/link-invites', {
    params: { path: { organizationId: server.organization }, query: { limit: 2 } },
  })) {
    ids.push(id);
  }
  return ids;
};

const space = async (title: string, organizationId = server.organization, client = server.admin.client) =>
  await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId } },
      body: { title },
    }),
  );
const collection = async (title: string) =>
  await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
      ...inOrganization(),
      body: { title },
    }),
  );

const invitePeople = async (
  body: { emails: Array<string | { email: string; role: Role | null }>; role?: Role | null; sso?: boolean },
  client = server.admin.client,
) => await client.POST('/v1/orgs/{organizationId}/invites', { ...inOrganization(), body });

const member = async (userId: string) =>
  (
    await server.admin.client.GET('/v1/orgs/{organizationId}/members/{userId}', {
      params: { path: { organizationId: server.organization, userId } },
    })
  ).data;

const updateOrganization = async (body: { inviteLinks?: boolean; defaultRole?: Role | null }) =>
  await ok(server.admin.client.PATCH('/v1/orgs/{organizationId}', { ...inOrganization(), body }));

describe('an invite link', () => {
  test('refers to the organization, a space or a collection', async () => {
    const [{ id: spaceId }, { id: collectionId }] = [await space('Linked'), await collection('Linked')];
    const { data, response } = await create({ role: 'edit' });
    expect(response.status).toBe(201);
    expect(data).toEqual({
      object: 'invite',
      id: expect.stringMatching(/^inv_/),
      role: 'edit',
      redundant: true,
      createdAt: expect.any(String),
      urls: { location: `${server.url}/v1/orgs/${server.organization}/link-invites/${data?.id}` },
    });
    const [toSpace, toCollection] = [
      await link({ level: 'comment', space: spaceId }),
      await link({ level: 'review', collection: collectionId }),
    ];
    expect(toSpace).toMatchObject({ level: 'comment', space: spaceId });
    expect(toCollection).toMatchObject({ level: 'review', collection: collectionId });
    for (const item of [toSpace, toCollection]) {
      expect(item).not.toHaveProperty('role');
    }
    expect((await read(toSpace.id)).data).toEqual(toSpace);
    expect((await list()).slice(-3)).toEqual([data?.id, toSpace.id, toCollection.id]);
  });

  test('cannot refer to a resource of another organization', async () => {
    const outsider = await server.person('Foreigner');
    const otherOrganization = await ok(outsider.client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }));
    const { id } = await space('Foreign', otherOrganization.id, outsider.client);
    for (const body of [
      { level: 'read', space: id },
      { level: 'read', collection: 'col_nowhere' },
    ] as const) {
      const { error } = await create(body);
      const path = 'space' in body ? 'space' : 'collection';
      expect(error).toMatchObject({ status: 400, details: [{ in: 'body', path }] });
    }
  });

  test('can change its role or its level, whichever it has', async () => {
    const [toOrganization, toSpace] = [
      await link({ role: 'edit' }),
      await link({ level: 'read', space: (await space('Changed')).id }),
    ];
    expect(await ok(change(toOrganization.id, { role: null }))).toMatchObject({ role: null });
    expect(await ok(change(toSpace.id, { level: 'edit' }))).toMatchObject({ level: 'edit' });
    expect((await change(toOrganization.id, { level: 'edit' })).error).toMatchObject({
      status: 409,
      reason: 'level_not_applicable',
    });
    expect((await change(toSpace.id, { role: 'edit' })).error).toMatchObject({
      status: 409,
      reason: 'role_not_applicable',
    });
    expect((await change('inv_nowhere', { role: 'edit' })).response.status).toBe(404);
  });

  test('is managed by admins, and visible to those who may see links to its target', async () => {
    const { id: spaceId } = await space('Administered');
    const [toOrganization, toSpace] = [
      await link({ role: 'admin' }),
      await link({ level: 'read', space: spaceId }),
    ];
    const [spaceAdmin, reader, outsider] = [
      await server.member('Keeper', 'read'),
      await server.member('Reader', 'create'),
      await server.person('Outsider'),
    ];
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId } },
        body: { role: 'admin', users: [spaceAdmin.id] },
      }),
    );
    expect(await list(spaceAdmin.client)).toEqual([toSpace.id]);
    expect(await list(reader.client)).toEqual([]);
    const statuses = async (id: string, client: Client) => [
      (await read(id, client)).response.status,
      (await change(id, { role: 'admin' }, client)).response.status,
      await remove(id, client),
    ];
    expect(await statuses(toSpace.id, spaceAdmin.client)).toEqual([200, 403, 403]);
    expect(await statuses(toOrganization.id, spaceAdmin.client)).toEqual([404, 404, 204]);
    expect(await statuses(toSpace.id, reader.client)).toEqual([404, 404, 204]);
    expect(await statuses(toSpace.id, outsider.client)).toEqual([404, 404, 204]);
    expect((await create({ role: 'read' }, spaceAdmin.client)).response.status).toBe(403);
    expect((await create({ role: 'read' }, outsider.client)).response.status).toBe(404);
    expect((await read(toSpace.id)).response.status).toBe(200);
    expect(await remove(toSpace.id)).toBe(204);
    expect((await read(toSpace.id)).response.status).toBe(404);
    expect(await remove(toSpace.id)).toBe(204);
  });
});

describe('a user of an invite link', () => {
  test('becomes a member with its role, any number of times', async () => {
    const { id } = await link({ role: 'review' });
    const [first, second] = [await server.person('Joiner1'), await server.person('Joiner2')];
    expect(await ok(accept(id, first.client))).toMatchObject({ id: first.id, role: 'review', sso: false });
    expect(await ok(accept(id, first.client))).toMatchObject({ id: first.id, role: 'review' });
    expect(await ok(accept(id, second.client))).toMatchObject({ id: second.id, role: 'review' });
    const seen = await first.client.GET('/v1/orgs/{organizationId}', inOrganization());
    expect(seen.response.status).toBe(200);
  });

  test('becomes a guest with a level on its target', async () => {
    const [{ id: spaceId }, { id: collectionId }] = [await space('Open'), await collection('Open')];
    const [first, second] = [await server.person('Visitor1'), await server.person('Visitor2')];
    await updateOrganization({ defaultRole: 'create' });
    expect(await ok(accept((await link({ level: 'edit', space: spaceId })).id, first.client))).toMatchObject({
      role: null,
      spaces: 1,
    });
    const seen = await ok(first.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }));
    expect(seen.permissions).toMatchObject({ edit: true, review: false });
    await ok(accept((await link({ level: 'read', collection: collectionId })).id, second.client));
    const held = await second.client.GET('/v1/collections/{collectionId}', {
      params: { path: { collectionId } },
    });
    expect(held.response.status).toBe(200);
  });

  test('keeps the higher of their level and that of the link', async () => {
    const { id: spaceId } = await space('Higher');
    const promoted = await server.member('Riser', 'edit');
    expect(await ok(accept((await link({ role: 'read' })).id, promoted.client))).toMatchObject({
      role: 'edit',
    });
    expect(await ok(accept((await link({ role: 'create' })).id, promoted.client))).toMatchObject({
      role: 'create',
    });
    for (const level of ['review', 'comment'] as const) {
      await ok(accept((await link({ level, space: spaceId })).id, promoted.client));
    }
    const grants = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/permissions/users', { params: { path: { spaceId } } }),
    );
    expect(grants.items).toMatchObject([{ permission: 'review', user: { id: promoted.id } }]);
    expect(await member(promoted.id)).toMatchObject({ role: 'create' });
  });

  test('is rejected once it is deleted, while links are disabled, and while the user is disabled', async () => {
    const { id } = await link({ role: 'read' });
    const [person, retained] = [await server.person('Late'), await server.member('Kept', 'read')];
    await updateOrganization({ inviteLinks: false });
    expect((await accept(id, person.client)).error).toMatchObject({
      status: 409,
      reason: 'invite_links_disabled',
    });
    expect(await member(person.id)).toBeUndefined();
    await updateOrganization({ inviteLinks: true });
    await server.database.query
      .updateTable('members')
      .set({ disabled: 1 })
      .where('user', '=', retained.id)
      .execute();
    expect((await accept(id, retained.client)).response.status).toBe(403);
    expect(await member(retained.id)).toMatchObject({ disabled: true });
    await remove(id);
    expect((await accept(id, person.client)).response.status).toBe(404);
  });

  test('is rejected from a deleted space', async () => {
    const { id: spaceId } = await space('Deleted');
    const { id } = await link({ level: 'edit', space: spaceId });
    await ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }));
    const person = await server.person('TooLate');
    expect((await accept(id, person.client)).response.status).toBe(404);
  });
});

describe('inviting by email address', () => {
  test('makes users members immediately, leaves members unchanged, and keeps other invites pending', async () => {
    const [user, existing, ssoMember] = [
      await server.person('Newcomer'),
      await server.member('Known', 'edit'),
      await server.member('KnownSso', 'edit'),
    ];
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/members/{userId}/sso', {
        params: { path: { organizationId: server.organization, userId: ssoMember.id } },
      }),
    );
    const response = await ok(
      invitePeople({
        emails: [user.email.toUpperCase(), user.email, existing.email, ssoMember.email, 'later@example.com'],
        role: 'comment',
        sso: true,
      }),
    );
    expect(response).toEqual({
      users: [user.id, existing.id, ssoMember.id],
      invited: 2,
      failedSSOEmails: [existing.email],
    });
    expect(await member(user.id)).toMatchObject({ role: 'comment', sso: true });
    expect(await member(existing.id)).toMatchObject({ role: 'edit', sso: false });
  });

  test('gives each user their own role, the common one, or the default of the organization', async () => {
    const [own, all, byDefault, guest] = [
      await server.person('Own'),
      await server.person('All'),
      await server.person('ByDefault'),
      await server.person('AsGuest'),
    ];
    await updateOrganization({ defaultRole: 'review' });
    const emails = [{ email: own.email, role: 'admin' as const }, own.email.toUpperCase(), all.email];
    expect(await ok(invitePeople({ emails, role: 'read' }))).toEqual({ users: [own.id, all.id], invited: 2 });
    await ok(invitePeople({ emails: [byDefault.email] }));
    await ok(invitePeople({ emails: [guest.email], role: null }));
    const roles = await Promise.all(
      [own, all, byDefault, guest].map(async ({ id }) => (await member(id))?.role),
    );
    expect(roles).toEqual(['admin', 'read', 'review', null]);
  });

  test('lets a user join by the newest invite when they first sign in', async () => {
    const email = 'Awaited@Example.com';
    await ok(invitePeople({ emails: [email], role: 'read' }));
    await ok(invitePeople({ emails: [email], role: 'create', sso: true }));
    const waiting = await server.database.query
      .selectFrom('invites')
      .select('role')
      .where('email', '=', email.toLowerCase())
      .execute();
    expect(waiting).toEqual([{ role: 'create' }]);
    const token = await server.database.transaction((trx) =>
      issueToken(trx, { email }, { now: new Date(), createId }),
    );
    const { id } = await ok(server.as(token).GET('/v1/user'));
    expect(await member(id)).toMatchObject({
      role: 'create',
      sso: true,
      user: { email: 'awaited@example.com' },
    });
    expect(await ok(invitePeople({ emails: [email], role: 'read' }))).toMatchObject({
      users: [id],
      invited: 0,
    });
  });

  test('lets only the invited user accept by id, once', async () => {
    const email = 'accepting@example.com';
    await ok(invitePeople({ emails: [email], role: 'edit' }));
    const { id } = await server.database.query
      .selectFrom('invites')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    const [other, invited] = [await server.person('NotMeant'), await server.person('Accepting')];
    await updateOrganization({ inviteLinks: false });
    expect((await accept(id, other.client)).response.status).toBe(404);
    expect(await ok(accept(id, invited.client))).toMatchObject({ id: invited.id, role: 'edit' });
    expect((await accept(id, invited.client)).response.status).toBe(404);
    await updateOrganization({ inviteLinks: true });
  });

  test('is limited to admins', async () => {
    const [reader, outsider] = [await server.member('Inviter', 'create'), await server.person('Uninvited')];
    const emails = ['somebody@example.com'];
    expect((await invitePeople({ emails }, reader.client)).response.status).toBe(403);
    expect((await invitePeople({ emails }, outsider.client)).response.status).toBe(404);
  });
});
