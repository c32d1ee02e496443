// The signal and the timeout of a call end each of its phases, whichever way its `fetch` receives the signal.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type ApiError, type ClientOptions, createClient } from '../../client/index.ts';
import { checkResponses } from '../../client/response-check.ts';
import { systemRuntime } from '../../client/runtime.ts';
import { failureOf, startScriptedServer } from './scripted-server.ts';

/** Contract of `checkResponses`. */
const document = {
  paths: { '/items': { get: { responses: { 200: { content: { 'application/json': { schema: {} } } } } } } },
};

const fetches: Record<string, (baseUrl: string) => ClientOptions['fetch']> = {
  'the global fetch': () => undefined,
  'a function with one parameter': () => (request) => fetch(request),
  'a function with two parameters': () => (request, init) => fetch(request, init),
  'checkResponses around a function with one parameter': (baseUrl) =>
    checkResponses({ document, baseUrl, fetch: (request) => fetch(request), onProblem: () => {} }),
};

/** Server with endless responses, and a promise that resolves when the client closes a connection. */
async function startStalledServer(write: (response: ServerResponse) => void) {
  const { promise: received, resolve: receive } = Promise.withResolvers<void>();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const server = await startScriptedServer((response) => {
    response.once('close', close);
    write(response);
    receive();
  });
  return { server, received, closed, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Runtime with a single timer that the test fires. */
function manualTimer() {
  let pending: (() => void) | undefined;
  const after = (_: number, run: () => void) => {
    pending = run;
    return () => {
      pending = undefined;
    };
  };
  return {
    runtime: { ...systemRuntime, after },
    fire: () => pending?.(),
    isPending: () => pending !== undefined,
  };
}

const untyped = (options: ClientOptions) =>
  createClient<Record<string, never>>({ retries: 0, runtime: systemRuntime, ...options });

describe.each(Object.entries(fetches))('with %s', (_, fetchOf) => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['the response has started', () => {}],
    ['its body is complete', (response) => response.writeHead(200).write('{"a":')],
  ])('the timeout and the signal end the call before %s, and close the connection', async (_, write) => {
    for (const kind of ['timeout', 'aborted'] as const) {
      await using stalled = await startStalledServer(write);
      const { url } = stalled.server;
      const timer = manualTimer();
      const client = untyped({ baseUrl: url, fetch: fetchOf(url), runtime: timer.runtime });
      const controller = new AbortController();
      const call = failureOf(client.call('GET', '/items', {}, { signal: controller.signal }));
      await stalled.received;
      if (kind === 'aborted') {
        controller.abort();
      } else {
        timer.fire();
      }
      expect(await call).toMatchObject({ name: 'ApiError', kind });
      await stalled.closed;
    }
  });

  test('the signal ends the reading of a stream, and closes the connection', async () => {
    await using stalled = await startStalledServer((response) => response.writeHead(200).write('one'));
    const { url } = stalled.server;
    const timer = manualTimer();
    const client = untyped({ baseUrl: url, fetch: fetchOf(url), runtime: timer.runtime });
    const controller = new AbortController();
    const options = { signal: controller.signal, parseAs: 'stream' as const };
    const stream = await client.call<ReadableStream<Uint8Array>>('GET', '/items', {}, options);
    const reader = stream.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('one');
    // The timeout ends with the start of the response.
    expect(timer.isPending()).toBe(false);
    controller.abort();
    expect(await failureOf(reader.read())).toMatchObject({ name: 'ApiError', kind: 'aborted' });
    await stalled.closed;
  });

  test('the signal ends the sending of a stream', async () => {
    // A connection that breaks is an error of its request.
    const server = createServer((request) => request.on('error', () => {}).resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port has an address with a port.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = untyped({ baseUrl: url, fetch: fetchOf(url) });
    const controller = new AbortController();
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(stream) {
        await new Promise(setImmediate);
        stream.enqueue(new Uint8Array(1024));
        chunks += 1;
        if (chunks === 3) {
          controller.abort();
        }
      },
    });
    const format = { contentType: 'application/octet-stream' };
    const call = client.call('POST', '/items', { body }, { signal: controller.signal }, format);
    expect(await failureOf(call)).toMatchObject({ kind: 'aborted' });
    await new Promise((resolve) => {
      server.close(resolve).closeAllConnections();
    });
  });
});

test.each<[string, (abort: () => void) => Partial<ClientOptions>]>([
  [
    'the token',
    (abort) => ({
      async token() {
        abort();
        return 'token';
      },
    }),
  ],
  ['the hook onRequest', (abort) => ({ hooks: { onRequest: async () => abort() } })],
])('a call whose signal is aborted by the function of %s is not sent', async (_, optionsOf) => {
  await using server = await startScriptedServer({ status: 200, body: {} });
  const controller = new AbortController();
  const client = untyped({ baseUrl: server.url, ...optionsOf(() => controller.abort()) });
  const call = client.call('GET', '/items', {}, { signal: controller.signal });
  expect(await failureOf(call)).toMatchObject({ kind: 'aborted' });
  expect(server.received).toEqual([]);
});

test('each attempt has a signal of its own', async () => {
  const signals = new Set<AbortSignal>();
  const client = untyped({
    baseUrl: 'https://api.example.com',
    retries: { limit: 2, delay: 0 },
    fetch: async (request, init) => {
      signals.add(init?.signal ?? request.signal);
      return new Response(null, { status: 503 });
    },
  });
  expect((await failureOf(client.call('GET', '/items', {}))) as ApiError).toMatchObject({ status: 503 });
  expect(signals.size).toBe(3);
});
