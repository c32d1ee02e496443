import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  type Listener,
  type ListenerOptions,
  listen,
  MAX_PIPELINED_REQUESTS,
} from '../../../server/contract/listener.ts';

/** Longer than any test here takes. */
const PATIENCE = 20_000;

const listeners: Listener[] = [];

afterEach(async () => {
  for (const listener of listeners.splice(0)) {
    await listener.close(0).catch(() => undefined);
  }
});

async function listenHere(bounds: ListenerOptions = {}): Promise<Listener & { url: string }> {
  const listener = await listen(0, '127.0.0.1', bounds);
  listeners.push(listener);
  return { ...listener, url: `http://127.0.0.1:${listener.port}` };
}

test('returns 503 until a server can handle requests', async () => {
  const listener = await listenHere();
  const early = await fetch(listener.url);
  expect(early.status).toBe(503);
  expect(early.headers.get('Retry-After')).toBe('1');
  expect(await early.json()).toEqual({
    error: {
      code: 503,
      reason: 'unavailable',
      message: expect.any(String),
      requestId: expect.any(String),
    },
  });
  listener.serve((_req, res) => res.end('here'));
  expect(await (await fetch(listener.url)).text()).toBe('here');
});

test('sends complete responses before it closes, even to slow readers', async () => {
  const listener = await listenHere();
  // More than the buffers of the system: the rest waits in the process until somebody reads.
  const body = Buffer.alloc(32 * 1024 * 1024, 'x');
  listener.serve((_req, res) => res.end(body));
  const socket = connect(listener.port, '127.0.0.1').pause();
  socket.write('GET / HTTP/1.1\r\nHost: docs\r\n\r\n');
  await once(socket, 'readable');
  const closed = listener.close(PATIENCE);
  let length = 0;
  for await (const chunk of socket) {
    length += chunk.length;
  }
  expect(length).toBeGreaterThan(body.length);
  await closed;
});

test('closes a connection after the response, even if the caller keeps it open', async () => {
  const listener = await listenHere();
  const { promise: pending, resolve: response } = Promise.withResolvers<void>();
  listener.serve(async (_req, res) => {
    res.writeHead(200, { 'Content-Length': '4' }).flushHeaders();
    await pending;
    res.end('done');
  });
  const socket = connect(listener.port, '127.0.0.1').setEncoding('utf8');
  // A write to a closed connection may fail, which is what the caller should see.
  socket.on('error', () => undefined);
  const ask = () => socket.write('GET / HTTP/1.1\r\nHost: docs\r\n\r\n');
  ask();
  let responses = '';
  await once(
    socket.on('data', (text) => (responses += text)),
    'data',
  );
  const closed = Promise.all([listener.close(PATIENCE), once(socket, 'close')]);
  response();
  await expect.poll(() => responses).toMatch(/done$/);
  ask();
  await closed;
  expect(responses.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
});

test('ends requests at their deadline', async () => {
  const listener = await listenHere();
  listener.serve(() => undefined);
  const sent = request(listener.url).end();
  const failed = once(sent, 'error');
  await once(sent, 'finish');
  await expect.poll(() => sent.socket?.bytesWritten ?? 0).toBeGreaterThan(0);
  await listener.close(50);
  expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' });
});

test('reports the port that is in use', async () => {
  const { port } = await listenHere();
  await expect(listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});

test.each([
  ['nothing', ''],
  ['half a head', 'GET / HTTP/1.1\r\nHost: do'],
])('closes a connection on which %s is sent until the deadline', async (_name, sent) => {
  const listener = await listenHere({ headDeadlineMs: 50 });
  const socket = connect(listener.port, '127.0.0.1').resume();
  socket.on('error', () => undefined);
  socket.write(sent);
  await once(socket, 'close');
});

test('closes the oldest idle connection for a new one when there are too many, and never a busy one', async () => {
  const listener = await listenHere({ maxConnections: 2 });
  const { promise: pending, resolve: response } = Promise.withResolvers<void>();
  const { promise: busy, resolve: startedAt } = Promise.withResolvers<void>();
  listener.serve(async (req, res) => {
    if (req.url === '/slow') {
      startedAt();
      await pending;
    }
    res.end('done');
  });
  const open = () => connect(listener.port, '127.0.0.1').setEncoding('utf8');
  const slow = open();
  slow.write('GET /slow HTTP/1.1\r\nHost: docs\r\nConnection: close\r\n\r\n');
  await busy;
  const idle = open().resume();
  await once(idle, 'connect');
  const idleClosed = once(idle, 'close');
  const late = await fetch(listener.url);
  expect(await late.text()).toBe('done');
  await idleClosed;
  response();
  let text = '';
  for await (const chunk of slow) {
    text += String(chunk);
  }
  expect(text).toMatch(/done$/);
});

const pipelined = (count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: docs\r\n\r\n`).join('');

test('serves the requests of a connection one after the other, and closes it after the maximum number', async () => {
  const listener = await listenHere();
  let [serving, most] = [0, 0];
  listener.serve(async (req, res) => {
    most = Math.max(most, ++serving);
    await new Promise(setImmediate);
    serving--;
    res.end(`<${req.url}>`);
  });
  const socket = connect(listener.port, '127.0.0.1').setEncoding('utf8');
  socket.write(pipelined(3 * MAX_PIPELINED_REQUESTS));
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
  }
  const served = [...text.matchAll(/<\/(\d+)>/g)].map(([, index]) => Number(index));
  expect(served).toEqual(Array.from({ length: 1 + MAX_PIPELINED_REQUESTS }, (_, index) => index));
  expect(most).toBe(1);
});

test('stops serving a caller who reads no response or has disconnected', async () => {
  const listener = await listenHere();
  const body = Buffer.alloc(32 * 1024 * 1024, 'x');
  const served: (string | undefined)[] = [];
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  listener.serve((req, res) => {
    served.push(req.url);
    req.socket.once('close', close);
    res.end(body);
  });
  const socket = connect(listener.port, '127.0.0.1').pause();
  socket.write(pipelined(10));
  await once(socket, 'readable');
  // Another connection is served meanwhile.
  expect((await fetch(`${listener.url}/other`)).status).toBe(200);
  expect(served).toEqual(['/0', '/other']);
  socket.destroy();
  await closed;
  await new Promise(setImmediate);
  expect(served).toEqual(['/0', '/other']);
});
