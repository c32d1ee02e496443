import { expect, test } from 'vitest';
import { type createContractRouter, type OpenApiDocument, reply } from '../../../server/contract/index.ts';
import { serveRouter, tableOf } from '../serve.ts';

// A text is validated by what it represents. Notations that the server does not parse, such as XML, are not validated.

const KINDS = {
  integer: { type: 'integer', maximum: 9 },
  choice: { type: 'string', enum: ['on', 'off'] },
  boolean: { type: 'boolean' },
  nullable: { oneOf: [{ type: 'number' }, { type: 'null' }] },
  optional: { type: ['integer', 'null'] },
  either: { type: ['string', 'integer'] },
  xml: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } },
  rows: { type: 'array', items: { type: 'object' } },
};
const TYPES: Record<string, string> = { xml: 'application/xml', rows: 'text/csv' };

async function serveTexts(returned?: unknown) {
  const paths = Object.entries(KINDS).map(([name, schema]) => {
    const content = { [TYPES[name] ?? 'text/plain']: { schema } };
    const headers =
      name === 'integer' ? { 'X-Sizes': { schema: { type: 'array', items: KINDS.integer } } } : {};
    const responses = { 200: { description: '', content, headers } };
    return [`/${name}`, { post: { operationId: name, requestBody: { required: true, content }, responses } }];
  });
  const document: OpenApiDocument = {
    ...{ openapi: '3.1.0', info: { title: 'Texts', version: '1' } },
    paths: Object.fromEntries(paths),
  };
  const handler = async ({ body }: { body: string }) => returned ?? body;
  const handlers = Object.fromEntries(Object.keys(KINDS).map((name) => [name, handler]));
  return serveRouter({
    ...{ document, operations: tableOf(document), handlers, security: {}, validateResponses: true },
    // Only generated types describe the operations of a contract.
  } as unknown as Parameters<typeof createContractRouter>[0]);
}

async function send(name: string, body: string, returned?: unknown) {
  const { url, errors } = await serveTexts(returned);
  const headers = { 'content-type': TYPES[name] ?? 'text/plain' };
  const response = await fetch(`${url}/${name}`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text(), errors: errors() };
}

test.each([
  ['integer', '5'],
  ['integer', '-1'],
  ['choice', 'off'],
  ['boolean', 'false'],
  ['nullable', '1.5'],
  ['nullable', ''],
  ['either', 'five'],
  ['xml', '<a>1</a>'],
  ['rows', 'a;b'],
])('accepts and returns a text of the type %s: %j', async (name, body) => {
  expect(await send(name, body)).toEqual({ status: 200, text: body, errors: [] });
});

test.each([
  ['integer', '10', 'must be <= 9'],
  ['integer', 'five', 'must be integer'],
  ['integer', '', 'must be integer'],
  ['choice', 'maybe', 'must be equal to one of the allowed values'],
  ['boolean', '1', 'must be boolean'],
  ['optional', 'one', 'must be integer or null'],
])('rejects a text of another type than %s: %j', async (name, body, message) => {
  const { status, text } = await send(name, body);
  expect([status, JSON.parse(text).error.details]).toEqual([400, [{ in: 'body', path: '', message }]]);
});

test.each([
  ['integer', '5', '10', 'it must be <= 9'],
  ['boolean', 'true', 'yes', 'it must be boolean'],
])('reports a response with a text of another type than %s', async (name, body, returned, message) => {
  const { status, errors } = await send(name, body, returned);
  expect([status, errors]).toEqual([500, [expect.stringContaining(message)]]);
});

test('does not validate a response header that is a list', async () => {
  const { status, errors } = await send('integer', '5', reply({ body: '5', headers: { 'X-Sizes': '1,2' } }));
  expect([status, errors]).toEqual([200, []]);
});
