import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError, ok } from '../../client/index.ts';
import { checkResponses, type ResponseCheckOptions } from '../../client/response-check.ts';
import document from '../../generated/openapi.json' with { type: 'json' };
import { compileSchema } from '../../server/contract/validation/schema-check.ts';
import { checkedClient } from '../fixtures/photos/example.ts';
import { runs } from '../support/seed.ts';
import { clientOf, failureOf, type Step, startScriptedServer } from './scripted-server.ts';

/** Calls an operation of a server with one response, and checks the response. */
async function get(step: Step, options: Partial<ResponseCheckOptions> = {}) {
  await using server = await startScriptedServer(step);
  const fetch = checkResponses({ document, baseUrl: server.url, ...options });
  const outcome = await ok(clientOf(server, { fetch }).GET('/v1/user')).catch((error: unknown) => error);
  return { outcome, attempts: server.received.length };
}

const user = {
  object: 'user',
  id: 'user_1',
  displayName: 'Ada',
  email: 'ada@example.com',
  urls: { location: 'https://docs.example.com/v1/user' },
};
const error = { error: { code: 404, message: 'No user.', requestId: 'r', reason: 'not_found' } };

describe('a checked response', () => {
  test('is returned if the contract declares it', async () => {
    expect((await get({ status: 200, body: user })).outcome).toEqual(user);
    expect((await get({ status: 404, body: error })).outcome).toMatchObject({ kind: 'http', status: 404 });
  });

  test('is an error with the invalid fields, without a retry', async () => {
    const { outcome, attempts } = await get({ status: 200, body: { ...user, displayName: 7, urls: {} } });
    expect(outcome).toBeInstanceOf(ApiError);
    expect(outcome).toMatchObject({
      kind: 'response',
      status: 200,
      method: 'GET',
      message: expect.stringMatching(/^The contract does not allow the response to GET \/v1\/user: \S+ must/),
      details: expect.arrayContaining([
        { in: 'body', path: 'displayName', message: 'must be string' },
        { in: 'body', path: 'urls', message: "must have required property 'location'" },
      ]),
    });
    expect(attempts).toBe(1);
  });

  test('is not compared if it is that of another URL', async () => {
    await using server = await startScriptedServer(
      { status: 302, headers: { location: '/storage' } },
      { status: 200, headers: { 'content-type': 'text/html' } },
    );
    const fetch = checkResponses({ document, baseUrl: server.url });
    expect(await ok(clientOf(server, { fetch }).GET('/v1/user'))).toBeUndefined();
  });

  test.each([
    [
      'an undeclared media type',
      { status: 200, headers: { 'content-type': 'text/html' } },
      /"text\/html" of status 200/,
    ],
    [
      'an invalid error body',
      { status: 404, body: { message: 'no' } },
      /must have required property 'error'/,
    ],
  ] as const)('is an error for %s', async (_, step, message) => {
    const { outcome } = await get(step);
    expect(outcome).toMatchObject({ kind: 'response', message: expect.stringMatching(message) });
  });

  test('is reported instead, if there is a function for problems', async () => {
    const problems: ApiError[] = [];
    const onProblem = (problem: ApiError) => problems.push(problem);
    const body = { ...user, displayName: 7 };
    expect((await get({ status: 200, body }, { onProblem })).outcome).toEqual(body);
    expect(problems).toMatchObject([{ kind: 'response', details: [{ path: 'displayName' }] }]);
  });

  test.each([
    [['application/json; charset=utf-8'], 'application/json'],
    [['Application/JSON'], 'application/json;charset=utf-8'],
    [['application/json', '*/*', 'application/*'], 'application/json; charset=utf-8'],
  ])('is compared with the first of the declared media types %j if it is %s', async (types, type) => {
    const content = Object.fromEntries(
      types.map((declared, index) => [declared, { schema: { type: index === 0 ? 'array' : 'string' } }]),
    );
    const paths = { '/v1/user': { get: { responses: { 200: { content } } } } };
    const options = { document: { openapi: '3.1.0', paths } };
    const step = { status: 200, headers: { 'content-type': type } };
    expect((await get({ ...step, body: [] }, options)).outcome).toEqual([]);
    expect((await get({ ...step, body: {} }, options)).outcome).toMatchObject({
      message: expect.stringContaining('must be array'),
    });
  });

  test('is compared with the declared media type that has the same parameters', async () => {
    const content = {
      'application/json; version=1': { schema: { type: 'string' } },
      'application/json; version=2': { schema: { type: 'array' } },
    };
    const document = {
      openapi: '3.1.0',
      paths: { '/v1/user': { get: { responses: { 200: { content } } } } },
    };
    const step = { status: 200, headers: { 'content-type': 'application/json;version="2"' }, body: [] };
    expect((await get(step, { document })).outcome).toEqual([]);
  });

  test('may be an unavailable server, which is retried', async () => {
    const empty = { openapi: '3.1.0', paths: { '/v1/user': { get: { responses: { 200: {} } } } } };
    const { outcome, attempts } = await get({ status: 503 }, { document: empty });
    expect(outcome).toMatchObject({ kind: 'http', status: 503 });
    expect(attempts).toBe(3);
    expect((await get({ status: 418 }, { document: empty })).outcome).toMatchObject({
      kind: 'response',
      message: expect.stringContaining('the status 418 is not declared'),
    });
  });

  test('belongs to the operation of its path, below the path of the base URL', async () => {
    await using server = await startScriptedServer({ status: 200, body: '"created"' });
    const operation = (type: string) => ({
      get: { responses: { 200: { content: { 'application/json': { schema: { type } } } } } },
    });
    const baseUrl = `${server.url}/base/`;
    const paths = {
      '/items/{id}': operation('number'),
      '/items/new.json': operation('boolean'),
      '/items/~me': operation('null'),
      '/items/{id}/{part}': operation('array'),
    };
    const fetch = checkResponses({ document: { openapi: '3.1.0', paths }, baseUrl });
    const messageOf = async (path: string) => {
      const call = fetch(new Request(`${baseUrl}${path}`));
      return String(await failureOf(call));
    };
    expect(await messageOf('items/new.json')).toContain('GET /items/new.json: the body must be boolean');
    expect(await messageOf('items/~me')).toContain('must be null');
    expect(await messageOf('items/newXjson')).toContain('must be number');
    expect(await messageOf('items/a/b')).toContain('must be array');
    expect(await messageOf('items')).toContain('the operation is not declared');
    expect(await messageOf('items/a/b/c')).toContain('the operation is not declared');
  });
});

test('a response need not have properties that are only in requests', async () => {
  await using server = await startScriptedServer({
    status: 200,
    body: { id: 'p1', title: 'Tree', albums: [] },
  });
  const client = checkedClient(server.url);
  expect(await ok(client.GET('/photos/{photoId}', { params: { path: { photoId: 'p1' } } }))).toMatchObject({
    id: 'p1',
  });
});

test('a response need not have properties whose referenced schema is only in requests', async () => {
  const schemas = {
    Secret: { type: 'string', writeOnly: true },
    Key: { $ref: '#/components/schemas/Secret' },
    Loop: { $ref: '#/components/schemas/Loop' },
  };
  const schema = {
    type: 'object',
    properties: { id: { type: 'string' }, key: { $ref: '#/components/schemas/Key' } },
    required: ['id', 'key'],
  };
  const content = { 'application/json': { schema } };
  const document = {
    openapi: '3.1.0',
    paths: { '/v1/user': { get: { responses: { 200: { content } } } } },
    components: { schemas },
  };
  expect((await get({ status: 200, body: { id: 'u' } }, { document })).outcome).toEqual({ id: 'u' });
  expect((await get({ status: 200, body: { key: 'k' } }, { document })).outcome).toMatchObject({
    details: [{ path: '', message: "must have required property 'id'" }],
  });
});

test('bodies that are not JSON are not read', async () => {
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
  });
  const client = checkedClient(server.url);
  const events = await ok(client.GET('/changes', { parseAs: 'stream' }));
  await events.cancel();
});

describe('a response of a schema that others inherit from', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const own = (property: string) => ({
    type: 'object',
    required: [property],
    properties: { [property]: { type: 'number' } },
  });
  const kind = { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', 'a/b': 'Dog~1' } };
  const schemas = {
    Pet: {
      type: 'object',
      required: ['kind'],
      properties: { kind: { type: 'string' }, parent: ref('Pet') },
      discriminator: kind,
    },
    Cat: { allOf: [ref('Pet'), own('claws')] },
    'Dog~1': { allOf: [ref('Pet'), own('tricks')] },
    Puppy: { allOf: [{ $ref: '#/components/schemas/Dog~01' }, own('weeks')] },
    Node: { oneOf: [ref('Leaf'), ref('Branch')], discriminator: { propertyName: 'type' } },
    Leaf: { allOf: [ref('Node'), own('size')], properties: { type: { const: 'Leaf' } }, required: ['type'] },
    Branch: {
      allOf: [ref('Node'), own('width')],
      properties: { type: { const: 'Branch' } },
      required: ['type'],
    },
  };
  const messageOf = async (schema: object, body: object): Promise<string> => {
    const content = { 'application/json': { schema } };
    const paths = { '/v1/user': { get: { responses: { 200: { content } } } } };
    const document = { openapi: '3.1.0', paths, components: { schemas } };
    const { outcome } = await get({ status: 200, body }, { document });
    return outcome instanceof ApiError ? outcome.message.replace(/.*GET \/v1\/user: /, '') : 'valid';
  };

  test.each<[object, object, string]>([
    [ref('Pet'), { kind: 'cat', claws: 4 }, 'valid'],
    [ref('Pet'), { kind: 'cat' }, "the body must have required property 'claws'."],
    [ref('Pet'), { kind: 'a/b', tricks: 1 }, 'valid'],
    [ref('Pet'), { kind: 'a/b', tricks: 'sit' }, 'tricks must be number.'],
    [ref('Pet'), { kind: 'Puppy', tricks: 1, weeks: 9 }, 'valid'],
    [ref('Pet'), { kind: 'Puppy', weeks: 9 }, "the body must have required property 'tricks'."],
    [ref('Pet'), { kind: 'horse' }, 'kind must be equal to one of the allowed values.'],
    [ref('Pet'), { claws: 4 }, "the body must have required property 'kind'."],
    [{ type: 'array', items: ref('Pet') }, [{ kind: 'cat' }], "0 must have required property 'claws'."],
    [
      ref('Cat'),
      { kind: 'cat', claws: 1, parent: { kind: 'cat' } },
      "parent must have required property 'claws'.",
    ],
    [ref('Cat'), { kind: 'a/b', claws: 1 }, 'kind must be equal to one of the allowed values.'],
    [ref('Node'), { type: 'Leaf', size: 1 }, 'valid'],
    [ref('Leaf'), { type: 'Leaf' }, "the body must have required property 'size'."],
  ])('%j of the value %j is %s', async (schema, body, message) => {
    expect(await messageOf(schema, body)).toBe(message);
  });

  test('is valid exactly if the router accepts it', async () => {
    const number = fc.oneof(fc.constant(1), fc.constant('1'));
    const value = fc.record(
      {
        kind: fc.constantFrom('cat', 'a/b', 'Puppy', 'Pet', 'Cat', 'horse', 1),
        type: fc.constantFrom('Leaf', 'Branch', 'Node', null),
        parent: fc.constantFrom({ kind: 'cat', claws: 1 }, { kind: 'cat' }, { kind: 'horse' }, 1),
        ...{ claws: number, tricks: number, weeks: number, size: number, width: number },
      },
      { requiredKeys: [] },
    );
    const checks = Object.keys(schemas).map((name) => {
      const schema = ref(name.replace('~', '~0'));
      const content = { 'application/json': { schema } };
      const paths = { '/pets': { get: { responses: { 200: { content } } } } };
      const info = { title: 'Pets', version: '1' };
      const document = { openapi: '3.1.0', info, paths: {}, components: { schemas: { ...schemas } } };
      let body: unknown;
      let isValid = true;
      const fetch = checkResponses({
        document: { ...document, paths },
        baseUrl: 'https://api.example.com',
        fetch: async () => Response.json(body),
        onProblem: () => {
          isValid = false;
        },
      });
      const faultsOf = compileSchema(document, schema);
      return async (given: unknown) => {
        [body, isValid] = [given, true];
        await fetch(new Request('https://api.example.com/pets'));
        expect([name, isValid]).toEqual([name, faultsOf(given).length === 0]);
      };
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...checks), value, (check, given) => check(given)),
      { numRuns: runs(300) },
    );
  });
});
