import { expect, test } from 'vitest';
import { forbiddenDefaults } from '../../../spec/toolchain/model/contract/forbidden-defaults.ts';

test('reports the defaults that their own schemas forbid, with their places', () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Defaults', version: '1' },
    paths: {
      '/a': {
        get: {
          operationId: 'getA',
          parameters: [{ name: 'size', in: 'query', schema: { type: 'integer', maximum: 5, default: 10 } }],
          responses: { default: { description: 'OK.' } },
        },
      },
    },
    components: {
      schemas: {
        Color: { enum: ['red'], default: 'green' },
        Valid: {
          type: 'object',
          properties: { a: { type: 'string', default: 'a' }, default: { default: 1 } },
        },
        Outer: {
          type: 'object',
          properties: { inner: { $ref: '#/components/schemas/Inner', default: { size: 0 } } },
        },
        Inner: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
        Example: { example: { type: 'string', default: 5 } },
      },
    },
  };
  const problems = forbiddenDefaults(document as never, 'openapi.yaml');
  expect(problems.every(({ severity, file }) => severity === 'warning' && file === 'openapi.yaml')).toBe(
    true,
  );
  expect(problems.map(({ message }) => message.replace(/ The server.*/, ''))).toEqual([
    '#/paths/~1a/get/parameters/0/schema: the default 10 does not match its own schema: it must be <= 5.',
    '#/components/schemas/Color: the default "green" does not match its own schema: it must be equal to one of the allowed values.',
    '#/components/schemas/Outer/properties/inner: the default {"size":0} does not match its own schema: it has the field size, which must be >= 1.',
  ]);
});
