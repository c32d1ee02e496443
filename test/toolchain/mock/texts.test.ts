import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../server/contract/index.ts';
import { createMock } from '../../../spec/toolchain/mock/mock.ts';

/** Serves a mock of one path, and returns its URL. */
async function serveMock(path: object): Promise<string> {
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Mock', version: '1' } },
    paths: { '/path': path },
  };
  const ignore = () => undefined;
  const { app } = createMock('openapi.json', document as never, {
    log: { info: ignore, warn: ignore, error: ignore },
  });
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onTestFinished(() => listener.close(0));
  return `http://127.0.0.1:${listener.port}/path`;
}

test.each([
  [{ type: 'string', enum: ['on', 'off'] }, 'text/plain', /^(?:on|off)$/],
  [{ type: 'integer', minimum: 3, maximum: 4 }, 'text/plain', /^[34]$/],
  [{ type: 'boolean' }, 'text/plain', /^(?:true|false)$/],
  [{ type: 'object', properties: { a: { type: 'string' } } }, 'application/xml', /./],
])('a mock returns a text of the type %j as %s', async (schema, type, expected) => {
  const responses = { 200: { description: 'OK.', content: { [type]: { schema } } } };
  const response = await fetch(await serveMock({ get: { operationId: 'getText', responses } }));
  expect([response.status, await response.text()]).toEqual([200, expect.stringMatching(expected)]);
});

test('a mock accepts every text of a named format, and returns its example', async () => {
  const certificate = {
    ...{ type: 'string', format: 'x509-certificate', example: 'MIIB' },
    'x-rule': 'An X.509 certificate.',
  };
  const schema = { type: 'object', required: ['certificate'], properties: { certificate } };
  const content = { 'application/json': { schema } };
  const url = await serveMock({
    post: {
      operationId: 'createProvider',
      requestBody: { required: true, content },
      responses: { 200: { description: 'OK.', content } },
    },
    get: { operationId: 'getProvider', responses: { 200: { description: 'OK.', content } } },
  });
  const sent = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"certificate":"none"}',
  });
  expect(sent.status).toBe(200);
  expect(await (await fetch(url)).json()).toEqual({ certificate: 'MIIB' });
});
