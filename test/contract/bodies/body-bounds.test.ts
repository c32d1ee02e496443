import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ContractError } from '../../../server/contract/errors.ts';
import {
  BodyMemory,
  MAX_BUFFERED_BODY_BYTES,
  MAX_BUFFERED_BODY_BYTES_PER_CALLER,
} from '../../../server/contract/limits/body-memory.ts';
import { bodyReader } from '../../../server/contract/request/bodies/body.ts';
import { MAX_BODY_TOKENS } from '../../../server/contract/request/bodies/json-scanner.ts';
import { document, TREE_LIMIT } from '../small-contract.ts';
import { expectError, rawRequest, sendRaw, serveSmallContract, TOKEN } from '../small-server.ts';

const JSON_BODY = 'Content-Type: application/json\r\n';

test.each([
  ['deep', '['.repeat(1000), 400, 'nesting depth'],
  ['wide', `[${'0,'.repeat(MAX_BODY_TOKENS)}`, 413, String(MAX_BODY_TOKENS)],
])('rejects a body of %s JSON before most of it has arrived', async (_name, start, status, reason) => {
  const { port, handled: seen } = await serveSmallContract();
  const head = rawRequest('PUT', '/v1/widgets/a/tree', `${JSON_BODY}Content-Length: ${TREE_LIMIT}\r\n`);
  const response = await sendRaw(port, head + start);
  expect(response.status).toBe(status);
  expect(response.body).toContain(reason);
  expect(response.head).toContain('Connection: close');
  expect(seen).toEqual([]);
});

test('applies the same limits to a compressed body while it is decompressed', async () => {
  const { send, handled: seen } = await serveSmallContract();
  const put = (json: string) =>
    send('PUT', '/v1/widgets/a/tree', gzipSync(json), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
  const deep = await expectError(await put('['.repeat(100_000)), 400);
  expect(deep.message).toContain('nesting depth');
  const wide = await expectError(await put(`[${'0,'.repeat(MAX_BODY_TOKENS)}0]`), 413);
  expect(wide.message).toContain(String(MAX_BODY_TOKENS));
  const bomb = await expectError(await put(`{"nodes":[]${' '.repeat(TREE_LIMIT - 100)}}`), 413);
  expect(bomb.message).toContain('compressed');
  expect(seen).toEqual([]);
});

test('rejects a slow body at its deadline, and closes the connection', async () => {
  const { port, handled: seen } = await serveSmallContract({}, { limits: { bodyDeadlineMs: 50 } });
  const head = rawRequest('POST', '/v1/widgets', `${JSON_BODY}Content-Length: 500\r\n`);
  const response = await sendRaw(port, `${head}{"ti`);
  expect(response.status).toBe(408);
  expect(seen).toEqual([]);
});

test('closes a rejected connection after its caller had time to read the reason', async () => {
  const { port } = await serveSmallContract();
  const body = 'x'.repeat(3_000_000);
  const head = rawRequest('POST', '/v1/widgets', `${JSON_BODY}Content-Length: ${body.length}\r\n`);
  // The whole body is sent, even though the server responded to its first byte.
  const { status } = await sendRaw(port, head + body);
  expect(status).toBe(413);
});

test('limits the memory for bodies per caller and in total', () => {
  const memory = new BodyMemory();
  const response = () => new Readable({ read: () => undefined }) as unknown as ServerResponse;
  const blockHandler = (caller: string, bytes: number) => {
    const res = response();
    memory.count(caller, res)(bytes);
    return res;
  };
  const first = blockHandler('a', MAX_BUFFERED_BODY_BYTES_PER_CALLER);
  expect(() => blockHandler('a', 100_000)).toThrow(ContractError);
  // Small bodies are still accepted.
  blockHandler('a', 1000);
  const callers = MAX_BUFFERED_BODY_BYTES / MAX_BUFFERED_BODY_BYTES_PER_CALLER;
  for (let index = 1; index < callers; index++) {
    blockHandler(`b${index}`, MAX_BUFFERED_BODY_BYTES_PER_CALLER);
  }
  expect(() => blockHandler('c', 100_000)).toThrow(ContractError);
  first.emit('close');
  blockHandler('c', 100_000);
  blockHandler('a', MAX_BUFFERED_BODY_BYTES_PER_CALLER - 100_000);
});

test('decodes and parses a large body in steps, and serves others in between', async () => {
  const chunks = ['"', ...Array<string>(64).fill('a'.repeat(65_536)), '"'].map((text) => Buffer.from(text));
  const headers = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
  const req = Object.assign(Readable.from(chunks), { headers }) as unknown as Request;
  const res = new Readable({ read: () => undefined }) as unknown as Response;
  const reader = bodyReader(document, {
    operationId: 'createText',
    requestBody: { required: true, content: { 'application/json': {} } },
    responses: {},
    'x-max-body-bytes': 5_000_000,
  });
  let turn = 0;
  const next = () => {
    turn += 1;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  const decodedIn = new Set<number>();
  const decode = TextDecoder.prototype.decode;
  const decoding = vi.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (
    this: TextDecoder,
    ...part
  ) {
    decodedIn.add(turn);
    return decode.apply(this, part);
  });
  const parse = JSON.parse;
  let parsedIn = 0;
  const parsing = vi.spyOn(JSON, 'parse').mockImplementation((...text) => {
    parsedIn = turn;
    return parse(...text);
  });
  try {
    const { value } = await reader.read(req, res, 'a', []);
    expect(value).toHaveLength(64 * 65_536);
    expect(decodedIn.size).toBeGreaterThan(8);
    expect(turn).toBeGreaterThan(parsedIn);
  } finally {
    clearImmediate(immediate);
    decoding.mockRestore();
    parsing.mockRestore();
  }
});

test('responds quickly to queries, headers and cookies of any size', async () => {
  const { port } = await serveSmallContract();
  const get = (target: string, headers = '') => sendRaw(port, rawRequest('GET', target, headers));
  const room = 120_000;
  const table: [string, string, number][] = [
    [`/v1/widgets?${'tags=red&'.repeat(room / 9)}`, '', 400],
    [`/v1/widgets?${'&'.repeat(room)}`, '', 400],
    [`/v1/widgets?${'x'.repeat(room)}=1`, '', 400],
    [`/v1/widgets/${'a/'.repeat(room / 2)}`, '', 404],
    ['/v1/widgets', `Accept: ${'a/b,'.repeat(room / 4)}\r\n`, 200],
    ['/v1/widgets', `Cookie: ${'a=b; '.repeat(room / 5)}\r\n`, 200],
    ['/v1/widgets', `X-Forwarded-For: ${'1.1.1.1,'.repeat(room / 8)}\r\n`, 200],
    ['/v1/widgets', 'X-One: 1\r\n'.repeat(500), 200],
    ['/v1/widgets', 'X-One: 1\r\n'.repeat(3000), 431],
  ];
  for (const [target, headers, status] of table) {
    const response = await get(target, headers);
    expect(response.status, `${target.slice(0, 40)} ${headers.slice(0, 40)}`).toBe(status);
    expect(response.body.length).toBeLessThan(20_000);
  }
});

test('sends 100 Continue only when the body will be read', async () => {
  const { port } = await serveSmallContract();
  const body = '{"title":"a"}';
  const expecting = `${JSON_BODY}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`;
  const accepted = await sendRaw(port, rawRequest('POST', '/v1/widgets', expecting) + body);
  expect(accepted.head).toBe('HTTP/1.1 100 Continue');
  expect(accepted.body).toMatch(/^HTTP\/1\.1 201 /);
  const anonymous = rawRequest('POST', '/v1/widgets', expecting).replace(TOKEN, 'other');
  expect((await sendRaw(port, anonymous)).status).toBe(401);
});

test('limits the memory for responses that a caller does not read', async () => {
  const title = 'x'.repeat(MAX_BUFFERED_BODY_BYTES_PER_CALLER / 8);
  const { port, send } = await serveSmallContract(
    { getWidget: async ({ path }) => ({ id: path.widgetId, title }) },
    { validateResponses: false },
  );
  const idle = Array.from({ length: 7 }, () => connect(port, '127.0.0.1').pause());
  onTestFinished(() => {
    for (const socket of idle) {
      socket.destroy();
    }
  });
  for (const socket of idle) {
    socket.write(rawRequest('GET', '/v1/widgets/a', ''));
    await once(socket, 'readable');
  }
  const status = async (method: string) => {
    const response = await send(method, '/v1/widgets/a', method === 'GET' ? undefined : {});
    await response.arrayBuffer();
    return response.status;
  };
  expect(await status('GET')).toBe(503);
  expect(await status('PATCH')).toBe(200);
  idle[0]?.destroy();
  await expect.poll(() => status('GET')).toBe(200);
});

test('does not log an error if a caller disconnects before a large response is ready', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const {
    port,
    log,
    handled: seen,
  } = await serveSmallContract(
    {
      getWidget: async ({ path }, { signal }) => {
        await once(signal, 'abort');
        setImmediate(leave);
        return { id: path.widgetId, title: 'x'.repeat(1_000_000) };
      },
    },
    { validateResponses: false },
  );
  const socket = connect(port, '127.0.0.1');
  socket.write(rawRequest('GET', '/v1/widgets/a', ''));
  await expect.poll(() => seen).toHaveLength(1);
  socket.destroy();
  await left;
  await new Promise(setImmediate);
  expect(log.filter(({ level }) => level === 'error')).toEqual([]);
});
