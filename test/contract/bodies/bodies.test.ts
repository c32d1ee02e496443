import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DEFAULT_MAX_BODY_BYTES } from '../../../server/contract/limits/limits.ts';
import { MAX_BODY_DEPTH } from '../../../server/contract/request/bodies/json-scanner.ts';
import { TREE_LIMIT } from '../small-contract.ts';
import {
  expectError,
  faultLocations,
  rawRequest,
  sendRaw,
  serveSmallContract,
  TOKEN,
} from '../small-server.ts';

const create = async (body: unknown, headers: Record<string, string> = {}) => {
  const server = await serveSmallContract();
  return { server, response: await server.send('POST', '/v1/widgets', body, headers) };
};

test('passes a valid body to the handler unchanged', async () => {
  const body = { title: 'é', size: 0, due: '2026-02-28', labels: { a: 'b' }, marks: ['red'] };
  const { server, response } = await create(body);
  expect(response.status).toBe(201);
  expect(server.handled[0]?.body).toEqual(body);
});

test('does not coerce values of a body to other types', async () => {
  const { response } = await create({ title: 'a', size: '7' });
  expect(faultLocations(await expectError(response, 400))).toEqual(['body size']);
});

test.each(['{', '{"title":}', '', 'null null', '{"title":"a"', '\u0000'])(
  'rejects %j, which is not JSON',
  async (text) => {
    const { response } = await create(text);
    const error = await expectError(response, 400);
    expect(faultLocations(error)).toEqual(['body']);
  },
);

test.each(['null', '1', '"a"', '[]', 'true'])('rejects %s, which is JSON but not an object', async (text) => {
  const { response } = await create(text);
  expect(faultLocations(await expectError(response, 400))).toEqual(['body']);
});

test('rejects a body that is not UTF-8, and accepts a byte-order mark', async () => {
  const latin = await create(Buffer.from('{"title":"\u00e9"}', 'latin1'), {
    'content-type': 'application/json',
  });
  expect((await expectError(latin.response, 400)).message).toContain('UTF-8');
  const marked = await create('\ufeff{"title":"a"}');
  expect(marked.response.status).toBe(201);
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json5',
  'application/merge-patch+json',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'json',
  ',',
])('rejects the media type %s with 415', async (type) => {
  const { server, response } = await create('{"title":"a"}', { 'content-type': type });
  await expectError(response, 415);
  expect(server.handled).toEqual([]);
});

test.each([
  'application/json; charset=utf-8',
  'APPLICATION/JSON;charset="UTF-8"',
  'application/json; foo=bar; charset=utf8',
])('accepts the media type %s as JSON', async (type) => {
  expect((await create('{"title":"a"}', { 'content-type': type })).response.status).toBe(201);
});

test('rejects a body without a media type with 415', async () => {
  const { port } = await serveSmallContract();
  const { status } = await sendRaw(
    port,
    `${rawRequest('POST', '/v1/widgets', 'Content-Length: 13\r\n')}{"title":"a"}`,
  );
  expect(status).toBe(415);
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('accepts a body with the encoding %s', async (coding, compress) => {
  const { server, response } = await create(compress('{"title":"a"}'), {
    'content-type': 'application/json',
    'content-encoding': coding,
  });
  expect(response.status).toBe(201);
  expect(server.handled[0]?.body).toEqual({ title: 'a' });
});

test('rejects an unknown content coding with 415, and corrupt compressed data with 400', async () => {
  const json = { 'content-type': 'application/json' };
  await expectError((await create('{"title":"a"}', { 'content-encoding': 'rot13' })).response, 415);
  const broken = await create('no gzip', { ...json, 'content-encoding': 'gzip' });
  expect(faultLocations(await expectError(broken.response, 400))).toEqual(['body']);
});

test('rejects a body over the default limit with 413, and validates smaller ones', async () => {
  const bodyOf = (bytes: number) => `{"title":"${'x'.repeat(bytes - '{"title":""}'.length)}"}`;
  await expectError((await create(bodyOf(DEFAULT_MAX_BODY_BYTES + 1))).response, 413);
  expect(
    faultLocations(await expectError((await create(bodyOf(DEFAULT_MAX_BODY_BYTES))).response, 400)),
  ).toEqual(['body title']);
});

test('applies the limit that an operation declares in its extension', async () => {
  const { send } = await serveSmallContract();
  const tree = (bytes: number) => `{"nodes":[]${' '.repeat(bytes - '{"nodes":[]}'.length)}}`;
  expect((await send('PUT', '/v1/widgets/a/tree', tree(TREE_LIMIT))).status).toBe(204);
  const error = await expectError(await send('PUT', '/v1/widgets/a/tree', tree(TREE_LIMIT + 1)), 413);
  expect(error.message).toContain(String(TREE_LIMIT));
});

test('applies the limit to the decompressed size of a body', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * DEFAULT_MAX_BODY_BYTES, 0x20));
  expect(bomb.length).toBeLessThan(DEFAULT_MAX_BODY_BYTES);
  const { response } = await create(bomb, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  await expectError(response, 413);
});

test('applies the limit to a body without Content-Length', async () => {
  const { port } = await serveSmallContract();
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  const { status } = await sendRaw(
    port,
    `${rawRequest('POST', '/v1/widgets', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n')}${chunk.repeat(17)}0\r\n\r\n`,
  );
  expect(status).toBe(413);
});

test('requires a required body even if none of its fields is required', async () => {
  const { send, handled: seen, port } = await serveSmallContract();
  const path = '/v1/widgets/a/parts/1';
  expect(faultLocations(await expectError(await send('PATCH', path), 400))).toEqual(['body']);
  const json = { 'content-type': 'application/json' };
  expect(faultLocations(await expectError(await send('PATCH', path, '', json), 400))).toEqual(['body']);
  const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
  expect((await sendRaw(port, `${rawRequest('PATCH', path, chunked)}0\r\n\r\n`)).status).toBe(400);
  expect(seen).toEqual([]);
});

test('accepts an optional body that is absent or empty, with or without a media type', async () => {
  const { send, handled: seen, port } = await serveSmallContract();
  for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }]) {
    expect((await send('PATCH', '/v1/widgets/a', undefined, headers)).status).toBe(200);
  }
  const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
  expect((await sendRaw(port, `${rawRequest('PATCH', '/v1/widgets/a', chunked)}0\r\n\r\n`)).status).toBe(200);
  expect(seen.map(({ body }) => body)).toEqual([undefined, undefined, undefined, undefined]);
});

test('ignores the body of an operation that declares none', async () => {
  const { port, handled: seen } = await serveSmallContract();
  for (const [method, type] of [
    ['GET', 'application/json'],
    ['DELETE', 'text/plain'],
    ['GET', 'x/y'],
  ] as const) {
    const head = rawRequest(method, '/v1/widgets/a', `Content-Type: ${type}\r\nContent-Length: 5\r\n`);
    expect((await sendRaw(port, `${head}{"a":`)).status).toBeLessThan(300);
  }
  expect(seen.map(({ body }) => body)).toEqual([undefined, undefined, undefined]);
});

test('names fields of a body by their path', async () => {
  const { response } = await create({ title: '', marks: ['red', 'blue'], labels: { a: 1, 'x/y~z': 2 } });
  expect(faultLocations(await expectError(response, 400))).toEqual([
    'body labels.a',
    'body labels.x/y~z',
    'body marks.1',
    'body title',
  ]);
});

test.each(['2026-13-01', '2026-02-30', 'soon'])('rejects %s as a date', async (due) => {
  expect(faultLocations(await expectError((await create({ title: 'a', due })).response, 400))).toEqual([
    'body due',
  ]);
});

test('selects a variant by its tag, and reports only its errors', async () => {
  const of = async (shape: unknown) => {
    const { response } = await create({ title: 'a', shape });
    return response.status === 201 ? [] : (await expectError(response, 400)).details;
  };
  expect(await of({ type: 'circle', radius: 1 })).toEqual([]);
  expect(await of({ type: 'square', side: 1 })).toEqual([]);
  expect(await of({ type: 'circle', side: 1 })).toEqual([
    { in: 'body', path: 'shape.radius', message: 'is required' },
    { in: 'body', path: 'shape.side', message: 'is not a known field' },
  ]);
  expect(await of({ type: 'star' })).toEqual([
    { in: 'body', path: 'shape.type', message: expect.stringContaining('circle, square') },
  ]);
  expect(await of({ radius: 1 })).toEqual([{ in: 'body', path: 'shape.type', message: 'is required' }]);
  for (const shape of [null, 7, 'circle', []]) {
    expect(await of(shape)).toEqual([{ in: 'body', path: 'shape', message: 'must be object' }]);
  }
});

test('rejects prototype keys, also in maps, without side effects', async () => {
  for (const body of [
    '{"title":"a","__proto__":{"polluted":1}}',
    '{"title":"a","labels":{"__proto__":"x"}}',
    '{"title":"a","labels":{"__prot\\u006f__":"x"}}',
  ]) {
    const { response } = await create(body);
    expect(faultLocations(await expectError(response, 400))[0]).toContain('__proto__');
  }
  const { response, server } = await create('{"title":"a","labels":{"constructor":"x","toString":"y"}}');
  expect(response.status).toBe(201);
  expect(server.handled[0]?.body).toMatchObject({ labels: { constructor: 'x', toString: 'y' } });
  expect(
    faultLocations(await expectError((await create('{"title":"a","constructor":1}')).response, 400)),
  ).toEqual(['body constructor']);
  expect(Object.prototype).not.toHaveProperty('polluted');
});

test('rejects text with U+0000, which databases cannot store', async () => {
  const { response } = await create({ title: 'a\0b', labels: {} });
  expect(faultLocations(await expectError(response, 400))).toEqual(['body title']);
});

test('rejects text with a lone surrogate, which would not be stored unchanged', async () => {
  const { response } = await create('{"title":"a\\ud800b","labels":{}}');
  expect(faultLocations(await expectError(response, 400))).toEqual(['body title']);
});

test('accepts a body up to the maximum depth, and rejects a deeper one', async () => {
  const { send } = await serveSmallContract();
  const nested = (levels: number) => {
    const pairs = (levels - 2) / 2;
    return `{"nodes":[${'{"type":"branch","nodes":['.repeat(pairs)}${']}'.repeat(pairs)}]}`;
  };
  expect((await send('PUT', '/v1/widgets/a/tree', nested(MAX_BODY_DEPTH))).status).toBe(204);
  const error = await expectError(await send('PUT', '/v1/widgets/a/tree', nested(MAX_BODY_DEPTH + 2)), 400);
  expect(error.message).toContain('nesting depth');
  const brackets = '['.repeat(90_000) + ']'.repeat(90_000);
  await expectError(await send('PUT', '/v1/widgets/a/tree', brackets), 400);
});

test('survives a caller who disconnects during a body', async () => {
  const server = await serveSmallContract();
  const { connect } = await import('node:net');
  const socket = connect(server.port, '127.0.0.1');
  socket.write(
    `POST /v1/widgets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"ti`,
  );
  await new Promise((sent) => socket.once('ready', sent));
  socket.destroy();
  await expect
    .poll(() => server.log.map(({ level, message }) => `${level} ${message}`))
    .toContain('warn connection closed by the caller');
  expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
  expect((await server.send('GET', '/v1/widgets/a')).status).toBe(200);
});
