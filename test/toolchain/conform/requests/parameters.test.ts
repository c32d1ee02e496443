import { describe, expect, test } from 'vitest';
import { write } from '../../../../spec/toolchain/conform/requests/parameters.ts';
import { type FieldLocation, isIdentifier } from '../../../../spec/toolchain/conform/requests/requests.ts';
import type { Parameter } from '../../../../spec/toolchain/model/contract/contract.ts';
import { shop } from './shop-requests.ts';

describe('a parameter', () => {
  const parameter = (more: Partial<Parameter>): Parameter => ({
    ...{ name: 'p', in: 'query', required: false, style: 'form', explode: true, allowReserved: false },
    ...{ schema: {}, examples: [] },
    ...more,
  });
  const list = ['a', 1];
  const map = { r: 1, g: 2 };

  test.each<[style: Partial<Parameter>, value: unknown, written: [string, string][]]>([
    [{}, 'a b', [['p', 'a b']]],
    [
      {},
      list,
      [
        ['p', 'a'],
        ['p', '1'],
      ],
    ],
    [
      {},
      map,
      [
        ['r', '1'],
        ['g', '2'],
      ],
    ],
    [{ explode: false }, list, [['p', 'a,1']]],
    [{ explode: false }, map, [['p', 'r,1,g,2']]],
    [{ style: 'spaceDelimited', explode: false }, list, [['p', 'a 1']]],
    [{ style: 'pipeDelimited', explode: false }, list, [['p', 'a|1']]],
    [
      { style: 'deepObject' },
      map,
      [
        ['p[r]', '1'],
        ['p[g]', '2'],
      ],
    ],
    [
      { style: 'deepObject' },
      { a: { b: [1, { c: 'x' }] } },
      [
        ['p[a][b][0]', '1'],
        ['p[a][b][1][c]', 'x'],
      ],
    ],
    [
      { style: 'deepObject' },
      list,
      [
        ['p[0]', 'a'],
        ['p[1]', '1'],
      ],
    ],
    [
      { style: 'pipeDelimited' },
      list,
      [
        ['p', 'a'],
        ['p', '1'],
      ],
    ],
    [{ mediaType: 'application/json' }, map, [['p', '{"r":1,"g":2}']]],
    [{ in: 'path', style: 'simple', explode: false }, list, [['p', 'a,1']]],
    [{ in: 'path', style: 'simple' }, map, [['p', 'r=1,g=2']]],
    [{ in: 'path', style: 'label', explode: false }, 'a', [['p', '.a']]],
    [{ in: 'path', style: 'label' }, list, [['p', '.a.1']]],
    [{ in: 'path', style: 'matrix', explode: false }, list, [['p', ';p=a,1']]],
    [{ in: 'path', style: 'matrix' }, list, [['p', ';p=a;p=1']]],
    [{ in: 'path', style: 'matrix' }, map, [['p', ';r=1;g=2']]],
    [{}, [], []],
  ])('of %j is serialized as its style specifies: %j', (more, value, written) => {
    expect(write(parameter(more), value)).toEqual(written);
  });
});

describe('a parameter or field refers to an entity', () => {
  const location = (more: Partial<FieldLocation>): FieldLocation => ({
    ...{ in: 'body', name: 'x', pointer: '/x', schema: { type: 'string' } },
    ...more,
  });
  test.each<[more: Partial<FieldLocation>, names: boolean]>([
    [{ name: 'ownerId' }, true],
    [{ name: 'owner_id', schema: { type: 'integer' } }, true],
    [{ name: 'id' }, true],
    [{ name: 'partIds' }, true],
    [{ name: 'x', schema: { type: 'string', format: 'uuid' } }, true],
    [{ name: 'x', schema: { $ref: '#/components/schemas/Id' }, component: 'Id' }, true],
    [{ in: 'query', name: 'cursor' }, true],
    [{ in: 'path', name: 'x' }, true],
    [{ name: 'cursor' }, false],
    [{ name: 'paid' }, false],
    [{ name: 'grid' }, false],
    [{ name: 'userId', schema: { enum: ['me'] } }, false],
    [{ name: 'hasId', schema: { type: 'boolean' } }, false],
    [{ in: 'query', name: 'page', schema: { type: 'integer' } }, false],
  ])('%j: %s', (more, names) => {
    expect(isIdentifier(shop, location(more))).toBe(names);
  });
});
