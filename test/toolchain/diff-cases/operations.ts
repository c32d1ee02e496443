import type { Json, JsonObject } from '../../../spec/toolchain/document.ts';
import { documentWith, operationWith, type Parts } from './document.ts';

/** What one change of a document means, and what the way back means. */
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
const response = (content: Json): JsonObject =>
  operationWith({ responses: { 200: { description: 'Done.', content } } });
const header = (headers: Json): JsonObject =>
  operationWith({ responses: { 200: { description: 'Done.', headers } } });
const statuses = (...list: string[]): JsonObject =>
  operationWith({ responses: Object.fromEntries(list.map((status) => [status, { description: 'So.' }])) });
const parts: Parts = {
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    oauth: { type: 'oauth2', flows: {} },
  },
};
const security = (...list: Json[]): JsonObject => operationWith({ security: list }, parts);
const text = { type: 'string' };

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
    name: 'the schema of a form is bounded, and its parts are encoded otherwise',
    base: body({ content: { 'multipart/form-data': { schema: text } } }),
    head: body({
      content: {
        'multipart/form-data': {
          schema: { ...text, minLength: 2 },
          encoding: { a: { contentType: 'image/png' } },
        },
      },
    }),
    changes: [
      'breaking clients | request body (multipart/form-data) | request-limit-narrowed',
      'risky both | request body (multipart/form-data) | request-encoding-changed',
    ],
    back: [
      'safe servers | request body (multipart/form-data) | request-limit-widened',
      'risky both | request body (multipart/form-data) | request-encoding-changed',
    ],
  },
  {
    name: 'a further success is possible',
    base: statuses('200'),
    head: statuses('200', '202'),
    changes: ['risky clients | response 202 | status-added'],
    back: ['breaking clients | response 202 | status-removed'],
  },
  {
    name: 'a further failure is possible',
    base: statuses('200'),
    head: statuses('200', '409'),
    changes: ['risky clients | response 409 | status-error-added'],
    back: ['risky servers | response 409 | status-error-removed'],
  },
  {
    name: 'a failure that the default spoke for is declared',
    base: statuses('200', 'default'),
    head: statuses('200', '409', 'default'),
    changes: ['safe both | response 409 | status-covered'],
    back: ['safe both | response 409 | status-covered'],
  },
  {
    name: 'a range speaks for a failure',
    base: statuses('200', '404'),
    head: statuses('200', '4xx'),
    changes: [
      'safe both | response 404 | status-covered',
      'risky clients | response 4XX | status-error-added',
    ],
    back: [
      'risky servers | response 4XX | status-error-removed',
      'safe both | response 404 | status-covered',
    ],
  },
  {
    name: 'the default does not speak for a success',
    base: statuses('200', '201', 'default'),
    head: statuses('200', 'default'),
    changes: ['breaking clients | response 201 | status-removed'],
    back: ['risky clients | response 201 | status-added'],
  },
  {
    name: 'a response gets a body',
    base: response({}),
    head: response({ 'application/json': {} }),
    changes: ['safe servers | response 200 | response-body-added'],
    back: ['breaking clients | response 200 | response-body-removed'],
  },
  {
    name: 'a response is offered in another media type',
    base: response({ 'application/json': {} }),
    head: response({ 'application/json': {}, 'application/pdf': {} }),
    changes: ['safe servers | response 200 | response-media-type-added'],
    back: ['breaking clients | response 200 | response-media-type-removed'],
  },
  {
    name: 'an optional header is added',
    base: header({}),
    head: header({ 'X-A': { schema: text } }),
    changes: ['safe servers | header X-A of response 200 | header-added'],
    back: ['risky clients | header X-A of response 200 | header-optional-removed'],
  },
  {
    name: 'a required header is added',
    base: header({}),
    head: header({ 'X-A': { required: true, schema: text } }),
    changes: ['safe servers | header X-A of response 200 | header-added'],
    back: ['breaking clients | header X-A of response 200 | header-removed'],
  },
  {
    name: 'a header becomes required, in other letters',
    base: header({ 'x-a': { schema: text } }),
    head: header({ 'X-A': { required: true, schema: text } }),
    changes: ['risky servers | header x-a of response 200 | header-became-required'],
    back: ['breaking clients | header X-A of response 200 | header-became-optional'],
  },
  {
    name: 'a header is no longer a number',
    base: header({ 'X-A': { schema: { type: 'integer' } } }),
    head: header({ 'X-A': { schema: text } }),
    changes: ['breaking clients | header X-A of response 200 | response-type-widened'],
    back: ['risky servers | header X-A of response 200 | response-type-narrowed'],
  },
  {
    name: 'credentials are demanded',
    base: security(),
    head: security({ token: [] }),
    changes: ['breaking clients | security | security-tightened'],
    back: ['risky servers | security | security-opened'],
  },
  {
    name: 'another way in is added',
    base: security({ token: [] }),
    head: security({ token: [] }, { key: [] }),
    changes: ['safe servers | security | security-added'],
    back: ['breaking clients | security | security-tightened'],
  },
  {
    name: 'two credentials are demanded together',
    base: security({ token: [] }),
    head: security({ token: [], key: [] }),
    changes: ['breaking clients | security | security-tightened'],
    back: ['safe servers | security | security-added'],
  },
  {
    name: 'a further scope is demanded',
    base: security({ oauth: ['read'] }),
    head: security({ oauth: ['read', 'write'] }),
    changes: ['breaking clients | security | security-tightened'],
    back: ['safe servers | security | security-added'],
  },
  {
    name: 'credentials become optional',
    base: security({ token: [] }),
    head: security({ token: [] }, {}),
    changes: ['risky servers | security | security-opened'],
    back: ['breaking clients | security | security-tightened'],
  },
  {
    name: 'the key is sent in another header',
    base: security({ key: [] }),
    head: operationWith(
      { security: [{ key: [] }] },
      { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Other' } } },
    ),
    changes: ['breaking clients | security | security-tightened'],
    back: ['breaking clients | security | security-tightened'],
  },
  {
    name: 'a webhook sends a further value, which goes to the client',
    base: documentWith({
      webhooks: {
        moved: {
          post: operation('onMoved', {
            requestBody: { content: { 'application/json': { schema: { enum: ['a'] } } } },
          }),
        },
      },
    }),
    head: documentWith({
      webhooks: {
        moved: {
          post: operation('onMoved', {
            requestBody: { content: { 'application/json': { schema: { enum: ['a', 'b'] } } } },
          }),
        },
      },
    }),
    changes: ['breaking clients | request body | response-enum-widened'],
    back: ['risky servers | request body | response-enum-narrowed'],
  },
  {
    name: 'a callback sends a further value, which goes to the client',
    base: operationWith({
      callbacks: {
        done: {
          '{$url}': {
            post: operation('onDone', {
              requestBody: { content: { 'application/json': { schema: { enum: ['a'] } } } },
            }),
          },
        },
      },
    }),
    head: operationWith({
      callbacks: {
        done: {
          '{$url}': {
            post: operation('onDone', {
              requestBody: { content: { 'application/json': { schema: { enum: ['a', 'b'] } } } },
            }),
          },
        },
      },
    }),
    changes: ['breaking clients | request body | response-enum-widened'],
    back: ['risky servers | request body | response-enum-narrowed'],
  },
];
