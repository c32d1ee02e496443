import { describe, expect, test } from 'vitest';
import { requestWith } from '../../../../spec/toolchain/conform/wire/request.ts';
import type { Operation } from '../../../../spec/toolchain/model/contract/contract.ts';
import type { Step } from '../../../../spec/toolchain/model/plan/plan.ts';

describe('requests of steps', () => {
  const operation: Operation = {
    id: 'op',
    method: 'PUT',
    path: '/a/{id}/b{tail}',
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        style: 'simple',
        explode: false,
        allowReserved: false,
        schema: {},
        examples: [],
      },
      {
        name: 'list',
        in: 'query',
        required: false,
        style: 'form',
        explode: false,
        allowReserved: false,
        schema: {},
        examples: [],
      },
      {
        name: 'free',
        in: 'query',
        required: false,
        style: 'form',
        explode: true,
        allowReserved: true,
        schema: {},
        examples: [],
      },
    ],
    body: undefined,
    responses: {},
    security: [],
    deprecated: false,
  };
  const step = (more: Partial<Step>): Step => ({
    operation: 'op',
    caller: 'own',
    path: { id: 'x', tail: 'y' },
    query: [],
    headers: [],
    ...more,
  });
  const none = () => {
    throw new Error('There is nothing to refer to.');
  };

  test('percent-encode values, except for separators', () => {
    const request = requestWith(
      operation,
      step({
        path: { id: 'a,b/ü?', tail: '\ud800' },
        query: [
          ['list', 'a,b c'],
          ['free', '/?:@&+#'],
          ['o[x]', '1,2'],
        ],
      }),
      none,
    );
    expect(request.target).toBe(
      '/a/a,b%2F%C3%BC%3F/b%EF%BF%BD?list=a,b%20c&free=/?:@%26%2B%23&o%5Bx%5D=1%2C2',
    );
  });

  test('send intended deviations unchanged', () => {
    const fault = {
      name: 'broken',
      kind: 'input' as const,
      method: 'FOO',
      rawPath: { id: '%zz' },
      rawQuery: { list: '%' },
    };
    expect(requestWith(operation, step({ query: [['list', 'x']], fault }), none)).toMatchObject({
      method: 'FOO',
      target: '/a/%zz/by?list=%',
    });
  });

  test('take values from earlier responses for path, query, headers and body', () => {
    const from = (from: string) => ({ step: 0, from });
    const request = requestWith(
      operation,
      step({
        path: { id: from('/id'), tail: '' },
        query: [['q', from('/id')]],
        headers: [['If-Match', from('header:etag')]],
        body: {
          mediaType: 'application/json',
          json: { a: [0, 1], b: 2 },
          references: [{ at: ['a', 1], value: from('/number') }],
        },
      }),
      ({ from: location }) => ({ '/id': 'i/d', '/number': 7, 'header:etag': '"v1"' })[location] ?? null,
    );
    expect(request).toMatchObject({ target: '/a/i%2Fd/b?q=i%2Fd', body: '{"a":[0,7],"b":2}' });
    expect(request.headers).toEqual([
      ['If-Match', '"v1"'],
      ['Content-Type', 'application/json'],
    ]);
  });
});
