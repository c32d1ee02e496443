// Runs on one engine: edits are computed before content-branch.test.ts commits them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createSpace, outline, readSpace } from '../../support/content/imports.ts';
import { type LoopbackServer, serveOnLoopback } from '../../support/http/loopback.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];
type Changes = Schemas['ContentChanges']['changes'];

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="8"></svg>';

let server: TestServer;
let website: LoopbackServer;
/** Number of requests that the website received. */
let requests = 0;

beforeAll(async () => {
  server = await startTestServer();
  website = await serveOnLoopback((request, response) => {
    requests += 1;
    if (request.url === '/picture') {
      response.end(PICTURE);
    } else if (request.url === '/endless') {
      response.writeHead(200);
      const chunk = Buffer.alloc(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) {}
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    } else {
      response.writeHead(404).end();
    }
  });
});
afterAll(async () => {
  await website.close();
  await server.stop();
});

const client = () => server.admin.client;

interface Place {
  spaceId: string;
  changeRequestId: string;
}

/** Creates a change request of a new space. */
async function start(): Promise<Place> {
  const { id: spaceId } = await createSpace(server);
  const { id } = await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  return { spaceId, changeRequestId: id };
}

const send = (path: Place, changes: Changes, as: Client = client()) =>
  as.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
    params: { path },
    body: { changes },
  });
const edit = (path: Place, changes: Changes) => ok(send(path, changes));

const merge = (path: Place) =>
  ok(
    client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', {
      params: { path },
    }),
  );

const readContent = (path: Place) =>
  ok(
    client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params: { path },
    }),
  );

const readMarkdown = async (path: Place, pageId: string) => {
  const page = await ok(
    client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}', {
      params: { path: { ...path, pageId }, query: { format: 'markdown' } },
    }),
  );
  return page.type === 'document' ? page.markdown : undefined;
};

const insert = (title: string, more: Partial<Schemas['InsertPage']> = {}): Schemas['InsertPage'] => ({
  operation: 'insert_page',
  title,
  document: { markdown: `About ${title}.` },
  ...more,
});

/** Returns the ids of the pages of a change request by title. */
async function idsOf(path: Place): Promise<Record<string, string>> {
  const all = (pages: readonly Schemas['Page'][]): Schemas['Page'][] =>
    pages.flatMap((page) => [page, ...('pages' in page ? all(page.pages) : [])]);
  return Object.fromEntries(all((await readContent(path)).pages).map(({ title, id }) => [title, id]));
}

describe('edits of a change request', () => {
  test('create a new revision of it, and leave the space unchanged', async () => {
    const path = await start();
    const before = await readSpace(client(), path.spaceId);
    const created = await edit(path, [
      insert('Guide', { ref: 'guide' }),
      insert('Install', { into: 'guide' }),
      insert('Start', { at: 0, document: { markdown: 'Read the [guide](/pages/guide).' } }),
    ]);
    expect(created).toMatchObject({ object: 'change-request', id: path.changeRequestId, outdated: false });
    expect(created.revision).not.toBe(created.revisionInitial);
    const content = await readContent(path);
    expect(content).toMatchObject({ id: created.revision, parents: [created.revisionInitial] });
    expect(outline(content.pages)).toEqual([
      'document Start /start',
      'document Guide /guide',
      '  document Install /guide/install',
    ]);
    const ids = await idsOf(path);
    expect(await readMarkdown(path, ids.Start ?? '')).toBe(`Read the [guide](/pages/${ids.Guide}).`);
    expect((await readSpace(client(), path.spaceId)).revision).toBe(before.revision);
  });

  test('are applied completely or not at all', async () => {
    const path = await start();
    const { revision } = await readContent(path).then(({ id }) => ({ revision: id }));
    const { response, error } = await send(path, [
      insert('One'),
      insert('Two'),
      { operation: 'update_page', page: 'nowhere', title: 'Three' },
    ]);
    expect(response.status).toBe(400);
    expect(error).toMatchObject({ details: [{ in: 'body', path: 'changes.2.page' }] });
    expect(await readContent(path)).toMatchObject({ id: revision, pages: [] });
  });

  test('create no revision if they change nothing', async () => {
    const path = await start();
    const created = await edit(path, [insert('Guide')]);
    const { Guide = '' } = await idsOf(path);
    const same: Changes = [
      { operation: 'update_page', page: Guide, document: { markdown: 'About Guide.' }, title: 'Guide' },
    ];
    expect(await edit(path, same)).toEqual(created);
  });

  test('are all applied when many people write concurrently', async () => {
    const path = await start();
    const titles = ['A', 'B', 'C', 'D'];
    await Promise.all(titles.map((title) => edit(path, [insert(title)])));
    expect(Object.keys(await idsOf(path)).toSorted()).toEqual(titles);
  });

  test('report a conflict with the content as 409', async () => {
    const path = await start();
    await edit(path, [insert('Guide')]);
    const { response, error } = await send(path, [insert('Other', { slug: 'guide' })]);
    expect(response.status).toBe(409);
    expect(error).toMatchObject({
      status: 409,
      reason: 'slug_taken',
      details: [{ in: 'body', path: 'changes.0.slug' }],
    });
  });

  test('are rejected after its merge', async () => {
    const path = await start();
    await edit(path, [insert('Guide')]);
    expect(await merge(path)).toMatchObject({ result: 'merge' });
    expect((await send(path, [insert('Late')])).error).toMatchObject({
      status: 409,
      reason: 'change_request_merged',
    });
    expect((await readSpace(client(), path.spaceId)).revision).not.toBe('');
  });
});

describe('a page', () => {
  test('keep the text of the blocks of a document that did not change', async () => {
    const path = await start();
    const markdown =
      "# *Setup*\n\n{% hint style='info' %}\n- *one*\n- two\n{% endhint %}\n\nLast <!-- note --> one";
    await edit(path, [insert('Guide', { document: { markdown } })]);
    const { Guide = '' } = await idsOf(path);
    const page = await ok(
      client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}', {
        params: { path: { ...path, pageId: Guide }, query: { format: 'document' } },
      }),
    );
    const document = page.type === 'document' ? page.document : undefined;
    if (!document) {
      throw new Error('The page has no document.');
    }
    const { id: revision } = await readContent(path);
    await edit(path, [{ operation: 'update_page', page: Guide, document }]);
    expect((await readContent(path)).id).toBe(revision);
    const changed = JSON.parse(JSON.stringify(document).replace('"two"', '"three"')) as typeof document;
    await edit(path, [{ operation: 'update_page', page: Guide, document: changed }]);
    expect(await readMarkdown(path, Guide)).toBe(markdown.replace('two', 'three'));
  });

  test('can be set as a document whose references keep their targets', async () => {
    const path = await start();
    await edit(path, [insert('Guide', { ref: 'guide' })]);
    const { Guide = '' } = await idsOf(path);
    const link = (ref: Schemas['ContentRef']): Schemas['DocumentInlineNode'] => ({
      object: 'inline',
      type: 'link',
      isVoid: false,
      data: { ref },
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: 'x', marks: [] }] }],
    });
    const document: Schemas['Document'] = {
      object: 'document',
      data: {},
      nodes: [
        {
          object: 'block',
          type: 'paragraph',
          isVoid: false,
          data: {},
          nodes: [
            link({ kind: 'page', page: Guide }),
            link({ kind: 'page', page: 'new' }),
            link({ kind: 'file', file: 'pic' }),
            link({ kind: 'space', space: path.spaceId }),
          ],
        },
      ],
    };
    await edit(path, [
      insert('New', { ref: 'new', document }),
      { operation: 'insert_files', files: [{ name: 'pic.svg', ref: 'pic', base64: btoa(PICTURE) }] },
    ]);
    const { New = '' } = await idsOf(path);
    const [file] = (await readContent(path)).files;
    expect(await readMarkdown(path, New)).toBe(
      `[x](/pages/${Guide})[x](/pages/${New})[x](/files/${file?.id})[x](/spaces/${path.spaceId})\n`,
    );
  });

  test('has a time of the last edit after the first edit', async () => {
    const path = await start();
    await edit(path, [insert('Guide')]);
    const [fresh] = (await readContent(path)).pages;
    expect(fresh).not.toHaveProperty('createdAt');
    await edit(path, [{ operation: 'update_page', page: fresh?.id ?? '', title: 'Manual' }]);
    const [edited] = (await readContent(path)).pages;
    expect(edited).toMatchObject({
      title: 'Manual',
      path: 'guide',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  test('can be reset to the content of the main branch or of any revision', async () => {
    const path = await start();
    await edit(path, [insert('Guide', { ref: 'guide' }), insert('Install', { into: 'guide' })]);
    await merge(path);
    const { id } = await ok(
      client().POST('/v1/spaces/{spaceId}/change-requests', {
        params: { path: { spaceId: path.spaceId } },
        body: {},
      }),
    );
    const other = { ...path, changeRequestId: id };
    const { Guide = '', Install = '' } = await idsOf(other);
    const updated = await readContent(other);
    await edit(other, [
      { operation: 'update_page', page: Install, document: { markdown: 'First.' }, title: 'Set up' },
    ]);
    const first = await readContent(other);
    await edit(other, [{ operation: 'delete_page', page: Guide }]);
    expect((await readContent(other)).pages).toEqual([]);
    await edit(other, [{ operation: 'revert_page', page: Guide }]);
    expect((await readContent(other)).pages).toEqual(updated.pages);
    await edit(other, [{ operation: 'revert_page', page: Install, revision: first.id }]);
    expect(outline((await readContent(other)).pages)).toEqual([
      'document Guide /guide',
      '  document Set up /guide/install',
    ]);
    expect(await readMarkdown(other, Install)).toBe('First.');

    const strange = await start();
    const foreign = (await readContent(strange)).id;
    const { error } = await send(other, [{ operation: 'revert_page', page: Install, revision: foreign }]);
    expect(error).toMatchObject({ status: 400, details: [{ path: 'changes.0.revision' }] });
  });
});

describe('files', () => {
  test('are uploaded or fetched, and served', async () => {
    const path = await start();
    await edit(path, [
      {
        operation: 'insert_files',
        files: [
          { name: 'sent.txt', base64: btoa('Hello') },
          { name: 'fetched.svg', url: `${website.url}/picture` },
        ],
      },
    ]);
    const { files } = await readContent(path);
    const byName = Object.fromEntries(files.map((file) => [file.name, file]));
    expect(byName['sent.txt']).toMatchObject({ contentType: 'text/plain', size: 5 });
    expect(byName['fetched.svg']).toMatchObject({
      contentType: 'image/svg+xml',
      dimensions: { width: 7, height: 8 },
    });
    expect(await (await fetch(byName['sent.txt']?.downloadURL ?? '')).text()).toBe('Hello');
    expect(await (await fetch(byName['fetched.svg']?.downloadURL ?? '')).text()).toBe(PICTURE);
  });

  test.each([
    ['that are not there', '/nothing'],
    ['that are too large', '/endless'],
    ['that must not be fetched', 'http://10.0.0.1/'],
  ])('%s are reported with their URL, and nothing changes', async (_what, at) => {
    const path = await start();
    const before = await readContent(path);
    const { error } = await send(path, [
      insert('Guide'),
      { operation: 'insert_files', files: [{ name: 'a.txt', url: new URL(at, website.url).href }] },
    ]);
    expect(error).toMatchObject({ status: 400, details: [{ path: 'changes.1.files.0.url' }] });
    expect(await readContent(path)).toEqual(before);
  });

  test('are not fetched for callers without write access', async () => {
    const path = await start();
    const reader = await server.member('Reader', 'read');
    const earlierRequests = requests;
    const files = [{ name: 'a.svg', url: `${website.url}/picture` }];
    expect((await send(path, [{ operation: 'insert_files', files }], reader.client)).response.status).toBe(
      403,
    );
    await edit(path, [insert('Guide')]);
    await merge(path);
    expect((await send(path, [{ operation: 'insert_files', files }])).error).toMatchObject({
      status: 409,
      reason: 'change_request_merged',
    });
    expect(requests).toBe(earlierRequests);
  });

  test('are rejected if the space moved to another organization in the meantime', async () => {
    const path = await start();
    const before = await readContent(path);
    const { id: organization } = await ok(client().POST('/v1/orgs', { body: { title: 'Other' } }));
    const move = () =>
      client().POST('/v1/spaces/{spaceId}/transfer', {
        params: { path: { spaceId: path.spaceId } },
        body: { organization },
      });
    const website = await serveOnLoopback((_, response) => {
      move().then(
        ({ error }) => response.end(error ? undefined : PICTURE),
        () => response.destroy(),
      );
    });
    const files = [{ name: 'late.svg', url: website.url }];
    const { response, error } = await send(path, [{ operation: 'insert_files', files }]);
    await website.close();
    expect(response.status).toBe(409);
    expect(error?.message).toMatch(/another organization/);
    expect((await readContent(path)).files).toEqual(before.files);
  });
});
