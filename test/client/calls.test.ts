import { describe, expect, test } from 'vitest';
import { ApiError, createClient, ok } from '../../client/platform/index.ts';
import { clientOf, failureOf, startScriptedServer } from './scripted-server.ts';

const list = { status: 200, body: { items: [], count: 0 } };

describe('a call', () => {
  test('sends the token, the headers and the filled path, and returns data, response and request', async () => {
    await using server = await startScriptedServer({ status: 200, body: { id: 'org_1' } });
    const client = clientOf(server, { headers: { 'x-app': 'one', 'x-trace': 'a' } });
    const { data, error, response, request } = await client.GET('/v1/orgs/{organizationId}', {
      params: { path: { organizationId: 'a/b c' } },
      headers: { 'x-trace': 'b' },
    });
    expect(data).toEqual({ id: 'org_1' });
    expect(error).toBeUndefined();
    expect(response.status).toBe(200);
    expect(request).toEqual({ method: 'GET', url: `${server.url}/v1/orgs/a%2Fb%20c` });
    expect(server.received[0]).toMatchObject({
      url: '/v1/orgs/a%2Fb%20c',
      headers: { authorization: 'Bearer clp_test', 'x-app': 'one', 'x-trace': 'b' },
    });
  });

  test.each(['POST', 'PUT', 'PATCH'] as const)('sends the body of a %s as JSON', async (method) => {
    await using server = await startScriptedServer({ status: 201, body: { object: 'space' } });
    const client = clientOf(server);
    const body = { title: 'Käse' };
    const call = {
      POST: () =>
        client.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId: 'o' } }, body }),
      PUT: () =>
        client.PUT('/v1/orgs/{organizationId}/teams', { params: { path: { organizationId: 'o' } }, body }),
      PATCH: () => client.PATCH('/v1/spaces/{spaceId}', { params: { path: { spaceId: 's' } }, body }),
    }[method];
    expect(await ok<unknown>(call())).toEqual({ object: 'space' });
    expect(server.received[0]).toMatchObject({ method, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual(body);
  });

  test('repeats the key of an array in the query and omits undefined values', async () => {
    await using server = await startScriptedServer(list);
    await clientOf(server).GET('/v1/spaces/{spaceId}/comments', {
      params: { path: { spaceId: 's' }, query: { authors: ['a', 'b&c'], limit: 5, page: undefined } },
    });
    expect(server.received[0]?.url).toBe('/v1/spaces/s/comments?authors=a&authors=b%26c&limit=5');
  });

  test('fills the path with texts, numbers and booleans', async () => {
    await using server = await startScriptedServer({ status: 200, body: {} });
    const input = { id: 7, flag: false, name: 'a/b' };
    await clientOf(server).call('GET', '/items/{id}/{flag}/{name}', input);
    expect(server.received[0]?.url).toBe('/items/7/false/a%2Fb');
  });

  test('calls a token function for each call', async () => {
    await using server = await startScriptedServer(list);
    let count = 0;
    const client = clientOf(server, { token: async () => `clp_${++count}` });
    await client.GET('/v1/orgs');
    await client.GET('/v1/orgs');
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer clp_1',
      'Bearer clp_2',
    ]);
  });

  test('does not replace an Authorization header of the call', async () => {
    await using server = await startScriptedServer(list);
    await clientOf(server).GET('/v1/orgs', { headers: { authorization: 'Bearer visitor' } });
    expect(server.received[0]?.headers.authorization).toBe('Bearer visitor');
  });

  test('is anonymous without a token', async () => {
    await using server = await startScriptedServer(list);
    await createClient({ baseUrl: `${server.url}/` }).GET('/v1/orgs');
    expect(server.received[0]?.headers.authorization).toBeUndefined();
    expect(server.received[0]?.url).toBe('/v1/orgs');
  });
});

describe('a call is rejected before sending', () => {
  test.each(['', '.', '..', '\ud800'])('for the path parameter %j', async (organizationId) => {
    await using server = await startScriptedServer(list);
    const failure = await failureOf(
      clientOf(server).GET('/v1/orgs/{organizationId}', { params: { path: { organizationId } } }),
    );
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({
      kind: 'request',
      method: 'GET',
      url: `${server.url}/v1/orgs/{organizationId}`,
    });
    expect(failure).toHaveProperty('message', expect.stringContaining('"organizationId"'));
    expect(server.received).toEqual([]);
  });

  test('for a missing path parameter, which the message names', async () => {
    await using server = await startScriptedServer(list);
    // @ts-expect-error: required by the types, but not in JavaScript.
    const failure = await failureOf(clientOf(server).GET('/v1/orgs/{organizationId}'));
    expect(failure).toMatchObject({
      kind: 'request',
      message: expect.stringMatching(/"organizationId".*is missing/),
    });
  });

  test.each([
    [{ a: 1 }, 'is missing or not an identifier: {"a":1}'],
    [['a'], 'is missing or not an identifier: ["a"]'],
    [null, 'is missing or not an identifier: null'],
  ])('for the path parameter %j, whose type or value the message names', async (id, message) => {
    await using server = await startScriptedServer(list);
    const failure = await failureOf(clientOf(server).call('GET', '/items/{id}', { id }));
    expect(failure).toMatchObject({ kind: 'request', message: expect.stringContaining(message) });
    expect(server.received).toEqual([]);
  });

  test('for a token that is not a valid header value, which the message does not contain', async () => {
    await using server = await startScriptedServer(list);
    const failure = await failureOf(clientOf(server, { token: 'secret\n1' }).GET('/v1/orgs'));
    expect(failure).toMatchObject({ kind: 'request', message: expect.stringContaining('token') });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('secret');
  });

  test.each([
    ['https://user:secret@docs.example.com', /user name or password/],
    ['https://docs.example.com/?key=secret', /query/],
    ['https://docs.example.com/{tenant}', /brace/],
  ])('for the base URL %s', (baseUrl, message) => {
    expect(() => createClient({ baseUrl })).toThrow(message);
    expect(() => createClient({ baseUrl })).not.toThrow(/secret/);
  });

  test.each([
    [{ timeout: 0 }, /timeout is 0/],
    [{ retries: -1 }, /retries.limit is -1/],
  ])('for the option %j of a call, which onError receives', async (init, message) => {
    await using server = await startScriptedServer(list);
    const errors: unknown[] = [];
    const client = clientOf(server, { hooks: { onError: ({ error }) => errors.push(error) } });
    const failure = await failureOf(client.GET('/v1/orgs', init));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ kind: 'request', message: expect.stringMatching(message) });
    expect(errors).toEqual([failure]);
    expect(server.received).toEqual([]);
  });

  test('for an invalid timeout or number of retries', () => {
    expect(() => createClient({ baseUrl: '', timeout: 0 })).toThrow(RangeError);
    expect(() => createClient({ baseUrl: '', timeout: Number.NaN })).toThrow(RangeError);
    expect(() => createClient({ baseUrl: '', retries: -1 })).toThrow(/retries.limit is -1/);
    expect(() => createClient({ baseUrl: '', retries: { delay: Number.NaN } })).toThrow(/retries.delay/);
  });
});
