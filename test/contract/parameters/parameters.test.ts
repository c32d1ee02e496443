import { expect, test } from 'vitest';
import { createClient } from '../../../client/index.ts';
import type { OpenApiDocument, RequestContext } from '../../../server/contract/index.ts';
import { serveRouter, tableOf } from '../serve.ts';
import { expectError, faultLocations, serveSmallContract } from '../small-server.ts';

const query = async (target: string) => {
  const server = await serveSmallContract();
  const response = await server.send('GET', target);
  return { response, query: server.handled[0]?.query };
};

test('parses query parameters to their types and fills in defaults', async () => {
  expect((await query('/v1/widgets')).query).toEqual({ limit: 50, nested: false, sort: 'asc' });
  expect((await query('/v1/widgets?limit=7&nested=true&sort=desc')).query).toEqual({
    limit: 7,
    nested: true,
    sort: 'desc',
  });
});

test('collects a repeated key into an array where the contract declares one', async () => {
  expect((await query('/v1/widgets?tags=red&tags=green&scores=3')).query).toMatchObject({
    tags: ['red', 'green'],
    scores: [3],
  });
});

test('rejects a repeated key where the contract declares a single value', async () => {
  const { response } = await query('/v1/widgets?limit=1&limit=2&page=a&page=b');
  expect(faultLocations(await expectError(response, 400))).toEqual(['query limit', 'query page']);
});

test('accepts reserved characters, spaces and encoded characters in a query as text', async () => {
  const { query: parsed } = await query('/v1/widgets?title=a%2Bb:c@d/e,f;g!h%26i%3Dj+k%20l=m');
  expect(parsed).toMatchObject({ title: 'a+b:c@d/e,f;g!h&i=j k l=m' });
});

test('ignores an empty query and empty pairs', async () => {
  expect((await query('/v1/widgets?')).response.status).toBe(200);
  expect((await query('/v1/widgets?&&limit=3&')).query).toMatchObject({ limit: 3 });
});

test('reports all unknown parameters and parameters without a value by name', async () => {
  const { response, query: parsed } = await query('/v1/widgets?page&limit=&pages=1&sort[x]=1&x=%zz&=5');
  const error = await expectError(response, 400);
  expect(faultLocations(error)).toEqual([
    'query',
    'query limit',
    'query page',
    'query pages',
    'query sort[x]',
    'query x',
  ]);
  expect(error.details?.find(({ path }) => path === 'page')?.message).toBe('must have a value');
  expect(error.details?.find(({ path }) => path === 'x')?.message).toContain('percent-encoding');
  expect(error.message).toContain('; and 3 more.');
  expect(parsed).toBeUndefined();
});

test.each([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '__proto__[limit]',
  'constructor.prototype',
])('rejects the unknown parameter %s', async (name) => {
  const { response } = await query(`/v1/widgets?${name}=1`);
  expect(faultLocations(await expectError(response, 400))).toEqual([`query ${name}`]);
  expect(Object.prototype).not.toHaveProperty('limit');
});

test.each([
  ['limit', 'ten'],
  ['limit', '1.5'],
  ['limit', '-1'],
  ['limit', '1001'],
  ['limit', '%20'],
  ['limit', '0x10'],
  ['limit', 'Infinity'],
  ['limit', '07'],
  ['nested', 'yes'],
  ['nested', '1'],
  ['sort', 'up'],
  ['since', '2026-13-01T00:00:00Z'],
  ['since', '2026-02-30T00:00:00Z'],
  ['since', 'yesterday'],
  ['page', 'x'.repeat(21)],
  ['title', '%ff'],
  ['title', 'a%00b'],
])('rejects %s=%s and names the parameter', async (name, value) => {
  const { response } = await query(`/v1/widgets?${name}=${value}`);
  expect(faultLocations(await expectError(response, 400))).toEqual([`query ${name}`]);
});

test('names the items of an array by their index', async () => {
  const { response } = await query('/v1/widgets?tags=red&tags=blue&scores=1&scores=x');
  const error = await expectError(response, 400);
  expect(faultLocations(error)).toEqual(['query scores.1', 'query tags.1']);
  expect(error.details?.[0]?.message).toContain('red, green');
});

test('reports a missing required parameter by name', async () => {
  const { response } = await query('/v1/widgets/search');
  const error = await expectError(response, 400);
  expect(error.details).toEqual([{ in: 'query', path: 'query', message: 'is required' }]);
});

test('parses and decodes path parameters, including %2F', async () => {
  const server = await serveSmallContract();
  await server.send('PATCH', '/v1/widgets/a%2Fb/parts/7', {});
  expect(server.handled[0]?.path).toEqual({ widgetId: 'a/b', number: 7 });
  await server.send('GET', '/v1/widgets/100%25');
  expect(server.handled[1]?.path).toEqual({ widgetId: '100%' });
});

test.each(['0x10', '%207', '07', '1e999', 'seven', '1.5', '0'])(
  'rejects a number in a path that is %s',
  async (number) => {
    const server = await serveSmallContract();
    const error = await expectError(await server.send('PATCH', `/v1/widgets/a/parts/${number}`, {}), 400);
    expect(faultLocations(error)).toEqual(['path number']);
  },
);

test('reports badly encoded path parameters by name', async () => {
  const server = await serveSmallContract();
  for (const invalid of ['%', '%a', '%zz', '%ff', '%c3%28', 'a%00']) {
    expect(
      faultLocations(await expectError(await server.send('GET', `/v1/widgets/${invalid}`), 400)),
    ).toEqual(['path widgetId']);
  }
});

test('reports all errors of path, query and body together', async () => {
  const server = await serveSmallContract();
  const body = { title: 'x'.repeat(11), size: 'big', more: 1 };
  const response = await server.send('PATCH', '/v1/widgets/UPPER/parts/0?dry=maybe&extra=1', body);
  const error = await expectError(response, 400);
  expect(faultLocations(error)).toEqual([
    'body more',
    'body size',
    'body title',
    'path number',
    'path widgetId',
    'query dry',
    'query extra',
  ]);
  expect(error.details?.find(({ path }) => path === 'more')?.message).toBe('is not a known field');
  expect(server.handled).toEqual([]);
});

test('reports a body that is not JSON together with the other errors', async () => {
  const server = await serveSmallContract();
  const response = await server.send('PATCH', '/v1/widgets/a/parts/x?extra=1', '{');
  expect(faultLocations(await expectError(response, 400))).toEqual(['body', 'path number', 'query extra']);
});

/** Serves an operation that returns its query, with lists and nullable numbers as parameters. */
async function serveLists() {
  const integer = { type: 'integer' };
  const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Lists', version: '1' },
    paths: {
      '/items': {
        get: {
          operationId: 'listItems',
          parameters: [
            query('ids', { type: 'array', items: integer }),
            query('joined', { type: 'array', items: integer, maxItems: 3 }, { explode: false }),
            query('names', { type: 'array', items: { type: 'string' } }, { explode: false }),
            query('nullable', { type: ['number', 'null'] }),
            query('either', { anyOf: [integer, { type: 'null' }] }),
            query('items', { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } }),
            query('mixed', { anyOf: [integer, { type: 'boolean' }] }),
          ],
          responses: { 200: { description: 'OK.', content: { 'application/json': { schema: {} } } } },
        },
      },
    },
    // The literals are narrower than the interface.
  } as unknown as OpenApiDocument;
  interface Lists {
    listItems: {
      parameters: { query?: Record<string, unknown> };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  }
  return await serveRouter<Lists, Record<never, never>, RequestContext>({
    document,
    operations: tableOf(document),
    handlers: { listItems: async ({ query: read }) => read },
    security: {},
    validateResponses: true,
  });
}

test('reads lists, joined lists and nullable numbers in their types', async () => {
  const { url } = await serveLists();
  const target = '/items?ids=1&ids=-2&joined=3,4&names=a,b%2Cc&nullable=1.5&either=7&items=1e2&mixed=true';
  expect(await (await fetch(url + target)).json()).toEqual({
    ids: [1, -2],
    joined: [3, 4],
    names: ['a', 'b,c'],
    nullable: 1.5,
    either: 7,
    items: [100],
    mixed: true,
  });
  expect(await (await fetch(`${url}/items?ids=5&joined=6&joined=7,8&names=a`)).json()).toEqual({
    ids: [5],
    joined: [6, 7, 8],
    names: ['a'],
  });
});

test.each([
  ['ids=1&ids=0x10', ['query ids.1']],
  ['ids=%205', ['query ids.0']],
  ['ids=1e999', ['query ids.0']],
  ['joined=1,0x10,%203', ['query joined.1', 'query joined.2']],
  ['joined=1,,2', ['query joined.1']],
  ['joined=1,2,3,4', ['query joined']],
  ['nullable=0x10', ['query nullable']],
  ['nullable=1e999', ['query nullable']],
  ['either=%205', ['query either']],
  ['either=0x10', ['query either']],
])('rejects a list or a nullable number with the query %s', async (target, locations) => {
  const { url } = await serveLists();
  expect(faultLocations(await expectError(await fetch(`${url}/items?${target}`), 400))).toEqual(locations);
});

test('reads the lists that the client of a generated function sends', async () => {
  const { url } = await serveLists();
  const styles = { query: { joined: ',', names: ',' } } as const;
  const input = { ids: [1, 2], joined: [3, 4], names: ['a b', 'c&d', 'e,f'] };
  const client = createClient({ baseUrl: url });
  expect(await client.call('GET', '/items', input, {}, { styles })).toEqual(input);
});
