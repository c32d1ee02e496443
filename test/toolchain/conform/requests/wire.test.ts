import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../../spec/toolchain/conform/wire/clock.ts';
import {
  RunEnded,
  Unreachable,
  Unsendable,
  type WireRequest,
} from '../../../../spec/toolchain/conform/wire/exchange.ts';
import { isLoopback } from '../../../../spec/toolchain/conform/wire/limits.ts';
import { createWire, type Wire, type WireOptions } from '../../../../spec/toolchain/conform/wire/wire.ts';
import type { Requirement, SecurityScheme } from '../../../../spec/toolchain/model/contract/contract.ts';
import type { Caller } from '../../../../spec/toolchain/model/plan/plan.ts';

interface RecordedRequest {
  method: string | undefined;
  target: string | undefined;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) {
    await item.close();
  }
});

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that records its requests, and its URL. */
async function connect(
  respond: Responder,
  options: Partial<WireOptions> = {},
): Promise<{ wire: Wire; requests: RecordedRequest[]; server: Server; url: URL }> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const { method, url: target, headers } = request;
    requests.push({ method, target, headers, body: Buffer.concat(chunks) });
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a listening TCP server is never a string or null.
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}`);
  const wire = createWire({ url, tokens: {}, limits: {}, ...options });
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  open.push({ close }, wire);
  return { wire, requests, server, url };
}

const ok: Responder = (_, response) => void response.end();
const get = (target: string, more: Partial<WireRequest> = {}): WireRequest => ({
  method: 'GET',
  target,
  headers: [],
  caller: 'anonymous',
  ...more,
});

describe('a request', () => {
  test.each(['/a/%zz', '/a//b/../c', '/a?b', '/a?b=c+d&b=%20&=', "/a/'();,", '/a/%2F%00', '/a#b'])(
    'is sent unchanged: %s',
    async (target) => {
      const { wire, requests } = await connect(ok);
      await wire.send(get(target));
      expect(requests[0]?.target).toBe(target);
    },
  );

  test('can have any method, a body with any method, and repeated headers', async () => {
    const { wire, requests } = await connect(ok);
    await wire.send(get('/', { method: 'PROPFIND' }));
    await wire.send(
      get('/', {
        method: 'DELETE',
        body: '{"ä":1}',
        headers: [
          ['X-One', 'a'],
          ['X-One', 'ü'],
        ],
      }),
    );
    await wire.send(get('/', { method: 'PUT', body: new Uint8Array([0, 255, 10]) }));
    await wire.send(get('/', { method: 'POST' }));
    expect(requests.map(({ method }) => method)).toEqual(['PROPFIND', 'DELETE', 'PUT', 'POST']);
    expect(requests[1]?.body.toString()).toBe('{"ä":1}');
    expect(requests[1]?.headers['content-length']).toBe('8');
    expect(Buffer.from(String(requests[1]?.headers['x-one']), 'latin1').toString()).toBe('a, ü');
    expect([...(requests[2]?.body ?? [])]).toEqual([0, 255, 10]);
    expect(requests[3]?.headers['content-length']).toBe('0');
  });

  test('has a target relative to the path of the base URL', async () => {
    const { requests, url } = await connect(ok);
    const wire = createWire({ url: new URL('/api/', url), tokens: {}, limits: {} });
    open.push(wire);
    await wire.send(get('/widgets'));
    expect(requests[0]?.target).toBe('/api/widgets');
  });

  test('is rejected before sending if it is not valid HTTP', async () => {
    const { wire } = await connect(ok);
    await expect(wire.send(get('/', { headers: [['X-Bad', 'a\nb']] }))).rejects.toBeInstanceOf(Unsendable);
    await expect(wire.send(get('/a b'))).rejects.toBeInstanceOf(Unsendable);
    expect((await wire.send(get('/'))).response?.status).toBe(200);
  });
});

describe('the credentials of a request', () => {
  const scheme = (kind: SecurityScheme['kind'], parameter?: string): readonly Requirement[] => [
    [],
    [{ name: kind, kind, ...(parameter !== undefined && { parameter }) }],
  ];
  const sent = async (
    caller: Caller,
    security: readonly Requirement[],
    malformed = 0,
    headers: [string, string][] = [],
  ) => {
    const { wire, requests } = await connect(ok, { tokens: { own: 'col_12345678', second: 'b:c' } });
    await wire.send(get('/x?y=1', { caller, security, malformed, headers }));
    return requests[0];
  };

  test('are the bearer token of the caller', async () => {
    const of = async (caller: Caller) => (await sent(caller, scheme('bearer')))?.headers.authorization;
    expect(await of('own')).toBe('Bearer col_12345678');
    expect(await of('second')).toBe('Bearer b:c');
    expect(await of('anonymous')).toBeUndefined();
    expect(await of('unknown')).toBe('Bearer col_0badc0de');
  });

  test('are base64 for basic authentication', async () => {
    expect((await sent('second', scheme('basic')))?.headers.authorization).toBe(`Basic ${btoa('b:c')}`);
  });

  test('are sent as a key in a header, the query or a cookie', async () => {
    expect((await sent('own', scheme('header', 'X-Key')))?.headers['x-key']).toBe('col_12345678');
    expect((await sent('second', scheme('query', 'key')))?.target).toBe('/x?y=1&key=b%3Ac');
    const cookie = await sent('own', scheme('cookie', 'sid'), 0, [['Cookie', 'a=b']]);
    expect(cookie?.headers.cookie).toBe('a=b; sid=col_12345678');
  });

  test('have invalid syntax or another scheme if malformed', async () => {
    const all = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((number) => sent('malformed', scheme('bearer'), number)),
    );
    const texts = all.map((item) => item?.headers.authorization ?? '');
    expect(new Set(texts).size).toBe(6);
    expect(texts).toContain('Basic bm9ib2R5Om5vdGhpbmc=');
    expect(texts.join()).not.toContain('col_');
  });

  test('are omitted if not required or not configured', async () => {
    expect((await sent('own', [[]]))?.headers.authorization).toBeUndefined();
    expect((await sent('own', scheme('unsupported')))?.headers.authorization).toBeUndefined();
  });
});

describe('a response', () => {
  const reply = async (respond: Responder, method = 'GET', options: Partial<WireOptions> = {}) =>
    (await connect(respond, options)).wire.send(get('/', { method }));

  test('is parsed for every JSON media type', async () => {
    const { response: received } = await reply((_, response) => {
      response
        .setHeader('Content-Type', 'application/problem+json; charset=utf-8')
        .setHeader('Vary', ['a', 'b'])
        .end('{"a":[1]}');
    });
    expect(received?.json).toEqual({ a: [1] });
    expect(received?.headers.vary).toBe('a, b');
  });

  test.each([
    ['broken', Buffer.from('{"a":')],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('reports invalid JSON: %s', async (_, body) => {
    const { response: received } = await reply(
      (_request, response) => void response.setHeader('Content-Type', 'application/json').end(body),
    );
    expect(received?.json).toBeUndefined();
    expect(received?.unreadable).toBeDefined();
  });

  test('is decompressed', async () => {
    const { response: received } = await reply((_, response) => {
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .end(gzipSync('{"a":1}'));
    });
    expect(received?.json).toEqual({ a: 1 });
  });

  test('can have no body, be a redirect or be for HEAD', async () => {
    expect((await reply((_, response) => void response.writeHead(204).end())).response?.status).toBe(204);
    expect(
      (await reply((_, response) => void response.writeHead(302, { Location: '/b' }).end())).response?.headers
        .location,
    ).toBe('/b');
    const head = await reply(
      (_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end(),
      'HEAD',
    );
    expect(head.response).toMatchObject({ status: 200 });
    expect(head.response?.unreadable).toBeUndefined();
  });

  test('is a failure if the connection fails before or during it', async () => {
    let count = 0;
    const { wire } = await connect((request, response) => {
      count += 1;
      if (count === 1) {
        response.end('x');
      } else if (count === 2) {
        response.writeHead(200, { 'Content-Length': 10 }).write('abc', () => request.socket.destroy());
      } else {
        request.socket.destroy();
      }
    });
    await wire.send(get('/'));
    expect((await wire.send(get('/'))).failure).toContain('is incomplete');
    const broken = await wire.send(get('/'));
    expect(broken.response).toBeUndefined();
    expect(broken.failure).toContain('The connection failed');
  });

  test('is a failure after the timeout', async () => {
    const { failure } = await reply(() => {}, 'GET', { timeout: 50 });
    expect(failure).toBe(
      'No complete response within 0.05 seconds. The server then responded to no other request.',
    );
  });

  test('is limited in length', async () => {
    let requests = 0;
    const { failure } = await reply((_, response) => {
      requests += 1;
      // The requests after it find out whether the server still responds.
      if (requests > 1) {
        response.end();
        return;
      }
      const piece = Buffer.alloc(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(piece)) {}
        if (!response.destroyed) {
          response.once('drain', more);
        }
      };
      more();
    });
    expect(failure).toContain('longer than 64 MB');
  });
});

describe('limits', () => {
  test('count requests, but not those that clean up', async () => {
    const { wire } = await connect(ok, { limits: { maxRequests: 2 } });
    await wire.send(get('/'));
    await wire.send(get('/'));
    await expect(wire.send(get('/'))).rejects.toMatchObject({ reason: 'requests' });
    expect((await wire.cleanUp(get('/'))).response?.status).toBe(200);
    expect(wire.requests()).toBe(3);
  });

  test('abort a request after the time limit', async () => {
    const { wire } = await connect(() => {}, { limits: { maxSeconds: 0.05 } });
    await expect(wire.send(get('/'))).rejects.toMatchObject({ reason: 'time' });
    await expect(wire.send(get('/'))).rejects.toBeInstanceOf(RunEnded);
  });

  test('abort a request when the run is interrupted', async () => {
    const controller = new AbortController();
    const { wire } = await connect(() => controller.abort(), { signal: controller.signal });
    await expect(wire.send(get('/'))).rejects.toMatchObject({ reason: 'interrupted' });
    await expect(wire.send(get('/'))).rejects.toMatchObject({ reason: 'interrupted' });
  });

  test('space requests evenly at a rate', async () => {
    const clock = new ManualClock();
    const { wire } = await connect(ok, { limits: { rate: 4 }, clock });
    await wire.send(get('/'));
    await wire.send(get('/'));
    await wire.send(get('/'));
    expect(clock.waited).toEqual([250, 250]);
  });

  test('end the run for a server that stopped and does not return', async () => {
    const { wire, server, url } = await connect(ok, { restartTimeout: 50 });
    await wire.send(get('/'));
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    // The first request may still use a connection of the server.
    await wire.send(get('/')).catch(() => {});
    await expect(wire.send(get('/'))).rejects.toMatchObject({ reason: 'unavailable' });
    expect(wire.stops()).toBe(1);
    const other = createWire({ url, tokens: {}, limits: {} });
    open.push(other);
    await expect(other.send(get('/'))).rejects.toBeInstanceOf(Unreachable);
  });

  test.each([
    ['http://localhost:1', true],
    ['http://api.localhost', true],
    ['http://127.3.2.1', true],
    ['http://[::1]:80', true],
    ['http://localhost.example.com', false],
    ['http://10.0.0.1', false],
  ])('treat %s as a loopback address: %s', (url, expected) => {
    expect(isLoopback(new URL(url))).toBe(expected);
  });
});

/** A clock that advances only for waits of less than a second. */
class ManualClock implements Clock {
  readonly waited: number[] = [];
  #now = 0;
  now = () => this.#now;
  after(milliseconds: number, call: () => void): () => void {
    // Timeouts of requests are longer, and do not elapse here.
    if (milliseconds >= 1000) {
      return () => {};
    }
    this.waited.push(milliseconds);
    this.#now += milliseconds;
    queueMicrotask(call);
    return () => {};
  }
}
