import { expect, test } from 'vitest';
import type { OpenApiDocument, ReadOnlyPolicy } from '../../../server/contract/index.ts';
import { serveRouter, tableOf } from '../serve.ts';
import { faultLocations } from '../small-server.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const id = { ...ref('Id'), readOnly: true };
const name = { type: 'string' };
const password = { type: 'string', writeOnly: true };
const user = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...{ id, name, password },
    address: ref('Address'),
    tags: { type: 'array', items: ref('Tag') },
    badge: { allOf: [{ type: 'object', properties: { id } }, { required: ['id'] }] },
  },
  required: ['id', 'name', 'password'],
};
const form = (type: string) => ({
  operationId: type === 'multipart/form-data' ? 'createUpload' : 'createForm',
  requestBody: { required: true, content: { [type]: { schema: ref('Login') } } },
  responses: { 200: { description: 'What was received.', ...json({}) } },
});

const document = {
  openapi: '3.1.0',
  info: { title: 'Users', version: '1' },
  paths: {
    '/users': {
      post: {
        operationId: 'createUser',
        requestBody: { required: true, ...json(ref('User')) },
        responses: { 200: { description: 'What was received.', ...json({}) } },
      },
      get: { operationId: 'getUser', responses: { 200: { description: 'A user.', ...json(ref('User')) } } },
    },
    '/forms': { post: form('application/x-www-form-urlencoded'), put: form('multipart/form-data') },
  },
  components: {
    schemas: {
      Id: { type: 'string' },
      User: user,
      Login: { ...user, properties: { id, name, password } },
      Address: {
        allOf: [
          {
            type: 'object',
            properties: { city: { type: 'string' }, code: { type: 'string', readOnly: true } },
          },
        ],
        required: ['city', 'code'],
      },
      Tag: {
        type: 'object',
        additionalProperties: false,
        properties: { name: { type: 'string' }, count: { type: 'integer', readOnly: true } },
        required: ['name', 'count'],
      },
    },
  },
  // The literals above are narrower than the interface.
} as unknown as OpenApiDocument;

async function serve(readOnly?: ReadOnlyPolicy, sent: unknown = {}) {
  const echo = async ({ body }: { body: { read?: () => Promise<object> } }) => body.read?.() ?? body;
  const server = await serveRouter({
    document,
    operations: tableOf(document),
    handlers: { createUser: echo, createForm: echo, createUpload: echo, getUser: async () => sent },
    security: {},
    validateResponses: true,
    ...(readOnly && { readOnly }),
    // The handlers have no types of this contract.
  } as never);
  const send = async (path: string, body: string | FormData | URLSearchParams, method = 'POST') => {
    const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const response = await fetch(server.url + path, { method, body, headers });
    return { status: response.status, body: (await response.json()) as { error: object } };
  };
  return { ...server, send };
}

const received = {
  id: 'u1',
  name: 'Ada',
  password: 'x',
  address: { city: 'Turin', code: '1' },
  tags: [{ name: 'a', count: 1 }],
};

test('removes read-only properties from requests at any depth, whatever their value', async () => {
  const { send } = await serve();
  const expected = { name: 'Ada', password: 'x', address: { city: 'Turin' }, tags: [{ name: 'a' }] };
  expect(await send('/users', JSON.stringify(received))).toEqual({ status: 200, body: expected });
  expect(await send('/users', JSON.stringify({ ...received, id: 7 }))).toEqual({
    status: 200,
    body: expected,
  });
  expect(await send('/users', JSON.stringify(expected))).toEqual({ status: 200, body: expected });
});

test('rejects read-only properties if the server requests it, and never requires them', async () => {
  const { send } = await serve('reject');
  const { status, body } = await send('/users', JSON.stringify(received));
  expect(status).toBe(400);
  expect(faultLocations(body.error)).toEqual(['body address.code', 'body id', 'body tags.0.count']);
  const { id: _id, ...user } = received;
  const sent = { ...user, address: { city: 'Turin' }, tags: [{ name: 'a' }], badge: {} };
  expect((await send('/users', JSON.stringify(sent))).status).toBe(200);
});

test('applies the same to the fields of forms', async () => {
  const fields = { id: 'u1', name: 'Ada', password: 'x' };
  const multipart = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    multipart.append(name, value);
  }
  const forms = [
    ['POST', new URLSearchParams(fields)],
    ['PUT', multipart],
  ] as const;
  const ignoring = await serve();
  const rejecting = await serve('reject');
  for (const [method, body] of forms) {
    const expected = { status: 200, body: { name: 'Ada', password: 'x' } };
    expect(await ignoring.send('/forms', body, method)).toEqual(expected);
    const rejected = await rejecting.send('/forms', body, method);
    expect([rejected.status, faultLocations(rejected.body.error)]).toEqual([400, ['body id']]);
  }
});

test('requires read-only properties in responses, and rejects write-only ones', async () => {
  const statusOf = async (sent: object) => {
    const { url, errors } = await serve('ignore', sent);
    return [(await fetch(`${url}/users`)).status, ...errors()];
  };
  const { password: _password, ...sent } = received;
  expect(await statusOf(sent)).toEqual([200]);
  expect(await statusOf({ name: 'Ada' })).toEqual([500, expect.stringContaining("'id'")]);
  expect(await statusOf(received)).toEqual([500, expect.stringContaining('is write-only')]);
});
