import type { Json, JsonObject } from '../../../../spec/toolchain/document.ts';
import { documentWith, operationWith, type Parts, requestOf } from './document.ts';

/** Two notations of the same contract, without changes in either direction. */
export interface EquivalentCase {
  name: string;
  base: JsonObject;
  head: JsonObject;
}

/** Two notations of the same schema. */
export interface EquivalentSchemas {
  name: string;
  base: Json;
  head: Json;
  /** Other schemas of the base document, and by default of the head document. */
  parts?: Parts;
  headParts?: Parts;
}

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const old: Parts = { openapi: '3.0.3' };
const resource: Json = { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' }, b: {} } };
const schemas = { Widget: resource, Colour: { type: 'string', enum: ['red', 'blue'] } };

export const equivalentSchemas: EquivalentSchemas[] = [
  {
    name: 'anyOf with null, and a list of types',
    base: { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] },
    head: { type: ['string', 'null'], maxLength: 3 },
  },
  {
    name: 'oneOf with null, and a list of types',
    base: { oneOf: [{ type: 'null' }, { type: 'integer' }] },
    head: { type: ['integer', 'null'] },
  },
  {
    name: "3.0's nullable, and a list of types",
    base: { type: 'string', nullable: true },
    head: { type: ['string', 'null'] },
    parts: old,
    headParts: {},
  },
  {
    name: "3.0's nullable around a reference, and anyOf with null",
    base: { allOf: [ref('Widget')], nullable: true },
    head: { anyOf: [ref('Widget'), { type: 'null' }] },
    parts: { ...old, schemas },
    headParts: { schemas },
  },
  {
    name: "3.0's nullable enum, and an enum with null",
    base: { type: 'string', enum: ['a', null], nullable: true },
    head: { enum: [null, 'a'] },
    parts: old,
    headParts: {},
  },
  {
    name: "3.0's exclusive bound, and that of 3.1",
    base: { type: 'number', minimum: 1, exclusiveMinimum: true },
    head: { type: 'number', exclusiveMinimum: 1 },
    parts: old,
    headParts: {},
  },
  {
    name: "3.0's base64, and that of 3.1",
    base: { type: 'string', format: 'byte' },
    head: { type: 'string', contentEncoding: 'base64' },
    parts: old,
    headParts: {},
  },
  {
    name: 'keywords next to a reference in 3.0',
    base: { ...Object(ref('Widget')), maxProperties: 1 },
    head: ref('Widget'),
    parts: { ...old, schemas },
  },
  { name: 'enums in another order', base: { enum: ['a', 'b', 'c'] }, head: { enum: ['c', 'a', 'b'] } },
  {
    name: 'required in another order',
    base: { required: ['a', 'b'], properties: { a: {}, b: {} } },
    head: { required: ['b', 'a'], properties: { b: {}, a: {} } },
  },
  {
    name: 'a reference under a keyword that no rule interprets, and the same inlined',
    base: { type: 'object', patternProperties: { '^x': ref('Widget') } },
    head: { type: 'object', patternProperties: { '^x': resource } },
    parts: { schemas },
  },
  { name: 'a reference, and the same inlined', base: ref('Widget'), head: resource, parts: { schemas } },
  {
    name: 'a component under another name',
    base: { type: 'array', items: ref('Widget') },
    head: { type: 'array', items: ref('Ding') },
    parts: { schemas },
    headParts: { schemas: { Ding: resource } },
  },
  {
    name: 'a reference within a component, and the same inlined',
    base: { properties: { colour: ref('Colour') } },
    head: { properties: { colour: { enum: ['blue', 'red'] } } },
    parts: { schemas },
  },
  {
    name: 'a constant, and an enum of one value',
    base: { const: 'a' },
    head: { type: 'string', enum: ['a'] },
  },
  {
    name: 'a union of constants, and an enum',
    base: { anyOf: [{ const: 'a' }, { const: 'b' }] },
    head: { enum: ['a', 'b'] },
  },
  {
    name: 'a union of enums, and one enum',
    base: { anyOf: [ref('Colour'), { type: 'string', enum: ['green'] }] },
    head: { enum: ['red', 'green', 'blue'] },
    parts: { schemas },
  },
  {
    name: 'an enum with a type, and without',
    base: { enum: [1, 2] },
    head: { type: 'integer', enum: [1, 2] },
  },
  { name: 'an enum of both booleans', base: { enum: [true, false] }, head: { type: 'boolean' } },
  {
    name: 'an enum next to any text',
    base: { anyOf: [ref('Colour'), { type: 'string' }] },
    head: { type: 'string' },
    parts: { schemas },
  },
  {
    name: 'a union of types, and a list of them',
    base: {
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string' } },
      ],
    },
    head: { type: ['array', 'string'], items: { type: 'string' }, minLength: 1 },
  },
  {
    name: 'allOf, and the same merged',
    base: {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { required: ['a', 'b'], properties: { b: {} } },
      ],
    },
    head: resource,
  },
  {
    name: 'allOf of one, and that one',
    base: { allOf: [ref('Widget')], description: 'A widget.' },
    head: ref('Widget'),
    parts: { schemas },
  },
  {
    name: 'a union within a union, and one union',
    base: { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'null' }] },
    head: { type: ['null', 'integer', 'string'] },
  },
  {
    name: 'variants in another order',
    base: { oneOf: [ref('Widget'), { type: 'object', properties: { c: {} } }] },
    head: { oneOf: [{ type: 'object', properties: { c: {} } }, ref('Widget')] },
    parts: { schemas },
  },
  {
    name: 'anyOf and oneOf of variants that a property distinguishes',
    base: {
      anyOf: [
        { type: 'object', properties: { k: { const: 1 } } },
        { type: 'object', properties: { k: { const: 2 } } },
      ],
    },
    head: {
      oneOf: [
        { type: 'object', properties: { k: { const: 2 } } },
        { type: 'object', properties: { k: { const: 1 } } },
      ],
    },
  },
  {
    name: 'limits that limit nothing',
    base: {
      type: ['string', 'array', 'object'],
      minLength: 0,
      minItems: 0,
      minProperties: 0,
      uniqueItems: false,
    },
    head: { type: ['string', 'array', 'object'] },
  },
  {
    name: 'additional properties allowed by word, and by silence',
    base: { type: 'object', additionalProperties: true },
    head: { type: 'object', additionalProperties: {} },
  },
  {
    name: 'sealed by either keyword',
    base: { type: 'object', unevaluatedProperties: { not: {} } },
    head: { type: 'object', additionalProperties: false },
  },
  {
    name: 'more than 3, and at least 4, of whole numbers',
    base: { type: 'integer', exclusiveMinimum: 3 },
    head: { type: 'integer', minimum: 4 },
  },
  {
    name: 'limits of another type',
    base: { type: 'integer', maxLength: 4, multipleOf: 1 },
    head: { type: 'integer' },
  },
  {
    name: 'titles, examples, extensions and texts',
    base: { type: 'string', title: 'A', description: 'B', examples: ['c'], 'x-d': 1 },
    head: { type: 'string' },
  },
  {
    name: 'two variants with the same values, of which one is removed',
    base: { anyOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Two' }] },
    head: { $ref: '#/components/schemas/One' },
    parts: {
      schemas: { One: { type: 'object', required: ['a'] }, Two: { type: 'object', required: ['a'] } },
    },
  },
  {
    name: 'a default as a text, and as a boolean',
    base: { type: 'string', enum: ['true', 'auto'], default: true },
    head: { type: 'string', enum: ['true', 'auto'], default: 'true' },
  },
  {
    name: 'a discriminator of a schema that is not a union',
    base: { ...Object(resource), discriminator: { propertyName: 'a' } },
    head: resource,
  },
  {
    name: 'properties that no text fits, and that are not allowed',
    base: { type: 'object', properties: { a: { type: 'string', minLength: 2, maxLength: 1 }, b: {} } },
    head: { type: 'object', properties: { a: false, b: {} } },
  },
  {
    name: 'unions within allOf, and only their combinations with values',
    base: {
      allOf: [
        {
          anyOf: ['a', 'b', 'c'].map((k) => ({
            type: 'object',
            required: ['k'],
            properties: { k: { const: k } },
          })),
        },
        {
          anyOf: ['b', 'c', 'd'].map((k) => ({
            type: 'object',
            required: ['k'],
            properties: { k: { const: k } },
          })),
        },
      ],
    },
    head: {
      anyOf: ['b', 'c'].map((k) => ({ type: 'object', required: ['k'], properties: { k: { const: k } } })),
    },
  },
  {
    name: 'a format that bounds nothing',
    base: { type: 'string', format: 'password' },
    head: { type: 'string' },
  },
];

const listOf = (path: string, name: string): JsonObject => ({
  paths: {
    [path]: {
      get: {
        operationId: 'listWidgets',
        parameters: [{ name, in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 204: { description: 'None.' } },
      },
    },
  },
});
const query = (rest: JsonObject): JsonObject =>
  operationWith({ parameters: [{ name: 'q', in: 'query', ...rest }] });

export const equivalentDocuments: EquivalentCase[] = [
  {
    name: 'a path parameter under another name',
    base: { ...requestOf({}), ...listOf('/a/{widget}/b', 'widget') },
    head: { ...requestOf({}), ...listOf('/a/{id}/b', 'id') },
  },
  {
    name: 'a parameter of the path, and of the operation',
    base: query({ schema: {} }),
    head: {
      ...query({}),
      paths: {
        '/widget': {
          parameters: [{ name: 'q', in: 'query', schema: {} }],
          post: { operationId: 'useWidget', responses: { 200: { description: 'Done.' } } },
        },
      },
    },
  },
  {
    name: 'a style by word, and by silence',
    base: query({ schema: { type: 'array' } }),
    head: query({ schema: { type: 'array' }, style: 'form', explode: true, required: false }),
  },
  {
    name: 'a style that makes no difference to a text',
    base: query({ schema: { type: 'string' }, explode: false }),
    head: query({ schema: { type: 'string' } }),
  },
  {
    name: 'a header parameter in other letters',
    base: operationWith({ parameters: [{ name: 'X-A', in: 'header' }] }),
    head: operationWith({ parameters: [{ name: 'x-a', in: 'header' }] }),
  },
  {
    name: 'a media type in other letters, with a charset',
    base: operationWith({ requestBody: { content: { 'application/json': {} } } }),
    head: operationWith({ requestBody: { content: { 'Application/JSON; charset=utf-8': {} } } }),
  },
  {
    name: 'security of the document, and of the operation',
    base: operationWith(
      {},
      { security: [{ a: [] }], securitySchemes: { a: { type: 'http', scheme: 'bearer' } } },
    ),
    head: operationWith(
      { security: [{ b: [] }] },
      { securitySchemes: { b: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' } } },
    ),
  },
  {
    name: 'a key in a header in other letters',
    base: operationWith(
      { security: [{ a: [] }] },
      { securitySchemes: { a: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
    ),
    head: operationWith(
      { security: [{ a: [] }] },
      { securitySchemes: { a: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    ),
  },
  {
    name: 'servers of the document, and of the operation',
    base: operationWith({}, { servers: [{ url: '/v1' }] }),
    head: operationWith({ servers: [{ url: '/v1' }] }, { servers: [{ url: '/v1' }] }),
  },
  {
    name: 'a media type with its parameters in another order',
    base: operationWith({ requestBody: { content: { 'application/json;a=1;b=2': {} } } }),
    head: operationWith({ requestBody: { content: { 'application/json; B=2; A=1': {} } } }),
  },
  {
    name: 'servers by word, and by silence',
    base: operationWith({}, { servers: [{ url: '/' }] }),
    head: operationWith({}),
  },
  {
    name: 'an undeclared path parameter, and a string',
    base: documentWith({ paths: { '/a/{b}': { get: { responses: {} } } } }),
    head: documentWith({
      paths: {
        '/a/{b}': {
          get: {
            parameters: [{ name: 'b', in: 'path', required: true, schema: { type: 'string' } }],
            responses: {},
          },
        },
      },
    }),
  },
  {
    name: 'a path parameter that is not in the path, and none',
    base: operationWith({ parameters: [{ name: 'b', in: 'path', required: true, schema: {} }] }),
    head: operationWith({}),
  },
  {
    name: 'reserved expansion in the path, and in the parameter',
    base: documentWith({ paths: { '/a/{+b}': { get: { responses: {} } } } }),
    head: documentWith({
      paths: {
        '/a/{c}': {
          parameters: [
            { name: 'c', in: 'path', required: true, schema: { type: 'string' }, 'x-allow-reserved': true },
          ],
          get: { responses: {} },
        },
      },
    }),
  },
  {
    name: 'a response without a body that declares one, and one that does not',
    base: operationWith({ responses: { 204: { description: 'Done.', content: { 'text/plain': {} } } } }),
    head: operationWith({ responses: { 204: { description: 'Done.' } } }),
  },
  {
    name: 'another version',
    base: requestOf({}),
    head: { ...requestOf({}), info: { title: 'Other', version: '2.0.0' } },
  },
];
