import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClient } from '../../../client/index.ts';
import type { Content } from '../../../spec/toolchain/document.ts';
import { stylesOf } from '../../../spec/toolchain/generate/parameter-styles.ts';
import { runs } from '../../support/seed.ts';
import { operation, serveEcho } from '../parameters/styled-parameters.ts';
import { expectError, faultLocations } from '../small-server.ts';

const URL_ENCODED = 'application/x-www-form-urlencoded';
const string = { type: 'string' };
const integer = { type: 'integer' };
const list = { type: 'array', items: string };
const item = { type: 'object', required: ['price'], properties: { price: string, count: integer } };
const properties = {
  name: string,
  tags: list,
  expand: list,
  items: { type: 'array', items: item },
  metadata: { type: 'object', additionalProperties: string },
  address: { type: 'object', properties: { city: string, zip: { oneOf: [integer, string] } } },
  codes: { type: 'array', items: integer },
  labels: list,
  point: { type: 'object', properties: { x: integer, y: integer } },
  data: { type: 'object', properties: { a: list } },
};
const encoding = {
  expand: { style: 'deepObject', explode: true },
  metadata: { style: 'deepObject', explode: true },
  codes: { style: 'form', explode: false },
  labels: { style: 'pipeDelimited', explode: false },
  point: { style: 'form', explode: true },
  data: { contentType: 'application/json', headers: { 'X-Ignored': { schema: string } } },
};
const pets = {
  oneOf: [
    {
      type: 'object',
      required: ['kind', 'size'],
      properties: { kind: { const: 'cat' }, size: integer },
      additionalProperties: false,
    },
    {
      type: 'object',
      required: ['kind', 'size'],
      properties: { kind: { const: 'dog' }, size: string },
      additionalProperties: false,
    },
  ],
};

const media: Record<string, { type: string; schema: object; encoding?: object }> = {
  fields: {
    type: URL_ENCODED,
    schema: { type: 'object', properties, additionalProperties: false },
    encoding,
  },
  union: { type: URL_ENCODED, schema: pets },
  any: {
    type: URL_ENCODED,
    schema: {
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      type: 'object',
      properties: { a: integer, b: integer },
    },
  },
  all: {
    type: URL_ENCODED,
    schema: {
      allOf: [
        { type: 'object', required: ['a'], properties: { a: integer } },
        { type: 'object', properties: { b: list } },
      ],
    },
  },
  free: { type: URL_ENCODED, schema: { type: 'object' } },
  numbers: {
    type: URL_ENCODED,
    schema: { type: 'object', additionalProperties: { type: 'array', items: integer } },
  },
  parts: {
    type: 'multipart/form-data',
    schema: {
      type: 'object',
      required: ['products'],
      properties: {
        products: { type: 'array', items: item },
        each: { type: 'array', items: item },
        note: string,
        code: string,
        meta: item,
        ids: { type: 'array', items: { type: 'array', items: integer } },
      },
    },
    encoding: {
      products: { contentType: 'application/json' },
      note: { contentType: 'text/csv' },
      code: { contentType: 'application/json' },
    },
  },
  partUnion: { type: 'multipart/form-data', schema: pets },
  freeParts: { type: 'multipart/form-data', schema: { type: 'object', additionalProperties: item } },
};

async function serve() {
  const paths = Object.fromEntries(
    Object.entries(media).map(([id, { type, ...content }]) => [
      `/${id}`,
      { post: operation(id, { requestBody: { required: true, content: { [type]: content } } }) },
    ]),
  );
  const { url } = await serveEcho(paths);
  let sent = '';
  const client = createClient({
    baseUrl: url,
    retries: 0,
    fetch: async (request) => {
      sent = await request.clone().text();
      return await fetch(request);
    },
  });
  const post = async (id: string, body: string) =>
    await fetch(`${url}/${id}`, { method: 'POST', headers: { 'content-type': URL_ENCODED }, body });
  return {
    post,
    read: async (id: string, body: string) =>
      ((await (await post(id, body)).json()) as { body: unknown }).body,
    faults: async (id: string, body: string) => faultLocations(await expectError(await post(id, body), 400)),
    /** Sends a form as the client writes it. */
    async call(id: string, body: object) {
      const { type = '', ...content } = media[id] ?? {};
      // The literals are narrower than the interface.
      const styles = stylesOf({} as never, [], { [type]: content } as unknown as Content);
      const echo = await client.call<{ body: unknown }>('POST', `/${id}`, { body }, {}, {
        contentType: type,
        styles,
      } as never);
      return { sent: decodeURIComponent(sent), received: echo.body };
    },
  };
}

test('client and router write and read objects and lists of objects in forms', async () => {
  const { call } = await serve();
  const body = {
    name: 'a b',
    tags: ['x', 'y'],
    expand: ['a'],
    items: [{ price: 'p', count: 2 }, { price: 'q' }],
    metadata: { order: '6' },
    address: { city: 'X', zip: 12 },
    codes: [1, 2],
    labels: ['l', 'm'],
    point: { x: 1, y: 2 },
    data: { a: ['1'] },
  };
  const { sent, received } = await call('fields', body);
  expect(sent).toBe(
    'name=a b&tags=x&tags=y&expand[0]=a&items[0][price]=p&items[0][count]=2&items[1][price]=q&metadata[order]=6' +
      '&address[city]=X&address[zip]=12&codes=1,2&labels=l|m&x=1&y=2&data={"a":["1"]}',
  );
  expect(received).toEqual(body);
});

test('the router reads the notations of lists and objects that clients use', async () => {
  const { read } = await serve();
  for (const tags of [
    'tags[]=a&tags[]=b',
    'tags[0]=a&tags[1]=b',
    'tags=a&tags=b',
    'tags%5B%5D=a&tags%5B%5D=b',
  ]) {
    expect(await read('fields', tags)).toEqual({ tags: ['a', 'b'] });
  }
  expect(await read('fields', 'address={"city":"X"}&items={"price":"1"}&items={"price":"2"}')).toEqual({
    address: { city: 'X' },
    items: [{ price: '1' }, { price: '2' }],
  });
});

test.each([
  ['fields', 'items[0][count]=x', ['body items.0.count', 'body items.0.price']],
  ['fields', 'metadata=x', ['body metadata']],
  ['fields', 'name=a&name=b', ['body name']],
  ['fields', 'other[a]=1', ['body other']],
  ['fields', '__proto__[a]=1', ['body __proto__.a']],
  ['fields', 'metadata[__proto__]=1', ['body metadata.__proto__']],
  ['fields', 'data={', ['body data']],
  ['fields', `metadata${'[a]'.repeat(20)}=1`, [`body metadata${'.a'.repeat(17)}`]],
  ['any', 'c=1', ['body']],
  ['union', 'kind=cat&size=x', ['body size']],
])('names the field of a fault in the form %s with %s', async (id, body, locations) => {
  const { faults } = await serve();
  expect((await faults(id, body)).slice(0, locations.length)).toEqual(locations);
});

test('reads forms of unions, compositions and without properties', async () => {
  const { read } = await serve();
  expect(await read('union', 'kind=cat&size=5')).toEqual({ kind: 'cat', size: 5 });
  expect(await read('union', 'kind=dog&size=5')).toEqual({ kind: 'dog', size: '5' });
  expect(await read('any', 'b=1')).toEqual({ b: 1 });
  expect(await read('all', 'a=1&b=x&b=y')).toEqual({ a: 1, b: ['x', 'y'] });
  expect(await read('free', 'a=1&b[c]=2&d=3&d=4&0=5')).toEqual({
    a: '1',
    b: { c: '2' },
    d: ['3', '4'],
    0: '5',
  });
  expect(await read('numbers', 'a=1&b[]=2')).toEqual({ a: [1], b: [2] });
  expect(await read('free', '')).toEqual({});
});

test('the router reads any form that the client writes', async () => {
  const { call } = await serve();
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
  const name = text.filter((value) => value !== '' && value !== '__proto__' && !/[[\]]/.test(value));
  const some = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: 1, maxLength: 4 });
  const form = fc.record(
    {
      name: text,
      tags: some(text),
      expand: some(text),
      items: some(fc.record({ price: text, count: fc.integer() }, { requiredKeys: ['price'] })),
      metadata: fc.dictionary(name, text, { minKeys: 1, noNullPrototype: true }),
      codes: some(fc.integer()),
      labels: some(text.filter((value) => value !== '' && !value.includes('|'))),
      point: fc.record({ x: fc.integer() }),
      data: fc.record({ a: fc.array(text) }),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(form, async (body) => {
      expect((await call('fields', body)).received).toEqual(body);
    }),
    { numRuns: runs(60) },
  );
});

test('client and router write and read JSON in the parts of a form', async () => {
  const { call } = await serve();
  const body = {
    products: [{ price: 'a' }, { price: 'b' }],
    each: [{ price: 'c' }, { price: 'd' }],
    note: 'x,y',
    code: '1',
    ids: [[1], [2, 3]],
  };
  const { sent, received } = await call('parts', body);
  expect(received).toEqual(body);
  expect((await call('partUnion', { kind: 'dog', size: 'large' })).received).toEqual({
    kind: 'dog',
    size: 'large',
  });
  expect((await call('partUnion', { kind: 'cat', size: 5 })).received).toEqual({ kind: 'cat', size: 5 });
  expect((await call('freeParts', { any: { price: 'a' } })).received).toEqual({ any: { price: 'a' } });
  expect(sent.match(/name="products"/g)).toHaveLength(1);
  expect(sent).toMatch(/name="products".*?application\/json\s+\[\{"price":"a"\},\{"price":"b"\}\]/s);
  expect(sent.match(/name="each"/g)).toHaveLength(2);
  expect(sent).toMatch(/name="note".*?text\/csv\s+x,y/s);
  expect(sent).toMatch(/name="code".*?application\/json\s+"1"/s);
  expect(sent.match(/name="ids"/g)).toHaveLength(2);
});
