import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../server/contract/index.ts';
import { createMock } from '../../../spec/toolchain/mock/mock.ts';

test.each([
  [{ type: 'string', enum: ['on', 'off'] }, 'text/plain', /^(?:on|off)$/],
  [{ type: 'integer', minimum: 3, maximum: 4 }, 'text/plain', /^[34]$/],
  [{ type: 'boolean' }, 'text/plain', /^(?:true|false)$/],
  [{ type: 'object', properties: { a: { type: 'string' } } }, 'application/xml', /./],
])('a mock returns a text of the type %j as %s', async (schema, type, expected) => {
  const responses = { 200: { description: 'OK.', content: { [type]: { schema } } } };
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Mock', version: '1' } },
    paths: { '/text': { get: { operationId: 'getText', responses } } },
  };
  const ignore = () => undefined;
  const { app } = createMock('openapi.json', document as never, {
    log: { info: ignore, warn: ignore, error: ignore },
  });
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onTestFinished(() => listener.close(0));
  const response = await fetch(`http://127.0.0.1:${listener.port}/text`);
  expect([response.status, await response.text()]).toEqual([200, expect.stringMatching(expected)]);
});
