import { describe, expect, test } from 'vitest';
import { createClient, paginate } from '../../client/index.ts';
import { encodeQuery, type ParameterStyle } from '../../client/query.ts';
import { clientOf, collect, failureOf, fakeRuntime, startScriptedServer } from './scripted-server.ts';

describe('a query parameter', () => {
  test.each<[ParameterStyle | undefined, unknown, string]>([
    [undefined, ['a', 'b&c'], 'p=a&p=b%26c'],
    [undefined, { after: 1, in: ['x', 'y'] }, 'p[after]=1&p[in][0]=x&p[in][1]=y'],
    [',', [1, 'b&c'], 'p=1,b%26c'],
    [',', { r: 1, g: undefined, b: 2 }, 'p=r,1,b,2'],
    ['&', { a: 1, b: ['x', 'y'], c: null }, 'a=1&b=x&b=y'],
    ['&', ['a', 'b'], 'p=a&p=b'],
    [',', 'a,b', 'p=a%2Cb'],
    [',', [undefined, 'a', null], 'p=a'],
    [',', [], ''],
    ['&', {}, ''],
  ])('with the separator %j and the value %j is %j', (separator, p, query) => {
    expect(encodeQuery({ p }, { p: separator })).toBe(query);
    expect(encodeQuery({ q: 1, p, r: 2 }, { p: separator })).toBe(
      ['q=1', query, 'r=2'].filter((part) => part !== '').join('&'),
    );
  });

  test.each<[ParameterStyle, unknown]>([
    ['|', ['a|b']],
    [' ', { 'a b': 1 }],
    [',', [{ a: 1 }]],
  ])('with the separator %j rejects the value %j, which a server could not split', (separator, p) => {
    expect(() => encodeQuery({ p }, { p: separator })).toThrow(
      'Parameter "p" contains a separator or an object.',
    );
  });

  test('has the separator of its own name only', () => {
    expect(encodeQuery({ constructor: ['a', 'b'], q: ['c', 'd'] }, { p: ',' })).toBe(
      'constructor=a&constructor=b&q=c&q=d',
    );
  });
});

interface Paths {
  '/items': {
    get: {
      parameters: { query?: { ids?: (number | string)[]; page?: string } };
      responses: { 200: { content: { 'application/json': { items: string[]; next?: { page: string } } } } };
    };
  };
}

describe('the styles', () => {
  test('of a generated function apply to its call', async () => {
    await using server = await startScriptedServer({ status: 200, body: {} });
    const format = { styles: { query: { ids: ',', filter: '&' } }, nested: ['query'] } as const;
    await clientOf(server).call('GET', '/items', { query: { ids: [1, 2], filter: { a: 1 } } }, {}, format);
    await clientOf(server).call('GET', '/items', { ids: [1, 2] }, undefined, {
      styles: { query: { ids: ',' } },
    });
    expect(server.received.map(({ url }) => url)).toEqual(['/items?ids=1,2&a=1', '/items?ids=1,2']);
  });

  test('of a call by path are an option, also for lists', async () => {
    await using server = await startScriptedServer(
      { status: 200, body: { items: ['a'], next: { page: '2' } } },
      { status: 200, body: { items: ['b'] } },
    );
    const client = createClient<Paths>({ baseUrl: server.url, runtime: fakeRuntime() });
    const init = { params: { query: { ids: [1, 2] } }, styles: { query: { ids: ',' as const } } };
    expect(await collect(paginate(client, '/items', init))).toEqual(['a', 'b']);
    expect(server.received.map(({ url }) => url)).toEqual(['/items?ids=1,2', '/items?ids=1,2&page=2']);
  });

  test('reject a value that contains the separator', async () => {
    await using server = await startScriptedServer({ status: 200, body: {} });
    const client = createClient<Paths>({ baseUrl: server.url, runtime: fakeRuntime() });
    const call = client.GET('/items', {
      params: { query: { ids: ['a|b'] } },
      styles: { query: { ids: '|' } },
    });
    expect(await failureOf(call)).toMatchObject({
      name: 'ApiError',
      kind: 'request',
      message: expect.stringContaining('"ids" contains a separator'),
    });
    expect(server.received).toEqual([]);
  });
});
