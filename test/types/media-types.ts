// Checked by `tsc`, never run: bodies of other types than JSON, hooks, and properties of one direction.
import { createClient, ok } from '../../client/index.ts';
import {
  appendFile,
  downloadOriginal,
  downloadPhoto,
  getCaption,
  getPhoto,
  getStatus,
  renamePhoto,
  replaceFile,
  replacePhoto,
  searchPhotos,
  uploadPhoto,
  type watchChanges,
} from '../fixtures/photos/generated/functions.ts';
import type { Album, PhotoRequest, paths } from '../fixtures/photos/generated/schema.d.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_ extends true>() => {};

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

const client = createClient<paths>({
  baseUrl: 'https://photos.example.com',
  hooks: {
    onRequest: ({ method, path }) => {
      same<Equal<typeof path, keyof paths>>();
      // @ts-expect-error: no such path
      path === '/planets';
      // @ts-expect-error: methods are in uppercase
      method === 'get';
    },
    // @ts-expect-error: no such hook
    onPage: () => {},
  },
});
const photo = { params: { path: { photoId: 'p1' } } };

export async function responses(parseAs: 'blob' | 'stream') {
  same<Equal<Awaited<ReturnType<typeof watchChanges<'stream'>>>, Bytes>>();
  const caption = await getCaption(client);
  same<Equal<typeof caption, string>>();
  const blob = await downloadPhoto(client, { photoId: 'p1' });
  same<Equal<typeof blob, Blob>>();
  const stream = await downloadPhoto(client, { photoId: 'p1' }, { parseAs: 'stream' });
  same<Equal<typeof stream, Bytes>>();
  const either = await downloadPhoto(client, { photoId: 'p1' }, { parseAs });
  same<Equal<typeof either, Blob | Bytes>>();
  // @ts-expect-error: the response is no JSON
  await downloadPhoto(client, { photoId: 'p1' }, { parseAs: 'json' });
  // @ts-expect-error: the response is JSON
  await getPhoto(client, { photoId: 'p1' }, { parseAs: 'blob' });

  const buffer = await ok(client.GET('/photos/{photoId}/file', { ...photo, parseAs: 'arrayBuffer' }));
  same<Equal<typeof buffer, ArrayBuffer>>();
  const events = await ok(client.GET('/changes', { parseAs: 'stream' }));
  same<Equal<typeof events, Bytes>>();
  // @ts-expect-error: how to read a response that is not JSON is required
  await client.GET('/photos/{photoId}/file', photo);
  // @ts-expect-error: the response is no JSON
  await client.GET('/changes', { parseAs: 'json' });
  // @ts-expect-error: no such way
  await client.GET('/changes', { parseAs: 'xml' });

  const found = await ok(client.POST('/search', { body: { text: 'tree' } }));
  same<Equal<typeof found, { count?: number } | string>>();
  const byType = await searchPhotos(client, { body: {} });
  same<Equal<typeof byType, { count?: number } | string>>();
  const counted = await searchPhotos(client, { body: {} }, { parseAs: 'json' });
  same<Equal<typeof counted, { count?: number }>>();
  const lines = await searchPhotos(client, { body: {} }, { parseAs: 'text' });
  same<Equal<typeof lines, string>>();
  const auto = await ok(client.POST('/search', { body: {}, parseAs: 'auto' }));
  same<Equal<typeof auto, { count?: number } | string>>();
  const csv = await ok(client.POST('/search', { body: {}, parseAs: 'text' }));
  same<Equal<typeof csv, string>>();
  const removed = await ok(
    client.PUT('/photos/{photoId}/file', { ...photo, contentType: 'image/png', body: blob }),
  );
  same<Equal<typeof removed, undefined>>();
}

export async function requests(stream: ReadableStream<Uint8Array>) {
  await uploadPhoto(client, { body: { file: new Blob(), thumbnails: [new File([], 'a.png')], tags: ['a'] } });
  await uploadPhoto(client, { body: new FormData() });
  // @ts-expect-error: a file is not a text
  await uploadPhoto(client, { body: { file: 'pixels' } });
  // @ts-expect-error: the file is required
  await uploadPhoto(client, { body: { title: 'Tree' } });
  await appendFile(client, { photoId: 'p1', body: stream });
  // @ts-expect-error: binary data is not a text
  await appendFile(client, { photoId: 'p1', body: 'pixels' });
  await replaceFile(client, { photoId: 'p1', body: new Uint8Array(), contentType: 'image/webp' });
  // @ts-expect-error: a type outside the range
  await replaceFile(client, { photoId: 'p1', body: new Uint8Array(), contentType: 'text/plain' });
  // @ts-expect-error: the contract has no single type
  await replaceFile(client, { photoId: 'p1', body: new Uint8Array() });

  await searchPhotos(client, { body: { text: 'tree' } });
  await searchPhotos(client, { body: 'tree', contentType: 'text/plain' });
  // @ts-expect-error: the body of another type
  await searchPhotos(client, { body: { text: 'tree' }, contentType: 'text/plain' });
  // @ts-expect-error: a form needs its field
  await searchPhotos(client, { body: {}, contentType: 'application/x-www-form-urlencoded' });

  await client.POST('/photos/{photoId}/file', {
    ...photo,
    body: stream,
    contentType: 'application/octet-stream',
  });
  // @ts-expect-error: the type of a body that is not JSON is required
  await client.POST('/photos/{photoId}/file', { ...photo, body: stream });
  // @ts-expect-error: the operation has no such type
  await client.POST('/photos/{photoId}/file', { ...photo, body: stream, contentType: 'image/png' });
  // @ts-expect-error: a GET has no body
  await client.GET('/photos/{photoId}', { ...photo, contentType: 'application/json' });
}

export async function keys() {
  const body = { file: new Blob() };
  await uploadPhoto(client, { body });
  await uploadPhoto(client, { body, header: {} });
  await uploadPhoto(client, { body, header: { 'Idempotency-Key': 'k' } });
  // @ts-expect-error: no such header
  await uploadPhoto(client, { body, header: { 'If-Match': '"1"' } });
  await renamePhoto(client, { photoId: 'p1', header: { 'If-Match': '"1"' } });
  // @ts-expect-error: the other header is required
  await renamePhoto(client, { photoId: 'p1', header: { 'idempotency-key': 'k' } });
}

export async function directions(albums: Album[]) {
  const body = { title: 'Tree', editKey: 'e', albums: [{ name: 'Garden' }] };
  const replaced = await replacePhoto(client, { photoId: 'p1', body });
  same<Equal<typeof replaced.id, string>>();
  same<Equal<typeof replaced.albums, typeof albums>>();
  // @ts-expect-error: only requests have it
  replaced.editKey;
  // @ts-expect-error: only the server sets the identifiers of albums too
  await replacePhoto(client, { photoId: 'p1', body: { ...body, albums: [{ name: 'Garden', id: 'a1' }] } });
  // @ts-expect-error: only the server sets the identifier
  const sent: PhotoRequest = { title: 'Tree', editKey: 'e', albums: [], id: 'p1' };
  // @ts-expect-error: required in requests
  await replacePhoto(client, { photoId: 'p1', body: { title: 'Tree', albums: [] } });
  return sent;
}

export async function withoutSuccess() {
  const params = { path: { photoId: 'p1' } };
  const blob = await downloadOriginal(client, { photoId: 'p1' });
  same<Equal<typeof blob, Blob>>();
  const text = await ok(client.GET('/photos/{photoId}/original', { params, parseAs: 'text' }));
  same<Equal<typeof text, string>>();
  // @ts-expect-error: how to read the body at the target is required
  await client.GET('/photos/{photoId}/original', { params });
  const { data, error } = await client.GET('/status');
  same<Equal<typeof data, { state: string } | undefined>>();
  same<Equal<NonNullable<typeof error>['body'], { state: string } | undefined>>();
  const status = await getStatus(client);
  same<Equal<typeof status, { state: string }>>();
}
