import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { ApiError, ok } from '../../client/platform/index.ts';
import { systemRuntime } from '../../client/runtime.ts';
import { clientOf, failureOf, fakeRuntime, startScriptedServer } from './scripted-server.ts';

const body = {
  error: {
    code: 400,
    message: 'The title is too short.',
    requestId: 'req_7',
    details: [{ in: 'body', path: 'title', message: 'must have at least 2 characters' }],
  },
};

describe('an error response', () => {
  test('is the error of the result, and is thrown by ok', async () => {
    await using server = await startScriptedServer({ status: 400, body });
    const call = () =>
      clientOf(server).GET('/v1/orgs/{organizationId}', { params: { path: { organizationId: 'o' } } });
    const result = await call();
    expect(result.data).toBeUndefined();
    expect(result.error).toBeInstanceOf(ApiError);
    const failure = await failureOf(ok(call()));
    expect(failure).toEqual(result.error);
    expect(failure).toMatchObject({
      name: 'ApiError',
      kind: 'http',
      status: 400,
      body,
      message: body.error.message,
      details: body.error.details,
      requestId: 'req_7',
      retryAfter: undefined,
      method: 'GET',
      url: `${server.url}/v1/orgs/o`,
    });
  });

  test('never contains the query, which may contain a share key', async () => {
    await using server = await startScriptedServer({ status: 404, body });
    const failure = await failureOf(
      ok(
        clientOf(server).GET('/v1/spaces/{spaceId}', {
          params: { path: { spaceId: 's' }, query: { shareKey: 'hidden' } },
        }),
      ),
    );
    expect(server.received[0]?.url).toContain('hidden');
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toMatch(/hidden|clp_test/);
  });

  test.each([
    ['an empty body', ''],
    ['the page of a proxy', '<h1>Bad Gateway</h1>'],
    ['a JSON null', 'null'],
    ['JSON without a message', { error: {} }],
  ])('with %s is an error', async (_, unexpectedBody) => {
    await using server = await startScriptedServer({
      status: 500,
      body: unexpectedBody,
      headers: { 'x-request-id': 'req_9' },
    });
    const { error } = await clientOf(server).GET('/v1/orgs');
    expect(error).toMatchObject({
      kind: 'http',
      status: 500,
      reason: undefined,
      message: expect.stringContaining('500 Internal Server Error'),
      requestId: 'req_9',
      details: [],
    });
  });

  test.each([
    ['problem details (RFC 9457)', { title: 'Forbidden', detail: 'No access.' }, 'No access.'],
    ['problem details without a detail', { title: 'Forbidden', status: 403 }, 'Forbidden'],
    ['a message', { message: 'No access.', documentation_url: 'https://…' }, 'No access.'],
    ['an error of OAuth 2', { error: 'denied', error_description: 'No access.' }, 'No access.'],
    ['a text', { error: 'No access.' }, 'No access.'],
  ])('with %s has its message and its body', async (_, otherBody, message) => {
    await using server = await startScriptedServer({ status: 403, body: otherBody });
    const { error } = await clientOf(server).GET('/v1/orgs');
    expect(error).toMatchObject({ status: 403, message, body: otherBody });
  });

  test('in plain text has it as its body', async () => {
    await using server = await startScriptedServer({
      status: 503,
      body: 'Down for maintenance.',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    const { error } = await clientOf(server, { retries: 0 }).GET('/v1/orgs');
    expect(error).toMatchObject({ status: 503, body: 'Down for maintenance.' });
  });

  test('keeps its properties in JSON, but not its body', async () => {
    await using server = await startScriptedServer({ status: 400, body });
    const { error } = await clientOf(server).GET('/v1/orgs', { params: { query: { limit: 0 } } });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ApiError',
      kind: 'http',
      message: body.error.message,
      status: 400,
      requestId: 'req_7',
      details: body.error.details,
      method: 'GET',
      url: `${server.url}/v1/orgs`,
    });
  });

  test('of another shape keeps its valid fields', async () => {
    const partial = { error: { message: 'No.', details: [{ in: 'body' }, body.error.details[0]] } };
    await using server = await startScriptedServer({ status: 409, body: partial });
    expect(await failureOf(ok(clientOf(server).GET('/v1/orgs')))).toMatchObject({
      message: 'No.',
      details: body.error.details,
      requestId: undefined,
    });
  });

  test('has the seconds of Retry-After', async () => {
    await using server = await startScriptedServer({ status: 429, body, headers: { 'retry-after': '3600' } });
    expect(await failureOf(ok(clientOf(server).GET('/v1/orgs')))).toMatchObject({
      status: 429,
      retryAfter: 3600,
    });
  });
});

describe('a success response', () => {
  test('with status 204 has no data', async () => {
    await using server = await startScriptedServer({ status: 204 });
    const remove = clientOf(server).DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: 's' } } });
    expect(await ok(remove)).toBeUndefined();
  });

  test.each([
    ['without a length', undefined],
    ['with a length', { 'content-length': '6' }],
  ])('that is not JSON (%s) is a response error', async (_, headers) => {
    await using server = await startScriptedServer((response) =>
      response.writeHead(200, headers).end('<html>'),
    );
    expect(await failureOf(clientOf(server).GET('/v1/orgs'))).toMatchObject({
      kind: 'response',
      status: 200,
      cause: expect.any(SyntaxError),
    });
  });
});

describe('a call fails', () => {
  test('with a network error and its reason for a closed port', async () => {
    const server = await startScriptedServer({ status: 204 });
    await server[Symbol.asyncDispose]();
    const failure = await failureOf(ok(clientOf(server, { retries: 0 }).GET('/v1/orgs')));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({
      kind: 'network',
      status: undefined,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(failure).toHaveProperty('cause', expect.any(TypeError));
  });

  test('with a network error for an incomplete response', async () => {
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"items":', () => response.destroy());
    });
    expect(await failureOf(clientOf(server).GET('/v1/orgs'))).toMatchObject({
      kind: 'network',
      status: 200,
      message: expect.stringContaining('Incomplete response'),
    });
  });

  test('with a timeout for a missing or stalled response', async () => {
    await using silent = await startScriptedServer(() => {});
    await using stalled = await startScriptedServer((response) => response.writeHead(200).write('{'));
    for (const server of [silent, stalled]) {
      // Real time, because fake time would end before the head of the response arrives.
      const client = clientOf(server, { timeout: 150, retries: 0, runtime: systemRuntime });
      expect(await failureOf(client.GET('/v1/orgs'))).toMatchObject({
        kind: 'timeout',
        message: expect.stringContaining('150 ms'),
      });
      expect(server.received).toHaveLength(1);
    }
  });

  test('with a timeout even if the request is garbage-collected', async () => {
    await using silent = await startScriptedServer(() => {});
    await using stalled = await startScriptedServer((response) => response.writeHead(200).write('{'));
    const collecting = setInterval(garbageCollector(), 100);
    try {
      for (const server of [silent, stalled]) {
        const client = clientOf(server, { timeout: 300, retries: 0, runtime: systemRuntime });
        expect(await failureOf(client.GET('/v1/orgs'))).toMatchObject({ kind: 'timeout' });
      }
    } finally {
      clearInterval(collecting);
    }
  });

  test('with aborted when the caller aborts before or during the call', async () => {
    await using server = await startScriptedServer(() => controller.abort(new Error('enough')));
    const controller = new AbortController();
    const client = clientOf(server);
    const { signal } = controller;
    expect(await failureOf(client.GET('/v1/orgs', { signal }))).toMatchObject({ kind: 'aborted' });
    expect(await failureOf(client.GET('/v1/orgs', { signal }))).toMatchObject({ kind: 'aborted' });
    expect(server.received).toHaveLength(1);
  });

  test('with a timeout when the signal times out', async () => {
    await using server = await startScriptedServer(() => {});
    const signal = AbortSignal.timeout(20);
    expect(await failureOf(clientOf(server).GET('/v1/orgs', { signal }))).toMatchObject({ kind: 'timeout' });
  });

  test('with aborted immediately when the caller aborts during the wait before a retry', async () => {
    await using server = await startScriptedServer({ status: 503, headers: { 'retry-after': '50' } });
    const controller = new AbortController();
    // Aborts as soon as the client begins to wait. No wait ends by itself.
    const after = (milliseconds: number) => {
      if (milliseconds >= 50_000) {
        controller.abort();
      }
      return () => {};
    };
    const runtime = { ...fakeRuntime(), after };
    const client = clientOf(server, { timeout: 1_000, runtime });
    expect(await failureOf(client.GET('/v1/orgs', { signal: controller.signal }))).toMatchObject({
      kind: 'aborted',
    });
  });
});

/** Returns the garbage collector of the engine, which is only available with a flag. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
