import { describe, expect, test } from 'vitest';
import { ApiError, createClient, ok } from '../../client/index.ts';
import { clientOf, failureOf, startScriptedServer } from './scripted-server.ts';

const list = { status: 200, body: { items: [], count: 0 } };

describe('a call', () => {
  test('sends the token, the headers and the filled path, and answers data, response and request', async () => {
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

  test('repeats the key of a list in the query and leaves out what is undefined', async () => {
    await using server = await startScriptedServer(list);
    await clientOf(server).GET('/v1/spaces/{spaceId}/comments', {
      params: { path: { spaceId: 's' }, query: { authors: ['a', 'b&c'], limit: 5, page: undefined } },
    });
    expect(server.received[0]?.url).toBe('/v1/spaces/s/comments?authors=a&authors=b%26c&limit=5');
  });

  test('asks a token function at each call', async () => {
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

  test('leaves an Authorization header of its own in place', async () => {
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

describe('what cannot be sent', () => {
  test.each(['', '.', '..', '\ud800'])(
    'refuses %j as a path value, sending nothing',
    async (organizationId) => {
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
    },
  );

  test('names a missing path value', async () => {
    await using server = await startScriptedServer(list);
    // @ts-expect-error: the types ask for it; this is what JavaScript without types may do.
    const failure = await failureOf(clientOf(server).GET('/v1/orgs/{organizationId}'));
    expect(failure).toMatchObject({
      kind: 'request',
      message: expect.stringMatching(/"organizationId".*is missing/),
    });
  });

  test('refuses a token that no header can carry, without showing it', async () => {
    await using server = await startScriptedServer(list);
    const failure = await failureOf(clientOf(server, { token: 'secret\n1' }).GET('/v1/orgs'));
    expect(failure).toMatchObject({ kind: 'request', message: expect.stringContaining('token') });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('secret');
  });

  test.each([
    ['https://user:secret@docs.example.com', /user name or password/],
    ['https://docs.example.com/?key=secret', /query/],
    ['https://docs.example.com/{tenant}', /brace/],
  ])('refuses the base address %s', (baseUrl, message) => {
    expect(() => createClient({ baseUrl })).toThrow(message);
    expect(() => createClient({ baseUrl })).not.toThrow(/secret/);
  });

  test('refuses a timeout and retries that are no durations and counts', () => {
    expect(() => createClient({ baseUrl: '', timeout: 0 })).toThrow(RangeError);
    expect(() => createClient({ baseUrl: '', timeout: Number.NaN })).toThrow(RangeError);
    expect(() => createClient({ baseUrl: '', retries: -1 })).toThrow(/retries.limit is -1/);
    expect(() => createClient({ baseUrl: '', retries: { delay: Number.NaN } })).toThrow(/retries.delay/);
  });
});
