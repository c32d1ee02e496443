import type { Json, JsonObject } from '../../../../spec/toolchain/document.ts';
import type { Parts } from './document.ts';
import { narrowerSchemas } from './notations.ts';

/** Effects of a change of a schema in a request and in a response, and of its reversal. */
export interface ValueCase {
  name: string;
  base: Json;
  head: Json;
  request: string[];
  response: string[];
  requestBack: string[];
  responseBack: string[];
  parts?: Parts;
  /** Parts of the document of head; default: those of base. */
  headParts?: Parts;
}

/** Head allows less than base: by the aspect, at a location within the body. */
function narrower(
  name: string,
  base: Json,
  head: Json,
  aspect: string,
  at = '',
  parts: Parts = {},
): ValueCase {
  return {
    name,
    base,
    head,
    parts,
    request: [`breaking clients | request body${at} | request-${aspect}-narrowed`],
    response: [`risky servers | response 200${at} | response-${aspect}-narrowed`],
    requestBack: [`safe servers | request body${at} | request-${aspect}-widened`],
    responseBack: [`breaking clients | response 200${at} | response-${aspect}-widened`],
  };
}

/** A place of a tuple, or a pattern of properties, allows less. */
const placed = narrowerSchemas.map(([name, base, head, aspect, at]) =>
  narrower(name, base, head, aspect, at),
);

/** A component changes that a schema refers to only under a keyword that no rule interprets. */
function uninterpreted(keyword: string, schema: JsonObject): ValueCase {
  return {
    name: `a component changes under the keyword ${keyword}`,
    base: schema,
    head: schema,
    parts: { schemas: { Nested: { type: 'string' } } },
    headParts: { schemas: { Nested: { type: 'string', maxLength: 9 } } },
    request: ['risky both | request body | request-keyword-changed'],
    response: ['risky both | response 200 | response-keyword-changed'],
    requestBack: ['risky both | request body | request-keyword-changed'],
    responseBack: ['risky both | response 200 | response-keyword-changed'],
  };
}
/** A union with a discriminator that names a variant by a value of its mapping. */
const mappedUnion = (value: string): Json => ({
  oneOf: ['X', 'Y'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  discriminator: { propertyName: 'kind', mapping: { [value]: 'X', y: '#/components/schemas/Y' } },
});

const nested = { $ref: '#/components/schemas/Nested' };

/** Head allows other values than base. */
function other(name: string, base: Json, head: Json, aspect: string, at = ''): ValueCase {
  const request = [`breaking both | request body${at} | request-${aspect}-changed`];
  const response = [`breaking both | response 200${at} | response-${aspect}-changed`];
  return { name, base, head, request, response, requestBack: request, responseBack: response };
}

export const object = (properties: Json, rest: object = {}): Json => ({
  type: 'object',
  properties,
  ...rest,
});
const text: Json = { type: 'string' };
const cat = object({ kind: { const: 'cat' }, lives: { type: 'integer' } }, { required: ['kind'] });
const dog = object({ kind: { const: 'dog' }, tricks: { type: 'array', items: {} } }, { required: ['kind'] });

export const valueCases: ValueCase[] = [
  narrower(
    'a type is dropped from a list of types',
    { type: ['string', 'integer'] },
    { type: 'string' },
    'type',
  ),
  narrower('a number has to be whole', { type: 'number' }, { type: 'integer' }, 'type'),
  narrower(
    'a number with a format has to be whole',
    { type: 'number', format: 'float' },
    { type: 'integer' },
    'type',
  ),
  narrower('anything has to be one of two objects', {}, { oneOf: [cat, dog] }, 'type'),
  narrower('anything has to be an object', {}, object({ a: text }, { required: ['a'] }), 'type'),
  narrower('anything has to be a text', {}, { type: ['string', 'null'] }, 'type'),
  narrower(
    'null is allowed in place of a text',
    object({ a: { type: 'array', items: { type: 'string' } } }),
    object({ a: { type: 'array', items: false } }),
    'type',
    ': a[]',
  ),
  other('a text becomes a number', { type: 'string' }, { type: 'number' }, 'type'),
  other(
    'an object becomes an array of them',
    object({ a: object({}) }),
    object({ a: { type: 'array', items: object({}) } }),
    'type',
    ': a',
  ),
  other(
    'one of two types becomes another',
    { type: ['string', 'boolean'] },
    { type: ['string', 'array'] },
    'type',
  ),
  narrower('null is ruled out', { type: ['string', 'null'] }, { type: 'string' }, 'null'),
  narrower('null is ruled out of a union', { anyOf: [cat, { type: 'null' }] }, cat, 'null'),
  narrower('a value is dropped', { enum: ['a', 'b'] }, { enum: ['a'] }, 'enum'),
  narrower(
    'values are listed where any was allowed',
    object({ a: { type: 'string' } }),
    object({ a: { type: 'string', enum: ['a'] } }),
    'enum',
    ': a',
  ),
  narrower('a value of an enum of numbers is dropped', { enum: [1, 2] }, { enum: [2] }, 'enum'),
  narrower(
    'a value is dropped from a union of constants',
    { oneOf: [{ const: 'a' }, { const: 'b' }] },
    { const: 'a' },
    'enum',
  ),
  other(
    'values are listed that the pattern excludes',
    { type: 'string', pattern: '^a' },
    { type: 'string', enum: ['ab', 'b'] },
    'enum',
  ),
  narrower(
    'values are listed that the pattern includes',
    { type: 'string', pattern: '^a', minLength: 2 },
    { type: 'string', enum: ['ab', 'ac'] },
    'enum',
  ),
  other(
    'values are listed that the limits exclude',
    { type: 'integer', minimum: 2 },
    { type: 'integer', enum: [1, 2] },
    'enum',
  ),
  narrower('a boolean has to be true', { type: 'boolean' }, { const: true }, 'enum'),
  other(
    'a format becomes another',
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
    'format',
  ),
  narrower('a format is demanded', { type: 'string' }, { type: 'string', format: 'uuid' }, 'format'),
  narrower(
    'a format becomes a smaller one',
    { type: 'integer', format: 'int64' },
    { type: 'integer', format: 'int32' },
    'format',
  ),
  narrower(
    'a reference has to be absolute',
    { type: 'string', format: 'uri-reference' },
    { type: 'string', format: 'uri' },
    'format',
  ),
  narrower(
    'maxLength is lowered',
    { type: 'string', maxLength: 9 },
    { type: 'string', maxLength: 8 },
    'limit',
  ),
  narrower('minLength is added', { type: 'string' }, { type: 'string', minLength: 1 }, 'limit'),
  narrower(
    'maxItems is added',
    { type: 'array', items: {} },
    { type: 'array', items: {}, maxItems: 3 },
    'limit',
  ),
  narrower('minItems is raised', { type: 'array', minItems: 1 }, { type: 'array', minItems: 2 }, 'limit'),
  narrower('items have to differ', { type: 'array' }, { type: 'array', uniqueItems: true }, 'limit'),
  narrower('minProperties is added', { type: 'object' }, { type: 'object', minProperties: 1 }, 'limit'),
  narrower(
    'maxProperties is lowered',
    { type: 'object', maxProperties: 9 },
    { type: 'object', maxProperties: 1 },
    'limit',
  ),
  narrower('minimum is raised', { type: 'number', minimum: 1 }, { type: 'number', minimum: 1.5 }, 'limit'),
  narrower('maximum is lowered', { type: 'integer', maximum: 9 }, { type: 'integer', maximum: 8 }, 'limit'),
  narrower(
    'a bound becomes exclusive',
    { type: 'number', maximum: 9 },
    { type: 'number', exclusiveMaximum: 9 },
    'limit',
  ),
  narrower(
    'numbers have to be multiples',
    { type: 'integer', multipleOf: 5 },
    { type: 'integer', multipleOf: 10 },
    'limit',
  ),
  narrower(
    'a limit of items within items is lowered',
    { type: 'array', items: { type: 'array', items: { type: 'string', maxLength: 2 } } },
    { type: 'array', items: { type: 'array', items: { type: 'string', maxLength: 1 } } },
    'limit',
    ': [][]',
  ),
  narrower('a pattern is demanded', { type: 'string' }, { type: 'string', pattern: '^a' }, 'pattern'),
  other(
    'a pattern becomes another',
    { type: 'string', pattern: '^a' },
    { type: 'string', pattern: '^b' },
    'pattern',
  ),
  narrower('a variant is dropped', { oneOf: [cat, dog] }, { oneOf: [cat] }, 'variant'),
  {
    ...narrower(
      'an open object becomes a union of objects',
      { type: 'object' },
      { oneOf: [cat, dog] },
      'variant',
    ),
    requestBack: ['risky clients | request body | request-property-ignored'],
  },
  narrower(
    'an object becomes a union of special cases',
    object({ kind: text, lives: { type: 'integer' } }, { required: ['kind'] }),
    {
      oneOf: [
        cat,
        object({ kind: { const: 'dog' }, lives: { maximum: 1, type: 'integer' } }, { required: ['kind'] }),
      ],
    },
    'variant',
  ),
  {
    ...narrower(
      'a variant becomes a union of special cases',
      {
        oneOf: [
          object({ kind: { enum: ['cat', 'dog'] } }, { required: ['kind'] }),
          object({ id: text }, { required: ['id'] }),
        ],
      },
      { oneOf: [cat, dog, object({ id: text }, { required: ['id'] })] },
      'variant',
    ),
    requestBack: ['risky clients | request body | request-property-ignored'],
  },
  other(
    'an object becomes a union of other objects',
    object({ a: text }, { required: ['a'] }),
    { oneOf: [object({ b: text }, { required: ['b'] }), object({ c: text }, { required: ['c'] })] },
    'variant',
  ),
  {
    name: 'an object becomes a union of objects that ignore its properties',
    base: object({ a: text }),
    head: { anyOf: [object({ b: text }), object({ c: text })] },
    request: [
      'risky clients | request body | request-property-ignored',
      'safe servers | request body | request-variant-widened',
    ],
    response: ['breaking both | response 200 | response-variant-changed'],
    requestBack: ['risky clients | request body | request-property-ignored'],
    responseBack: ['breaking clients | response 200 | response-variant-widened'],
  },
  {
    name: 'a variant is added whose values another one allows',
    base: { anyOf: [object({ a: text }, { required: ['a'] }), object({ b: text }, { required: ['b'] })] },
    head: {
      anyOf: [
        object({ a: text }, { required: ['a'] }),
        object({ b: text }, { required: ['b'] }),
        object({ b: text, a: text }, { required: ['a', 'b'] }),
      ],
    },
    request: ['safe both | request body | variant-covered'],
    response: ['safe both | response 200 | variant-covered'],
    requestBack: ['risky clients | request body | request-property-ignored'],
    responseBack: ['risky servers | response 200 | response-variant-narrowed'],
  },
  narrower(
    'a variant with a name is dropped',
    { anyOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Two' }] },
    { $ref: '#/components/schemas/One' },
    'variant',
    '',
    {
      schemas: { One: object({ a: {} }, { required: ['a'] }), Two: object({ b: {} }, { required: ['b'] }) },
    },
  ),
  narrower(
    'a limit within a variant is lowered',
    { oneOf: [cat, object({ kind: { const: 'dog' }, name: { type: 'string' } }, { required: ['kind'] })] },
    {
      oneOf: [
        cat,
        object({ kind: { const: 'dog' }, name: { type: 'string', maxLength: 9 } }, { required: ['kind'] }),
      ],
    },
    'limit',
    ': <{"kind", "name"}>.name'.replaceAll('"', ''),
  ),
  {
    ...narrower('an object is sealed', object({}), object({}, { additionalProperties: false }), 'extra'),
    responseBack: [],
  },
  narrower(
    'what other properties hold is bounded',
    { type: 'object', additionalProperties: {} },
    { type: 'object', additionalProperties: { type: 'string' } },
    'type',
    ': *',
  ),
  narrower(
    'the values of a map are bounded',
    { type: 'object', additionalProperties: { type: 'string' } },
    { type: 'object', additionalProperties: { type: 'string', maxLength: 9 } },
    'limit',
    ': *',
  ),
  narrower(
    'what allOf demands is tightened',
    { allOf: [object({ a: { type: 'string' } })] },
    { allOf: [object({ a: { type: 'string' } }), { properties: { a: { maxLength: 3 } } }] },
    'limit',
    ': a',
  ),
  {
    name: 'a variant becomes another',
    base: { oneOf: [cat, dog] },
    head: { oneOf: [cat, object({ kind: { const: 'cow' } }, { required: ['kind'] })] },
    request: [
      'breaking clients | request body | request-variant-narrowed',
      'safe servers | request body | request-variant-widened',
    ],
    response: [
      'risky servers | response 200 | response-variant-narrowed',
      'breaking clients | response 200 | response-variant-widened',
    ],
    requestBack: [
      'breaking clients | request body | request-variant-narrowed',
      'safe servers | request body | request-variant-widened',
    ],
    responseBack: [
      'risky servers | response 200 | response-variant-narrowed',
      'breaking clients | response 200 | response-variant-widened',
    ],
  },
  {
    name: 'a union of variants that cannot be distinguished is exclusive',
    base: { anyOf: [object({ a: {}, b: {} }), object({ c: {} })] },
    head: { oneOf: [object({ a: {}, b: {} }), object({ c: {} })] },
    request: ['risky both | request body | union-kind-changed'],
    response: ['risky both | response 200 | union-kind-changed'],
    requestBack: ['risky both | request body | union-kind-changed'],
    responseBack: ['risky both | response 200 | union-kind-changed'],
  },
  {
    name: 'another property discriminates',
    base: { oneOf: [cat, dog], discriminator: { propertyName: 'kind' } },
    head: { oneOf: [cat, dog] },
    request: ['risky both | request body | discriminator-changed'],
    response: ['risky both | response 200 | discriminator-changed'],
    requestBack: ['risky both | request body | discriminator-changed'],
    responseBack: ['risky both | response 200 | discriminator-changed'],
  },
  {
    name: 'a value of the mapping of a discriminator is renamed',
    base: mappedUnion('x'),
    head: mappedUnion('z'),
    parts: {
      schemas: {
        X: object({ kind: {}, x: {} }, { required: ['kind'] }),
        Y: object({ kind: {}, y: {} }, { required: ['kind'] }),
      },
    },
    request: [
      'breaking clients | request body: kind | request-enum-narrowed',
      'safe servers | request body: kind | request-enum-widened',
    ],
    response: [
      'risky servers | response 200: kind | response-enum-narrowed',
      'breaking clients | response 200: kind | response-enum-widened',
    ],
    requestBack: [
      'breaking clients | request body: kind | request-enum-narrowed',
      'safe servers | request body: kind | request-enum-widened',
    ],
    responseBack: [
      'risky servers | response 200: kind | response-enum-narrowed',
      'breaking clients | response 200: kind | response-enum-widened',
    ],
  },
  {
    name: 'an object becomes variants of oneOf, of which all of its values match several',
    base: object({ a: {}, b: {} }, { required: ['a', 'b'] }),
    head: {
      oneOf: [object({ a: {}, b: {} }, { required: ['a'] }), object({ a: {}, b: {} }, { required: ['b'] })],
    },
    request: [
      'safe servers | request body: b | request-property-became-optional',
      'safe servers | request body | request-variant-widened',
      'breaking clients | request body | request-variant-narrowed',
    ],
    response: [
      'breaking clients | response 200: b | response-property-became-optional',
      'breaking clients | response 200 | response-variant-widened',
    ],
    requestBack: [
      'breaking clients | request body: b | request-property-became-required',
      'breaking clients | request body | request-variant-narrowed',
    ],
    responseBack: [
      'risky servers | response 200: b | response-property-became-required',
      'risky servers | response 200 | response-variant-narrowed',
      'breaking clients | response 200 | response-variant-widened',
    ],
  },
  {
    name: 'a variant is added to oneOf that includes another one',
    base: { oneOf: [object({ a: {} }, { required: ['a'] }), { type: 'string' }] },
    head: { oneOf: [object({ a: {} }, { required: ['a'] }), { type: 'string' }, object({ a: {}, b: {} })] },
    request: [
      'safe servers | request body | request-variant-widened',
      'breaking clients | request body | request-variant-narrowed',
    ],
    response: ['breaking clients | response 200 | response-variant-widened'],
    requestBack: ['breaking clients | request body | request-variant-narrowed'],
    responseBack: ['risky servers | response 200 | response-variant-narrowed'],
  },
  ...placed,
  {
    name: 'a sealed object gets a pattern',
    base: { type: 'object', additionalProperties: false },
    head: { type: 'object', additionalProperties: false, patternProperties: { '^x': { type: 'string' } } },
    request: ['safe servers | request body: ^x | request-extra-widened'],
    response: [],
    requestBack: ['breaking clients | request body: ^x | request-extra-narrowed'],
    responseBack: ['risky servers | response 200: ^x | response-extra-narrowed'],
  },
  {
    name: 'a pattern is added that applies to a declared property',
    base: { type: 'object', properties: { xa: {} } },
    head: { type: 'object', properties: { xa: {} }, patternProperties: { '^x': {} } },
    request: ['risky both | request body: ^x | request-keyword-changed'],
    response: ['risky both | response 200: ^x | response-keyword-changed'],
    requestBack: ['risky both | request body: ^x | request-keyword-changed'],
    responseBack: ['risky both | response 200: ^x | response-keyword-changed'],
  },
  {
    name: 'a keyword changes that nothing judges',
    base: { type: 'array', contains: { const: 1 } },
    head: { type: 'array', contains: { const: 2 } },
    request: ['risky both | request body | request-keyword-changed'],
    response: ['risky both | response 200 | response-keyword-changed'],
    requestBack: ['risky both | request body | request-keyword-changed'],
    responseBack: ['risky both | response 200 | response-keyword-changed'],
  },
  uninterpreted('not', { type: 'string', not: nested }),
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  uninterpreted('then', { type: 'object', if: { required: ['a'] }, then: { properties: { b: nested } } }),
  uninterpreted('propertyNames', { type: 'object', propertyNames: nested }),
  uninterpreted('dependentSchemas', {
    type: 'object',
    dependentSchemas: { a: { properties: { b: nested } } },
  }),
  uninterpreted('contentSchema', {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: nested,
  }),
];
