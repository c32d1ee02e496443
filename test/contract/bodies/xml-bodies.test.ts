import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { ApiError, createClient } from '../../../client/index.ts';
import {
  ContractError,
  createErrorHandler,
  listen,
  type OpenApiDocument,
  type RequestContext,
} from '../../../server/contract/index.ts';
import { serveRouter, tableOf } from '../serve.ts';

const PET = '<?xml version="1.0"?><Pet><name>Rex</name></Pet>';

const content = (schema: object) => ({ 'application/xml': { schema } });
const pet = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };

/** A contract with XML bodies, and schemas of the values and of the text. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': {
      post: {
        operationId: 'addPet',
        requestBody: { required: true, content: content(pet) },
        responses: { 200: { description: 'OK.', content: content(pet) } },
      },
    },
    '/notes': {
      post: {
        operationId: 'addNote',
        requestBody: { required: true, content: content({ type: 'string', maxLength: 60 }) },
        responses: { 200: { description: 'OK.', content: content({ type: 'string', maxLength: 60 }) } },
      },
    },
  },
} satisfies OpenApiDocument;

interface Operation {
  requestBody: { content: { 'application/xml': string } };
  responses: { 200: { content: { 'application/xml': string } } };
}

async function serve(addPet: (body: string) => string) {
  const { url } = await serveRouter<
    { addPet: Operation; addNote: Operation },
    Record<never, never>,
    RequestContext
  >({
    document,
    operations: tableOf(document),
    handlers: { addPet: async ({ body }) => addPet(body), addNote: async ({ body }) => body },
    security: {},
    validateResponses: true,
  });
  const client = createClient({ baseUrl: url });
  const send = (path: string, body: string) =>
    client.call('POST', path, { body }, {}, { contentType: 'application/xml', parseAs: 'text' });
  return { url, send };
}

test('XML is a text, whose schema describes the value that it contains', async () => {
  const { url, send } = await serve((body) => body.replace('Rex', 'Ada'));
  expect(await send('/pets', PET)).toBe(PET.replace('Rex', 'Ada'));
  const missing = await fetch(`${url}/pets`, { method: 'POST' });
  expect(missing.status).toBe(400);
});

test('a schema of a text applies to XML', async () => {
  const { send } = await serve((body) => body);
  expect(await send('/notes', PET)).toBe(PET);
  await expect(send('/notes', PET + PET)).rejects.toMatchObject({ status: 400 });
});

test('errors can be XML, which the client returns as a text', async () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const format = ({ message }: ContractError) => ({
    contentType: 'application/problem+xml',
    body: `<problem>${message}</problem>`,
  });
  const listener = await listen(0, '127.0.0.1');
  onTestFinished(() => listener.close(0));
  listener.serve(
    express()
      .get('/pets', () => {
        throw new ContractError(409, 'conflict', 'Taken.');
      })
      .get('/page', (_req, res) => void res.status(502).type('application/xhtml+xml').send('<html/>'))
      .use(createErrorHandler(log, { format })),
  );
  const client = createClient({ baseUrl: `http://127.0.0.1:${listener.port}`, retries: 0 });
  const bodyOf = async (path: string) =>
    await client.call('GET', path, {}).catch((error) => error instanceof ApiError && error.body);
  expect(await bodyOf('/pets')).toBe('<problem>Taken.</problem>');
  expect(await bodyOf('/page')).toBeUndefined();
});
