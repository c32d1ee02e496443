import { expect, test } from 'vitest';
import { serveBodies } from '../bodies/serve-bodies.ts';
import { operation, serveEcho } from '../parameters/styled-parameters.ts';

const string = { type: 'string' };

test('properties with names that every object inherits are those of the value', async () => {
  const { post } = await serveBodies({
    optional: { type: 'object', properties: { constructor: string, toString: { type: 'integer' } } },
    required: { type: 'object', required: ['valueOf'], properties: { valueOf: string } },
    dependent: { type: 'object', properties: { a: string }, dependentRequired: { a: ['hasOwnProperty'] } },
  });
  const statuses = async (name: string, ...bodies: object[]) =>
    await Promise.all(bodies.map(async (body) => (await post(name, body)).status));
  expect(await statuses('optional', {}, { constructor: 'a' }, { constructor: 1 }, { toString: 5 })).toEqual([
    200, 200, 400, 200,
  ]);
  expect(await statuses('required', {}, { valueOf: 'a' })).toEqual([400, 200]);
  expect(await statuses('dependent', {}, { a: 'x' }, { a: 'x', hasOwnProperty: 1 })).toEqual([200, 400, 200]);
});

test('parameters and fields of such names are read', async () => {
  const schema = { type: 'object', properties: { constructor: string, size: { type: 'integer' } } };
  const { url } = await serveEcho({
    '/query': {
      get: operation('query', {
        parameters: [
          { name: 'filter', in: 'query', style: 'deepObject', schema },
          { name: 'toString', in: 'query', schema: string },
        ],
      }),
    },
  });
  const received = async (query: string) =>
    ((await (await fetch(`${url}/query?${query}`)).json()) as { query: object }).query;
  expect(await received('filter[size]=1')).toEqual({ filter: { size: 1 } });
  expect(await received('filter[constructor]=a&toString=b')).toEqual({
    filter: { constructor: 'a' },
    toString: 'b',
  });
});
