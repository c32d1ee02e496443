import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../server/contract/index.ts';
import { unsupportedSchemas } from '../../../server/contract/validation/problems/unsupported.ts';

// A schema that applies itself to the same value is refused: its validation would not end.

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties });

function problemsOf(schemas: Record<string, object>): string[] {
  const document: OpenApiDocument = {
    ...{ openapi: '3.1.0', info: { title: 'Schemas', version: '1' }, paths: {} },
    components: { schemas: { ...schemas } },
  };
  return [...unsupportedSchemas(document).values()].flat().map(({ reason }) => reason);
}

test.each<[string, Record<string, object>]>([
  ['a union that lists itself', { A: { anyOf: [text, ref('A')] } }],
  ['two names of each other', { A: ref('B'), B: ref('A') }],
  ['a composition of each other', { A: { allOf: [ref('B')] }, B: { allOf: [object({}), ref('A')] } }],
  ['a condition', { A: { if: ref('A'), else: object({}) } }],
  ['a negation within an alternative', { A: { oneOf: [text, { not: ref('A') }] } }],
  [
    'a schema within an object',
    { A: object({ b: { anyOf: [{ $ref: '#/components/schemas/A/properties/b' }, text] } }) },
  ],
])('refuses %s', (_name, schemas) => {
  expect(problemsOf(schemas)).toEqual([expect.stringContaining('its validation does not end')]);
});

test.each<[string, Record<string, object>]>([
  ['a tree', { A: object({ children: { type: 'array', items: ref('A') } }) }],
  ['a map of itself', { A: { type: 'object', additionalProperties: { anyOf: [ref('A'), text] } } }],
  ['a chain of names', { A: ref('B'), B: ref('C'), C: object({ a: ref('A') }) }],
  [
    'a base whose union lists what inherits from it',
    {
      Base: { ...object({ kind: text }), oneOf: [ref('One'), ref('Two')] },
      One: { allOf: [ref('Base'), object({ a: text })] },
      Two: { allOf: [ref('Base'), object({ b: text })] },
    },
  ],
  [
    'a base with a discriminator',
    {
      Base: { ...object({ kind: text }), discriminator: { propertyName: 'kind' } },
      One: { allOf: [ref('Base'), object({ next: ref('Base') })] },
    },
  ],
])('serves %s', (_name, schemas) => {
  expect(problemsOf(schemas)).toEqual([]);
});

test('follows long chains of references', () => {
  const length = 2000;
  const schemas = Object.fromEntries(
    Array.from({ length }, (_, index) => [`S${index}`, index + 1 < length ? ref(`S${index + 1}`) : text]),
  );
  expect(problemsOf(schemas)).toEqual([]);
});
