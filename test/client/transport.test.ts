// Faults of openapi-fetch that the client corrects. Each test first shows the fault, so that it fails as soon as a
// version of openapi-fetch no longer has it, and the correction can be removed.
import createOpenApiClient from 'openapi-fetch';
import { describe, expect, test } from 'vitest';
import { type ClientOptions, createClient } from '../../client/index.ts';
import { failureOf } from './scripted-server.ts';

const baseUrl = 'https://api.example.com';

interface Result {
  data?: unknown;
  error?: unknown;
}
type Call = (path: string, init?: object) => Promise<Result>;
type Calls = Record<'GET' | 'POST' | 'HEAD', Call>;

/** Both clients, the requests that they send, and the response to each. */
function clientsOf(response: () => Response, options: Partial<ClientOptions> = {}) {
  const sent: Request[] = [];
  const { retries } = options;
  const settings = {
    baseUrl: options.baseUrl ?? baseUrl,
    fetch: async (request: Request) => {
      sent.push(request.clone());
      return response();
    },
  };
  // The contract of these tests has no types.
  const raw = createOpenApiClient<Record<string, never>>(settings) as unknown as Calls;
  const own = createClient({ ...settings, retries }) as unknown as Calls;
  return { raw, own, sent };
}

const json = () => Response.json({});

describe('openapi-fetch', () => {
  test.each([
    ['without a body', () => new Response(null, { status: 500 })],
    ['of the length 0', () => new Response('', { status: 500, headers: { 'content-length': '0' } })],
  ])('returns no error for an error response %s', async (_, response) => {
    const { raw, own } = clientsOf(response, { retries: 0 });
    expect((await raw.GET('/items')).error ?? '').toBe('');
    expect((await own.GET('/items')).error).toMatchObject({ kind: 'http', status: 500, body: undefined });
  });

  test('returns no error for an error response to HEAD', async () => {
    const { raw, own } = clientsOf(() => new Response(null, { status: 404 }));
    expect((await raw.HEAD('/items')).error).toBeUndefined();
    expect((await own.HEAD('/items')).error).toMatchObject({ status: 404 });
  });

  test('returns the page of a proxy as the body of an error', async () => {
    const headers = { 'content-type': 'text/html' };
    const { raw, own } = clientsOf(() => new Response('<h1>Bad Request</h1>', { status: 400, headers }));
    expect((await raw.GET('/items')).error).toBe('<h1>Bad Request</h1>');
    expect((await own.GET('/items')).error).toMatchObject({ status: 400, body: undefined });
  });

  test.each([
    ['text', ''],
    ['blob', expect.any(Blob)],
    ['arrayBuffer', expect.any(ArrayBuffer)],
  ])('returns no data for an empty file that is read as %s', async (parseAs, empty) => {
    const { raw, own } = clientsOf(() => new Response('', { headers: { 'content-length': '0' } }));
    expect((await raw.GET('/file', { parseAs })).data).toBeUndefined();
    expect((await own.GET('/file', { parseAs })).data).toEqual(empty);
  });

  test('fails for a declared text next to JSON', async () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    for (const text of ['hello', '42']) {
      const { raw, own } = clientsOf(() => new Response(text, { headers }));
      expect(await raw.GET('/items').catch(() => ({ data: 42 }))).toMatchObject({ data: 42 });
      expect((await own.GET('/items')).data).toBe(text);
      expect((await own.GET('/items', { parseAs: 'auto' })).data).toBe(text);
    }
  });

  test('sends a path whose parameters are missing', async () => {
    const { raw, own, sent } = clientsOf(json);
    await raw.GET('/items/{id}');
    expect(decodeURI(sent[0]?.url ?? '')).toBe(`${baseUrl}/items/{id}`);
    expect(await failureOf(own.GET('/items/{id}'))).toMatchObject({ kind: 'request' });
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['', '/items//parts'],
    ['.', '/items/parts'],
    ['..', '/parts'],
  ])('sends the path parameter %j, which names another resource', async (id, path) => {
    const { raw, own, sent } = clientsOf(json);
    const init = { params: { path: { id } } };
    await raw.GET('/items/{id}/parts', init);
    expect(sent.map(({ url }) => new URL(url).pathname)).toEqual([path]);
    expect(await failureOf(own.GET('/items/{id}/parts', init))).toMatchObject({ kind: 'request' });
    expect(sent).toHaveLength(1);
  });

  test.each(['?key=1', '#top'])('appends paths to the base URL %j', async (suffix) => {
    const paths: string[] = [];
    const fetch = async ({ url }: Request) => {
      paths.push(new URL(url).pathname);
      return json();
    };
    const address = { baseUrl: baseUrl + suffix };
    await createOpenApiClient<{ '/items': { get: object } }>({ ...address, fetch }).GET('/items');
    expect(paths).toEqual(['/']);
    expect(() => createClient(address)).toThrow(/baseUrl contains a query, a fragment/);
  });

  test('removes one slash from the end of the base URL', async () => {
    const slashes = { baseUrl: `${baseUrl}/v1//` };
    const { raw, own, sent } = clientsOf(json, slashes);
    await raw.GET('/items');
    await own.GET('/items');
    expect(sent.map(({ url }) => url)).toEqual([`${baseUrl}/v1//items`, `${baseUrl}/v1/items`]);
  });

  test('sends a form with the media type of the headers, which has no boundary', async () => {
    const { raw, own, sent } = clientsOf(json);
    const init = { body: new FormData(), headers: { 'content-type': 'multipart/form-data' } };
    await raw.POST('/items', init);
    await own.POST('/items', init);
    const types = sent.map(({ headers }) => headers.get('Content-Type'));
    expect(types[0]).toBe('multipart/form-data');
    expect(types[1]).toMatch(/^multipart\/form-data; boundary=/);
  });

  test('sends JSON as a text for other media types, and fields that are objects of a form as their class', async () => {
    const { raw, own, sent } = clientsOf(json);
    const text = { body: 'a,b', headers: { 'Content-Type': 'text/csv' } };
    const form = { body: { a: { b: 1 } }, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
    for (const client of [raw, own]) {
      await client.POST('/items', text);
      await client.POST('/items', form);
    }
    expect(await Promise.all(sent.map((request) => request.text()))).toEqual([
      '"a,b"',
      'a=%5Bobject+Object%5D',
      'a,b',
      'a[b]=1',
    ]);
  });

  test('neither encodes the names of query parameters nor writes nested objects', async () => {
    const { raw, own, sent } = clientsOf(json);
    const named = { params: { query: { 'a&b': 1 } } };
    await raw.GET('/items', named);
    await own.GET('/items', named);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?a&b=1', '?a%26b=1']);
    const nested = { params: { query: { filter: { price: { min: 1 } } } } };
    expect(await failureOf(raw.GET('/items', nested))).toBeInstanceOf(Error);
    await own.GET('/items', nested);
    expect(decodeURI(new URL(sent[2]?.url ?? '').search)).toBe('?filter[price][min]=1');
  });
});

test('the page of a proxy is no text of a contract', async () => {
  const { own } = clientsOf(
    () => new Response('<h1>Sign in</h1>', { headers: { 'content-type': 'text/html' } }),
  );
  expect(await failureOf(own.GET('/items'))).toMatchObject({ kind: 'response', status: 200 });
});

test.each([
  ['application/json', '{"a":1}', { a: 1 }],
  ['application/problem+json', '[1]', [1]],
  ['', '1', 1],
  ['text/csv', '42', '42'],
  ['application/xml', '<a/>', '<a/>'],
  ['image/svg+xml', '<svg/>', '<svg/>'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'x', expect.any(Blob)],
  ['image/png', 'x', expect.any(Blob)],
  ['text/event-stream', 'data: 1\n\n', expect.any(ReadableStream)],
  ['application/x-ndjson', '{}\n', expect.any(ReadableStream)],
])('a response that is read by its media type %j is a value of it', async (type, body, data) => {
  const { own } = clientsOf(
    () => new Response(new Blob([body]), { headers: type ? { 'content-type': type } : {} }),
  );
  expect((await own.GET('/items', { parseAs: 'auto' })).data).toEqual(data);
});

test('JSON that a server labels as another text is still JSON without the option', async () => {
  const { own } = clientsOf(() => new Response('{"a":1}', { headers: { 'content-type': 'text/plain' } }));
  expect((await own.GET('/items')).data).toEqual({ a: 1 });
  expect((await own.GET('/items', { parseAs: 'auto' })).data).toBe('{"a":1}');
});
