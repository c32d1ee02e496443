// Runs on one engine: the statements that open both revisions run on both engines in content-branch.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import {
  branch,
  edit,
  editSpace,
  merge,
  pageInsertion,
  pageTitled,
  textUpdate,
} from '../../support/content/branches.ts';
import { createSpace } from '../../support/content/imports.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const PICTURE = btoa('<svg xmlns="http://www.w3.org/2000/svg" width="7" height="8"></svg>');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const read = (spaceId: string, changeRequestId: string, query: { limit?: number } = {}) =>
  ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes', {
      params: { path: { spaceId, changeRequestId }, query },
    }),
  );

/** Creates a space with some pages and a change request of it. */
async function start() {
  const { client } = server.admin;
  const { id: spaceId } = await createSpace(server);
  await editSpace(
    client,
    spaceId,
    ...(['Start', 'Guide', 'Old'].map((title) => pageInsertion(title)) as [ReturnType<typeof pageInsertion>]),
  );
  const { id } = await branch(client, spaceId);
  return { client, spaceId, id };
}

describe('the changes of a change request', () => {
  test('are none at first', async () => {
    const { spaceId, id } = await start();
    expect(await read(spaceId, id)).toEqual({ changes: [] });
  });

  test('are what its edits changed, however many', async () => {
    const { client, spaceId, id } = await start();
    const page = (title: string) => pageTitled(client, title, spaceId);
    const [first, guide, old] = [await page('Start'), await page('Guide'), await page('Old')];
    await edit(client, spaceId, id, textUpdate(first, 'Other.\n'));
    await edit(
      client,
      spaceId,
      id,
      { operation: 'update_page', page: first, title: 'Begin', slug: 'begin', into: guide },
      { operation: 'delete_page', page: old },
      pageInsertion('New'),
      { operation: 'insert_files', files: [{ name: 'pic.svg', base64: PICTURE }] },
    );
    const { changes, ...rest } = await read(spaceId, id);
    expect(rest).toEqual({});
    expect(changes).toMatchObject([
      {
        type: 'page_edited',
        page: { id: first, type: 'document', title: 'Begin', path: 'guide/begin' },
        attributes: {
          title: { before: 'Start', after: 'Begin' },
          slug: { before: 'start', after: 'begin' },
          document: { before: expect.any(String), after: expect.any(String) },
        },
      },
      { type: 'page_moved', page: { id: first }, parent: { after: { id: guide, path: 'guide' } } },
      { type: 'page_created', page: { title: 'New', path: 'new' } },
      { type: 'page_deleted', page: { id: old, title: 'Old', path: 'old' } },
      { type: 'file_created', file: { name: 'pic.svg', contentType: 'image/svg+xml' } },
    ]);
    const file = changes.find((change) => 'file' in change);
    const download = await fetch(file?.file.downloadURL ?? '');
    expect(await download.text()).toBe(atob(PICTURE));
    expect(await read(spaceId, id, { limit: 2 })).toEqual({ changes: [...changes.slice(0, 2)], more: 3 });
    expect((await read(spaceId, id, { limit: 0 })).more).toBe(5);
  });

  test('are limited to ten by default', async () => {
    const { client, spaceId, id } = await start();
    const pages = Array.from({ length: 12 }, (_, at) => pageInsertion(`Page ${at}`));
    await edit(client, spaceId, id, ...(pages as [(typeof pages)[number]]));
    const { changes, more } = await read(spaceId, id);
    expect(changes).toHaveLength(10);
    expect(more).toBe(2);
  });

  test('do not contain those of the space, before and after an update', async () => {
    const { client, spaceId, id } = await start();
    await edit(client, spaceId, id, pageInsertion('Mine'));
    await editSpace(client, spaceId, pageInsertion('Theirs'));
    const expected = [{ type: 'page_created', page: { title: 'Mine' } }];
    expect((await read(spaceId, id)).changes).toMatchObject(expected);
    await ok(
      client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update', {
        params: { path: { spaceId, changeRequestId: id } },
      }),
    );
    expect((await read(spaceId, id)).changes).toMatchObject(expected);
    await merge(client, spaceId, id);
    expect((await read(spaceId, id)).changes).toMatchObject(expected);
  });
});

describe('the changes of a revision', () => {
  test('are those from the revision that it follows, also of a merge', async () => {
    const { client, spaceId, id } = await start();
    await edit(client, spaceId, id, pageInsertion('First'));
    await edit(client, spaceId, id, pageInsertion('Second'));
    const { revision } = await merge(client, spaceId, id);
    const changesOf = async (revisionId: string, query: { limit?: number } = {}) =>
      await ok(
        client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/changes', {
          params: { path: { spaceId, revisionId }, query },
        }),
      );
    const titles = ({ changes }: Awaited<ReturnType<typeof changesOf>>) =>
      changes.map((change) => ('page' in change ? `${change.type} ${change.page.title}` : change.type));
    expect(titles(await changesOf(revision))).toEqual(['page_created First', 'page_created Second']);
    expect(await changesOf(revision, { limit: 1 })).toMatchObject({ more: 1 });
    const { parents } = await ok(
      client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', {
        params: { path: { spaceId, revisionId: revision } },
      }),
    );
    const [before = '', ofChangeRequest = ''] = parents;
    expect(titles(await changesOf(ofChangeRequest))).toEqual(['page_created Second']);
    expect(titles(await changesOf(before)).toSorted()).toEqual([
      'page_created Guide',
      'page_created Old',
      'page_created Start',
    ]);
  });
});
