import { describe, expect, test } from 'vitest';
import { ApiError, ok } from '../../client/index.ts';
import { checkResponses, type ResponseCheckOptions } from '../../client/response-check.ts';
import document from '../../generated/openapi.json' with { type: 'json' };
import { checkedClient } from '../fixtures/photos/example.ts';
import { clientOf, failureOf, type Step, startScriptedServer } from './scripted-server.ts';

/** Calls an operation of a server with one response, whose responses are checked. */
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
