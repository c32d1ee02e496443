import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { edit, editSpace, pageInsertion, pageTitled, textUpdate } from '../../support/content/branches.ts';
import { createSpace, importRepository, readSpace } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { SMALL_REPOSITORY } from '../../support/resources.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

type ChangeRequest = components['schemas']['ChangeRequest'];

let server: TestServer;
let repositories: GitServer;

beforeAll(async () => {
  [server, repositories] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), repositories.close()]));

const client = () => server.admin.client;

async function create(spaceId: string, subject?: string, as: Client = client()): Promise<ChangeRequest> {
  return await ok(
    as.POST('/v1/spaces/{spaceId}/change-requests', {
      params: { path: { spaceId } },
      body: subject === undefined ? {} : { subject },
    }),
  );
}

const read = (spaceId: string, changeRequestId: string) =>
  ok(
    client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
      params: { path: { spaceId, changeRequestId } },
    }),
  );

const patch = (spaceId: string, changeRequestId: string, body: components['schemas']['ChangeRequestPatch']) =>
  client().PATCH('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
    params: { path: { spaceId, changeRequestId } },
    body,
  });

const list = (
  spaceId: string,
  query: { status?: ChangeRequest['status']; contributor?: string; limit?: number; page?: string } = {},
) => ok(client().GET('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId }, query } }));

describe('a new change request', () => {
  test('is an up-to-date draft without a subject that has the content of the space', async () => {
    const space = await createSpace(server);
    const created = await create(space.id);
    expect(created).toMatchObject({
      object: 'change-request',
      space: space.id,
      number: 1,
      status: 'draft',
      subject: '',
      createdBy: { id: server.admin.id },
      revision: space.revision,
      revisionInitial: space.revision,
      comments: 0,
      outdated: false,
    });
    expect(created).not.toHaveProperty('revisionMergedAncestor');
    expect(created).not.toHaveProperty('revisionMerged');
    expect(await read(space.id, created.id)).toEqual(created);
  });

  test('returns its location', async () => {
    const space = await createSpace(server);
    const { data, response } = await client().POST('/v1/spaces/{spaceId}/change-requests', {
      params: { path: { spaceId: space.id } },
      body: { subject: 'Explain tokens' },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(data?.urls.location);
  });

  test('has a number that is unique within its space, also for concurrent requests', async () => {
    const [space, other] = [await createSpace(server), await createSpace(server)];
    const created = await Promise.all(Array.from({ length: 8 }, () => create(space.id)));
    expect(created.map(({ number }) => number).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect((await create(other.id)).number).toBe(1);
  });
});

describe('a change request in a path', () => {
  test('is identified by its id or its number', async () => {
    const space = await createSpace(server);
    const created = await create(space.id);
    expect(await read(space.id, '1')).toEqual(created);
  });

  test.each(['2', '999999999999999999999', 'cr_unknown'])('is not found as %s', async (id) => {
    const space = await createSpace(server);
    await create(space.id);
    const { response } = await client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
      params: { path: { spaceId: space.id, changeRequestId: id } },
    });
    expect(response.status).toBe(404);
  });

  test('belongs to its space', async () => {
    const [space, other] = [await createSpace(server), await createSpace(server)];
    const created = await create(space.id);
    const { response } = await client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
      params: { path: { spaceId: other.id, changeRequestId: created.id } },
    });
    expect(response.status).toBe(404);
  });
});

describe('the status of a change request', () => {
  test.each(['draft', 'open', 'archived'] as const)('can be set to %s', async (status) => {
    const space = await createSpace(server);
    const created = await create(space.id);
    const changed = await ok(patch(space.id, created.id, { status }));
    expect(changed.status).toBe(status);
    expect(Date.parse(changed.updatedAt)).toBeGreaterThanOrEqual(Date.parse(created.updatedAt));
    expect(await read(space.id, created.id)).toEqual(changed);
  });

  test('becomes merged only by a merge', async () => {
    const space = await createSpace(server);
    const created = await create(space.id);
    // The contract does not accept it; that is what is tested.
    const { response } = await patch(space.id, created.id, { status: 'merged' as 'open' });
    expect(response.status).toBe(400);
  });

  test('counts on the space', async () => {
    const space = await createSpace(server);
    const [, second, third] = [await create(space.id), await create(space.id), await create(space.id)];
    await ok(patch(space.id, second.id, { status: 'open' }));
    await ok(patch(space.id, third.id, { status: 'archived' }));
    expect(await readSpace(client(), space.id)).toMatchObject({
      changeRequests: 3,
      changeRequestsOpen: 1,
      changeRequestsDraft: 1,
    });
  });
});

describe('the list of change requests', () => {
  test('returns open change requests by default', async () => {
    const space = await createSpace(server);
    const [draft, open] = [await create(space.id, 'draft'), await create(space.id, 'open')];
    await ok(patch(space.id, open.id, { status: 'open' }));
    expect((await list(space.id)).items.map(({ id }) => id)).toEqual([open.id]);
    expect((await list(space.id, { status: 'draft' })).items.map(({ id }) => id)).toEqual([draft.id]);
    expect((await list(space.id, { status: 'merged' })).count).toBe(0);
  });
});

describe('the content of a change request', () => {
  test('is that of the space when the change request was created', async () => {
    const space = await createSpace(server);
    const repository = await repositories.createRepository(SMALL_REPOSITORY);
    const imported = await importRepository(server, space.id, repository);
    const { id, revision } = await create(space.id);
    expect(revision).toBe(imported.revision);
    await repository.update({ 'README.md': '# Changed\n' });
    await importRepository(server, space.id, repository);

    const path = { spaceId: space.id, changeRequestId: id };
    const base = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content';
    const content = await ok(client().GET(base, { params: { path } }));
    expect(content).toMatchObject({ id: revision, pages: [{ title: 'Welcome' }] });
    expect(await ok(client().GET(`${base}/pages`, { params: { path } }))).toEqual({ pages: content.pages });
    const files = await ok(client().GET(`${base}/files`, { params: { path } }));
    expect(files.items).toEqual(content.files);
    const [first, file] = [content.pages[0], files.items[0]];
    const page = await ok(
      client().GET(`${base}/page/{pageId}`, {
        params: { path: { ...path, pageId: first?.id ?? '' }, query: { format: 'markdown' } },
      }),
    );
    expect(page).toMatchObject({ title: 'Welcome', markdown: expect.stringContaining('dot.svg') });
    expect(
      await ok(
        client().GET(`${base}/files/{fileId}`, { params: { path: { ...path, fileId: file?.id ?? '' } } }),
      ),
    ).toEqual(file);
    expect((await read(space.id, id)).outdated).toBe(true);
  });
});

describe('history', () => {
  test('returns any revision of a space, regardless of later ones', async () => {
    const space = await createSpace(server);
    const repository = await repositories.createRepository(SMALL_REPOSITORY);
    const { revision } = await importRepository(server, space.id, repository);
    await repository.update({ 'README.md': '# Changed\n' });
    await importRepository(server, space.id, repository);

    const path = { spaceId: space.id, revisionId: revision };
    const base = '/v1/spaces/{spaceId}/revisions/{revisionId}';
    const content = await ok(client().GET(base, { params: { path } }));
    expect(content).toMatchObject({ id: revision, parents: [space.revision], pages: [{ title: 'Welcome' }] });
    expect(await ok(client().GET(`${base}/pages`, { params: { path } }))).toEqual({ pages: content.pages });
    expect((await ok(client().GET(`${base}/files`, { params: { path } }))).items).toEqual(content.files);
    const pageId = content.pages[0]?.id ?? '';
    const page = await ok(client().GET(`${base}/page/{pageId}`, { params: { path: { ...path, pageId } } }));
    expect(page.title).toBe('Welcome');
  });

  test('returns 404 for a revision of another space', async () => {
    const [space, other] = [await createSpace(server), await createSpace(server)];
    const { response } = await client().GET('/v1/spaces/{spaceId}/revisions/{revisionId}', {
      params: { path: { spaceId: space.id, revisionId: other.revision } },
    });
    expect(response.status).toBe(404);
  });
});

describe('a page by its path', () => {
  const at = (as: Person, spaceId: string, pagePath: string) =>
    as.client.GET('/v1/spaces/{spaceId}/content/path/{pagePath}', {
      params: { path: { spaceId, pagePath } },
    });

  test('is found below other pages, and not at an unknown path', async () => {
    const space = await createSpace(server);
    const repository = await repositories.createRepository({
      'README.md': '# Start\n',
      'guide/README.md': '# Guide\n',
      'guide/setup.md': '# Setup\n',
    });
    await importRepository(server, space.id, repository);
    expect(await ok(at(server.admin, space.id, 'guide/setup'))).toMatchObject({ title: 'Setup' });
    expect((await at(server.admin, space.id, 'guide/nothing')).response.status).toBe(404);
  });

  test('is that of the change request, with its text, at the path that it has there', async () => {
    const { id: spaceId } = await createSpace(server);
    await editSpace(client(), spaceId, pageInsertion('Guide'), pageInsertion('Setup'));
    const { id: changeRequestId } = await create(spaceId);
    const [guide, setup] = [
      await pageTitled(client(), 'Guide', spaceId),
      await pageTitled(client(), 'Setup', spaceId),
    ];
    await edit(client(), spaceId, changeRequestId, textUpdate(setup, 'Other.\n'), {
      operation: 'update_page',
      page: setup,
      into: guide,
    });
    const ofChangeRequest = (pagePath: string) =>
      client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath}', {
        params: { path: { spaceId, changeRequestId, pagePath }, query: { format: 'markdown' } },
      });
    expect(await ok(ofChangeRequest('guide/setup'))).toMatchObject({
      id: setup,
      path: 'guide/setup',
      markdown: 'Other.\n',
    });
    expect(await ok(ofChangeRequest('guide'))).toMatchObject({ pages: [{ id: setup }] });
    expect((await ofChangeRequest('setup')).response.status).toBe(404);
    expect((await at(server.admin, spaceId, 'guide/setup')).response.status).toBe(404);
    expect(await ok(at(server.admin, spaceId, 'setup'))).toMatchObject({ id: setup });
  });
});
