import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf } from '../../../spec/toolchain/main.ts';
import { readContract } from '../../../spec/toolchain/model/contract/read.ts';
import { SampleValues } from '../../../spec/toolchain/model/sample/values.ts';
import { type Schema, SchemaSet } from '../../../spec/toolchain/model/schema/schema.ts';

const values = new SampleValues(new SchemaSet({}));
const sampleOf = (schema: Schema, number = 1, name = 'displayName') => values.value(schema, name, number);

describe('a sample value', () => {
  test.each([
    ['a text with its name', { type: 'string' }, 'display name 1'],
    ['a text of the maximum length', { type: 'string', maxLength: 6 }, 'displ1'],
    ['a text of the minimum length', { type: 'string', minLength: 18 }, 'display name 1....'],
    ['an example', { type: 'string', examples: ['Ada'] }, 'Ada'],
    ['a default', { type: 'integer', default: 20 }, 20],
    ['a constant', { const: 'space' }, 'space'],
    ['the first value of an enumeration', { enum: ['open', 'paid'] }, 'open'],
    ['a number in its limits', { type: 'integer', minimum: 10, maximum: 20, multipleOf: 4 }, 12],
    ['a date', { type: 'string', format: 'date-time' }, '2026-01-01T00:00:00.000Z'],
    ['an email address', { type: 'string', format: 'email' }, 'display-name-1@example.com'],
    ['the first variant that has values', { oneOf: [{ not: {} }, { type: 'boolean' }] }, false],
    [
      'an object with its optional properties',
      { type: 'object', required: ['id'], properties: { id: { type: 'string' }, note: { type: 'string' } } },
      { id: 'id-1', note: 'note 1' },
    ],
  ] as const)('is %s', (_name, schema, expected) => {
    // The rows are JSON schemas.
    expect(sampleOf(schema as unknown as Schema)).toEqual(expected);
  });

  test('matches a pattern', () => {
    expect(sampleOf({ type: 'string', pattern: '^[a-z]{3}-[0-9]{4}$' })).toMatch(/^[a-z]{3}-[0-9]{4}$/);
  });

  test('prefers the examples of a media type, one for each number', () => {
    const examples = [{ id: 1 }, { id: 'a' }, { id: 'b' }];
    const schema = { type: 'object', properties: { id: { type: 'string' } } };
    expect([1, 2, 3].map((number) => values.value(schema, 'entity', number, examples))).toEqual([
      { id: 'a' },
      { id: 'b' },
      { id: 'a' },
    ]);
  });

  test('differs between entities', () => {
    const schema = { type: 'string', format: 'uuid' };
    expect(new Set([1, 2, 3].map((number) => sampleOf(schema, number)))).toHaveProperty('size', 3);
  });

  test.each(['test/fixtures/shop/generated/openapi.json', 'generated/openapi.json'])(
    'is valid for each schema of %s',
    async (path) => {
      const text = await readFile(join(import.meta.dirname, '../../..', path), 'utf8');
      const { components } = readContract(documentOf(path, JSON.parse(text)));
      const own = new SampleValues(new SchemaSet(components));
      const invalid = Object.keys(components).filter(
        ($ref) => !own.accepts({ $ref }, own.value({ $ref }, 'entity', 3)),
      );
      expect(invalid).toEqual([]);
    },
  );
});
