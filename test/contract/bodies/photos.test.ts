import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createClient } from '../../../client/index.ts';
import type { Handlers, OpenApiDocument, RequestContext } from '../../../server/contract/index.ts';
import { uploadAndDownload } from '../../fixtures/photos/example.ts';
import {
  appendFile,
  downloadOriginal,
  getCaption,
  getStatus,
  renamePhoto,
  replaceFile,
  replacePhoto,
  searchPhotos,
  watchChanges,
} from '../../fixtures/photos/generated/functions.ts';
import document from '../../fixtures/photos/generated/openapi.json' with { type: 'json' };
import { operations as table } from '../../fixtures/photos/generated/operations.ts';
import type { operations, PhotoRequest, paths } from '../../fixtures/photos/generated/schema.d.ts';
import { serveRouter } from '../serve.ts';

/** Serves the generated contract of photos to the generated client. */
async function servePhotos() {
  const files = new Map<string, Uint8Array>();
  const received: unknown[] = [];
  const photo = { id: 'p1', title: 'Tree', albums: [] };
  const handlers: Handlers<operations, typeof table, RequestContext> = {
    uploadPhoto: async ({ body, headers }) => {
      const { file, title = 'Untitled', tags } = await body.read();
      files.set('p1', await file.bytes());
      received.push({ key: headers['Idempotency-Key'], name: file.name, type: file.type, tags });
      return { ...photo, title };
    },
    getPhoto: async () => photo,
    replacePhoto: async ({ path, body }) => {
      received.push(body);
      const { editKey: _editKey, ...replaced } = body;
      return { ...replaced, id: path.photoId, albums: body.albums.map(({ name }) => ({ id: 'a1', name })) };
    },
    renamePhoto: async ({ headers, body }) => {
      received.push([headers['If-Match'], body?.title]);
    },
    downloadPhoto: async ({ path }) => ({
      status: 200,
      contentType: 'image/png',
      body: files.get(path.photoId) ?? new Uint8Array(),
    }),
    replaceFile: async ({ body }) => {
      received.push([body.contentType, await text(body.value)]);
    },
    appendFile: async ({ body }) => {
      received.push(await text(body));
    },
    searchPhotos: async ({ body, responseType }) => {
      received.push([body.contentType, body.value]);
      return responseType === 'text/csv'
        ? { status: 200, contentType: responseType, body: 'count\n2\n' }
        : { contentType: 'application/json', body: { count: 2 } };
    },
    watchChanges: async () =>
      (async function* () {
        yield { data: { photo: 'p1' }, id: '1' };
      })(),
    getCaption: async () => 'A tree.',
    downloadOriginal: async ({ path }) => ({
      status: 302,
      headers: { Location: `/photos/${path.photoId}/file` },
    }),
    getStatus: async () => ({ status: 200, body: { state: 'up' } }),
  };
  const { url } = await serveRouter<operations, typeof table, RequestContext>({
    // The literals of the file are wider than the interface.
    document: document as unknown as OpenApiDocument,
    operations: table,
    handlers,
    security: {},
    validateResponses: true,
  });
  return { client: createClient<paths>({ baseUrl: url }), received };
}

test('serves uploads and downloads to the generated client', async () => {
  const { client, received } = await servePhotos();
  expect(await uploadAndDownload(client, 'pixels')).toEqual(['pixels', 'pixels', 'pixels']);
  expect(received).toEqual([
    { key: expect.stringMatching(/^[\da-f-]{36}$/), name: 'tree.png', type: 'image/png', tags: ['garden'] },
  ]);
});

test('serves files, texts and streams to the generated client', async () => {
  const { client, received } = await servePhotos();
  const body = new Blob(['pixels']);
  await appendFile(client, { photoId: 'p1', body: body.stream() });
  await replaceFile(client, { photoId: 'p1', contentType: 'image/webp', body });
  expect(received).toEqual(['pixels', ['image/webp', 'pixels']]);
  expect(await getCaption(client)).toBe('A tree.');
  expect(await new Response(await watchChanges(client)).text()).toBe('id: 1\ndata: {"photo":"p1"}\n\n');
});

test('serves redirects and default responses to the generated client', async () => {
  const { client } = await servePhotos();
  await uploadAndDownload(client, 'pixels');
  const original = await downloadOriginal(client, { photoId: 'p1' });
  expect([original.type, await original.text()]).toEqual(['image/png', 'pixels']);
  expect(await getStatus(client)).toEqual({ state: 'up' });
});

test('serves several media types of requests and responses to the generated client', async () => {
  const { client, received } = await servePhotos();
  const form = { text: 'tree', tag: ['oak', 'elm'] };
  await searchPhotos(client, { contentType: 'application/x-www-form-urlencoded', body: form });
  expect(await searchPhotos(client, { contentType: 'text/plain', body: 'tree' })).toEqual({ count: 2 });
  const csv = { parseAs: 'text', headers: { Accept: 'text/csv' } } as const;
  expect(await searchPhotos(client, { body: { text: 'oak' } }, csv)).toBe('count\n2\n');
  // The media type of the response decides, not an option.
  const { headers } = csv;
  expect(await searchPhotos(client, { body: { text: 'oak' } }, { headers })).toBe('count\n2\n');
  expect(received).toEqual([
    ['application/x-www-form-urlencoded', form],
    ['text/plain', 'tree'],
    ['application/json', { text: 'oak' }],
    ['application/json', { text: 'oak' }],
  ]);
});

test('serves header parameters, and properties of one direction, to the generated client', async () => {
  const { client, received } = await servePhotos();
  await renamePhoto(client, { photoId: 'p1', header: { 'If-Match': '"1"' }, body: { title: 'Oak' } });
  const sent: PhotoRequest = { title: 'Oak', editKey: 'e', albums: [{ name: 'Garden' }] };
  const replaced = await replacePhoto(client, { photoId: 'p1', body: sent });
  expect(replaced).toEqual({ id: 'p1', title: 'Oak', albums: [{ id: 'a1', name: 'Garden' }] });
  // Clients can send back what they received: read-only properties are removed.
  const returned = { ...sent, id: 'p1', albums: [{ id: 'a1', name: 'Garden' }] };
  await replacePhoto(client, { photoId: 'p1', body: returned });
  expect(received).toEqual([['"1"', 'Oak'], sent, sent]);
});
