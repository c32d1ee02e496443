import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  DeferredJson,
  JsonBody,
  JsonBytes,
  jsonBytes,
  jsonPieces,
  jsonText,
} from '../../../server/contract/response/json.ts';

const VALUES: Record<string, unknown> = {
  'a text': 'Ä "quoted" \u2028',
  nothing: null,
  'an empty list': [],
  'a small object': { a: 1, b: [true, null], c: undefined },
  'a long list': Array.from({ length: 20_000 }, (_, at) => ({ at, name: `Page ${at}`, none: undefined })),
  'a wide object': Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key "${at}"`, at])),
  'a long text within': { pages: [{ markdown: 'ä\n'.repeat(500_000) }], after: 1 },
  'a long text of pairs and halves of them': `a${'\u{1F600}'.repeat(100_000)}\uD83D`,
  'a deep tree': Array.from({ length: 300 }).reduce<object>(
    (pages, _, at) => ({ at, pages: [pages, {}] }),
    {},
  ),
  'an empty list in a large object': { pages: [], texts: Array.from({ length: 5000 }, String), none: {} },
};

describe('JSON serialized in pieces', () => {
  test.each(Object.entries(VALUES))('equals the JSON of %s', async (_, value) => {
    expect(jsonText(value)).toBe(JSON.stringify(value));
    expect(Buffer.from(await jsonBytes(value)).toString()).toBe(JSON.stringify(value));
  });

  test('includes values that are JSON already unchanged', () => {
    const document = JsonBytes.of<object>(Buffer.from('{"nodes" : ["ä"]}'));
    expect(jsonText({ id: 1, document, after: [document] })).toBe(
      '{"id":1,"document":{"nodes" : ["ä"]},"after":[{"nodes" : ["ä"]}]}',
    );
  });

  test('is produced in pieces that each take little time', () => {
    const pieces = [...jsonPieces(VALUES['a long list'])];
    expect(pieces.length).toBeGreaterThan(1000);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(50_000);
  });

  test('is produced in pieces even for one long text', () => {
    const pieces = [...jsonPieces(['"'.repeat(8_000_000)])];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000);
  });
});

describe('JSON that is available as bytes', () => {
  const bytes = Buffer.from(JSON.stringify(`a${'ä'.repeat(1_000_000)}`));

  test('is sent in pieces', () => {
    const pieces = [...jsonPieces(JsonBytes.of(bytes))];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
  });

  test('is unchanged if a piece ends within a character', async () => {
    const value = { text: JsonBytes.of(bytes), after: 'ö' };
    const json = `{"text":${bytes},"after":"ö"}`;
    expect(jsonText(value)).toBe(json);
    expect(Buffer.from(await jsonBytes(value)).toString()).toBe(json);
  });
});

describe('JSON values that are created when they are serialized', () => {
  const text = 'x'.repeat(10_000);

  test('equal the values themselves, in JSON.stringify too', async () => {
    const deferred = { pages: [DeferredJson.of(() => ({ id: 1, pages: [DeferredJson.of(() => 'inner')] }))] };
    const json = '{"pages":[{"id":1,"pages":["inner"]}]}';
    expect(jsonText(deferred)).toBe(json);
    expect(Buffer.from(await jsonBytes(deferred)).toString()).toBe(json);
    expect(JSON.stringify(deferred)).toBe(json);
  });

  test('are created one by one', () => {
    const created: number[] = [];
    const values = [1, 2, 3].map((id) => DeferredJson.of(() => created.push(id)));
    const pieces = jsonPieces(values);
    expect(created).toEqual([]);
    pieces.next();
    pieces.next();
    expect(created).toEqual([1]);
  });

  test('do not count as memory before they are created', () => {
    const values = Array.from({ length: 100 }, () => DeferredJson.of(() => text));
    expect(new JsonBody(values).memoryBytes).toBeLessThan(2 * text.length);
  });
});

describe('a small body', () => {
  const document = JsonBytes.of<object>(Buffer.from('{"nodes" : ["ä"]}'));

  test.each([
    ['a text', 'Ä "quoted"', '"Ä \\"quoted\\""'],
    ['an object', { a: 1, b: undefined, c: [null] }, '{"a":1,"c":[null]}'],
    ['bytes', document, '{"nodes" : ["ä"]}'],
    [
      'bytes within an object',
      { id: 1, document, after: [document] },
      '{"id":1,"document":{"nodes" : ["ä"]},"after":[{"nodes" : ["ä"]}]}',
    ],
  ])('of %s has a length and a parsed value before it is sent', (_, value, json) => {
    const body = new JsonBody(value);
    expect(body.length).toBe(Buffer.byteLength(json));
    expect(body.memoryBytes).toBe(0);
    expect(body.received()).toEqual(JSON.parse(json));
  });

  test.each([
    ['long', VALUES['a long text within']],
    ['of many values', VALUES['a long list']],
    ['of many bytes', { document: JsonBytes.of(Buffer.alloc(1_000_000, '1')) }],
    ['created when it is sent', { pages: [DeferredJson.of(() => 1)] }],
  ])('is not one that is %s', (_, value) => {
    const body = new JsonBody(value);
    expect(body.length).toBeUndefined();
    expect(body.memoryBytes).toBeGreaterThan(0);
    expect(body.received()).toEqual(JSON.parse(jsonText(value)));
  });
});

describe('a value as callers receive it', () => {
  const isItself = (value: unknown) => new JsonBody(value).received() === value;

  test('is the value itself if JSON represents it exactly', () => {
    expect([{}, [], { a: [1, 'b', true, null, { c: -1.5 }] }].map(isItself)).toEqual([true, true, true]);
  });

  test.each([
    { a: undefined },
    new Array(1),
    { at: new Date(0) },
    { toJSON: () => ({}) },
    [Number.NaN],
    Object.create(null),
    [new (class Item {})()],
    { bytes: JsonBytes.of(Buffer.from('1')) },
  ])('is a copy of %o', (value) => {
    expect(isItself(value)).toBe(false);
  });
});

describe('a response', () => {
  test('arrives completely, and lets others proceed while it is sent', async () => {
    let turns = 0;
    const value = Array.from({ length: 200_000 }, (_, at) => ({ at, name: `Page ${at}` }));
    const server = createServer(async (_req, res) => {
      let sent = false;
      const count = () => {
        turns += 1;
        if (!sent) {
          setImmediate(count);
        }
      };
      setImmediate(count);
      await new JsonBody(value).send(res);
      sent = true;
    }).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const body = await (await fetch(`http://127.0.0.1:${port}`)).text();
    expect(body).toBe(JSON.stringify(value));
    expect(turns).toBeGreaterThan(5);
    server.close();
  });

  test('ends without an error if the caller disconnects', async () => {
    const ended = Promise.withResolvers<void>();
    const server = createServer((_req, res) => {
      const body = new JsonBody({ text: 'x'.repeat(50_000_000), more: [1, 2] });
      body.send(res).then(ended.resolve, ended.reject);
    }).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const request = get({ port }, (response) => response.once('data', () => response.destroy()));
    request.on('error', () => undefined);
    await ended.promise;
    server.close();
  });

  test('ends without an error if the caller reads nothing', async () => {
    const ended = Promise.withResolvers<boolean>();
    const server = createServer((_req, res) => {
      const body = new JsonBody({ text: 'x'.repeat(50_000_000), more: [1, 2] });
      body.send(res, 50).then(() => ended.resolve(res.destroyed), ended.reject);
    }).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // Nobody reads the response, so it remains in the socket.
    const request = get({ port }, () => undefined);
    request.on('error', () => undefined);
    expect(await ended.promise).toBe(true);
    request.destroy();
    server.close();
  });
});
