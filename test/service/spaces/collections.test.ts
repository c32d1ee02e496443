import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../client/platform/index.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const create = async (title: string, parent?: string, client = server.admin.client) =>
  await ok(
    client.POST('/v1/orgs/{organizationId}/collections', {
      params: { path: { organizationId: server.organization } },
      body: { title, ...(parent && { parent }) },
    }),
  );

const at = (collectionId: string) => ({ params: { path: { collectionId } } });

/** Returns the titles at the root of an organization or in a collection, in order. */
const titles = async (nested = false) => {
  const titles: string[] = [];
  for await (const item of paginate(server.admin.client, '/v1/orgs/{organizationId}/collections', {
    params: { path: { organizationId: server.organization }, query: { nested, limit: 2 } },
  })) {
    titles.push(item.title);
  }
  return titles;
};

describe('a collection', () => {
  test('is created at the end of its parent, with the title Untitled by default', async () => {
    const parent = await create('Products');
    const { data, response } = await server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
      params: { path: { organizationId: server.organization } },
      body: { parent: parent.id },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(data?.urls.location);
    expect(data).toMatchObject({ object: 'collection', title: 'Untitled', parent: parent.id });
    expect(data?.permissions).toEqual({ view: true, admin: true, viewInviteLinks: true, create: true });
    expect(await ok(server.admin.client.GET('/v1/collections/{collectionId}', at(data?.id ?? '')))).toEqual(
      data,
    );
  });

  test('can be created without a body', async () => {
    const created = ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
        params: { path: { organizationId: server.organization } },
      }),
    );
    await expect(created).resolves.toMatchObject({ title: 'Untitled' });
  });

  test('keeps fields that an update omits', async () => {
    const { id } = await create('Before');
    const client = server.admin.client;
    await ok(
      client.PATCH('/v1/collections/{collectionId}', { ...at(id), body: { description: 'All of it' } }),
    );
    const changed = await ok(
      client.PATCH('/v1/collections/{collectionId}', {
        ...at(id),
        body: { title: 'After', defaultLevel: 'review' },
      }),
    );
    expect(changed).toMatchObject({ title: 'After', description: 'All of it', defaultLevel: 'review' });
  });

  test('passes its level on to its content until the level is removed', async () => {
    const outer = await create('Outer');
    const inner = await create('Inner', outer.id);
    const client = server.admin.client;
    const levelOf = async (id: string) =>
      (await ok(client.GET('/v1/collections/{collectionId}', at(id)))).defaultLevel;
    await ok(
      client.PATCH('/v1/collections/{collectionId}', { ...at(outer.id), body: { defaultLevel: 'comment' } }),
    );
    expect(await levelOf(inner.id)).toBe('comment');
    await ok(
      client.PATCH('/v1/collections/{collectionId}', { ...at(inner.id), body: { defaultLevel: 'edit' } }),
    );
    expect(await levelOf(inner.id)).toBe('edit');
    for (const defaultLevel of ['inherit', null] as const) {
      await ok(client.PATCH('/v1/collections/{collectionId}', { ...at(inner.id), body: { defaultLevel } }));
      expect(await levelOf(inner.id)).toBe('comment');
    }
  });

  test('moves its content to its parent when it is deleted', async () => {
    const outer = await create('Keeps');
    const middle = await create('Goes', outer.id);
    const inner = await create('Stays', middle.id);
    const client = server.admin.client;
    await ok(client.DELETE('/v1/collections/{collectionId}', at(middle.id)));
    expect(await ok(client.GET('/v1/collections/{collectionId}', at(inner.id)))).toMatchObject({
      parent: outer.id,
    });
    const again = await client.DELETE('/v1/collections/{collectionId}', at(middle.id));
    expect(again.response.status).toBe(204);
  });

  test('is created next to concurrent ones, or the caller is asked to retry', async () => {
    const parent = await create('Crowded');
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
          params: { path: { organizationId: server.organization } },
          body: { parent: parent.id },
        }),
      ),
    );
    const created = responses.filter(({ response }) => response.status === 201);
    const rejected = responses.filter(({ response }) => response.status === 503);
    expect(created.length + rejected.length).toBe(responses.length);
    for (const { response } of rejected) {
      expect(response.headers.get('retry-after')).toBe('1');
    }
    const rows = await server.database.query
      .selectFrom('collections')
      .select('position')
      .where('parent', '=', parent.id)
      .execute();
    expect(new Set(rows.map(({ position }) => position)).size).toBe(created.length);
  });

  test('lists only the root with nested=false', async () => {
    const outer = await create('At the root');
    await create('Not at the root', outer.id);
    expect(await titles(false)).toContain('At the root');
    expect(await titles(false)).not.toContain('Not at the root');
    expect(await titles(true)).toContain('Not at the root');
  });
});

describe('a move', () => {
  const move = (id: string, body: Parameters<typeof send>[1]) => send(id, body);
  const send = async (
    collectionId: string,
    body: { parent?: string | null; position?: { before?: Pointer; after?: Pointer } },
  ) => await server.admin.client.POST('/v1/collections/{collectionId}/move', { ...at(collectionId), body });
  type Pointer = { type: 'collection'; collection: string };
  const pointer = (collection: string): Pointer => ({ type: 'collection', collection });

  test('puts a collection before or after a sibling', async () => {
    const root = await titles();
    const [a, b, c] = [await create('A'), await create('B'), await create('C')];
    await ok(move(c.id, { position: { before: pointer(a.id) } }));
    expect((await titles()).slice(root.length)).toEqual(['C', 'A', 'B']);
    await ok(move(c.id, { position: { after: pointer(a.id), before: pointer(b.id) } }));
    expect((await titles()).slice(root.length)).toEqual(['A', 'C', 'B']);
    const moved = await ok(move(b.id, { parent: a.id }));
    expect(moved.parent).toBe(a.id);
    expect((await ok(move(b.id, { parent: null }))).parent).toBeUndefined();
  });

  test('that goes into itself or a descendant, is a conflict', async () => {
    const outer = await create('Around');
    const inner = await create('Within', outer.id);
    expect((await move(outer.id, { parent: outer.id })).error).toMatchObject({
      status: 409,
      reason: 'collection_cycle',
    });
    expect((await move(outer.id, { parent: inner.id })).error).toMatchObject({
      status: 409,
      reason: 'collection_cycle',
    });
  });

  test('is rejected without a body, for unrelated siblings and for a missing parent', async () => {
    const [first, second] = [await create('One'), await create('Two')];
    const inside = await create('Inside', second.id);
    expect((await move(first.id, {})).response.status).toBe(400);
    const foreign = await move(first.id, { position: { after: pointer(inside.id) } });
    expect(foreign.error?.details).toMatchObject([{ in: 'body', path: 'position.after' }]);
    const itself = await move(first.id, { position: { after: pointer(first.id) } });
    expect(itself.response.status).toBe(400);
    expect((await move(first.id, { parent: 'col_nowhere' })).response.status).toBe(404);
  });

  test('requires the right to create in both parents', async () => {
    const reviewer = await server.member('Reviewer', 'review');
    const creator = await server.member('Creator', 'create');
    const [from, to] = [await create('From'), await create('To')];
    const moving = await create('Moving', from.id);
    const by = async (client: TestServer['admin']['client']) =>
      (
        await client.POST('/v1/collections/{collectionId}/move', {
          ...at(moving.id),
          body: { parent: to.id },
        })
      ).response.status;
    expect(await by(reviewer.client)).toBe(403);
    await ok(
      server.admin.client.PATCH('/v1/collections/{collectionId}', {
        ...at(from.id),
        body: { defaultLevel: 'read' },
      }),
    );
    expect(await by(creator.client)).toBe(403);
    await ok(
      server.admin.client.PATCH('/v1/collections/{collectionId}', {
        ...at(from.id),
        body: { defaultLevel: 'create' },
      }),
    );
    expect(await by(creator.client)).toBe(200);
  });
});

describe('a transfer', () => {
  const transfer = async (collectionId: string, organization: string, client = server.admin.client) =>
    (
      await client.POST('/v1/collections/{collectionId}/transfer', {
        ...at(collectionId),
        body: { organization },
      })
    ).response.status;

  test('to an organization that the caller cannot see is a 404', async () => {
    const { id } = await create('Here');
    expect(await transfer(id, 'org_elsewhere')).toBe(404);
  });
});

describe('access', () => {
  test('hides collections from other organizations, and from guests without a grant', async () => {
    const { id } = await create('Private');
    const outsider = await server.person('Outsider');
    const guest = await server.member('Guest', null);
    for (const { client } of [outsider, guest]) {
      expect((await client.GET('/v1/collections/{collectionId}', at(id))).response.status).toBe(404);
    }
    const reader = await server.member('Reader', 'read');
    const seen = await ok(reader.client.GET('/v1/collections/{collectionId}', at(id)));
    expect(seen.permissions).toEqual({ view: true, admin: false, viewInviteLinks: false, create: false });
    expect((await reader.client.DELETE('/v1/collections/{collectionId}', at(id))).response.status).toBe(403);
    expect((await guest.client.DELETE('/v1/collections/{collectionId}', at(id))).response.status).toBe(204);
    expect((await reader.client.GET('/v1/collections/{collectionId}', at(id))).response.status).toBe(200);
  });
});
