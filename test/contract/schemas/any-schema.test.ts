import { expect, test } from 'vitest';
import { serveBodies } from '../bodies/serve-bodies.ts';

const conditional = (schema: object, then: object) => ({ ...schema, then });

/** Schemas that are valid in JSON Schema 2020-12, values that they accept, and values that they reject. */
const CASES: [name: string, schema: unknown, accepted: unknown[], rejected: unknown[]][] = [
  [
    'openTuple',
    { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] },
    [[1, 'a', true], [1], []],
    [['a']],
  ],
  ['tupleRest', { prefixItems: [{ type: 'number' }], items: { type: 'string' } }, [[1, 'a'], [1]], [[1, 2]]],
  ['closedTuple', { type: 'array', prefixItems: [{ type: 'integer' }], items: false }, [[1], []], [[1, 2]]],
  ['unevaluatedItems', { prefixItems: [{ type: 'integer' }], unevaluatedItems: false }, [[1]], [[1, 2]]],
  [
    'composedTuple',
    { allOf: [{ prefixItems: [{ type: 'integer' }] }], unevaluatedItems: { type: 'string' } },
    [[1, 'a']],
    [[1, 2]],
  ],
  ['emptyEnum', { anyOf: [{ enum: [] }, { type: 'null' }] }, [null], ['a', 1]],
  ['repeatedEnum', { enum: ['a', 'a', null] }, ['a', null], ['b']],
  ['anyOf', { anyOf: [{ type: 'string' }, true] }, [1, 'a'], []],
  ['noRequired', { type: 'object', required: [] }, [{}], [1]],
  ['typeless', { required: ['a'], properties: { a: { minLength: 2 } } }, [{ a: 'ab' }, 7], [{}, { a: 'a' }]],
  ['types', { type: ['string', 'integer', 'null'], minLength: 2, minimum: 5 }, ['ab', 5, null], ['a', 4, {}]],
  ['condition', conditional({ if: { type: 'string' } }, { minLength: 2 }), ['ab', 1], ['a']],
  ['otherwise', { if: { type: 'string' }, else: { minimum: 2 } }, ['a', 2], [1]],
  ['conditionAlone', { if: { type: 'string' } }, ['a', 1], []],
  ['thenAlone', conditional({ else: { type: 'string' } }, { type: 'string' }), ['a', 1], []],
  [
    'contains',
    { contains: { type: 'string' }, minContains: 2, maxContains: 3 },
    [['a', 'b', 1]],
    [['a'], [1]],
  ],
  ['containsNone', { type: 'array', contains: { const: 1 }, minContains: 0 }, [[], [2]], [1]],
  ['limitsAlone', { minContains: 2, maxContains: 1, minItems: 1 }, [[1]], [[]]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  [
    'dependentSchemas',
    { dependentSchemas: { a: { required: ['b'] }, c: false } },
    [{ a: 1, b: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  [
    'propertyNames',
    { propertyNames: { pattern: '^[a-z]+$', maxLength: 3 } },
    [{ abc: 1 }],
    [{ ABC: 1 }, { abcd: 1 }],
  ],
  [
    'content',
    { type: 'string', contentMediaType: 'application/json', contentSchema: { type: 'number' } },
    ['{'],
    [1],
  ],
  [
    'duration',
    { type: 'string', format: 'duration' },
    ['P1D', 'PT0.5S', 'P123DT22H14M12.011S', 'PT1,5H', 'P2W', 'P1.5W', 'P1Y2M3DT4H5M6S', 'P1M'],
    ['P', 'PT', '1D', 'P1.5D', 'PT1.5H1M', 'P1S', 'P1', 'P1W2D', ''],
  ],
  [
    'time',
    { type: 'string', format: 'time' },
    ['13:06:12', '13:06:12.5', '13:06:12Z', '13:06:12+02:00'],
    ['25:00:00', '13:06', '13:60:00', '13:06:12+2', ''],
  ],
  ['definitions', { $defs: { a: { type: 'string' } }, $comment: 'x', type: 'string' }, ['a'], [1]],
  ['unknown', { type: 'string', format: 'x-unknown', unknown: { $ref: 'x' }, 'x-more': 1 }, ['a'], [1]],
  [
    'annotations',
    { type: 'integer', readOnly: true, deprecated: true, title: 'a', externalDocs: {} },
    [1],
    ['a'],
  ],
  ['nullable', { type: 'string', nullable: true, enum: ['a'] }, ['a', null], ['b', 1]],
  ['exclusive', { type: 'number', minimum: 1, exclusiveMinimum: true, exclusiveMaximum: false }, [2], [1]],
  [
    'booleans',
    { type: 'object', properties: { a: true, b: false }, additionalProperties: true },
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  ['uniqueItems', { type: 'array', uniqueItems: true, items: {} }, [[1, 2]], [[{ a: 1 }, { a: 1 }]]],
  ['formatOfNumber', { type: 'number', format: 'date-time' }, [1], ['a']],
  ['any', true, [1, null, 'a', {}], []],
  ['empty', {}, [1, null, 'a', {}], []],
  ['escapes', { type: 'string', pattern: '^[\\w-.]+\\-\\_$' }, ['a.b-_'], ['a b-_']],
  [
    'patternKeys',
    { patternProperties: { '^\\-': { type: 'string' } } },
    [{ '-a': 'b', a: 1 }],
    [{ '-a': 1 }],
  ],
  [
    'named',
    {
      type: 'object',
      properties: { $ref: { type: 'string' }, example: { type: 'integer' }, enum: { type: 'integer' } },
    },
    [{ $ref: 'a', example: 1 }],
    [{ $ref: 1 }, { example: 'a' }, { enum: 'a' }],
  ],
  [
    'data',
    { enum: [{ $id: 'a', $ref: 'b' }], default: { $id: 'a' }, examples: [{ $id: 'c', $ref: '#/x' }] },
    [{ $id: 'a', $ref: 'b' }],
    [{ $id: 'a' }],
  ],
  ['cents', { type: 'number', multipleOf: 0.01 }, [19.99, 0, -0.07, 1e15, 4.35, 1e300], [0.001, 19.999]],
  ['tenths', { type: 'number', multipleOf: 0.1 }, [0.3, 1.1, 5], [0.35]],
  ['thirds', { type: 'number', multipleOf: 3 }, [9, 9.0, 3e21, 0], [10, 1e300, 0.3]],
  ['tiny', { type: 'number', multipleOf: 1e-9 }, [3e-9, 0.1, 12345.678912345], [1e-10]],
  ['int32', { type: 'integer', format: 'int32' }, [2147483647, -2147483648], [2147483648, -2147483649]],
  ['int64', { type: 'integer', format: 'int64' }, [2 ** 53, -(2 ** 53)], [2 ** 63, -(2 ** 64)]],
  ['uint64', { type: 'integer', format: 'uint64' }, [0, 2 ** 53], [-1, 2 ** 64]],
  ['deepItem', { $ref: '#/components/schemas/Thing/properties/sizes/items' }, ['s'], ['l']],
  ['deepTuple', { $ref: '#/components/schemas/Thing/properties/pair/prefixItems/1' }, [1], ['a']],
  ['encoded', { $ref: '#/components/schemas/A%20b%7E1c/properties/%C3%A9' }, [true], [1]],
  [
    'inPath',
    { $ref: '#/paths/~1int32/post/requestBody/content/application~1json/schema' },
    [1],
    [2147483648],
  ],
  [
    'extended',
    { $ref: '#/components/schemas/Thing', required: ['color'] },
    [{ color: 'red' }],
    [{}, { color: 'x' }],
  ],
];

const ACCENTED = 'é';

const SCHEMAS = {
  Thing: {
    type: 'object',
    properties: {
      color: { enum: ['red'] },
      sizes: { type: 'array', items: { enum: ['s'] } },
      pair: { prefixItems: [{ type: 'string' }, { type: 'integer' }] },
    },
  },
  'A b/c': { properties: { [ACCENTED]: { type: 'boolean' } } },
};

test('every valid schema is served, and applied to requests and responses', async () => {
  const bodies = Object.fromEntries(CASES.map(([name, schema]) => [name, schema]));
  const { post } = await serveBodies(bodies, SCHEMAS);
  const wrong: string[] = [];
  for (const [name, , accepted, rejected] of CASES) {
    for (const [values, status] of [
      [accepted, 200],
      [rejected, 400],
    ] as const) {
      for (const value of values) {
        const outcome = await post(name, value);
        if (outcome.status !== status) {
          wrong.push(`${name} ${JSON.stringify(value)}: ${outcome.status} ${JSON.stringify(outcome.body)}`);
        }
      }
    }
    for (const value of rejected.slice(0, accepted.length > 0 ? 1 : 0)) {
      const outcome = await post(name, accepted[0], value);
      if (outcome.status !== 500) {
        wrong.push(`${name} returned ${JSON.stringify(value)}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});
