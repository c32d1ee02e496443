import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SchemaArbitraries } from '../../../../spec/toolchain/model/schema/arbitraries.ts';
import {
  type Components,
  type Schema,
  UnusableSchema,
} from '../../../../spec/toolchain/model/schema/schema.ts';
import { runs } from '../../../support/seed.ts';

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> };
}

// The generator wrote the document, and its check compares it with the contract.
const document = JSON.parse(
  readFileSync(new URL('../../../../generated/openapi.json', import.meta.url), 'utf8'),
) as { components: { schemas: Components }; paths: Record<string, Record<string, Operation>> };
const { schemas } = document.components;
/** The same schemas by the pointers of references. */
const byPointer = (components: Components): Components =>
  Object.fromEntries(
    Object.entries(components).map(([name, schema]) => [`#/components/schemas/${name}`, schema]),
  );

const numRuns = runs(3);

/** Validates values against a schema, independently of the arbitraries. */
function judge(components: Components) {
  const ajv = new Ajv2020({ strict: false, code: { optimize: false } });
  addFormats.default(ajv, { mode: 'full' });
  const standalone = (schema: Schema) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"https://colophon.test/'));
  for (const [name, schema] of Object.entries(components)) {
    ajv.addSchema({ ...standalone(schema), $id: `https://colophon.test/${name}` });
  }
  return (schema: Schema) => ajv.compile(standalone(schema));
}

const contract = { judge: judge(schemas), arbitraries: new SchemaArbitraries(byPointer(schemas)) };

/** Compares the values of arbitraries with the validator. Returns the violated keywords. */
function assertAgainst(
  { judge, arbitraries }: typeof contract,
  schema: Schema,
  { times = numRuns, invalid = true } = {},
): string[] {
  const validate = judge(schema);
  const check = (values: fc.Arbitrary<unknown>, expected: boolean, description: string) =>
    fc.assert(
      fc.property(values, (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        expect(json).toEqual(value);
        expect(validate(json), `${description}: ${JSON.stringify(validate.errors)}`).toBe(expected);
      }),
      { numRuns: times },
    );
  check(arbitraries.validValue(schema), true, 'valid');
  const variants = invalid ? arbitraries.invalidVariants(schema) : [];
  for (const { keyword, location, values } of variants) {
    check(
      values.map(({ value }) => value),
      false,
      `${keyword} at ${location}`,
    );
  }
  return variants.map(({ keyword, location }) => (location === '' ? keyword : `${keyword} ${location}`));
}

describe('values of a schema', () => {
  const text = { type: 'string', maxLength: 5 };
  const tree = {
    Tree: {
      type: 'object',
      required: ['at'],
      additionalProperties: false,
      properties: {
        at: { type: 'integer' },
        below: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      },
    },
  };
  const variant = (kind: string, more: Record<string, Schema>): Schema => ({
    type: 'object',
    required: ['kind', ...Object.keys(more)],
    additionalProperties: false,
    properties: { kind: { type: 'string', enum: [kind] }, ...more },
  });

  test.each<[what: string, schema: Schema, keywords: string[], components?: Components]>([
    ['text', { type: 'string', minLength: 2, maxLength: 5 }, ['type', 'null', 'maxLength', 'minLength']],
    ['text that may be null', { type: ['string', 'null'], maxLength: 5 }, ['type', 'maxLength']],
    [
      'a pattern',
      { type: 'string', pattern: '^[a-z]+$', maxLength: 9 },
      ['type', 'null', 'maxLength', 'pattern'],
    ],
    ...[
      'date-time',
      'date',
      'time',
      'duration',
      'uri',
      'email',
      'hostname',
      'ipv4',
      'ipv6',
      'uuid',
      'byte',
      'regex',
      'json-pointer',
    ].map((format): [string, Schema, string[]] => [
      `the format ${format}`,
      { type: 'string', format },
      ['type', 'null', 'format'],
    ]),
    ['an enum', { type: 'string', enum: ['one', 'two'] }, ['type', 'null', 'enum']],
    ['a constant', { const: 'one' }, ['type', 'null', 'enum']],
    ['an integer', { type: 'integer', minimum: 1, maximum: 9 }, ['type', 'null', 'minimum', 'maximum']],
    ['an int32', { type: 'integer', format: 'int32' }, ['type', 'null', 'minimum', 'maximum']],
    ['a number', { type: 'number', exclusiveMinimum: 0, maximum: 1 }, ['type', 'null', 'minimum', 'maximum']],
    ['multiples', { type: 'integer', multipleOf: 5 }, ['type', 'null', 'multipleOf']],
    [
      'a list',
      { type: 'array', items: text, minItems: 1, maxItems: 3, uniqueItems: true },
      ['type', 'null', 'minItems', 'maxItems', 'uniqueItems', 'type *', 'null *', 'maxLength *'],
    ],
    [
      'an object',
      {
        type: 'object',
        required: ['a'],
        additionalProperties: false,
        properties: { a: text, b: { type: 'boolean' } },
      },
      [
        'type',
        'null',
        'required a',
        'additionalProperties ?',
        'type a',
        'null a',
        'maxLength a',
        'type b',
        'null b',
      ],
    ],
    [
      'an object with enough in it',
      { type: 'object', additionalProperties: false, minProperties: 1, properties: { a: text } },
      ['type', 'null', 'additionalProperties ?', 'minProperties', 'type a', 'null a', 'maxLength a'],
    ],
    [
      'a map',
      { type: 'object', additionalProperties: text, propertyNames: { type: 'string', pattern: '^[a-z]+$' } },
      ['type', 'null', 'type *', 'null *', 'maxLength *', 'propertyNames pattern ?'],
    ],
    ['a value or null', { anyOf: [text, { type: 'null' }] }, ['type', 'maxLength']],
    [
      'a tagged union',
      { type: 'object', oneOf: [variant('a', { x: text }), variant('b', {})] },
      [
        'type',
        'null',
        'required kind',
        'required x',
        'additionalProperties ?',
        'type kind',
        'null kind',
        'enum kind',
        'type x',
        'null x',
        'maxLength x',
        'required kind',
        'additionalProperties ?',
        'type kind',
        'null kind',
        'enum kind',
        'tag kind',
        'tag kind',
      ],
    ],
    [
      'a tree',
      { $ref: '#/components/schemas/Tree' },
      [
        'type',
        'null',
        'required at',
        'additionalProperties ?',
        'type at',
        'null at',
        'type below',
        'null below',
        'type below.*',
        'null below.*',
      ],
      tree,
    ],
  ])('of %s are valid, and each limit has values beyond it', (_what, schema, keywords, components = {}) => {
    expect(
      assertAgainst(
        { judge: judge(components), arbitraries: new SchemaArbitraries(byPointer(components)) },
        schema,
        {
          times: 60,
        },
      ).sort(),
    ).toEqual(keywords.sort());
  });

  test('shrink to the smallest failing value', () => {
    const values = new SchemaArbitraries(byPointer(tree)).validValue({ $ref: '#/components/schemas/Tree' });
    const { counterexample } = fc.check(
      fc.property(values, (value) => !JSON.stringify(value).includes('"below":[{')),
      { seed: 7, numRuns: 500 },
    );
    expect(counterexample).toEqual([{ at: 0, below: [{ at: 0 }] }]);
  });

  test.each<[schema: Schema, why: string]>([
    [{ $ref: '#/components/schemas/Nothing' }, 'no schema #/components/schemas/Nothing'],
    [{ type: 'array', minItems: 1, items: false }, 'no valid value'],
    [{ type: 'string', not: { type: 'string' } }, 'no valid value'],
    [{ type: 'integer', minimum: 5, maximum: 4 }, 'no valid value'],
    [{ type: 'date' }, 'type "date"'],
  ])('do not exist for %j, which is reported', (schema, why) => {
    const make = new SchemaArbitraries({});
    expect(() => make.validValue(schema)).toThrow(why);
    expect(() => make.validValue(schema)).toThrow(UnusableSchema);
  });
});

describe('the schemas of the contract', () => {
  test('have valid values', () => {
    for (const name of Object.keys(schemas)) {
      assertAgainst(contract, { $ref: `#/components/schemas/${name}` }, { invalid: false });
    }
  });

  const bodies = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
    .map(({ schema }) => schema.$ref ?? '');
  test.each([...new Set(bodies)])('%s has invalid values', ($ref) => {
    expect(assertAgainst(contract, { $ref }).length).toBeGreaterThan(2);
  });
});
