import { expect, test } from 'vitest';
import { expectError, rawRequest, sendRaw, serveSmallContract, TOKEN } from './small-server.ts';

test('treats a target in absolute form like its path, with validation and authentication', async () => {
  const { port, handled: seen } = await serveSmallContract();
  const absolute = `http://widgets.example:${port}/v1/widgets`;
  expect((await sendRaw(port, rawRequest('GET', `${absolute}?limit=3`))).status).toBe(200);
  expect(seen[0]).toMatchObject({ operation: 'listWidgets', query: { limit: 3 } });
  expect((await sendRaw(port, rawRequest('GET', `${absolute}?limit=x`))).status).toBe(400);
  expect((await sendRaw(port, rawRequest('GET', `${absolute}/UPPER`))).status).toBe(400);
  const without = `GET ${absolute} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  expect((await sendRaw(port, without)).status).toBe(401);
  expect((await sendRaw(port, rawRequest('GET', 'http://widgets.example'))).status).toBe(404);
  expect(seen).toHaveLength(1);
});

test.each([
  '/v1/widgets#',
  '/v1/widgets#/x',
  '/v1/widgets/a#b',
  '/v1/widgets?limit=1#2',
  '#',
  '/v1/widgets/#a',
])('returns 400 for the target %s, which has a fragment', async (target) => {
  const { port, handled: seen } = await serveSmallContract();
  expect((await sendRaw(port, rawRequest('GET', target))).status).toBe(400);
  expect(seen).toEqual([]);
});

test.each(['OPTIONS', 'TRACE', 'PUT', 'PROPFIND'])(
  'returns 405 for the method %s that a path lacks, with or without a token, and runs nothing',
  async (method) => {
    const { port, handled: seen } = await serveSmallContract();
    const { status, head } = await sendRaw(port, rawRequest(method, '/v1/widgets/a'));
    expect(status).toBe(405);
    expect(head).toMatch(/^allow: GET, DELETE, PATCH, HEAD$/im);
    const unauthenticated = `${method} /v1/widgets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(port, unauthenticated)).status).toBe(405);
    expect(seen).toEqual([]);
  },
);

test.each([
  '/v1',
  '/v1/',
  '/v1/widgets/',
  '/v1/widgets//tree',
  '//v1/widgets',
  '/V1/widgets',
  '/v1/Widgets',
  '/v1/widgets/a/b/c',
  '/v1/widgets/../widgets',
  '/v1%2Fthings',
  '/v1/widget%73',
  '/v1/widgets;x=1',
  '*',
  'ftp://widgets.example/v1/widgets',
])('returns 404 for the target %s', async (target) => {
  const { port, handled: seen } = await serveSmallContract();
  expect((await sendRaw(port, rawRequest('GET', target))).status).toBe(404);
  expect(seen).toEqual([]);
});

test('returns the error of the contract for an unknown path', async () => {
  const { send } = await serveSmallContract();
  await expectError(await send('GET', '/v2/widgets'), 404);
});

test('prefers a static segment to a parameter', async () => {
  const { send, handled: seen } = await serveSmallContract();
  await send('GET', '/v1/widgets/search?query=ab');
  await send('GET', '/v1/widgets/searching');
  await send('POST', '/v1/widgets/search/run');
  expect(seen.map(({ operation }) => operation)).toEqual(['searchWidgets', 'getWidget', 'runWidget']);
  const error = await expectError(await send('DELETE', '/v1/widgets/search'), 405);
  expect(error.message).toContain('GET');
});

test.each([undefined, '', 'Basic abc', 'Bearer', 'Bearer ', 'Bearer a b', 'bad'])(
  'returns 401 for the credential %j and names the scheme',
  async (authorization) => {
    const { url, handled: seen } = await serveSmallContract();
    const response = await fetch(
      `${url}/v1/widgets`,
      authorization === undefined ? {} : { headers: { authorization } },
    );
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    await expectError(response, 401);
    expect(seen).toEqual([]);
  },
);

test('returns 401 for an unknown token, and accepts the scheme in any case', async () => {
  const { send } = await serveSmallContract();
  const response = await send('GET', '/v1/widgets', undefined, { authorization: 'Bearer other' });
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  await expectError(response, 401);
  const lower = await send('GET', '/v1/widgets', undefined, { authorization: `bearer ${TOKEN}` });
  expect(lower.status).toBe(200);
});

test('ignores credentials for an operation without security', async () => {
  const { url } = await serveSmallContract();
  expect((await fetch(`${url}/v1/status`)).status).toBe(200);
  expect((await fetch(`${url}/v1/status`, { headers: { authorization: 'Bearer other' } })).status).toBe(200);
});

test.each(['text/html', 'application/xml, text/*', 'application/json;q=0', 'nonsense', 'application/json5'])(
  'returns 406 for Accept: %s, which excludes JSON',
  async (accept) => {
    const { send, handled: seen } = await serveSmallContract();
    await expectError(await send('GET', '/v1/widgets', undefined, { accept }), 406);
    expect(seen).toEqual([]);
    // Without a body in the response, nothing is excluded.
    expect((await send('DELETE', '/v1/widgets/a', undefined, { accept })).status).toBe(204);
  },
);

test.each([
  '*/*',
  'application/*',
  'application/json',
  'text/html, */*;q=0.1',
  'application/json; q=0.5',
  '',
])('accepts Accept: %s, which includes JSON', async (accept) => {
  const { port } = await serveSmallContract();
  expect((await sendRaw(port, rawRequest('GET', '/v1/widgets', `Accept: ${accept}\r\n`))).status).toBe(200);
});
