import type { JsonObject } from '../../../../spec/toolchain/document.ts';
import { documentWith, operationWith } from './document.ts';

/** Effects of a change of a document and of its reversal. */
export interface OperationCase {
  name: string;
  base: JsonObject;
  head: JsonObject;
  changes: string[];
  back: string[];
}

const operation = (id: string, rest: JsonObject = {}): JsonObject => ({
  operationId: id,
  responses: { 204: { description: 'Done.' } },
  ...rest,
});
const paths = (map: JsonObject): JsonObject => documentWith({ paths: map });
const parameter = (...list: JsonObject[]): JsonObject => operationWith({ parameters: list });
const q = (rest: JsonObject = {}): JsonObject => ({
  name: 'q',
  in: 'query',
  schema: { type: 'string' },
  ...rest,
});
const body = (rest: JsonObject | undefined): JsonObject =>
  operationWith(rest === undefined ? {} : { requestBody: { content: { 'application/json': {} }, ...rest } });
const text = { type: 'string' };

/** Operations, parameters and request bodies. */
export const operationCases: OperationCase[] = [
  {
    name: 'an operation is added',
    base: paths({ '/a': { get: operation('getA') } }),
    head: paths({ '/a': { get: operation('getA'), delete: operation('deleteA') } }),
    changes: ['safe servers | operation | operation-added'],
    back: ['breaking clients | operation | operation-removed'],
  },
  {
    name: 'an operation moves to another path',
    base: paths({ '/a': { get: operation('getA') } }),
    head: paths({ '/b': { get: operation('getA') } }),
    changes: ['breaking both | operation | operation-moved'],
    back: ['breaking both | operation | operation-moved'],
  },
  {
    name: 'an operation gets another method',
    base: paths({ '/a': { put: operation('setA') } }),
    head: paths({ '/a': { post: operation('setA') } }),
    changes: ['breaking both | operation | operation-moved'],
    back: ['breaking both | operation | operation-moved'],
  },
  {
    name: 'a path gets another fixed part and id',
    base: paths({ '/a/{x}': { get: operation('getA') } }),
    head: paths({ '/b/{x}': { get: operation('getB') } }),
    changes: [
      'breaking clients | operation | operation-removed',
      'safe servers | operation | operation-added',
    ],
    back: ['breaking clients | operation | operation-removed', 'safe servers | operation | operation-added'],
  },
  {
    name: 'an operation gets another id',
    base: paths({ '/a': { get: operation('getA') } }),
    head: paths({ '/a': { get: operation('readA') } }),
    changes: ['risky both | operation | operation-id-changed'],
    back: ['risky both | operation | operation-id-changed'],
  },
  {
    name: 'an operation is deprecated',
    base: operationWith({}),
    head: operationWith({ deprecated: true }),
    changes: ['safe clients | operation | operation-deprecated'],
    back: ['safe clients | operation | operation-undeprecated'],
  },
  {
    name: 'texts and tags change',
    base: operationWith({ summary: 'A', tags: ['a'] }),
    head: operationWith({ summary: 'B', tags: ['b'] }),
    changes: ['safe clients | operation | docs-changed'],
    back: ['safe clients | operation | docs-changed'],
  },
  {
    name: 'the address of the server changes',
    base: operationWith({}, { servers: [{ url: 'https://a.example/v1' }] }),
    head: operationWith({}, { servers: [{ url: 'https://a.example/v2' }] }),
    changes: ['risky both | servers | servers-changed'],
    back: ['risky both | servers | servers-changed'],
  },
  {
    name: 'the server of one operation changes',
    base: operationWith({}, { servers: [{ url: '/v1' }] }),
    head: operationWith({ servers: [{ url: '/v2' }] }, { servers: [{ url: '/v1' }] }),
    changes: ['risky both | servers | servers-changed'],
    back: ['risky both | servers | servers-changed'],
  },
  {
    name: 'the server of one path changes',
    base: paths({ '/a': { servers: [{ url: '/v1' }], get: operation('getA') } }),
    head: paths({ '/a': { servers: [{ url: '/v2' }], get: operation('getA') } }),
    changes: ['risky both | servers | servers-changed'],
    back: ['risky both | servers | servers-changed'],
  },
  {
    name: 'an operation gets one more server',
    base: operationWith({}),
    head: operationWith({ servers: [{ url: '/' }, { url: '/v2' }] }),
    changes: [],
    back: ['risky both | servers | servers-changed'],
  },
  {
    name: 'an optional parameter is added',
    base: parameter(),
    head: parameter(q()),
    changes: ['safe servers | query parameter q | parameter-added'],
    back: ['breaking clients | query parameter q | parameter-removed'],
  },
  {
    name: 'a required parameter is added',
    base: parameter(),
    head: parameter(q({ required: true })),
    changes: ['breaking clients | query parameter q | parameter-required-added'],
    back: ['breaking clients | query parameter q | parameter-removed'],
  },
  {
    name: 'a parameter becomes required',
    base: parameter(q()),
    head: parameter(q({ required: true })),
    changes: ['breaking clients | query parameter q | parameter-became-required'],
    back: ['safe servers | query parameter q | parameter-became-optional'],
  },
  {
    name: 'a parameter moves from the query to a header',
    base: parameter(q()),
    head: parameter(q({ in: 'header' })),
    changes: ['breaking both | query parameter q | parameter-moved'],
    back: ['breaking both | header parameter q | parameter-moved'],
  },
  {
    name: 'a list in a parameter is joined by commas',
    base: parameter(q({ schema: { type: 'array' } })),
    head: parameter(q({ schema: { type: 'array' }, explode: false })),
    changes: ['breaking both | query parameter q | parameter-style-changed'],
    back: ['breaking both | query parameter q | parameter-style-changed'],
  },
  {
    name: 'a path parameter has several segments',
    base: paths({ '/a/{b}': { get: operation('getA') } }),
    head: paths({ '/a/{+b}': { get: operation('getA') } }),
    changes: ['breaking both | path parameter b | parameter-style-changed'],
    back: ['breaking both | path parameter b | parameter-style-changed'],
  },
  {
    name: 'an object in a parameter gets brackets',
    base: parameter(q({ schema: { type: 'object' } })),
    head: parameter(q({ schema: { type: 'object' }, style: 'deepObject' })),
    changes: ['breaking both | query parameter q | parameter-style-changed'],
    back: ['breaking both | query parameter q | parameter-style-changed'],
  },
  {
    name: 'a parameter may be any text, not only a number',
    base: parameter(q({ schema: { type: 'integer' } })),
    head: parameter(q()),
    changes: ['safe servers | query parameter q | request-type-widened'],
    back: ['breaking clients | query parameter q | request-type-narrowed'],
  },
  {
    name: 'a value of a parameter is dropped',
    base: parameter(q({ schema: { enum: ['a', 'b'] } })),
    head: parameter(q({ schema: { enum: ['a'] } })),
    changes: ['breaking clients | query parameter q | request-enum-narrowed'],
    back: ['safe servers | query parameter q | request-enum-widened'],
  },
  {
    name: 'the default of a parameter changes',
    base: parameter(q({ schema: { type: 'integer', default: 10 } })),
    head: parameter(q({ schema: { type: 'integer', default: 20 } })),
    changes: ['risky clients | query parameter q | request-default-changed'],
    back: ['risky clients | query parameter q | request-default-changed'],
  },
  {
    name: 'the values of a path parameter are bounded',
    base: documentWith({
      paths: {
        '/a/{x}': {
          get: operation('a', { parameters: [{ name: 'x', in: 'path', required: true, schema: text }] }),
        },
      },
    }),
    head: documentWith({
      paths: {
        '/a/{y}': {
          get: operation('a', {
            parameters: [{ name: 'y', in: 'path', required: true, schema: { ...text, maxLength: 9 } }],
          }),
        },
      },
    }),
    changes: ['breaking clients | path parameter x | request-limit-narrowed'],
    back: ['safe servers | path parameter y | request-limit-widened'],
  },
  {
    name: 'a parameter may no longer be empty',
    base: parameter(q({ allowEmptyValue: true })),
    head: parameter(q()),
    changes: ['breaking clients | query parameter q | request-limit-narrowed'],
    back: [],
  },
  {
    name: 'a parameter is deprecated',
    base: parameter(q()),
    head: parameter(q({ deprecated: true })),
    changes: ['safe clients | query parameter q | parameter-deprecated'],
    back: [],
  },
  {
    name: 'an optional body is added',
    base: body(undefined),
    head: body({}),
    changes: ['safe servers | request body | request-body-added'],
    back: ['breaking clients | request body | request-body-removed'],
  },
  {
    name: 'a required body is added',
    base: body(undefined),
    head: body({ required: true }),
    changes: ['breaking clients | request body | request-body-required-added'],
    back: ['breaking clients | request body | request-body-removed'],
  },
  {
    name: 'a body becomes required',
    base: body({}),
    head: body({ required: true }),
    changes: ['breaking clients | request body | request-body-became-required'],
    back: ['safe servers | request body | request-body-became-optional'],
  },
  {
    name: 'a body may come in another media type',
    base: body({}),
    head: body({ content: { 'application/json': {}, 'text/csv': {} } }),
    changes: ['safe servers | request body | request-media-type-added'],
    back: ['breaking clients | request body | request-media-type-removed'],
  },
  {
    name: 'a body may come in any media type of a range',
    base: body({ content: { 'image/png': {} } }),
    head: body({ content: { 'image/*': {} } }),
    changes: ['safe servers | request body | request-media-type-added'],
    back: ['breaking clients | request body | request-media-type-removed'],
  },
  {
    name: 'the schema of a form is bounded, and its parts have headers',
    base: body({ content: { 'multipart/form-data': { schema: { properties: { a: text } } } } }),
    head: body({
      content: {
        'multipart/form-data': {
          schema: { properties: { a: { ...text, minLength: 2 } } },
          encoding: { a: { headers: { 'X-A': { schema: text } } } },
        },
      },
    }),
    changes: [
      'breaking clients | request body (multipart/form-data): a | request-limit-narrowed',
      'risky both | request body (multipart/form-data): a | request-encoding-changed',
    ],
    back: [
      'safe servers | request body (multipart/form-data): a | request-limit-widened',
      'risky both | request body (multipart/form-data): a | request-encoding-changed',
    ],
  },
  {
    name: 'a parameter accepts a list of its values',
    base: parameter(q({ schema: { type: 'string', enum: ['a', 'b'] } })),
    head: parameter(q({ schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } })),
    changes: ['safe servers | query parameter q | request-type-widened'],
    back: ['breaking both | query parameter q | request-type-changed'],
  },
  {
    name: 'a parameter with a default accepts a list, by default of the same value',
    base: parameter(q({ schema: { type: 'string', default: 'a' } })),
    head: parameter(q({ schema: { type: 'array', items: text, default: ['a'] } })),
    changes: ['safe servers | query parameter q | request-type-widened'],
    back: [
      'risky clients | query parameter q | request-default-changed',
      'breaking both | query parameter q | request-type-changed',
    ],
  },
  {
    name: 'a parameter accepts a list of fewer values, with a default',
    base: parameter(q({ schema: { type: 'string', enum: ['a', 'b'] } })),
    head: parameter(q({ schema: { type: 'array', items: { const: 'a' }, default: ['a'] } })),
    changes: [
      'safe servers | query parameter q | request-type-widened',
      'risky clients | query parameter q | request-default-changed',
      'breaking clients | query parameter q | request-enum-narrowed',
    ],
    back: [
      'risky clients | query parameter q | request-default-changed',
      'breaking both | query parameter q | request-type-changed',
    ],
  },
  {
    name: 'a parameter accepts a list that is serialized in another way',
    base: parameter(q()),
    head: parameter(q({ schema: { type: 'array', items: text }, explode: false })),
    changes: ['breaking both | query parameter q | request-type-changed'],
    back: ['breaking both | query parameter q | request-type-changed'],
  },
];
