import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createSpace, ok } from '../../client/platform/index.ts';
import { clientOf, failureOf, fakeRuntime, type Step, startScriptedServer } from './scripted-server.ts';

const success: Step = { status: 200, headers: { 'x-request-id': 'req_1' }, body: { items: [] } };
const unavailable: Step = { status: 503 };
const brokenConnection: Step = (response) => response.destroy();
const getSpace = { params: { path: { spaceId: 'spc_1' }, query: { shareKey: 'hidden' } } };

/** Hooks that record each event with the name of its hook. */
function recorder() {
  const events: { name: string; attempt: number; [property: string]: unknown }[] = [];
  const record = (name: string) => (event: { attempt: number }) => {
    events.push({ name, ...event });
  };
  const hooks = {
    onRequest: record('onRequest'),
    onResponse: record('onResponse'),
    onRetry: record('onRetry'),
    onError: record('onError'),
  };
  return { events, hooks, names: () => events.map(({ name, attempt }) => `${name} ${attempt}`) };
}

describe('hooks', () => {
  test('are called for each attempt, with method, path of the contract and URL', async () => {
    await using server = await startScriptedServer(unavailable, brokenConnection, success);
    const { events, hooks, names } = recorder();
    await ok(clientOf(server, { hooks }).GET('/v1/spaces/{spaceId}', getSpace));
    expect(names()).toEqual([
      'onRequest 1',
      'onResponse 1',
      'onRetry 1',
      'onRequest 2',
      'onRetry 2',
      'onRequest 3',
      'onResponse 3',
    ]);
    for (const event of events) {
      expect(event).toMatchObject({
        method: 'GET',
        path: '/v1/spaces/{spaceId}',
        url: `${server.url}/v1/spaces/spc_1`,
      });
    }
    expect(events[1]).toMatchObject({ status: 503, duration: 0 });
    expect(events[2]).toMatchObject({ status: 503, error: undefined, delay: 125 });
    expect(events[4]).toMatchObject({ status: undefined, error: { kind: 'network' }, delay: 250 });
    expect(events[6]).toMatchObject({ status: 200 });
  });

  test('measure the time from the start of an attempt to its response', async () => {
    await using server = await startScriptedServer(unavailable, success);
    let now = 0;
    const durations: number[] = [];
    const hooks = { onResponse: ({ duration }: { duration: number }) => durations.push(duration) };
    const runtime = { ...fakeRuntime(), now: () => (now += 40) };
    await clientOf(server, { hooks, runtime }).GET('/v1/orgs');
    expect(durations).toEqual([40, 40]);
  });

  test.each([
    ['an error response', { status: 404 }, 'http', 1],
    ['a body that is not JSON', { status: 200, body: 'no' }, 'response', 1],
    ['a broken connection', brokenConnection, 'network', 3],
  ] as const)('report a failed call once: %s', async (_, step, kind, attempt) => {
    await using server = await startScriptedServer(step);
    const { events, hooks } = recorder();
    const client = clientOf(server, { hooks });
    const failure = await failureOf(ok(client.GET('/v1/orgs')));
    const errors = events.filter(({ name }) => name === 'onError');
    expect(errors).toMatchObject([{ attempt, error: { kind } }]);
    expect(errors[0]?.error).toBe(failure);
  });

  test('report a request that is not sent as attempt 0', async () => {
    await using server = await startScriptedServer(success);
    const { events, hooks } = recorder();
    const client = clientOf(server, { hooks });
    await failureOf(client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: '' } } }));
    expect(events).toMatchObject([{ name: 'onError', attempt: 0, error: { kind: 'request' } }]);
  });

  test('report no retry if the call is aborted during the attempt', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer((response) => {
      controller.abort();
      response.destroy();
    });
    const { hooks, names } = recorder();
    await failureOf(clientOf(server, { hooks }).GET('/v1/orgs', { signal: controller.signal }));
    expect(names()).toEqual(['onRequest 1', 'onError 1']);
  });

  test('report no retry if the signal of the call times out during the attempt', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer((response) => {
      controller.abort(new DOMException('Too late.', 'TimeoutError'));
      response.destroy();
    });
    const { hooks, names } = recorder();
    const call = clientOf(server, { hooks }).GET('/v1/orgs', { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ kind: 'timeout' });
    expect(names()).toEqual(['onRequest 1', 'onError 1']);
  });

  test('add headers to an attempt, but replace none of the call', async () => {
    await using server = await startScriptedServer(unavailable, success);
    const client = clientOf(server, {
      headers: { 'x-app': 'one' },
      hooks: {
        onRequest: async ({ headers, attempt }) => {
          headers.set('traceparent', `span-${attempt}`);
          headers.set('x-app', 'two');
          headers.set('authorization', 'Bearer other');
        },
      },
    });
    await ok(client.GET('/v1/orgs'));
    expect(server.received.map(({ headers }) => headers)).toMatchObject([
      { traceparent: 'span-1', 'x-app': 'one', authorization: 'Bearer clp_test' },
      { traceparent: 'span-2', 'x-app': 'one', authorization: 'Bearer clp_test' },
    ]);
  });

  test('have the headers of a response, whose body is still read', async () => {
    await using server = await startScriptedServer(success);
    const ids: (string | null)[] = [];
    const client = clientOf(server, {
      hooks: { onResponse: ({ headers }) => ids.push(headers.get('X-Request-Id')) },
    });
    expect(await ok(client.GET('/v1/orgs'))).toEqual({ items: [] });
    expect(ids).toEqual(['req_1']);
  });

  test('print no secret: neither token, query and body, nor headers of the response', async () => {
    const headers = { 'set-cookie': 'session=hidden' };
    await using server = await startScriptedServer(
      { status: 503, headers: { ...headers, 'retry-after': '1' } },
      { status: 404, headers, body: { secret: 'hidden' } },
    );
    let printed = '';
    const print = (event: object) => {
      printed += inspect(event, { depth: 10 }).replace(/body: \{[^}]*\}/, '') + JSON.stringify(event);
    };
    const hooks = { onRequest: print, onResponse: print, onRetry: print, onError: print };
    const client = clientOf(server, { hooks });
    await client.GET('/v1/spaces/{spaceId}', getSpace);
    await client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: 'o' } },
      body: { title: 'hidden' },
    });
    expect(printed).toContain('/v1/spaces/{spaceId}');
    expect(printed).not.toMatch(/hidden|clp_test/);
  });
});

describe('a hook that fails', () => {
  const fails = async () => {
    throw new Error('No disk space.');
  };

  test.each([
    ['onRequest', 0],
    ['onResponse', 1],
    ['onRetry', 1],
  ] as const)('ends the call without a retry: %s', async (name, sent) => {
    await using server = await startScriptedServer(unavailable, success);
    const { names, hooks } = recorder();
    const client = clientOf(server, { hooks: { ...hooks, [name]: fails } });
    const failure = await failureOf(client.GET('/v1/orgs'));
    expect(failure).toMatchObject({
      name: 'ApiError',
      kind: 'hook',
      message: `The hook ${name} failed: No disk space.`,
      cause: { message: 'No disk space.' },
    });
    expect(server.received).toHaveLength(sent);
    expect(names()).not.toContain('onError 1');
  });

  test('closes the connection of a response that is not read', async () => {
    await using server = await startScriptedServer(success);
    let cancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const fetch = async () => new Response(body);
    await failureOf(clientOf(server, { fetch, hooks: { onResponse: fails } }).GET('/v1/orgs'));
    expect(cancelled).toBe(true);
  });

  test.each([{ status: 404 }, brokenConnection])(
    'replaces the error of the call if it is onError',
    async (step) => {
      await using server = await startScriptedServer(step);
      let count = 0;
      const onError = () => {
        count += 1;
        throw new Error('No disk space.');
      };
      const failure = await failureOf(clientOf(server, { hooks: { onError } }).GET('/v1/orgs'));
      expect(failure).toMatchObject({ kind: 'hook', message: 'The hook onError failed: No disk space.' });
      expect(count).toBe(1);
    },
  );
});

test('hooks are called for functions too', async () => {
  await using server = await startScriptedServer({ status: 201, body: {} });
  const { hooks, events } = recorder();
  await createSpace(clientOf(server, { hooks }), { organizationId: 'o', body: { title: 'New' } });
  expect(events).toMatchObject([
    { name: 'onRequest', method: 'POST', path: '/v1/orgs/{organizationId}/spaces' },
    { name: 'onResponse', status: 201 },
  ]);
});
