import { describe, expect, test } from 'vitest';
import {
  followReferences,
  formatPointer,
  formatReference,
  isObject,
  MAX_REFERENCE_HOPS,
  memberOf,
  parsePointer,
  parseReference,
  valueAt,
} from '../../server/contract/json-values.ts';

test('isObject accepts objects, and neither null nor lists', () => {
  expect([{}, null, [], 'text', 1].map(isObject)).toEqual([true, false, false, false, false]);
});

describe('JSON pointers', () => {
  test.each([
    [[], '', '#'],
    [[''], '/', '#/'],
    [['a', 'b'], '/a/b', '#/a/b'],
    [['a/b', 'm~n', '~1'], '/a~1b/m~0n/~01', '#/a~1b/m~0n/~01'],
    [['100%', '#1', '{id}'], '/100%/#1/{id}', '#/100%25/%231/{id}'],
  ])('%j is %s, and in a reference %s', (steps, pointer, reference) => {
    expect(formatPointer(steps)).toBe(pointer);
    expect(parsePointer(pointer)).toEqual(steps);
    expect(formatReference(steps)).toBe(reference);
    expect(parseReference(reference)).toEqual(steps);
  });

  test('a reference can escape any character, and a percent sign without a valid escape is literal', () => {
    expect(parseReference('#/paths/~1pets~1%7Bid%7D/a%2Fb')).toEqual(['paths', '/pets/{id}', 'a/b']);
    expect(parseReference('#/components/schemas/100%')).toEqual(['components', 'schemas', '100%']);
  });
});

describe('members', () => {
  test.each([
    [{ a: 1 }, 'a', 1],
    [{ 0: 'zero' }, '0', 'zero'],
    [{}, 'constructor', undefined],
    [['first', 'second'], '1', 'second'],
    [['first', 'second'], 1, 'second'],
    [['first'], 'length', undefined],
    [['first'], '', undefined],
    [['first', 'second'], '01', undefined],
    ['text', '0', undefined],
    [null, 'a', undefined],
    [undefined, 'a', undefined],
  ])('of %j at %j: %j', (value, step, member) => {
    expect(memberOf(value, step)).toBe(member);
  });

  test('at several steps', () => {
    const root = { paths: { '/a': { parameters: [{ name: 'id' }] } } };
    expect(valueAt(root, ['paths', '/a', 'parameters', 0, 'name'])).toBe('id');
    expect(valueAt(root, ['paths', '/b', 'parameters'])).toBeUndefined();
    expect(valueAt(root, [])).toBe(root);
  });
});

describe('references', () => {
  const chain = (length: number): Record<string, unknown> =>
    Object.fromEntries([
      ...Array.from({ length }, (_, index) => [String(index), { $ref: `#/${index + 1}` }]),
      [String(length), 'target'],
    ]);
  const follow = (root: object, value: unknown) =>
    followReferences(value, (reference) => valueAt(root, parseReference(reference)));

  test('are followed to a value that is not a reference', () => {
    expect(follow(chain(3), { $ref: '#/0' })).toBe('target');
    expect(follow({}, { type: 'string' })).toEqual({ type: 'string' });
    expect(follow({}, { $ref: 1 })).toEqual({ $ref: 1 });
    expect(follow({}, undefined)).toBeUndefined();
  });

  test('without a target, in a circle, or too many, have none', () => {
    expect(follow({}, { $ref: '#/lost' })).toBeUndefined();
    expect(follow({ a: { $ref: '#/b' }, b: { $ref: '#/a' } }, { $ref: '#/a' })).toBeUndefined();
    expect(follow(chain(MAX_REFERENCE_HOPS), { $ref: '#/0' })).toBe('target');
    expect(follow(chain(MAX_REFERENCE_HOPS + 1), { $ref: '#/0' })).toBeUndefined();
  });
});
