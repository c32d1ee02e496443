import type { Json, JsonObject } from '../../../../spec/toolchain/document.ts';
import { documentWith, operationWith, type Parts, responseOf } from './document.ts';
import type { OperationCase } from './operations.ts';

const operation = (id: string, rest: JsonObject = {}): JsonObject => ({
  operationId: id,
  responses: { 204: { description: 'Done.' } },
  ...rest,
});
const response = (content: Json): JsonObject =>
  operationWith({ responses: { 200: { description: 'Done.', content } } });
const withBody = (schema: Json) => ({ description: 'Done.', content: { 'application/json': { schema } } });
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
const bearers = (...names: string[]) => ({
  securitySchemes: Object.fromEntries(names.map((name) => [name, { type: 'http', scheme: 'bearer' }])),
});
const security = (...list: Json[]): JsonObject => operationWith({ security: list }, parts);
const text = { type: 'string' };
const nullableName: Parts = { schemas: { Name: { type: 'string', nullable: true } } };

/** Responses, security, webhooks and callbacks. */
export const responseCases: OperationCase[] = [
  {
    name: 'the document has another version, in which a keyword has no effect',
    base: responseOf({ $ref: '#/components/schemas/Name' }, { openapi: '3.0.3', ...nullableName }),
    head: responseOf({ $ref: '#/components/schemas/Name' }, { openapi: '3.1.0', ...nullableName }),
    changes: ['risky servers | response 200 | response-null-narrowed'],
    back: ['breaking clients | response 200 | response-null-widened'],
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
    name: 'the default is the success if no other is declared',
    base: operationWith({ responses: { default: withBody({ type: 'string' }) } }),
    head: operationWith({
      responses: { 200: withBody({ type: 'integer' }), default: withBody({ type: 'string' }) },
    }),
    changes: [
      'safe both | response 200 | status-covered',
      'breaking both | response 200 | response-type-changed',
    ],
    back: [
      'safe both | response 200 | status-covered',
      'breaking both | response 200 | response-type-changed',
    ],
  },
  {
    name: 'a range of successes is narrowed to one',
    base: operationWith({
      responses: { '2XX': { description: 'Done.', content: { 'application/json': { schema: text } } } },
    }),
    head: responseOf({ type: 'string', maxLength: 9 }),
    changes: [
      'risky servers | response 2XX | status-narrowed',
      'safe both | response 200 | status-covered',
      'risky servers | response 200 | response-limit-narrowed',
    ],
    back: [
      'safe both | response 200 | status-covered',
      'breaking clients | response 200 | response-limit-widened',
      'risky clients | response 2XX | status-added',
    ],
  },
  {
    name: 'a range without any of its statuses is removed',
    base: statuses('2XX'),
    head: statuses('302'),
    changes: [
      'breaking clients | response 2XX | status-removed',
      'risky clients | response 302 | status-added',
    ],
    back: ['breaking clients | response 302 | status-removed', 'risky clients | response 2XX | status-added'],
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
    name: 'a range of media types is narrowed to one',
    base: response({ '*/*': { schema: text } }),
    head: response({ 'application/json': { schema: { type: 'string', maxLength: 9 } } }),
    changes: [
      'risky both | response 200 | response-media-type-narrowed',
      'risky servers | response 200 | response-limit-narrowed',
    ],
    back: [
      'breaking clients | response 200 | response-limit-widened',
      'safe servers | response 200 | response-media-type-added',
    ],
  },
  {
    name: 'a response is offered in another version of a media type',
    base: response({ 'application/json;version=1': {} }),
    head: response({ 'application/json; Version=1; charset=utf-8': {}, 'application/json;version=2': {} }),
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
  {
    name: 'a second scheme with the same form is added',
    base: operationWith({ security: [{ user: [] }] }, bearers('user')),
    head: operationWith({ security: [{ user: [] }, { staff: [] }] }, bearers('user', 'staff')),
    changes: ['safe servers | security | security-added'],
    back: ['risky clients | security | security-scheme-removed'],
  },
  {
    name: 'one of several schemes with the same form is removed',
    base: operationWith({ security: [{ staff: [] }, { user: [] }] }, bearers('staff', 'user')),
    head: operationWith({ security: [{ user: [] }] }, bearers('staff', 'user')),
    changes: ['risky clients | security | security-scheme-removed'],
    back: ['safe servers | security | security-added'],
  },
];
