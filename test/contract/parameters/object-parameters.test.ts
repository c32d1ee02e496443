import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../server/contract/index.ts';
import { parameterReader } from '../../../server/contract/request/values/parameters.ts';
import { costRatio } from '../../support/processes/processor-time.ts';
import { expectError, faultLocations } from '../small-server.ts';
import { operation, serveEcho } from './styled-parameters.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };
const Filter = {
  type: 'object',
  required: ['age'],
  additionalProperties: false,
  properties: {
    age: { type: 'integer', minimum: 0 },
    role: { type: 'string', default: 'admin' },
    tags: { type: 'array', items: integer },
    items: { type: 'array', items: { type: 'object', properties: { price: string, count: integer } } },
    nested: {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: { type: 'boolean' } },
    },
  },
};
const deep = { name: 'filter', in: 'query', style: 'deepObject', explode: true };
const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });

const paths = {
  '/deep': { get: operation('deep', { parameters: [{ ...deep, schema: Filter }] }) },
  '/map': { get: operation('map', { parameters: [{ ...deep, schema: { type: 'object' } }] }) },
  '/form': {
    get: operation('form', {
      parameters: [
        query('filter', {
          type: 'object',
          properties: { age: integer, box: { type: 'object', properties: { x: integer } } },
        }),
        query('page', integer),
      ],
    }),
  },
  '/collect': {
    get: operation('collect', {
      parameters: [
        query('rest', {
          type: 'object',
          properties: { a: integer },
          additionalProperties: { type: 'array', items: integer },
        }),
        query('page', integer),
      ],
    }),
  },
  '/union': {
    get: operation('union', {
      parameters: [
        query('id', { oneOf: [integer, string] }),
        query('limit', {
          anyOf: [
            { type: 'integer', maximum: 10 },
            { type: 'string', enum: ['all'] },
          ],
        }),
        query('flag', { type: ['boolean', 'string'] }),
        query('ids', { oneOf: [integer, { type: 'array', items: integer }] }),
        query(
          'created',
          { anyOf: [{ type: 'object', properties: { gt: integer, lt: integer } }, integer] },
          { style: 'deepObject' },
        ),
        query(
          'shape',
          {
            oneOf: [
              { type: 'object', required: ['kind'], properties: { kind: { const: 'text' }, value: string } },
              {
                type: 'object',
                required: ['kind'],
                properties: { kind: { const: 'number' }, value: integer },
              },
            ],
          },
          { style: 'deepObject' },
        ),
        query('large', { type: 'integer', format: 'int64' }),
      ],
    }),
  },
  '/empty': {
    get: operation('empty', {
      parameters: [
        query('pretty', { type: 'boolean' }, { allowEmptyValue: true }),
        query('text', string, { allowEmptyValue: true }),
        query('count', { type: 'integer', default: 3 }, { allowEmptyValue: true }),
        query('other', string),
      ],
    }),
  },
  '/json': {
    get: operation('json', {
      parameters: [
        { name: 'where', in: 'query', content: { 'application/json': { schema: Filter } } },
        { name: 'X-Where', in: 'header', content: { 'application/json': { schema: Filter } } },
        { name: 'note', in: 'query', content: { 'text/plain': { schema: string } } },
        {
          name: 'ids',
          in: 'query',
          content: { 'application/json': { schema: { type: 'array', items: integer } } },
        },
      ],
    }),
  },
  '/bare/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: integer }],
    get: operation('bare', {}),
  },
};

async function serve() {
  const { url, errors } = await serveEcho(paths);
  const send = async (target: string, headers: Record<string, string> = {}) =>
    await fetch(url + target, { headers });
  return {
    errors,
    send,
    query: async (target: string) => ((await (await send(target)).json()) as { query: unknown }).query,
    faults: async (target: string) => faultLocations(await expectError(await send(target), 400)),
  };
}

test('reads nested objects and lists in brackets, encoded or not, in the notations that clients use', async () => {
  const { query: read } = await serve();
  const lists = [
    '[tags][0]=1&filter[tags][1]=2',
    '[tags][]=1&filter[tags][]=2',
    '[tags]=1&filter[tags]=2',
    '[tags][7]=2&filter[tags][2]=1',
  ];
  for (const tags of lists) {
    expect(await read(`/deep?filter[age]=3&filter${tags}`)).toEqual({
      filter: { age: 3, role: 'admin', tags: [1, 2] },
    });
  }
  expect(
    await read(
      '/deep?filter%5Bage%5D=3&filter[items][0][price]=1&filter[items][0][count]=2&filter[items][1][price]=x',
    ),
  ).toEqual({
    filter: { age: 3, role: 'admin', items: [{ price: '1', count: 2 }, { price: 'x' }] },
  });
  expect(await read('/deep?filter[age]=3&filter[nested][a][b+c]=true')).toEqual({
    filter: { age: 3, role: 'admin', nested: { a: { 'b c': true } } },
  });
});

test.each([
  ['/deep?filter[age]=x', ['query filter.age']],
  ['/deep?filter[role]=x', ['query filter.age']],
  ['/deep?filter[age]=1&filter[tags][0]=1&filter[tags][1]=x', ['query filter.tags.1']],
  ['/deep?filter[age]=1&filter[other]=1', ['query filter.other']],
  ['/deep?filter[age]=1&filter[age]=2', ['query filter.age']],
  ['/deep?filter=1', ['query filter']],
  ['/deep?filter=1&filter[age]=1', ['query filter']],
  ['/deep?filter[age]=1&filter[items][][price]=1', ['query filter.items..price']],
  ['/deep?filter[age=1', ['query filter[age']],
  ['/deep?filter[age]x=1', ['query filter[age]x']],
  ['/deep?filter[a]=%zz', ['query filter.a']],
  ['/deep?other[age]=1', ['query other[age]']],
  ['/form?filter[age]=1', ['query filter[age]']],
  ['/form?age=x&page=y', ['query filter.age', 'query page']],
  ['/form?undeclared=1', ['query undeclared']],
  ['/collect?b=x', ['query rest.b.0']],
  ['/union?limit=11', ['query limit']],
  ['/union?limit=none', ['query limit']],
  ['/union?large=9007199254740993', ['query large']],
  ['/empty?other', ['query other']],
  ['/json?where={"age":-1}', ['query where.age']],
  ['/json?where={', ['query where']],
  ['/json?where=%7B%22__proto__%22:1%7D', ['query where']],
  [`/json?where=${'['.repeat(300)}`, ['query where']],
  ['/bare/x', ['path id']],
])('names the parameter and the place of a fault in %s', async (target, locations) => {
  expect(await (await serve()).faults(target)).toEqual(locations);
});

test('reads the properties of an exploded object, and its other names if they are declared', async () => {
  const { query: read } = await serve();
  expect(await read('/form?age=3&box[x]=1&page=2')).toEqual({ filter: { age: 3, box: { x: 1 } }, page: 2 });
  expect(await read('/form?page=2')).toEqual({ page: 2 });
  expect(await read('/collect?a=1&page=2&b=3&c=4&c=5')).toEqual({
    rest: { a: 1, b: [3], c: [4, 5] },
    page: 2,
  });
});

test('reads the alternative of a union that a text can be, without losing a digit', async () => {
  const { query: read } = await serve();
  expect(await read('/union?id=5&limit=5&flag=true&ids=1')).toEqual({ id: 5, limit: 5, flag: true, ids: 1 });
  expect(await read('/union?id=007&limit=all&flag=yes&ids=1&ids=2')).toEqual({
    id: '007',
    limit: 'all',
    flag: 'yes',
    ids: [1, 2],
  });
  expect(await read('/union?id=1e3&created=5')).toEqual({ id: '1e3', created: 5 });
  expect(await read('/union?id=9007199254740993&created[gt]=5')).toEqual({
    id: '9007199254740993',
    created: { gt: 5 },
  });
  expect(await read('/union?shape[kind]=text&shape[value]=5')).toEqual({
    shape: { kind: 'text', value: '5' },
  });
  expect(await read('/union?shape[kind]=number&shape[value]=5&large=9007199254740992')).toEqual({
    shape: { kind: 'number', value: 5 },
    large: 9007199254740992,
  });
});

test('accepts empty values where they are permitted', async () => {
  const { query: read } = await serve();
  for (const empty of ['', '=']) {
    expect(await read(`/empty?pretty${empty}&text${empty}&count${empty}`)).toEqual({
      pretty: true,
      text: '',
      count: 3,
    });
  }
  expect(await read('/empty?pretty=false')).toEqual({ pretty: false, count: 3 });
});

test('reads JSON and text in parameters', async () => {
  const { send } = await serve();
  const response = await send(`/json?where=${encodeURIComponent('{"age":1,"tags":[1]}')}&note=a,b`, {
    'X-Where': '{"age":2}',
  });
  expect(await response.json()).toMatchObject({
    query: { where: { age: 1, role: 'admin', tags: [1] }, note: 'a,b' },
    headers: { 'X-Where': { age: 2, role: 'admin' } },
  });
});

test.each(['__proto__', 'constructor', 'prototype', 'toString'])(
  'treats the name %s like any other',
  async (name) => {
    const { send, query: read, errors } = await serve();
    const targets = [
      `filter[${name}]=1`,
      `filter[a][${name}]=1`,
      `filter[${name}][polluted]=1`,
      `filter[a][${name}][polluted]=1`,
    ];
    for (const target of targets) {
      const response = await send(`/map?${target}`);
      expect(response.status).toBe(name === '__proto__' ? 400 : 200);
    }
    if (name !== '__proto__') {
      expect(await read(`/map?filter[${name}]=1`)).toEqual({ filter: { [name]: '1' } });
    }
    expect((await send(`/deep?filter[age]=1&filter[${name}]=1`)).status).toBe(400);
    expect({}).not.toHaveProperty('polluted');
    expect(errors()).toEqual([]);
  },
);

test('limits the depth of names and the number of parameters', async () => {
  const { faults } = await serve();
  expect(await faults(`/map?filter${'[a]'.repeat(17)}=1`)).toEqual([`query filter${'.a'.repeat(17)}`]);
  expect(await faults(`/map?${'filter[a]=1&'.repeat(2001)}`)).toEqual(['query']);
});

test('hostile names take time in proportion to their length', () => {
  const schema = {
    oneOf: [{ type: 'object', additionalProperties: { $ref: '#/components/schemas/Tree' } }, string],
  };
  // The literal is narrower than the interface.
  const document = {
    openapi: '3.1.0',
    paths: {},
    components: { schemas: { Tree: schema } },
  } as unknown as OpenApiDocument;
  const reader = parameterReader(document, [{ name: 'filter', in: 'query', style: 'deepObject', schema }]);
  const texts = (size: number) => [
    `filter${'['.repeat(size)}=1`,
    `filter[${']['.repeat(size / 2)}]=1`,
    `filter${'[a]'.repeat(size / 3)}=1`,
    Array.from({ length: size / 10 }, (_, index) => `filter[${index}][a]=1`).join('&'),
    Array.from({ length: size / 60 }, (_, index) => `filter${'[a]'.repeat(14)}[${index}]=1`).join('&'),
    'filter=1&'.repeat(size / 9),
  ];
  for (const index of texts(60).keys()) {
    const read = (size: number) => {
      const text = texts(size)[index] ?? '';
      return () => void reader.query(text, [], Number.MAX_SAFE_INTEGER);
    };
    expect(costRatio(read(600_000), read(60_000), 25), texts(60)[index]).toBeLessThan(25);
  }
});

test('a parameter in JSON is validated as it is sent: a value is not wrapped in an array', async () => {
  const { query: read, faults } = await serve();
  expect(await read('/json?ids=%5B5%5D')).toEqual({ ids: [5] });
  expect(await faults('/json?ids=5')).toEqual(['query ids']);
});
