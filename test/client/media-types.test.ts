import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createClient, ok } from '../../client/index.ts';
import { uploadAndDownload, uploadFromDisk } from '../fixtures/photos/example.ts';
import {
  appendFile,
  downloadOriginal,
  downloadPhoto,
  getCaption,
  getStatus,
  renamePhoto,
  replaceFile,
  searchPhotos,
  uploadPhoto,
  watchChanges,
} from '../fixtures/photos/generated/functions.ts';
import type { paths } from '../fixtures/photos/generated/schema.d.ts';
import {
  failureOf,
  fakeRuntime,
  type ReceivedRequest,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './scripted-server.ts';

const created: Step = { status: 201, body: { id: 'p1' } };
const noContent: Step = { status: 204 };
const photoId = 'p1';
const inPath = { path: { photoId } };

const photosOf = (server: ScriptedServer) =>
  createClient<paths>({ baseUrl: server.url, runtime: fakeRuntime() });

/** Response with a body of another type than JSON. */
const file = (type: string, body: string): Step => ({ status: 200, headers: { 'content-type': type }, body });

/** Stream with the bytes of a text. */
const streamOf = (text: string) => new Blob([text]).stream();

function formOf({ bytes, headers }: ReceivedRequest): Promise<FormData> {
  const type = headers['content-type'] ?? '';
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
}

describe('a request', () => {
  const upload = {
    file: new File(['pixels'], 'tree.png', { type: 'image/png' }),
    thumbnails: [new Blob(['1']), new Blob(['2'])],
    title: 'Käse & Brot',
    rating: 5,
    tags: ['a', 'b'],
    place: { latitude: 47.4 },
  };

  test('has the fields of an object as a form, in each attempt', async () => {
    await using server = await startScriptedServer({ status: 502 }, created);
    await uploadPhoto(photosOf(server), { body: upload });
    expect(server.received).toHaveLength(2);
    for (const request of server.received) {
      const form = await formOf(request);
      const photo = form.get('file') as File; // The part has a file name.
      expect([photo.name, photo.type, await photo.text()]).toEqual(['tree.png', 'image/png', 'pixels']);
      expect(form.getAll('thumbnails')).toHaveLength(2);
      expect(form.get('title')).toBe('Käse & Brot');
      expect(form.get('rating')).toBe('5');
      expect(form.getAll('tags')).toEqual(['a', 'b']);
      // A field with a media type is no file.
      expect(form.get('place')).toBe('{"latitude":47.4}');
      expect(String(request.bytes)).toContain(
        '\r\nContent-Disposition: form-data; name="place"\r\nContent-Type: application/json\r\n\r\n{',
      );
    }
  });

  test('has fields and files with any name in a form, and texts as they are', async () => {
    await using server = await startScriptedServer(noContent);
    const name = 'a"; filename="b"\r\nX-More: c';
    const body = { [name]: 'one\ntwo\r\n--form-', file: new File(['x'], `ä"${name}`) };
    await photosOf(server).call('POST', '/forms', { body }, undefined, {
      contentType: 'multipart/form-data',
    });
    const [request] = server.received;
    expect(String(request?.bytes)).not.toContain('\r\nX-More');
    expect(String(request?.bytes)).toContain('one\ntwo\r\n--form-');
    const form = await formOf(request as ReceivedRequest);
    expect([...form.keys()]).toEqual([name, 'file']);
    const sent = form.get('file') as File;
    expect([sent.name, sent.type]).toEqual([`ä"${name}`, 'application/octet-stream']);
  });

  test('omits undefined fields of a form, and sends a FormData unchanged', async () => {
    await using server = await startScriptedServer(created);
    const client = photosOf(server);
    await uploadPhoto(client, { body: { file: new Blob(['x']), title: undefined as never } });
    const own = new FormData();
    own.set('extra', '1');
    const params = { header: { 'Idempotency-Key': 'k' } };
    const contentType = 'multipart/form-data';
    await client.POST('/photos', { params, contentType, body: own });
    await client.POST('/photos', {
      params,
      contentType,
      body: own,
      headers: { 'Content-Type': contentType },
    });
    const [first, second, third] = await Promise.all(server.received.map(formOf));
    expect([...(first?.keys() ?? [])]).toEqual(['file']);
    expect([...(second?.entries() ?? [])]).toEqual([['extra', '1']]);
    expect([...(third?.entries() ?? [])]).toEqual([['extra', '1']]);
  });

  test('has the fields of an object as a URL-encoded form', async () => {
    await using server = await startScriptedServer({ status: 200, body: {} });
    const contentType = 'application/x-www-form-urlencoded';
    const client = photosOf(server);
    await searchPhotos(client, { contentType, body: { text: 'a&b c', tag: ['x', 'y'] } });
    await searchPhotos(client, { contentType, body: new URLSearchParams({ text: 'a&b' }) });
    expect(server.received.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      ['text=a%26b%20c&tag=x&tag=y', contentType],
      ['text=a%26b', contentType],
    ]);
  });

  test('is a form in any letter case of the media type', async () => {
    await using server = await startScriptedServer(noContent);
    const send = (contentType: string) =>
      photosOf(server).call('POST', '/forms', { body: { text: 'a&b' } }, undefined, { contentType });
    await send('Multipart/Form-Data');
    await send('Application/X-WWW-Form-Urlencoded');
    const [parts, encoded] = server.received;
    expect(parts && [...(await formOf(parts))]).toEqual([['text', 'a&b']]);
    expect(encoded?.body).toBe('text=a%26b');
  });

  test('has the media type of the contract', async () => {
    await using server = await startScriptedServer(noContent);
    const client = photosOf(server);
    const bytes = new Uint8Array([0, 255, 7]);
    await appendFile(client, { photoId, body: bytes });
    await appendFile(client, { photoId, body: bytes.buffer });
    await appendFile(client, { photoId, body: new Blob([bytes], { type: 'image/png' }) });
    await replaceFile(client, { photoId, contentType: 'image/webp', body: new Blob([bytes]) });
    expect(server.received.map(({ bytes: sent, headers }) => [[...sent], headers['content-type']])).toEqual([
      [[0, 255, 7], 'application/octet-stream'],
      [[0, 255, 7], 'application/octet-stream'],
      [[0, 255, 7], 'application/octet-stream'],
      [[0, 255, 7], 'image/webp'],
    ]);
  });

  test('is JSON or text as the contract declares it', async () => {
    await using server = await startScriptedServer({ status: 200, body: {} });
    const client = photosOf(server);
    const header = { 'If-Match': '"1"' };
    await renamePhoto(client, { photoId, header, body: { title: 'New' } });
    await searchPhotos(client, { body: { text: 'tree' } });
    await searchPhotos(client, { contentType: 'text/plain', body: '{tree}' });
    expect(server.received.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      ['{"title":"New"}', 'application/merge-patch+json'],
      ['{"text":"tree"}', 'application/json'],
      ['{tree}', 'text/plain'],
    ]);
  });

  test.each(['application/stream+json', 'application/json-seq', 'application/jsonl', 'text/json'])(
    'of the type %s is sent unchanged',
    async (contentType) => {
      await using server = await startScriptedServer(noContent);
      await photosOf(server).call('POST', '/lines', { body: '{"n":1}\n' }, undefined, { contentType });
      expect(server.received[0]).toMatchObject({
        body: '{"n":1}\n',
        headers: { 'content-type': contentType },
      });
    },
  );

  test('that is a stream is sent once, and never retried', async () => {
    await using server = await startScriptedServer({ status: 429, headers: { 'retry-after': '1' } });
    const failure = await failureOf(appendFile(photosOf(server), { photoId, body: streamOf('pixels') }));
    expect(failure).toMatchObject({ kind: 'http', status: 429 });
    const key = { header: { 'Idempotency-Key': 'k' } };
    await failureOf(
      appendFile(photosOf(server), { photoId, body: streamOf('more') }, { headers: key.header }),
    );
    expect(server.received.map(({ body }) => body)).toEqual(['pixels', 'more']);
  });
});

describe('a response', () => {
  const png = file('image/png', 'pixels');

  test.each([
    ['blob', undefined],
    ['blob', 'blob'],
    ['arrayBuffer', 'arrayBuffer'],
    ['stream', 'stream'],
    ['text', 'text'],
  ] as const)('of binary data is read as %s for the option %s', async (way, parseAs) => {
    await using server = await startScriptedServer({ status: 502 }, png);
    const data = await downloadPhoto(photosOf(server), { photoId }, { parseAs });
    expect(typeof data === 'string' ? 'text' : data.constructor.name).toBe(
      { blob: 'Blob', arrayBuffer: 'ArrayBuffer', stream: 'ReadableStream', text: 'text' }[way],
    );
    expect(await new Response(data as BodyInit).text()).toBe('pixels');
    if (data instanceof Blob) {
      expect(data.type).toBe('image/png');
    }
  });

  test('of another type is read as the call by path specifies', async () => {
    await using server = await startScriptedServer(png);
    const { data } = await photosOf(server).GET('/photos/{photoId}/file', {
      params: inPath,
      parseAs: 'text',
    });
    expect(data).toBe('pixels');
    expect(server.received[0]?.headers.accept).toBe('*/*');
  });

  test('of text is not parsed', async () => {
    await using server = await startScriptedServer(file('text/plain', '42'), file('text/plain', ''));
    expect(await getCaption(photosOf(server))).toBe('42');
    expect(await getCaption(photosOf(server))).toBe('');
  });

  test('of events is a stream that is read while they arrive, longer than the timeout', async () => {
    const waiting: (() => void)[] = [];
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      waiting.push(() => response.end('data: 2\n\n'));
    });
    let expire = () => {};
    const runtime = {
      ...fakeRuntime(),
      after: (_: number, callback: () => void) => {
        expire = callback;
        return () => {
          expire = () => {};
        };
      },
    };
    const client = createClient<paths>({ baseUrl: server.url, runtime });
    const events = (await watchChanges(client)).getReader();
    const decode = async () => new TextDecoder().decode((await events.read()).value);
    expect(await decode()).toBe('data: 1\n\n');
    expire();
    waiting[0]?.();
    expect(await decode()).toBe('data: 2\n\n');
    expect(await events.read()).toMatchObject({ done: true });
  });

  test('that is read as a stream fails with the error of the call', async () => {
    const controller = new AbortController();
    let breakOff = () => {};
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).write('pix');
      breakOff = () => response.destroy();
    });
    const client = photosOf(server);
    const options = { parseAs: 'stream', signal: controller.signal } as const;
    const broken = await downloadPhoto(client, { photoId }, options);
    breakOff();
    expect(await failureOf(new Response(broken).text())).toMatchObject({ name: 'ApiError', kind: 'network' });
    const aborted = await downloadPhoto(client, { photoId }, options);
    controller.abort();
    expect(await failureOf(new Response(aborted).text())).toMatchObject({ kind: 'aborted', status: 200 });
  });

  test('that is no longer read closes its connection', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startScriptedServer((response) => {
      response.on('close', closed.resolve);
      response.writeHead(200, { 'content-type': 'image/png' }).write('pix');
    });
    const stream = await downloadPhoto(photosOf(server), { photoId }, { parseAs: 'stream' });
    await stream.cancel();
    await closed.promise;
  });

  test('without content is undefined, however it is read', async () => {
    await using server = await startScriptedServer(noContent);
    expect(await downloadPhoto(photosOf(server), { photoId })).toBeUndefined();
  });

  test('that is an error is parsed as JSON', async () => {
    await using server = await startScriptedServer({ status: 404, body: { message: 'No such photo.' } });
    for (const parseAs of ['blob', 'stream'] as const) {
      const failure = await failureOf(downloadPhoto(photosOf(server), { photoId }, { parseAs }));
      expect(failure).toMatchObject({ status: 404, message: 'No such photo.' });
    }
  });

  test('of several types is JSON, which the request asks for', async () => {
    await using server = await startScriptedServer(
      { status: 200, body: { count: 2 } },
      file('text/csv', 'a,b'),
    );
    const client = photosOf(server);
    expect(await searchPhotos(client, { body: {} })).toEqual({ count: 2 });
    const csv = { parseAs: 'text', headers: { accept: 'text/csv' } } as const;
    expect((await client.POST('/search', { body: {}, ...csv })).data).toBe('a,b');
    expect(server.received.map(({ headers }) => headers.accept)).toEqual([
      'application/json, */*;q=0.8',
      'text/csv',
    ]);
  });
});

describe('an operation without a 2xx response', () => {
  const redirect: Step = { status: 302, headers: { location: '/storage/p1' } };

  test('returns the body at the target of its redirect', async () => {
    await using server = await startScriptedServer(
      redirect,
      file('image/png', 'pixels'),
      redirect,
      file('text/plain', 'text'),
    );
    const blob = await downloadOriginal(photosOf(server), { photoId });
    expect([blob.type, await blob.text()]).toEqual(['image/png', 'pixels']);
    const parse = { params: inPath, parseAs: 'text' } as const;
    expect(await ok(photosOf(server).GET('/photos/{photoId}/original', parse))).toBe('text');
    expect(server.received.map(({ url }) => url)).toEqual([
      '/photos/p1/original',
      '/storage/p1',
      '/photos/p1/original',
      '/storage/p1',
    ]);
  });

  test('returns or throws its default response', async () => {
    await using server = await startScriptedServer(
      { status: 200, body: { state: 'up' } },
      { status: 400, body: { state: 'down' } },
    );
    expect(await getStatus(photosOf(server))).toEqual({ state: 'up' });
    expect(await failureOf(getStatus(photosOf(server)))).toMatchObject({
      status: 400,
      body: { state: 'down' },
    });
  });
});

test('the example of the page works', async () => {
  await using server = await startScriptedServer(created, file('image/png', 'pixels'));
  expect(await uploadAndDownload(photosOf(server), 'pixels')).toEqual(['pixels', 'pixels', 'pixels']);
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /photos',
    ...Array(3).fill('GET /photos/p1/file'),
  ]);
});

test('the example of the recipes uploads a file from disk', async () => {
  await using server = await startScriptedServer({ status: 502 }, noContent);
  await uploadFromDisk(photosOf(server), 'p1', import.meta.filename);
  const text = await readFile(import.meta.filename, 'utf8');
  // Only the Blob can be sent again.
  expect(server.received.map(({ body }) => body === text)).toEqual([true, true, true]);
});
