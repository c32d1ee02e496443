import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ErrorBody } from '../../../server/contract/index.ts';
import { faultLocations, sendRaw } from '../small-server.ts';
import { serveMedia } from './media-server.ts';

async function errorOf(response: Response, status: number): Promise<ErrorBody['error']> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  return JSON.parse(text).error;
}

const FORM = 'application/x-www-form-urlencoded';

/** Sends a body to a server that returns what its handlers received. */
async function send(
  method: string,
  path: string,
  body: string | Uint8Array | undefined,
  headers: Record<string, string>,
  limits = {},
) {
  const server = await serveMedia(
    {
      createOrder: async (request) => request.body,
      replaceOrders: async (request) => request.body,
      createNote: async (request) => ({ note: request.body ?? null }),
      replaceFile: async (request) => (await buffer(request.body)).toString('latin1'),
      createImage: async (request) =>
        request.body === undefined
          ? null
          : { type: request.body.contentType, bytes: (await buffer(request.body.value)).length },
    },
    { limits },
  );
  const response = await fetch(server.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: body as string }),
  });
  return { response, server };
}

async function received(...request: Parameters<typeof send>): Promise<unknown> {
  const { response } = await send(...request);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

test('parses a form into the declared types', async () => {
  const form = 'name=A+%26+B&count=2&gift=true&tags=red&tags=green&sizes=1.5&note=';
  expect(await received('POST', '/orders', form, { 'content-type': FORM })).toEqual({
    name: 'A & B',
    count: 2,
    gift: true,
    tags: ['red', 'green'],
    sizes: [1.5],
    note: '',
  });
});

test.each([
  ['an unknown field', 'name=a&more=1', ['body more']],
  ['a missing field', 'count=1', ['body name']],
  ['an empty form', '', ['body name']],
  [
    'several invalid fields',
    'name=&count=0&gift=yes&tags=blue',
    ['body count', 'body gift', 'body name', 'body tags.0'],
  ],
  ['a number in another notation', 'name=a&count=0x10', ['body count']],
  ['a repeated field', 'name=a&name=b', ['body name']],
  ['too many items', 'name=a&tags=red&tags=red&tags=red', ['body tags']],
  ['bad encoding', 'name=%zz', ['body name']],
  ['U+0000', 'name=%00', ['body name']],
  ['the prototype', 'name=a&__proto__=1', ['body __proto__']],
  ['a name of the prototype', 'name=a&constructor=1', ['body constructor']],
  ['text in another charset', Buffer.from([0x6e, 0x3d, 0xff]), ['body']],
])('rejects a form with %s, and names the field', async (_name, form, locations) => {
  const { response } = await send('POST', '/orders', form, { 'content-type': FORM });
  expect(faultLocations(await errorOf(response, 400))).toEqual(locations);
});

test('limits the number of fields of a form', async () => {
  const { response } = await send(
    'POST',
    '/orders',
    'name=a&tags=red&tags=red',
    { 'content-type': FORM },
    { formParts: 2 },
  );
  expect((await errorOf(response, 400)).message).toContain('more than 2 fields');
});

test('selects the media type of a body with several, and states it', async () => {
  const orders = [{ name: 'a' }];
  expect(
    await received('PUT', '/orders', JSON.stringify(orders), {
      'content-type': 'application/json; charset=UTF-8',
    }),
  ).toEqual({ contentType: 'application/json', value: orders });
  expect(
    await received('PUT', '/orders', '{"orders":[]}', {
      'content-type': 'Application/Vnd.Orders+JSON;version=3',
    }),
  ).toEqual({ contentType: 'application/vnd.orders+json', value: { orders: [] } });
  expect(await received('PUT', '/orders', 'a,b', { 'content-type': 'text/csv' })).toEqual({
    contentType: 'text/csv',
    value: 'a,b',
  });
});

test('validates each media type against its own schema', async () => {
  const invalid: [string, string, string[]][] = [
    ['application/json', '{"orders":[]}', ['body']],
    ['application/vnd.orders+json', '[]', ['body']],
    ['application/vnd.orders+json', '{}', ['body orders']],
    ['text/csv', 'x'.repeat(21), ['body']],
  ];
  for (const [type, body, locations] of invalid) {
    const { response } = await send('PUT', '/orders', body, { 'content-type': type });
    expect(faultLocations(await errorOf(response, 400)), type).toEqual(locations);
  }
});

test('rejects undeclared media types, and lists the declared ones', async () => {
  for (const type of [
    'text/plain',
    'application/xml',
    'application/jsonx',
    'multipart/form-data; boundary=x',
  ]) {
    const { response } = await send('PUT', '/orders', 'x', { 'content-type': type });
    const { message } = await errorOf(response, 415);
    expect(message).toContain('application/json or application/vnd.orders+json or text/csv');
  }
});

test.each([
  ['utf-8', Buffer.from('Ärger €')],
  ['ISO-8859-1', Buffer.from('Ärger', 'latin1')],
  ['"utf-16le"', Buffer.from('Ärger €', 'utf16le')],
])('decodes text in the charset %s', async (charset, bytes) => {
  const { note } = (await received('POST', '/notes', bytes, {
    'content-type': `text/plain; charset=${charset}`,
  })) as { note: string };
  expect(note).toMatch(/^Ärger/);
});

test('rejects charsets that cannot be decoded, and text that is not in its charset', async () => {
  const note = (type: string, bytes: Uint8Array) => send('POST', '/notes', bytes, { 'content-type': type });
  const unknown = await note('text/plain; charset=klingon', Buffer.from('a'));
  await errorOf(unknown.response, 415);
  const invalid = await note('text/plain', Buffer.from([0xff]));
  expect(faultLocations(await errorOf(invalid.response, 400))).toEqual(['body']);
  const zero = await note('text/plain', Buffer.from('a\0'));
  expect((await errorOf(zero.response, 400)).message).toContain('U+0000');
  const json = await send('PUT', '/orders', '[]', { 'content-type': 'application/json; charset=iso-8859-1' });
  await errorOf(json.response, 415);
  const form = await send('POST', '/orders', 'name=a', { 'content-type': `${FORM}; charset=iso-8859-1` });
  await errorOf(form.response, 415);
});

test('decompresses text and forms', async () => {
  const headers = { 'content-encoding': 'gzip' };
  expect(
    await received('POST', '/notes', gzipSync('note'), { 'content-type': 'text/plain', ...headers }),
  ).toEqual({ note: 'note' });
  expect(await received('POST', '/orders', gzipSync('name=a'), { 'content-type': FORM, ...headers })).toEqual(
    {
      name: 'a',
    },
  );
});

test('distinguishes an empty text from a missing one', async () => {
  expect(await received('POST', '/notes', '', { 'content-type': 'text/plain' })).toEqual({ note: '' });
  expect(await received('POST', '/notes', undefined, {})).toEqual({ note: null });
  const missing = await send('PUT', '/files/a', undefined, {});
  expect(faultLocations(await errorOf(missing.response, 400))).toEqual(['body']);
  expect(await received('PUT', '/files/a', '', { 'content-type': 'application/octet-stream' })).toBe('');
});

test('streams binary bodies, in chunks or of known length', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const type = { 'content-type': 'application/octet-stream' };
  expect(await received('PUT', '/files/a', bytes, type)).toBe(bytes.toString('latin1'));
  const { server } = await send('PUT', '/files/a', bytes, type);
  const head =
    'PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n';
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`;
  expect(await sendRaw(server.port, chunked)).toMatchObject({
    status: 200,
    body: expect.stringContaining('abc'),
  });
});

test('states the media type of a body whose contract declares a range', async () => {
  const image = (type: string) => received('POST', '/files/a', 'abc', { 'content-type': type });
  expect(await image('image/png')).toEqual({ type: 'image/png', bytes: 3 });
  expect(await image('image/svg+xml')).toEqual({ type: 'image/svg+xml', bytes: 3 });
  expect(await image('application/pdf')).toEqual({ type: 'application/pdf', bytes: 3 });
  expect(await received('POST', '/files/a', undefined, {})).toBeNull();
  const { response } = await send('POST', '/files/a', 'abc', { 'content-type': 'video/mp4' });
  await errorOf(response, 415);
});

test('limits a streamed body, whether or not its length is known', async () => {
  const limits = { bodyBytes: 1000 };
  const type = { 'content-type': 'application/octet-stream' };
  const { response, server } = await send('PUT', '/files/a', 'x'.repeat(1001), type, limits);
  await errorOf(response, 413);
  const head =
    'PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n';
  const chunks = `${'1f4\r\n'}${'x'.repeat(500)}\r\n`.repeat(3);
  const chunked = await sendRaw(server.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  expect(chunked.status).toBe(413);
  expect(server.errors()).toEqual([]);
});

test('rejects a streamed body that arrives too slowly', async () => {
  const type = { 'content-type': 'application/octet-stream' };
  const { server } = await send('PUT', '/files/a', 'x', type, { bodyDeadlineMs: 50 });
  const head =
    'PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n';
  expect((await sendRaw(server.port, `${head}Content-Length: 10\r\n\r\nab`)).status).toBe(408);
});

test('rejects a compressed body of a type that is streamed', async () => {
  const headers = { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' };
  const { response } = await send('PUT', '/files/a', gzipSync('a'), headers);
  await errorOf(response, 415);
});

test('serves the next request after a handler left its body unread', async () => {
  const server = await serveMedia({ replaceFile: async () => 'unread' });
  const head = (length: number) =>
    `PUT /files/a HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: ${length}\r\n`;
  const { head: first, body } = await sendRaw(
    server.port,
    `${head(300_000)}\r\n${'x'.repeat(300_000)}${head(1)}Connection: close\r\n\r\ny`,
  );
  expect(`${first}\r\n\r\n${body}`.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
});

test('sends 100 Continue for a streamed body when it is read', async () => {
  const server = await serveMedia({ replaceFile: async ({ body }) => (await buffer(body)).length });
  const request =
    'PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/octet-stream\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab';
  expect((await sendRaw(server.port, request)).head).toBe('HTTP/1.1 100 Continue');
});
