import { request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../client/index.ts';
import type { OpenApiDocument } from '../../../server/contract/index.ts';
import { normalize } from '../../../spec/toolchain/normalize/normalize.ts';
import { withReservedExpansion } from '../../../spec/toolchain/normalize/paths.ts';
import { runs } from '../../support/seed.ts';
import { serveRouter, tableOf } from '../serve.ts';

const PATHS = [
  '/items/{id}',
  '/items/{id}.json',
  '/items/{id}:publish',
  '/items:search',
  '/compare/{base}...{head}',
  '/maps/@{lat},{lon}',
  '/größen/{größe}/名',
  '/files/{+path}',
  '/versions/{+path}/at/{version}',
  '/jobs/{+name}:cancel',
  '/{+rest}',
];

const SIZE = 'größe';

/** A contract with an operation for each path, which returns the path and its parameters. Parameters are undeclared. */
const source = {
  openapi: '3.1.0',
  info: { title: 'Paths', version: '1' },
  paths: Object.fromEntries(
    PATHS.map((path, index) => [
      path,
      {
        get: {
          operationId: `get${index}`,
          responses: { 200: { description: 'OK.', content: { 'application/json': { schema: {} } } } },
        },
      },
    ]),
  ),
};

/** Serves the contract, and returns a function that calls an operation and returns what its handler received. */
async function serve() {
  const normalized = normalize(source);
  // Both interfaces describe parts of the same document.
  const document = normalized as unknown as OpenApiDocument;
  const handlers = Object.fromEntries(
    PATHS.map((path, index) => [
      `get${index}`,
      async (request: { path: object }) => ({ path, values: request.path }),
    ]),
  );
  const { url, port } = await serveRouter({
    ...{ document, operations: tableOf(document), handlers, security: {}, validateResponses: true },
  } as never);
  const client = createClient<Record<string, never>>({ baseUrl: url });
  const call = async (path: string, values: Record<string, string>): Promise<unknown> => {
    // A contract without types.
    const result = await (client.GET as (path: string, init: object) => Promise<{ data?: unknown }>)(path, {
      params: { path: values },
    });
    return result.data;
  };
  return { url, port, call, normalized };
}

test('writes and reads the values of every path', async () => {
  const { call, normalized } = await serve();
  expect(Object.keys(withReservedExpansion(normalized).paths).toSorted()).toEqual(PATHS.toSorted());
  // Texts that separate values are not in them.
  const plain = fc.string({
    unit: fc.constantFrom('a', '/', ' ', '?', '#', '%', 'é', '+', '&', '\\', '😀'),
    minLength: 1,
  });
  const segments = fc
    .array(
      fc.string({ unit: fc.constantFrom('a', ' ', '?', '#', 'é', '+', '&', '=', '~', '😀'), minLength: 1 }),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((list) => list.join('/'));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PATHS.slice(0, -1)),
      plain,
      segments,
      async (path, value, several) => {
        const values = Object.fromEntries(
          [...path.matchAll(/\{(\+?)([^}]+)\}/g)].map(([, plus, name = '']) => [
            name,
            plus ? several : value,
          ]),
        );
        expect(await call(path, values)).toEqual({ path, values });
      },
    ),
    { numRuns: runs(100) },
  );
});

/** Sends a request with an unchanged target. */
const rawPath = async (port: number, path: string): Promise<unknown> =>
  await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) {
        chunks.push(chunk);
      }
      resolve(
        response.statusCode === 200 ? JSON.parse(Buffer.concat(chunks).toString()) : response.statusCode,
      );
    })
      .on('error', reject)
      .end();
  });

test('reads values as they are sent', async () => {
  const { port } = await serve();
  const sent: [string, string, object][] = [
    ['/files/a/b.txt', '/files/{+path}', { path: 'a/b.txt' }],
    ['/files/a%2Fb.txt', '/files/{+path}', { path: 'a/b.txt' }],
    ['/files//a/', '/files/{+path}', { path: '/a/' }],
    ['/items/a%2Eb.json', '/items/{id}.json', { id: 'a.b' }],
    ['/items/a%2Fb', '/items/{id}', { id: 'a/b' }],
    ['/items/a:publish', '/items/{id}:publish', { id: 'a' }],
    ['/items/a%3Apublish', '/items/{id}', { id: 'a:publish' }],
    ['/items/a/b', '/{+rest}', { rest: 'items/a/b' }],
    ['/gr%C3%B6%C3%9Fen/%c3%a9/%E5%90%8D', '/größen/{größe}/名', { [SIZE]: 'é' }],
  ];
  for (const [target, path, values] of sent) {
    expect(await rawPath(port, target), target).toEqual({ path, values });
  }
  expect(await rawPath(port, '/items/%ff')).toBe(400);
});

describe('the client', () => {
  const sent = async (path: string, values: Record<string, string>) => {
    let url = '';
    const client = createClient<Record<string, never>>({
      baseUrl: 'http://service.test',
      fetch: async (request) => {
        url = request.url;
        return new Response('{}', { headers: { 'Content-Type': 'application/json' } });
      },
    });
    // A contract without types.
    await (client.GET as (path: string, init: object) => Promise<unknown>)(path, {
      params: { path: values },
    });
    return url.slice('http://service.test'.length);
  };

  // The examples of RFC 6570, section 3.2.3, except the fragment and the query.
  test.each([
    ['/{+var}', 'value', '/value'],
    ['/{+hello}', 'Hello World!', '/Hello%20World!'],
    ['/{+half}', '50%', '/50%25'],
    ['/{+base}index', 'http://example.com/home/', '/http://example.com/home/index'],
    ['/x{+path}/here', '/foo/bar', '/x/foo/bar/here'],
    ['/here?ref={+path}', 'foo/bar', '/here?ref=foo/bar'],
    ['/{+v}', "a:@!$&'()*+,;=[]~", "/a:@!$&'()*+,;=[]~"],
    ['/{+v}', 'a?b#c', '/a%3Fb%23c'],
    ['/{+v}', 'a%2Fb%zz é', '/a%2Fb%25zz%20%C3%A9'],
  ])('expands %s with %j', async (path, value, url) => {
    const [, name = ''] = /\{\+(\w+)\}/.exec(path) ?? [];
    expect(await sent(path, { [name]: value })).toBe(url);
  });

  test.each(['', '.', '..', 'a/../b', '../a', 'a/..', 'a/%2e%2E/b', 'a/./b', '%2e', '/a', 'a\ud800'])(
    'rejects %j, which names another resource',
    async (value) => {
      await expect(sent('/{+v}', { v: value })).rejects.toThrow('Path parameter "v"');
    },
  );

  test('accepts dots in names', async () => {
    expect(await sent('/files/{+v}', { v: '...a/.b/c..' })).toBe('/files/...a/.b/c..');
  });
});
