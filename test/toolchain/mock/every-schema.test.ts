import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../server/contract/index.ts';
import { createMock } from '../../../spec/toolchain/mock/mock.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, required: string[] = [], more: object = {}) => ({
  type: 'object',
  ...{ properties, required },
  ...more,
});
const text = { type: 'string' };

const COMPONENTS = {
  Node: object({ child: { anyOf: [{ allOf: [ref('Node')] }, { type: 'null' }] } }, ['child']),
  List: object({ next: ref('List'), items: { type: 'array', items: ref('List') } }),
  Endless: object({ self: ref('Endless') }, ['self']),
  Pet: {
    ...object({ kind: text, name: text }, ['kind']),
    discriminator: { propertyName: 'kind', mapping: { dog: 'Dog' } },
  },
  Dog: {
    allOf: [ref('Pet'), object({ bark: text, friends: { type: 'array', items: ref('Pet') } }, ['bark'])],
  },
  Folder: {
    allOf: [ref('Item'), object({ files: { type: 'array', minItems: 1, items: ref('Entry') } }, ['files'])],
  },
  File: { allOf: [ref('Item'), object({ size: { type: 'integer' } })] },
  Item: object({ type: text }, ['type']),
  Entry: {
    oneOf: [ref('Folder'), ref('File')],
    discriminator: { propertyName: 'type', mapping: { folder: '#/components/schemas/Folder', file: 'File' } },
  },
};

/** Schemas with the status of an operation that returns a value of each. */
const SCHEMAS: Record<string, [schema: object | boolean, status: number]> = {
  node: [ref('Node'), 200],
  list: [ref('List'), 200],
  endless: [ref('Endless'), 501],
  pet: [ref('Pet'), 200],
  pets: [{ type: 'array', minItems: 2, items: ref('Pet') }, 200],
  folder: [ref('Folder'), 200],
  map: [{ type: 'object', minProperties: 2, additionalProperties: { type: 'integer', minimum: 3 } }, 200],
  named: [{ type: 'object', propertyNames: { pattern: '^[a-z]{3}$' }, minProperties: 1 }, 200],
  patterned: [{ type: 'object', patternProperties: { '^x-': text }, additionalProperties: false }, 200],
  unique: [{ type: 'array', uniqueItems: true, minItems: 3, items: { enum: [1, 2, 3] } }, 200],
  pattern: [{ type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' }, 200],
  escaped: [{ type: 'string', pattern: '^[\\w-.]+\\-$' }, 200],
  cents: [{ type: 'number', multipleOf: 0.01, minimum: 1.005, maximum: 1.02 }, 200],
  large: [{ type: 'integer', format: 'int64', example: 2 ** 63 }, 200],
  narrow: [{ type: 'integer', format: 'uint8', minimum: 250 }, 200],
  tuple: [{ type: 'array', prefixItems: [text, { type: 'integer' }], minItems: 2, items: false }, 200],
  contains: [{ type: 'array', items: {}, contains: { const: 'a' }, minContains: 2 }, 200],
  conflict: [{ allOf: [{ type: 'string' }, { type: 'integer' }] }, 501],
  never: [false, 501],
  emptyEnum: [{ enum: [] }, 501],
  overlap: [{ allOf: [{ minimum: 3 }, { type: 'integer', maximum: 4 }] }, 200],
  secret: [object({ id: text, password: { type: 'string', writeOnly: true } }, ['id', 'password']), 200],
  invalidExample: [{ ...object({ id: { type: 'integer' } }, ['id']), example: { id: 'a' } }, 200],
  forbiddenDefault: [object({ size: { type: 'integer', minimum: 1, default: 0 } }, ['size']), 200],
  dependent: [object({ a: text, b: text }, ['a'], { dependentRequired: { a: ['b'] } }), 200],
  named501: [{ type: 'string', pattern: '(' }, 501],
};

test('every operation of a mock returns a declared status, or 501 with the reason', async () => {
  const paths = Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, [schema]]) => [
      `/${name}`,
      {
        get: {
          operationId: name,
          responses: { 200: { description: 'OK.', content: { 'application/json': { schema } } } },
        },
      },
    ]),
  );
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Mock', version: '1' }, paths },
    components: { schemas: COMPONENTS },
  };
  const ignore = () => undefined;
  const { app } = createMock('openapi.json', document as never, {
    log: { info: ignore, warn: ignore, error: ignore },
  });
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onTestFinished(() => listener.close(0));
  const wrong: string[] = [];
  for (const [name, [, expected]] of Object.entries(SCHEMAS)) {
    const response = await fetch(`http://127.0.0.1:${listener.port}/${name}`);
    const body = await response.text();
    if (
      response.status !== expected ||
      (expected === 501 && !/"message":"(?:The schema|.*cannot serve|.*this operation)/.test(body))
    ) {
      wrong.push(`${name}: ${response.status} ${body.slice(0, 300)}`);
    }
  }
  expect(wrong).toEqual([]);
});
