import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { JsonBytes, reply } from '../../../server/contract/index.ts';
import { sendRaw } from '../small-server.ts';
import { type MediaHandlers, serveMedia } from './media-server.ts';

/** A result that violates the type of its handler, as with data from elsewhere. */
const wrong = (result: unknown) => (async () => result) as never;

async function get(
  handlers: Partial<MediaHandlers>,
  path: string,
  headers: Record<string, string> = {},
  validateResponses = true,
) {
  const server = await serveMedia(handlers, { validateResponses });
  const response = await fetch(server.url + path, { headers, redirect: 'manual' });
  return { response, server };
}

const BYTES = Buffer.from([0, 1, 255]);
const headers = { ETag: '"1"' };

test.each<[string, () => Uint8Array | AsyncIterable<Uint8Array>]>([
  ['a Buffer', () => BYTES],
  ['bytes', () => new Uint8Array(BYTES)],
  ['a stream of Node', () => Readable.from([BYTES.subarray(0, 1), BYTES.subarray(1)])],
  ['a stream of the web', () => new Blob([BYTES]).stream()],
  [
    'a generator',
    async function* () {
      yield BYTES.subarray(0, 2);
      yield BYTES.subarray(2);
    },
  ],
])('sends a file from %s with its headers', async (_name, create) => {
  const getFile: MediaHandlers['getFile'] = async () =>
    reply({ headers: { ...headers, 'X-Parts': 2 }, body: create() });
  const { response } = await get({ getFile }, '/files/a');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('etag')).toBe('"1"');
  expect(response.headers.get('x-parts')).toBe('2');
  expect(Buffer.from(await response.arrayBuffer())).toEqual(BYTES);
});

test('sends the length of a complete body', async () => {
  const { response } = await get({ getFile: async () => reply({ headers, body: BYTES }) }, '/files/a');
  expect(response.headers.get('content-length')).toBe('3');
});

test('sends text in UTF-8, complete or as a stream', async () => {
  const page = await get({ getPage: async () => '<p>Größe</p>' }, '/page');
  expect(page.response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await page.response.text()).toBe('<p>Größe</p>');
  const streamed = await get({ getPage: async () => Readable.from(['<p>', 'Größe']) }, '/page');
  expect(await streamed.response.text()).toBe('<p>Größe');
});

test('sends events as they occur, and ends their source when the caller disconnects', async () => {
  let isEnded = false;
  const { url } = await serveMedia({
    listEvents: async () =>
      (async function* () {
        try {
          yield { data: 'two\nlines', event: 'note', id: '1', retry: 100 };
          yield { data: { n: 1 } };
          while (true) {
            await new Promise(setImmediate);
            yield { data: '' };
          }
        } finally {
          isEnded = true;
        }
      })(),
  });
  const caller = new AbortController();
  const response = await fetch(`${url}/events`, { signal: caller.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  const expected = 'event: note\nid: 1\nretry: 100\ndata: two\ndata: lines\n\ndata: {"n":1}\n\ndata: \n\n';
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.length >= expected.length) {
      break;
    }
  }
  expect(text.slice(0, expected.length)).toBe(expected);
  caller.abort();
  await expect.poll(() => isEnded).toBe(true);
});

test('sends the head of a stream of events before the first event', async () => {
  let send = () => {};
  const first = new Promise<void>((resolve) => {
    send = resolve;
  });
  const { response } = await get(
    {
      listEvents: async () =>
        (async function* () {
          await first;
          yield { data: 'a' };
        })(),
    },
    '/events',
  );
  send();
  expect(await response.text()).toBe('data: a\n\n');
});

test('rejects an event whose name would add fields', async () => {
  const { response } = await get(
    { listEvents: async () => Readable.from([{ data: 'a', event: 'a\ndata: b' }]) },
    '/events',
  );
  await expect(response.text()).rejects.toThrow();
});

test('sends lines of JSON', async () => {
  const { response } = await get(
    { listLines: async () => Readable.from([{ n: 1 }, { n: 'a\nb' }]) },
    '/lines',
  );
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  expect(await response.text()).toBe('{"n":1}\n{"n":"a\\nb"}\n');
});

test('does not read a stream faster than the caller', async () => {
  let chunks = 0;
  const { port } = await serveMedia({
    getPage: async () =>
      (async function* () {
        for (; chunks < 1000; chunks++) {
          yield 'x'.repeat(1_000_000);
        }
      })(),
  });
  const socket = connect(port, '127.0.0.1').pause();
  socket.write('GET /page HTTP/1.1\r\nHost: x\r\n\r\n');
  const { url } = await serveMedia({ getPage: async () => 'other' });
  await expect.poll(() => chunks).toBeGreaterThan(0);
  for (let index = 0; index < 20; index++) {
    await (await fetch(`${url}/page`)).text();
  }
  expect(chunks).toBeLessThan(100);
  socket.destroy();
});

test('returns 500 if a stream fails at its start, and closes the connection if it fails later', async () => {
  const failing = (first: string[]) =>
    (async function* () {
      yield* first;
      throw new Error('broken');
    })();
  const start = await get({ getPage: async () => failing([]) }, '/page');
  expect(start.response.status).toBe(500);
  expect(start.server.errors()).toEqual(['broken']);
  const late = await get({ getPage: async () => failing(['<p>']) }, '/page');
  expect(late.response.status).toBe(200);
  await expect(late.response.text()).rejects.toThrow();
  expect(late.server.errors()).toEqual(['broken']);
});

test('lets the handler select status and media type', async () => {
  const replies: [Awaited<ReturnType<MediaHandlers['getExport']>>, number, string | null, string][] = [
    [
      { status: 200, contentType: 'application/json', body: { id: 1 } },
      200,
      'application/json; charset=utf-8',
      '{"id":1}',
    ],
    [{ status: 200, contentType: 'text/csv', body: 'id\n1' }, 200, 'text/csv; charset=utf-8', 'id\n1'],
    [{ status: 200, contentType: 'image/png', body: Buffer.from('png') }, 200, 'image/png', 'png'],
    [{ status: 202, body: 'soon' }, 202, 'application/json; charset=utf-8', '"soon"'],
    [{ status: 303, headers: { location: '/x' } }, 303, null, ''],
  ];
  for (const [result, status, type, body] of replies) {
    const { response, server } = await get({ getExport: async () => result }, '/exports/a');
    expect(
      [response.status, response.headers.get('content-type'), await response.text()],
      String(server.errors()),
    ).toEqual([status, type, body]);
  }
});

test('redirects, with or without a declared Location', async () => {
  const { response } = await get(
    { getLink: async () => ({ status: 302, headers: { Location: 'https://a.example/' } }) },
    '/links/a',
  );
  expect([response.status, response.headers.get('location')]).toEqual([302, 'https://a.example/']);
});

test('sends any status if only a default response is declared', async () => {
  for (const status of [200, 201, 404]) {
    const { response } = await get({ getAnything: async () => ({ status, body: [status] }) }, '/anything');
    expect([response.status, await response.json()]).toEqual([status, [status]]);
  }
});

test('sends JSON that is already serialized', async () => {
  const { response } = await get(
    { getAnything: async () => ({ status: 200, body: JsonBytes.of(Buffer.from('{"a":1}')) }) },
    '/anything',
  );
  expect(await response.json()).toEqual({ a: 1 });
});

const negotiate = {
  getExport: async ({ responseType }: { responseType: string }) =>
    ({ status: 202, body: responseType }) as const,
};

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
])('prefers the first media type with Accept: %s', async (accept, type) => {
  const { response } = await get(negotiate, '/exports/a', accept === undefined ? {} : { accept });
  expect(await response.json()).toBe(type);
});

test('rejects a caller that accepts none of the media types', async () => {
  const { response } = await get({ getPage: async () => 'a' }, '/page', { accept: 'application/json' });
  expect(response.status).toBe(406);
  expect(await response.text()).toContain('include text/html');
});

test.each<[string, Partial<MediaHandlers>, string, string]>([
  [
    'an undeclared status',
    { getExport: wrong({ status: 404, body: 'a' }) },
    '/exports/a',
    'does not declare',
  ],
  ['no result', { getExport: wrong(undefined) }, '/exports/a', 'does not declare'],
  [
    'an undeclared media type',
    { getExport: wrong({ status: 200, contentType: 'text/html', body: 'a' }) },
    '/exports/a',
    'media type "text/html"',
  ],
  [
    'no media type of several',
    { getExport: wrong({ status: 200, body: {} }) },
    '/exports/a',
    'media type ""',
  ],
  [
    'an invalid body of one of several media types',
    { getExport: wrong({ status: 200, contentType: 'application/json', body: {} }) },
    '/exports/a',
    'violates the contract',
  ],
  [
    'invalid text',
    { getExport: wrong({ status: 200, contentType: 'text/csv', body: 'no' }) },
    '/exports/a',
    'must match pattern',
  ],
  [
    'an invalid body of a range of statuses',
    { getExport: wrong({ status: 202, body: 1 }) },
    '/exports/a',
    'violates the contract',
  ],
  ['a missing header', { getFile: wrong(BYTES) }, '/files/a', 'etag is missing'],
  [
    'an invalid header',
    { getFile: wrong(reply({ headers: { ETag: '1' }, body: BYTES })) },
    '/files/a',
    'etag must match pattern',
  ],
  [
    'a header of another type',
    { getFile: wrong(reply({ headers: { ...headers, 'X-Parts': 'two' }, body: BYTES })) },
    '/files/a',
    'x-parts must be integer',
  ],
  [
    'an undeclared header',
    { getFile: wrong(reply({ headers: { ...headers, 'X-More': 1 }, body: BYTES })) },
    '/files/a',
    'x-more',
  ],
  ['a redirect without Location', { getLink: wrong({ status: 302 }) }, '/links/a', 'Location'],
])('returns 500 for %s, and logs the reason', async (_name, handlers, path, reason) => {
  const { response, server } = await get(handlers, path);
  expect(response.status).toBe(500);
  expect(response.headers.get('etag')).toBeNull();
  expect(server.errors()).toEqual([expect.stringContaining(reason)]);
});

test('returns 500 for a body that its media type cannot represent', async () => {
  const { response, server } = await get({ getPage: wrong({ a: 1 }) }, '/page', {}, false);
  expect(response.status).toBe(500);
  expect(server.errors()).toEqual([expect.stringContaining('must be a string, bytes or a stream')]);
});

test('checks only bodies and statuses without response validation', async () => {
  const { response } = await get(
    { getFile: wrong(reply({ headers: { ETag: '1', 'X-More': 1 }, body: BYTES })) },
    '/files/a',
    {},
    false,
  );
  expect([response.status, response.headers.get('x-more')]).toEqual([200, '1']);
});

test('rejects header values that would add headers', async () => {
  const { port } = await serveMedia(
    { getFile: wrong(reply({ headers: { ETag: '"\r\nX-More: 1' }, body: BYTES })) },
    { validateResponses: false },
  );
  const response = await sendRaw(port, 'GET /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(response.status).toBe(500);
  expect(response.head).not.toContain('X-More');
});
