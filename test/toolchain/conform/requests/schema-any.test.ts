import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../../spec/toolchain/model/contract/schemas-of.ts';
import { SchemaArbitraries } from '../../../../spec/toolchain/model/schema/arbitraries.ts';
import { type Schema, SchemaSet, UnusableSchema } from '../../../../spec/toolchain/model/schema/schema.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import { startProcessorClock } from '../../../support/processes/processor-time.ts';

const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});

describe('every schema has values', () => {
  test.each<[what: string, schema: Schema]>([
    ['not', { type: 'integer', minimum: 0, maximum: 9, not: { multipleOf: 2 } }],
    [
      'if, then and else',
      {
        ...object({ kind: { enum: ['a', 'b'] }, a: { type: 'string' } }, { required: ['kind'] }),
        if: { properties: { kind: { const: 'a' } } },
        // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
        then: { required: ['a'] },
        else: { not: { required: ['a'] } },
      },
    ],
    [
      'dependentRequired',
      object({ a: { type: 'string' }, b: { type: 'string' } }, { dependentRequired: { a: ['b'] } }),
    ],
    ['contains', { type: 'array', items: { type: 'integer' }, contains: { minimum: 1000 } }],
    [
      'prefixItems',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2, items: false },
    ],
    [
      'patternProperties',
      { type: 'object', patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
    ],
    [
      'unevaluatedProperties with a union',
      {
        ...object({ kind: { type: 'string' } }, { unevaluatedProperties: false }),
        oneOf: [
          object({ a: { type: 'string' } }, { required: ['a'] }),
          object({ b: { type: 'string' } }, { required: ['b'] }),
        ],
      },
    ],
    [
      'oneOf next to anyOf',
      {
        type: 'integer',
        minimum: 0,
        maximum: 20,
        oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }],
        anyOf: [{ maximum: 4 }, { minimum: 9 }],
      },
    ],
    ['two patterns', { allOf: [{ type: 'string', pattern: '^a' }, { pattern: 'b$' }], maxLength: 4 }],
    [
      'two properties of one name',
      {
        allOf: [
          object({ a: { type: ['string', 'integer'] } }),
          object({ a: { type: ['integer', 'null'] } }, { required: ['a'] }),
        ],
      },
    ],
    [
      'a sealed part',
      {
        allOf: [
          object({ a: { type: 'string' } }, { additionalProperties: false }),
          object({ b: { type: 'string' } }),
        ],
      },
    ],
    ['an unknown format', { type: 'string', format: 'phone', minLength: 3, maxLength: 5 }],
    ['a pattern that is not Unicode', { type: 'string', pattern: '^[\\w-\\.]+$' }],
    ['a pattern of another language', { type: 'string', pattern: '(?i)abc(?<=x)(' }],
    ['base64', { type: 'string', contentEncoding: 'base64', format: 'byte' }],
    ['no type', { minLength: 2, maxLength: 3 }],
    ['nothing', {}],
    ['a place in another schema', { $ref: '#/components/schemas/Tree/properties/below/items' }],
    ['const next to enum', { enum: [1, 2, 3], allOf: [{ const: 2 }] }],
    ['an enum with limits', { type: 'string', enum: ['a', 'long'], maxLength: 2 }],
    [
      'propertyNames',
      {
        type: 'object',
        minProperties: 2,
        propertyNames: { enum: ['a', 'b', 'c'] },
        additionalProperties: { type: 'integer' },
      },
    ],
    [
      'numbers of integers',
      {
        allOf: [
          { type: 'number', minimum: 0.5 },
          { type: 'integer', maximum: 3 },
        ],
      },
    ],
  ])('with %s: valid, invalid, at its limits, and as small as can be', (_what, schema) => {
    const tree: Schema = object({ below: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } });
    const set = new SchemaSet({
      '#/components/schemas/Tree': tree,
      '#/components/schemas/Tree/properties/below/items': { $ref: '#/components/schemas/Tree' },
    });
    const make = new SchemaArbitraries(set);
    const assertAll = (values: fc.Arbitrary<unknown>, valid: boolean, numRuns: number) =>
      fc.assert(
        fc.property(values, (value) => {
          expect(JSON.parse(JSON.stringify(value))).toEqual(value);
          expect(set.accepts(schema, value)).toBe(valid);
          expect(set.faults(schema, value).length > 0).toBe(!valid);
        }),
        { numRuns },
      );
    assertAll(make.validValue(schema), true, 60);
    assertAll(make.sparse.validValue(schema), true, 10);
    for (const { values } of make.invalidVariants(schema)) {
      assertAll(
        values.map(({ value }) => value),
        false,
        10,
      );
    }
    for (const { values } of make.edgeVariants(schema)) {
      assertAll(
        values.map(({ value }) => value),
        true,
        10,
      );
    }
  });

  test.each<[schema: Schema, why: string]>([
    [{ allOf: [{ $ref: '#/a' }] }, 'refers only to itself'],
    [{ type: 'string', maxLength: 2, pattern: '^[a-z]{9}$' }, 'no valid value that could be generated'],
    [{ allOf: [{ type: 'string' }, { type: 'integer' }] }, 'no valid value'],
  ])('except %j, which is reported', (schema, why) => {
    const make = new SchemaArbitraries({ '#/a': schema });
    expect(() => make.validValue(schema)).toThrow(UnusableSchema);
    expect(() => make.validValue(schema)).toThrow(why);
  });

  test('at each limit', () => {
    const schema = object(
      {
        a: { type: 'string', minLength: 2, maxLength: 3 },
        b: { type: 'array', items: { type: 'integer', minimum: -1, maximum: 7 }, minItems: 1, maxItems: 3 },
        c: { enum: ['x', 'y'] },
      },
      { required: ['a'], additionalProperties: false },
    );
    const edges = new SchemaArbitraries({}).edgeVariants(schema);
    expect(edges.map(({ keyword, location }) => `${keyword} ${location}`.trim())).toEqual([
      'absent b',
      'absent c',
      'all properties',
      'required properties',
      'minLength a',
      'maxLength a',
      'unicode a',
      'minItems b',
      'maxItems b',
      'minimum b.*',
      'maximum b.*',
      'zero b.*',
      'enum "x" c',
      'enum "y" c',
    ]);
  });
});

const pets = new SchemaSet({
  '#/components/schemas/Pet': {
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
  },
  '#/components/schemas/Cat': object(
    {
      kind: { const: 'cat' },
      lives: { type: 'integer' },
      friends: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
    },
    { required: ['kind', 'lives'] },
  ),
  '#/components/schemas/Dog': object(
    { kind: { const: 'dog' }, tail: { type: 'boolean' } },
    { required: ['kind'] },
  ),
});
const pet: Schema = { $ref: '#/components/schemas/Pet' };

describe('the error of a value', () => {
  test.each<[value: unknown, expected: string[]]>([
    [{ kind: 'cat', lives: 9 }, []],
    [{ kind: 'cat' }, ['/lives required']],
    [
      {
        kind: 'cat',
        lives: 9,
        friends: [
          { kind: 'dog', tail: 1 },
          { kind: 'cat', lives: '9' },
        ],
      },
      ['/friends/0/tail type', '/friends/1/lives type'],
    ],
    [{ kind: 'fish' }, ['/kind enum']],
    [{ lives: 9 }, ['/kind required']],
    ['cat', [' type']],
  ])('is that of the closest variant of a union: %j', (value, expected) => {
    expect(pets.faults(pet, value).map(({ pointer, keyword }) => `${pointer} ${keyword}`)).toEqual(expected);
  });

  test.each<[schema: Schema, value: unknown, expected: string]>([
    [{ type: 'string', maxLength: 2 }, 'abc', ' maxLength must NOT have more than 2 characters'],
    [{ enum: ['a', 'b'] }, 'c', ' enum must be one of "a", "b"'],
    [{ const: 1 }, 2, ' const must be 1'],
    [
      object({}, { additionalProperties: false }),
      { 'a/b': 1 },
      '/a~1b additionalProperties is not a known property',
    ],
    [
      { anyOf: [object({ a: {} }, { unevaluatedProperties: false })] },
      { b: 1 },
      '/b unevaluatedProperties is not a known property',
    ],
    [
      { oneOf: [{ type: 'integer' }, { minimum: 3 }] },
      5,
      ' oneOf matches 2 variants but must match exactly one',
    ],
    [{ type: 'array', items: { type: 'integer' } }, [1, 'a'], '/1 type must be integer'],
    [
      { type: 'array', uniqueItems: true },
      [1, 1],
      ' uniqueItems must NOT have duplicate items (items ## 0 and 1 are identical)',
    ],
  ])('has a location: %j', (schema, value, expected) => {
    expect(
      pets.faults(schema, value).map(({ pointer, keyword, message }) => `${pointer} ${keyword} ${message}`),
    ).toEqual([expected]);
  });
});

describe('an undeclared field', () => {
  test.each<[what: string, schema: Schema, value: unknown, undeclared: string[]]>([
    ['at the top', object({ a: {} }), { a: 1, b: 2 }, ['/b']],
    [
      'within a list of a variant',
      pet,
      { kind: 'cat', lives: 1, friends: [{ kind: 'dog', lives: 1 }] },
      ['/friends/0/lives'],
    ],
    [
      'where a part names it',
      { allOf: [object({ a: {} }), object({ b: {} })] },
      { a: 1, b: 1, c: 1 },
      ['/c'],
    ],
    [
      'where a pattern does',
      object({ a: {} }, { patternProperties: { '^x-': {} } }),
      { 'x-b': 1, 'y/b': 1 },
      ['/y~1b'],
    ],
    ['of a map', { type: 'object', additionalProperties: object({ a: {} }) }, { any: { b: 1 } }, ['/any/b']],
    [
      'of an object that may hold more',
      object({ a: {} }, { additionalProperties: { type: 'integer' } }),
      { b: 1 },
      [],
    ],
    ['of an object without named fields', { type: 'object' }, { b: 1 }, []],
    [
      'of a value of several variants',
      { anyOf: [object({ a: {} }), object({ b: {} })] },
      { a: 1, b: 1, c: 1 },
      ['/c'],
    ],
  ])('is reported %s', (_what, schema, value, undeclared) => {
    expect(pets.undeclared(schema, value)).toEqual(undeclared);
  });
});

describe('recursive unions', () => {
  const document = JSON.parse(
    readFileSync(new URL('../../../../generated/openapi.json', import.meta.url), 'utf8'),
  );

  test('take time proportional to the size of a value, not exponential in its depth', () => {
    const names = Array.from({ length: 12 }, (_, index) => `kind${index}`);
    const set = new SchemaSet(
      Object.fromEntries([
        ['#/Node', { oneOf: names.map((name) => ({ $ref: `#/${name}` })) }],
        ...names.map((name) => [
          `#/${name}`,
          // The last property decides, so that a validator tries every variant first.
          object(
            { below: { type: 'array', items: { $ref: '#/Node' } }, type: { type: 'string', enum: [name] } },
            { required: ['type'], additionalProperties: false },
          ),
        ]),
      ]),
    );
    let node: unknown = { type: 'kind11', below: [{ type: 'wrong' }] };
    for (let depth = 0; depth < 300; depth++) {
      node = { below: [node], type: names[depth % 12] };
    }
    const elapsedMs = startProcessorClock();
    expect(set.accepts({ $ref: '#/Node' }, node)).toBe(false);
    expect(set.faults({ $ref: '#/Node' }, node)).toHaveLength(1);
    expect(set.undeclared({ $ref: '#/Node' }, node)).toEqual([]);
    expect(elapsedMs()).toBeLessThan(5000);
  });

  test('of the platform do too', () => {
    const contract = readContract(documentOf('generated/openapi.json', document));
    const schemas = schemasOf(contract);
    const make = new SchemaArbitraries(schemas, { depth: 9 });
    for (const name of ['Page', 'DocumentBlock', 'RenderElement'].filter(
      (item) => `#/components/schemas/${item}` in contract.components,
    )) {
      const schema = { $ref: `#/components/schemas/${name}` };
      for (const value of fc.sample(make.validValue(schema), { numRuns: 5 })) {
        const elapsedMs = startProcessorClock();
        expect(schemas.faults(schema, value)).toEqual([]);
        expect(schemas.undeclared(schema, value)).toEqual([]);
        expect(elapsedMs()).toBeLessThan(5000);
      }
    }
  });
});
