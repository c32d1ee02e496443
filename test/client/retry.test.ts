import { describe, expect, test } from 'vitest';
import { ApiError, ok, type RetryOptions } from '../../client/platform/index.ts';
import { clientOf, failureOf, fakeRuntime, type Step, startScriptedServer } from './scripted-server.ts';

const success: Step = { status: 200, body: { items: [] } };
const brokenConnection: Step = (response) => response.destroy();
const rejected: Step = { status: 429, headers: { 'retry-after': '7' } };
const space = { params: { path: { spaceId: 's' } } };
const newSpace = { params: { path: { organizationId: 'o' } }, body: { title: 'New' } };

/** Calls a server with these steps once, and returns the outcome and the waits of the client. */
async function run(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  steps: [Step, ...Step[]],
  retries?: RetryOptions,
) {
  await using server = await startScriptedServer(...steps);
  const runtime = fakeRuntime(600_000);
  const client = clientOf(server, { runtime, timeout: 600_000, ...(retries ? { retries } : {}) });
  const calls = {
    GET: () => client.GET('/v1/orgs'),
    POST: () => client.POST('/v1/orgs/{organizationId}/spaces', newSpace),
    PUT: () => client.PUT('/v1/orgs/{organizationId}/teams', newSpace),
    PATCH: () => client.PATCH('/v1/spaces/{spaceId}', { ...space, body: { title: 'New' } }),
    DELETE: () => client.DELETE('/v1/spaces/{spaceId}', space),
  };
  const outcome = await calls[method]().then(
    ({ response }) => response.status,
    (error: { kind: string }) => error.kind,
  );
  return {
    outcome,
    waits: runtime.waits,
    bodies: server.received.map(({ body }) => body),
    tries: server.received.length,
  };
}

describe('a call is retried', () => {
  test.each(['GET', 'PUT', 'DELETE'] as const)(
    'for %s after a broken connection, 429, 502, 503 and 504',
    async (method) => {
      for (const step of [
        brokenConnection,
        { status: 502 },
        { status: 503 },
        { status: 504 },
        { status: 429 },
      ]) {
        expect(await run(method, [step, success])).toMatchObject({ outcome: 200, tries: 2 });
      }
    },
  );

  test.each(['POST', 'PATCH'] as const)('not for %s, which may have taken effect', async (method) => {
    expect(await run(method, [brokenConnection, success])).toMatchObject({ outcome: 'network', tries: 1 });
    for (const status of [429, 502, 503, 504]) {
      expect(await run(method, [{ status }, success])).toMatchObject({ outcome: status, tries: 1 });
    }
  });

  test.each(['GET', 'POST', 'PATCH'] as const)(
    'for %s after 429 and 503 with Retry-After',
    async (method) => {
      expect(await run(method, [rejected, success])).toMatchObject({ outcome: 200, waits: [7_000] });
      const unavailable = { status: 503, headers: { 'retry-after': '7' } };
      expect(await run(method, [unavailable, success])).toMatchObject({ outcome: 200, waits: [7_000] });
    },
  );

  test.each([400, 401, 403, 404, 409, 500, 501])('not for GET after %i', async (status) => {
    expect(await run('GET', [{ status }, success])).toMatchObject({ outcome: status, tries: 1 });
  });

  test('after a timeout of an idempotent method', async () => {
    let expire = () => {};
    await using server = await startScriptedServer(() => expire(), success);
    const runtime = fakeRuntime();
    const client = clientOf(server, {
      timeout: 20_000,
      runtime: {
        ...runtime,
        after(milliseconds, callback) {
          if (milliseconds !== 20_000) {
            return runtime.after(milliseconds, callback);
          }
          expire = callback;
          return () => {};
        },
      },
    });
    expect(await ok(client.GET('/v1/orgs'))).toEqual({ items: [] });
    expect(server.received).toHaveLength(2);
  });

  test('not after an ApiError of the function that sends requests', async () => {
    await using server = await startScriptedServer(success);
    let count = 0;
    const rejection = new ApiError({ kind: 'response', message: 'Invalid.', method: 'GET', url: '' });
    const fetch = async () => {
      count += 1;
      throw rejection;
    };
    expect(await failureOf(clientOf(server, { fetch }).GET('/v1/orgs'))).toBe(rejection);
    expect(count).toBe(1);
  });

  test('after the connection of the previous response is closed', async () => {
    await using server = await startScriptedServer(success);
    const events: string[] = [];
    const body = new ReadableStream({ cancel: () => void events.push('closed') });
    const fetch = async () => {
      events.push('sent');
      return events.length === 1 ? new Response(body, { status: 503 }) : Response.json({ items: [] });
    };
    await ok(clientOf(server, { fetch }).GET('/v1/orgs'));
    expect(events).toEqual(['sent', 'closed', 'sent']);
  });

  test('with the same body', async () => {
    const { bodies } = await run('POST', [rejected, rejected, success]);
    expect(bodies).toEqual(Array(3).fill('{"title":"New"}'));
  });
});

describe('the client waits and retries', () => {
  test('twice by default, with increasing backoff', async () => {
    expect(await run('GET', [{ status: 502 }])).toMatchObject({ outcome: 502, tries: 3, waits: [125, 250] });
  });

  test('as the options specify', async () => {
    const retries = { limit: 4, delay: 100, maxDelay: 300 };
    expect(await run('GET', [brokenConnection], retries)).toMatchObject({
      outcome: 'network',
      tries: 5,
      waits: [50, 100, 150, 150],
    });
    expect(await run('GET', [brokenConnection], { limit: 0 })).toMatchObject({
      outcome: 'network',
      tries: 1,
    });
  });

  test('with jitter up to the whole backoff', async () => {
    await using server = await startScriptedServer({ status: 502 }, rejected, success);
    const runtime = fakeRuntime(60_000, Date.now(), 0.5);
    await clientOf(server, { runtime, timeout: 60_000 }).GET('/v1/orgs');
    expect(runtime.waits).toEqual([250 * 0.75, 7_000 + 250 * 0.5]);
  });

  test('until the date of Retry-After', async () => {
    const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1) + seconds * 1000).toUTCString();
    expect((await run('POST', [{ status: 503, headers: { 'retry-after': at(12) } }, success])).waits).toEqual(
      [12_000],
    );
    expect(
      (await run('POST', [{ status: 503, headers: { 'retry-after': at(-12) } }, success])).waits,
    ).toEqual([0]);
  });

  test('not for a Retry-After above the limit, and returns the response immediately', async () => {
    const step = { status: 429, headers: { 'retry-after': '61' } };
    expect(await run('GET', [step, success])).toMatchObject({ outcome: 429, tries: 1, waits: [] });
    expect(await run('GET', [step, success], { maxRetryAfter: 61_000 })).toMatchObject({ outcome: 200 });
  });

  test.each(['soon', '-5', '1.5'])('with its own backoff if Retry-After is %j', async (header) => {
    const step = { status: 503, headers: { 'retry-after': header } };
    expect(await run('GET', [step, success])).toMatchObject({ outcome: 200, waits: [125] });
    expect(await run('POST', [step, success])).toMatchObject({ outcome: 503, tries: 1 });
  });

  test('as the options of the call specify, which override those of the client', async () => {
    await using server = await startScriptedServer({ status: 502 });
    await failureOf(ok(clientOf(server).GET('/v1/orgs', { retries: 0 })));
    expect(server.received).toHaveLength(1);
  });
});
