import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readReference } from '../../../server/contract/docs/reference.ts';
import { samplesOf } from '../../../server/contract/docs/samples.ts';
import { listen, type OpenApiDocument } from '../../../server/contract/index.ts';
import { createMock } from '../../../spec/toolchain/mock/mock.ts';
import { list, map, object, STYLE_TABLE, string } from '../../contract/parameters/style-table.ts';
import { sendCurl } from '../../support/http/curl.ts';
import { runs, testSeed } from '../../support/seed.ts';

const integer = { type: 'integer' };
const shown = { type: 'object', required: ['id'], properties: { id: integer, name: string } };
const ok = { 200: { description: 'OK.', content: { 'application/json': { schema: shown } } } };
const operation = (operationId: string, more: object = {}) => ({ operationId, responses: ok, ...more });

/** Serves a mock until the test ends. Returns its URL. */
async function serveMock(
  paths: object,
  components: object = {},
): Promise<{ url: string; document: OpenApiDocument }> {
  const document = { openapi: '3.1.0', info: { title: 'Mock', version: '1' }, paths, components };
  const ignore = () => undefined;
  const { app } = createMock('openapi.json', document as never, {
    log: { info: ignore, warn: ignore, error: ignore },
  });
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onTestFinished(() => listener.close(0));
  return { url: `http://127.0.0.1:${listener.port}`, document: document as OpenApiDocument };
}

/** Sends the curl sample of each operation, and returns the responses that are not as expected. */
async function unexpected(
  { url, document }: { url: string; document: OpenApiDocument },
  accepts: (status: number, body: string) => boolean,
) {
  const wrong: string[] = [];
  for (const [id, one] of readReference(document).operations) {
    const [sample] = samplesOf(document, one);
    const response = await sendCurl(sample?.source ?? '', url);
    const body = await response.text();
    if (!accepts(response.status, body)) {
      wrong.push(`${id}: ${response.status} ${body.slice(0, 200)}`);
    }
  }
  return wrong;
}

const isShown = (status: number, body: string) => status === 200 && Number.isInteger(JSON.parse(body).id);

test('the mock accepts parameters in every notation', async () => {
  const json = { content: { 'application/json': { schema: {} } } };
  const parameters: [location: string, keywords: object][] = [
    ...STYLE_TABLE.map(([location, style, explode, schema, example]): [string, object] => [
      location,
      { style, explode, schema, example },
    ]),
    ...['path', 'query', 'header', 'cookie'].map((location): [string, object] => [
      location,
      { ...json, example: { a: [1, 'b'] } },
    ]),
    ['query', { schema: string, allowReserved: true, example: 'a/b?c' }],
    ['query', { schema: string, allowEmptyValue: true, example: '' }],
    ['query', { schema: map, style: 'deepObject', example: { a: '1' } }],
  ];
  const paths = Object.fromEntries(
    parameters.map(([location, keywords], index) => [
      location === 'path' ? `/${index}/{color}` : `/${index}`,
      {
        get: operation(`get${index}`, {
          parameters: [{ name: 'color', in: location, required: true, ...keywords }],
        }),
      },
    ]),
  );
  expect(await unexpected(await serveMock(paths), isShown)).toEqual([]);
});

test('the mock serves every kind of path, and every form', async () => {
  const body = (type: string, schema: object, encoding: object = {}) => ({
    requestBody: { required: true, content: { [type]: { schema, encoding } } },
  });
  const form = {
    type: 'object',
    required: ['tags', 'point'],
    properties: { tags: list, point: object, name: string },
  };
  const path = { parameters: [{ name: 'a', in: 'path', required: true, schema: string, example: 'x' }] };
  const paths = {
    '/text/{a}.json': { get: operation('text', path) },
    '/verb/{a}:run': { post: operation('verb', path) },
    '/range/{a}...{b}': { get: operation('range', path) },
    '/plus/{+a}': { get: operation('plus', path) },
    '/größe/{a}': { get: operation('letters', path) },
    '/options': { options: operation('options') },
    '/form': { post: operation('form', body('application/x-www-form-urlencoded', form)) },
    '/encoded': {
      post: operation(
        'encoded',
        body('application/x-www-form-urlencoded', form, {
          tags: { explode: false },
          point: { style: 'deepObject' },
        }),
      ),
    },
    '/parts': {
      post: operation(
        'parts',
        body('multipart/form-data', form, { point: { contentType: 'application/json' } }),
      ),
    },
    '/union': {
      post: operation(
        'union',
        body('application/x-www-form-urlencoded', {
          oneOf: [form, { type: 'object', required: ['x'], properties: { x: integer } }],
        }),
      ),
    },
    '/free': { post: operation('free', body('application/x-www-form-urlencoded', { type: 'object' })) },
  };
  expect(await unexpected(await serveMock(paths), isShown)).toEqual([]);
});

test('the mock sends no body with HEAD, 204 and 304, whatever is declared', async () => {
  const content = { 'application/json': { schema: shown } };
  const responses = (status: number) => ({ [status]: { description: 'Done.', content } });
  const { url } = await serveMock({
    '/get': { get: operation('get') },
    '/head': { head: operation('head') },
    '/none': { delete: { operationId: 'none', responses: responses(204) } },
    '/same': { get: { operationId: 'same', responses: responses(304) } },
  });
  const statusOf = async (path: string, method: string) => {
    const response = await fetch(url + path, { method });
    return [response.status, await response.text()];
  };
  expect(await statusOf('/get', 'HEAD')).toEqual([200, '']);
  expect(await statusOf('/head', 'HEAD')).toEqual([200, '']);
  expect(await statusOf('/none', 'DELETE')).toEqual([204, '']);
  expect(await statusOf('/same', 'GET')).toEqual([304, '']);
  expect((await fetch(`${url}/get`, { method: 'OPTIONS' })).headers.get('allow')).toContain('GET');
});

const small = fc.integer({ min: 0, max: 3 });
/** Schemas that permit some value, and refer to components that refer to themselves. */
const { schema: anySchema } = fc.letrec<{ schema: object }>((tie) => {
  const schema = tie('schema');
  const properties = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor', 'toString'), schema, {
    maxKeys: 3,
  });
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<object>(
        string,
        integer,
        {},
        { type: 'boolean' },
        { type: ['null', 'string'] },
        { enum: ['x', 2, null] },
        { const: { a: [1] } },
        { type: 'string', minLength: 3, maxLength: 5 },
        { type: 'string', pattern: '^[a-c]{2}-\\d+$' },
        ...[
          'date',
          'date-time',
          'uuid',
          'email',
          'uri',
          'ipv4',
          'ipv6',
          'hostname',
          'duration',
          'byte',
          'time',
        ].map((format) => ({ type: 'string', format })),
        { type: 'number', multipleOf: 0.01, minimum: 0.005, maximum: 0.02 },
        { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
        { type: 'integer', minimum: 7, multipleOf: 5 },
        { type: 'integer', format: 'int64', maximum: -1 },
        { type: 'array', uniqueItems: true, minItems: 3, items: { enum: ['a', 'b', 'c'] } },
        { type: 'array', uniqueItems: true, minItems: 2, items: { type: 'boolean' } },
        { $ref: '#/components/schemas/Node' },
        { $ref: '#/components/schemas/Tree' },
        { $ref: '#/components/schemas/Either' },
        { $ref: '#/components/schemas/Shared' },
      ),
      fc
        .tuple(properties, fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }))
        .map(([known, required]) => ({
          type: 'object',
          properties: known,
          required: [...new Set(required)],
        })),
      fc.tuple(schema, small).map(([items, minItems]) => ({ type: 'array', items, minItems })),
      fc.tuple(schema, small).map(([additionalProperties, minProperties]) => ({
        ...{ type: 'object', additionalProperties, minProperties },
      })),
      schema.map((one) => ({
        type: 'object',
        patternProperties: { '^x-[a-z]+$': one },
        minProperties: 1,
        additionalProperties: false,
      })),
      fc.array(schema, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.tuple(schema, schema).map(([one, two]) => ({ type: 'array', prefixItems: [one, two], minItems: 2 })),
    ),
  };
});

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const nullable = (name: string) => ({ anyOf: [reference(name), { type: 'null' }] });
const components = {
  schemas: {
    Node: {
      type: 'object',
      required: ['next', 'value'],
      properties: { next: nullable('Node'), value: integer },
    },
    Tree: {
      type: 'object',
      required: ['children', 'extra'],
      properties: {
        children: { type: 'array', items: reference('Tree') },
        extra: { type: 'object', additionalProperties: reference('Tree') },
      },
    },
    Either: {
      oneOf: [
        { type: 'string', maxLength: 4 },
        { type: 'array', items: reference('Either'), minItems: 1 },
      ],
    },
    Shared: {
      allOf: [
        reference('Node'),
        { type: 'object', properties: { owner: nullable('Shared') }, required: ['owner'] },
      ],
    },
  },
};

test('every body that the mock makes is valid', async () => {
  const schemas = fc.sample(anySchema, { numRuns: runs(40), seed: testSeed() });
  const paths = Object.fromEntries(
    schemas.map((schema, index) => [
      `/${index}`,
      {
        get: {
          operationId: `get${index}`,
          responses: { 200: { description: 'OK.', content: { 'application/json': { schema } } } },
        },
      },
    ]),
  );
  const { url, document } = await serveMock(paths, components);
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    validateSchema: false,
    formats: { ...fullFormats, byte: true, int64: true },
    multipleOfPrecision: 9,
  });
  ajv.addSchema({ $id: 'root', ...document });
  const wrong: string[] = [];
  for (const [index, schema] of schemas.entries()) {
    const response = await fetch(`${url}/${index}`);
    const text = await response.text();
    const validate = ajv.compile({
      $ref: `root#/paths/~1${index}/get/responses/200/content/application~1json/schema`,
    });
    if (response.status !== 200 || !validate(JSON.parse(text))) {
      wrong.push(
        `${response.status} ${JSON.stringify(schema)}: ${text.slice(0, 300)} ${ajv.errorsText(validate.errors)}`,
      );
    }
  }
  expect(wrong).toEqual([]);
});
