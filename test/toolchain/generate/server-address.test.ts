import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createMock } from '../../../spec/toolchain/mock/mock.ts';
import { basePathFrom, serverProblems } from '../../../spec/toolchain/normalize/server-address.ts';
import { UsageError } from '../../../spec/toolchain/usage-error.ts';

const document = (url: unknown, variables?: object) => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  servers: [{ url, ...(variables && { variables }) }],
  paths: { '/ping': { get: { operationId: 'ping', responses: { 204: { description: 'No content.' } } } } },
});
const mock = (contract: object) =>
  createMock('test.json', contract as Parameters<typeof createMock>[1], {
    log: { error() {}, info() {} } as unknown as Parameters<typeof createMock>[2]['log'],
  });

test.each([
  ['https://api.example.com', ''],
  ['https://api.example.com/', ''],
  ['https://api.example.com/v1/', '/v1'],
  ['//api.example.com/v2', '/v2'],
  ['/v1', '/v1'],
  ['v1', '/v1'],
  ['.', ''],
  ['', ''],
  ['HTTP://example.com/a%20b', '/a%20b'],
  ['/a b', '/a%20b'],
  ["/~user/it's;v=1,2@x&y=$1", "/~user/it's;v=1,2@x&y=$1"],
  ['/größe', '/gr%C3%B6%C3%9Fe'],
])('the address %j has the path %j, at which the mock is', async (url, expected) => {
  expect(basePathFrom([{ url }])).toBe(expected);
  expect(serverProblems(document(url))).toEqual([]);
  const { app, basePath } = mock(document(url));
  expect(basePath).toBe(expected);
  const server = app.listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    // A TCP server has this address.
    const { port } = server.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}${expected}/ping`)).status).toBe(204);
  } finally {
    server.close();
  }
});

test.each([
  ['javascript:alert(1)', 'the scheme javascript'],
  ['mailto:api@example.com', 'the scheme mailto'],
  ['data:text/plain,x', 'the scheme data'],
  ['file:///srv/api', 'the scheme file'],
  ['ftp://example.com/v1', 'the scheme ftp'],
  ['ws://example.com/v1', 'the scheme ws'],
  ['http://', 'is not a URL'],
  ['https://exa mple.com/v1', 'is not a URL'],
  ['/v1?key=1', 'a query or a fragment'],
  ['https://example.com/#v1', 'a query or a fragment'],
  ['/:version', 'operators of routers'],
  ['/v1/*rest', 'operators of routers'],
  ['/v1(beta)', 'operators of routers'],
  ['/a+b', 'operators of routers'],
  ['/[v1]', 'operators of routers'],
  ['/v1!', 'operators of routers'],
  ['/100%', 'operators of routers'],
  [7, 'is not a text'],
  [undefined, 'is not a text'],
])('the address %j is refused with its place and a reason', (url, reason) => {
  const [problem] = serverProblems(document(url));
  expect(problem?.message).toContain('#/servers/0/url');
  expect(problem?.message).toContain(reason);
  expect(() => mock(document(url))).toThrow(UsageError);
  expect(() => mock(document(url))).toThrow(`test.json: #/servers/0/url`);
});

test('variables are replaced by their defaults', () => {
  const variables = { scheme: { default: 'https' }, version: { default: 'v3' } };
  expect(basePathFrom([{ url: '{scheme}://example.com/{version}', variables }])).toBe('/v3');
  const hostile = { scheme: { default: 'javascript' }, version: { default: ':x' } };
  expect(serverProblems(document('{scheme}:1', hostile))).toHaveLength(1);
  expect(serverProblems(document('/{version}', hostile))).toHaveLength(1);
  // Not a property that every object has. A missing default is empty.
  expect(basePathFrom([{ url: '/v1/{constructor}', variables: hostile }])).toBe('/v1');
});
