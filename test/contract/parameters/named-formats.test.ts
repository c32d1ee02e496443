import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../server/contract/index.ts';
import { serveRouter, tableOf } from '../serve.ts';

const code = { type: 'string', format: 'country-code', 'x-rule': 'Two letters of ISO 3166.' };

// Typed as the router reads it.
const document = {
  openapi: '3.1.0',
  info: { title: 'Countries', version: '1' },
  paths: {
    '/countries': {
      post: {
        operationId: 'createCountry',
        parameters: [{ name: 'near', in: 'query', schema: { $ref: '#/components/schemas/Code' } }],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  code,
                  other: { type: 'string', format: 'unknown' },
                  number: { format: 'country-code' },
                },
              },
            },
          },
        },
        responses: { 200: { description: 'Success', content: { 'application/json': { schema: code } } } },
      },
    },
  },
  components: { schemas: { Code: code } },
} as unknown as OpenApiDocument;

async function post(body: object, query = '', formats = true) {
  const { url } = await serveRouter({
    document,
    operations: tableOf(document),
    // The handlers of any document have no generated types.
    handlers: { createCountry: async () => 'longer than a code' } as never,
    security: {},
    validateResponses: true,
    ...(formats && { formats: { 'country-code': (text: string) => /^[A-Z]{2}$/.test(text) } }),
  });
  const response = await fetch(`${url}/countries${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, details: (await response.json()).error?.details };
}

test('a text without its named format is a 400 that names the field and quotes the rule', async () => {
  const message = 'must match format "country-code": Two letters of ISO 3166.';
  const { status, details } = await post({ code: 'Norway' }, '?near=Sweden');
  expect(status).toBe(400);
  expect(details).toEqual([
    { in: 'query', path: 'near', message },
    { in: 'body', path: 'code', message },
  ]);
});

test('other texts, values that are no texts, responses, and formats without a function are accepted', async () => {
  expect((await post({ code: 'NO', other: 'any', number: 5 }, '?near=SE')).status).toBe(200);
  expect((await post({ code: 'Norway' }, '?near=Sweden', false)).status).toBe(200);
});

test.each(['__proto__', 'constructor'])(
  'a format with the name %s is not one of the object',
  async (format) => {
    const inherited = JSON.parse(
      JSON.stringify(document).replaceAll('country-code', format),
    ) as OpenApiDocument;
    const { url } = await serveRouter({
      document: inherited,
      operations: tableOf(inherited),
      handlers: { createCountry: async () => 'NO' } as never,
      security: {},
      validateResponses: false,
      formats: {},
    });
    const response = await fetch(`${url}/countries`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"code":"Norway"}',
    });
    expect(response.status).toBeLessThan(500);
  },
);
