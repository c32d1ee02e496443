import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok, paginate } from '../../../client/platform/index.ts';
import { SPACE_RETENTION_MS } from '../../../server/platform/spaces/spaces/queries.ts';
import {
  branch,
  edit,
  editSpace,
  merge,
  pageInsertion,
  pageText,
  pageTitled,
  textUpdate,
} from '../../support/content/branches.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

type Body = { title?: string; parent?: string; emoji?: string; language?: 'en' | 'fr'; editMode?: 'locked' };

const create = async (body: Body = {}, client = server.admin.client, organizationId = server.organization) =>
  await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } }, body }));

const at = (spaceId: string) => ({ params: { path: { spaceId } } });

const read = async (spaceId: string, client = server.admin.client) =>
  await client.GET('/v1/spaces/{spaceId}', at(spaceId));

const collection = async (title: string) =>
  await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
      params: { path: { organizationId: server.organization } },
      body: { title },
    }),
  );

const listed = async (client: Client, organizationId = server.organization) => {
  const ids: string[] = [];
  const pages = paginate(client, '/v1/orgs/{organizationId}/spaces', {
    params: { path: { organizationId }, query: { limit: 3 } },
  });
  for await (const space of pages) {
    ids.push(space.id);
  }
  return ids;
};

describe('a space', () => {
  test('is created empty, with its own revision, and found at its location', async () => {
    const { data, response } = await server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization } },
      body: { title: 'Guide', emoji: '📘', language: 'en' },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(data?.urls.location);
    expect(data).toMatchObject({
      object: 'space',
      title: 'Guide',
      emoji: '📘',
      language: 'en',
      editMode: 'live',
      visibility: 'private',
      organization: server.organization,
      comments: 0,
      changeRequests: 0,
    });
    expect(data?.revision).toMatch(/^rev_/);
    expect((await read(data?.id ?? '')).data).toEqual(data);
  });

  test('has the title Untitled by default, and is in its collection', async () => {
    const { id } = await collection('Shelf');
    const space = await create({ parent: id });
    expect(space).toMatchObject({ title: 'Untitled', parent: id, visibility: 'in-collection' });
    const nested = await ok(
      server.admin.client.GET('/v1/collections/{collectionId}/spaces', {
        params: { path: { collectionId: id } },
      }),
    );
    expect(nested).toMatchObject({ count: 1, items: [{ id: space.id }] });
    expect(nested.next).toBeUndefined();
  });

  test('is not created in a missing collection or with a missing template', async () => {
    const path = { params: { path: { organizationId: server.organization } } };
    const post = async (body: object) =>
      await server.admin.client.POST('/v1/orgs/{organizationId}/spaces', { ...path, body });
    const before = await listed(server.admin.client);
    expect((await post({ parent: 'col_nowhere' })).response.status).toBe(404);
    const template = await post({ template: { id: 'none' } });
    expect(template.error?.details).toMatchObject([{ in: 'body', path: 'template.id' }]);
    expect((await post({ title: 'x'.repeat(51) })).error?.details).toMatchObject([
      { in: 'body', path: 'title' },
    ]);
    expect(await listed(server.admin.client)).toEqual(before);
  });

  test('keeps fields that an update omits; null removes what is next to its title', async () => {
    const { id } = await create({ title: 'Draft', emoji: '🧪' });
    const patch = async (body: object) =>
      await server.admin.client.PATCH('/v1/spaces/{spaceId}', { ...at(id), body });
    expect((await patch({ title: 'Final' })).data).toMatchObject({ title: 'Final', emoji: '🧪' });
    expect((await patch({ editMode: 'locked', language: 'fr' })).data).toMatchObject({
      editMode: 'locked',
      language: 'fr',
    });
    const icon = 'https://example.com/icon.png';
    expect((await patch({ icon })).data).toMatchObject({ emoji: '', urls: { icon } });
    expect((await patch({ icon, emoji: '🧪' })).response.status).toBe(400);
    expect((await patch({ emoji: null })).data?.urls.icon).toBe(icon);
    expect((await patch({ emoji: '🧪' })).data?.urls.icon).toBeUndefined();
    expect((await patch({ icon: null })).data?.emoji).toBe('🧪');
    const none = await patch({ emoji: null, icon: null });
    expect(none.data?.emoji).toBe('');
    expect(none.data?.urls.icon).toBeUndefined();
  });

  test('inherits its level until it has its own', async () => {
    const shelf = await collection('Levels');
    const { id } = await create({ parent: shelf.id });
    const client = server.admin.client;
    const set = async (defaultLevel: 'comment' | 'edit' | 'inherit' | null) =>
      (await ok(client.PATCH('/v1/spaces/{spaceId}', { ...at(id), body: { defaultLevel } }))).defaultLevel;
    await ok(
      client.PATCH('/v1/collections/{collectionId}', {
        params: { path: { collectionId: shelf.id } },
        body: { defaultLevel: 'review' },
      }),
    );
    expect(await set(null)).toBe('review');
    expect(await set('edit')).toBe('edit');
    expect(await set('inherit')).toBe('review');
  });
});

describe('a duplicate', () => {
  test('has the same content and settings, and changes independently', async () => {
    const original = await create({ title: 'Original', emoji: '🐑' });
    const { data: copy, response } = await server.admin.client.POST(
      '/v1/spaces/{spaceId}/duplicate',
      at(original.id),
    );
    expect(response.status).toBe(201);
    expect(copy).toMatchObject({ title: 'Original', emoji: '🐑' });
    expect(copy?.id).not.toBe(original.id);
    expect(copy?.revision).not.toBe(original.revision);
    await ok(
      server.admin.client.PATCH('/v1/spaces/{spaceId}', { ...at(copy?.id ?? ''), body: { title: 'Dolly' } }),
    );
    expect((await read(original.id)).data?.title).toBe('Original');
  });

  test('has the pages and files of its original, stored once, and its location', async () => {
    const { client } = server.admin;
    const { id } = await create({ title: 'Original', editMode: 'locked' });
    const { id: changeRequest } = await branch(client, id);
    const files = [{ name: 'pic.svg', base64: btoa('<svg xmlns="http://www.w3.org/2000/svg"></svg>') }];
    await edit(client, id, changeRequest, pageInsertion('First'), { operation: 'insert_files', files });
    await merge(client, id, changeRequest);
    const stored = async () => {
      const objects = await server.database.query.selectFrom('objects').select('hash').execute();
      const blobs = await server.database.query.selectFrom('blobs').select('hash').execute();
      return [objects.length, blobs.length];
    };
    const before = await stored();
    const { data: copy, response } = await client.POST('/v1/spaces/{spaceId}/duplicate', at(id));
    expect(response.headers.get('location')).toBe(copy?.urls.location);
    expect(await stored()).toEqual(before);
    const copyId = copy?.id ?? '';
    const page = await pageTitled(client, 'First', copyId);
    expect(await pageText(client, page, copyId)).toBe('First.\n');
    const { items } = await ok(client.GET('/v1/spaces/{spaceId}/content/files', at(copyId)));
    expect(items).toMatchObject([{ name: 'pic.svg' }]);
    expect((await fetch(items[0]?.downloadURL ?? '')).status).toBe(200);
    expect(copy).toMatchObject({ editMode: 'locked', changeRequests: 0 });
    await editSpace(client, copyId, textUpdate(page, 'Other.\n'));
    expect(await pageText(client, page, id)).toBe('First.\n');
  });

  test('is visible to those who see its original by default, and to no holder of a grant', async () => {
    const original = await create();
    const guest = await server.member('Granted', null);
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
        ...at(original.id),
        body: { users: [guest.id], role: 'admin' },
      }),
    );
    expect((await read(original.id, guest.client)).response.status).toBe(200);
    const refused = await guest.client.POST('/v1/spaces/{spaceId}/duplicate', at(original.id));
    expect(refused.response.status).toBe(403);
    const { id } = await ok(server.admin.client.POST('/v1/spaces/{spaceId}/duplicate', at(original.id)));
    expect((await read(id, guest.client)).response.status).toBe(404);
  });

  test('requires the right to create in its parent', async () => {
    const { id } = await create();
    const editor = await server.member('Copier', 'edit');
    const { response } = await editor.client.POST('/v1/spaces/{spaceId}/duplicate', at(id));
    expect(response.status).toBe(403);
  });
});

describe('a deleted space', () => {
  const remove = async (id: string, client = server.admin.client) =>
    (await client.DELETE('/v1/spaces/{spaceId}', at(id))).response.status;
  const restore = async (id: string, client = server.admin.client) =>
    await client.POST('/v1/spaces/{spaceId}/restore', at(id));

  test('is visible only to its admins, and only to operations on deleted spaces', async () => {
    const reader = await server.member('Late', 'create');
    const { id } = await create();
    expect(await remove(id, reader.client)).toBe(403);
    expect(await remove(id)).toBe(204);
    expect(await remove(id)).toBe(204);
    expect((await read(id)).data?.deletedAt).toBeDefined();
    expect((await read(id, reader.client)).response.status).toBe(404);
    expect(await listed(server.admin.client)).not.toContain(id);
    const patch = await server.admin.client.PATCH('/v1/spaces/{spaceId}', {
      ...at(id),
      body: { title: 'x' },
    });
    expect(patch.response.status).toBe(404);
  });

  test('is available again after it is restored', async () => {
    const { id } = await create({ title: 'Phoenix' });
    await remove(id);
    const { data } = await restore(id);
    expect(data).toMatchObject({ id, title: 'Phoenix' });
    expect(data?.deletedAt).toBeUndefined();
    expect(await listed(server.admin.client)).toContain(id);
  });

  test('is indexed like any other after it is restored', async () => {
    const { id } = await create({ language: 'en' });
    await remove(id);
    await restore(id);
    await ok(server.admin.client.PATCH('/v1/spaces/{spaceId}', { ...at(id), body: { language: 'fr' } }));
    const indexing = server.database.query
      .selectFrom('jobs')
      .select('state')
      .where('key', '=', `space ${id}`);
    await expect.poll(async () => await indexing.execute()).toEqual([{ state: 'done' }]);
  });

  test('is deleted permanently after seven days', async () => {
    const { id } = await create();
    await remove(id);
    const longAgo = new Date(Date.now() - SPACE_RETENTION_MS - 1000).toISOString();
    await server.database.query
      .updateTable('spaces')
      .set({ deletedAt: longAgo })
      .where('id', '=', id)
      .execute();
    expect((await read(id)).response.status).toBe(404);
    expect((await restore(id)).response.status).toBe(404);
  });
});

describe('a move of a space', () => {
  test('accepts a collection, a position in it, and the root', async () => {
    const shelf = await collection('Target');
    const [a, b] = [await create({ parent: shelf.id }), await create()];
    const move = async (spaceId: string, body: object) =>
      await server.admin.client.POST('/v1/spaces/{spaceId}/move', { ...at(spaceId), body });
    const before = { before: { type: 'space', space: a.id } };
    expect((await move(b.id, { parent: shelf.id, position: before })).data?.parent).toBe(shelf.id);
    const nested = await ok(
      server.admin.client.GET('/v1/collections/{collectionId}/spaces', {
        params: { path: { collectionId: shelf.id } },
      }),
    );
    expect(nested.items.map(({ id }) => id)).toEqual([b.id, a.id]);
    expect((await move(b.id, {})).response.status).toBe(400);
    expect((await move(b.id, { parent: null })).data?.parent).toBeUndefined();
    expect((await move(b.id, { position: before })).error?.details).toMatchObject([
      { path: 'position.before' },
    ]);
  });
});

describe('a transfer of a space', () => {
  test('moves it to another organization of an admin, without its grants', async () => {
    const other = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Other' } }));
    const outsider = await server.member('Elsewhere', 'admin', other.id);
    const { id } = await create({ title: 'Emigrant' });
    // Lists of organizations without spaces are not read.
    await create({ title: 'Native' });
    const transfer = async (organization: string, client = server.admin.client) =>
      await client.POST('/v1/spaces/{spaceId}/transfer', { ...at(id), body: { organization } });
    expect((await transfer(other.id, outsider.client)).response.status).toBe(404);
    expect((await transfer(other.id)).data).toMatchObject({ id, organization: other.id });
    expect(await listed(server.admin.client)).not.toContain(id);
    expect(await listed(outsider.client, other.id)).toContain(id);
  });

  test('requires the role admin in both organizations', async () => {
    const other = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Both ends' } }));
    const creator = await server.member('Half', 'create');
    await server.database.query
      .insertInto('members')
      .values({
        organization: other.id,
        user: creator.id,
        role: 'admin',
        disabled: 0,
        sso: 0,
        joinedAt: new Date().toISOString(),
        lastSeenAt: null,
      })
      .execute();
    const { id } = await create();
    const { response } = await creator.client.POST('/v1/spaces/{spaceId}/transfer', {
      ...at(id),
      body: { organization: other.id },
    });
    expect(response.status).toBe(403);
  });
});

describe('the list of spaces', () => {
  test('rejects a cursor of another list', async () => {
    const { error } = await server.admin.client.GET('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization }, query: { page: 'made-up' } },
    });
    expect(error).toMatchObject({ status: 400, details: [{ in: 'query', path: 'page' }] });
  });

  test('returns only the count with limit 0', async () => {
    const list = await ok(
      server.admin.client.GET('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization }, query: { limit: 0 } },
      }),
    );
    expect(list.items).toEqual([]);
    expect(list.next).toBeUndefined();
    expect(list.count).toBe((await listed(server.admin.client)).length);
  });

  test('lists only spaces with a grant to a guest', async () => {
    const guest = await server.member('Visitor', null);
    const { id } = await create();
    expect(await listed(guest.client)).toEqual([]);
    await server.database.query
      .insertInto('grants')
      .values({
        organization: server.organization,
        targetKind: 'space',
        target: id,
        subjectKind: 'user',
        subject: guest.id,
        role: 'comment',
        createdAt: new Date().toISOString(),
      })
      .execute();
    expect(await listed(guest.client)).toEqual([id]);
    expect((await read(id, guest.client)).data?.permissions).toMatchObject({ comment: true, edit: false });
  });
});
