import type { Json, JsonObject } from '../../../../spec/toolchain/document.ts';
import { documentWith, operationWith } from './document.ts';
import type { OperationCase } from './operations.ts';

const responses = { 204: { description: 'Done.' } };
const webhook = (rest: JsonObject): JsonObject =>
  documentWith({ webhooks: { moved: { post: { operationId: 'onMoved', responses, ...rest } } } });
const callback = (rest: JsonObject): JsonObject =>
  operationWith({
    callbacks: { done: { '{$url}': { post: { operationId: 'onDone', responses, ...rest } } } },
  });
const body = (rest: JsonObject = {}): JsonObject => ({
  requestBody: { content: { 'application/json': {} }, ...rest },
});
const sent = (content: Json): JsonObject => webhook({ requestBody: { content } });
const parameter = (...parameters: JsonObject[]): JsonObject => webhook({ parameters });
const x = (rest: JsonObject = {}): JsonObject => ({
  name: 'X-A',
  in: 'header',
  schema: { type: 'string' },
  ...rest,
});
const statuses = (...list: string[]): JsonObject =>
  webhook({ responses: Object.fromEntries(list.map((status) => [status, { description: 'So.' }])) });
const response = (rest: JsonObject): JsonObject =>
  webhook({ responses: { 200: { description: 'Done.', ...rest } } });
const security = (...list: Json[]): JsonObject =>
  documentWith({
    webhooks: { moved: { post: { responses, security: list } } },
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  });

/** Webhooks and callbacks: clients receive the requests and send the responses. */
export const webhookCases: OperationCase[] = [
  {
    name: 'a webhook is added',
    base: documentWith({}),
    head: webhook({}),
    changes: ['safe servers | operation | webhook-operation-added'],
    back: ['breaking clients | operation | webhook-operation-removed'],
  },
  {
    name: 'the servers of a webhook, which clients operate, have no effect',
    base: webhook({ servers: [{ url: 'https://a.example' }] }),
    head: webhook({ servers: [{ url: 'https://b.example' }] }),
    changes: [],
    back: [],
  },
  {
    name: 'a webhook sends an optional parameter',
    base: parameter(),
    head: parameter(x()),
    changes: ['safe servers | header parameter X-A | header-added'],
    back: ['risky clients | header parameter X-A | webhook-parameter-optional-removed'],
  },
  {
    name: 'a webhook sends a required parameter',
    base: parameter(),
    head: parameter(x({ required: true })),
    changes: ['safe servers | header parameter X-A | header-added'],
    back: ['breaking clients | header parameter X-A | header-removed'],
  },
  {
    name: 'a parameter of a webhook becomes required',
    base: parameter(x()),
    head: parameter(x({ required: true })),
    changes: ['risky servers | header parameter X-A | header-became-required'],
    back: ['breaking clients | header parameter X-A | header-became-optional'],
  },
  {
    name: 'a parameter of a webhook may be empty',
    base: parameter(x({ in: 'query' })),
    head: parameter(x({ in: 'query', allowEmptyValue: true })),
    changes: ['breaking clients | query parameter X-A | response-limit-widened'],
    back: ['risky servers | query parameter X-A | response-limit-narrowed'],
  },
  {
    name: 'a webhook sends a body',
    base: webhook({}),
    head: webhook(body({ required: true })),
    changes: ['safe servers | request body | response-body-added'],
    back: ['breaking clients | request body | response-body-removed'],
  },
  {
    name: 'a webhook may send a body',
    base: webhook({}),
    head: webhook(body()),
    changes: ['safe servers | request body | response-body-added'],
    back: ['breaking clients | request body | response-body-removed'],
  },
  {
    name: 'the body of a webhook becomes required',
    base: webhook(body()),
    head: webhook(body({ required: true })),
    changes: ['risky servers | request body | webhook-body-became-required'],
    back: ['breaking clients | request body | webhook-body-became-optional'],
  },
  {
    name: 'the body of a callback becomes required',
    base: callback(body()),
    head: callback(body({ required: true })),
    changes: ['risky servers | request body | webhook-body-became-required'],
    back: ['breaking clients | request body | webhook-body-became-optional'],
  },
  {
    name: 'a webhook sends another media type',
    base: sent({ 'application/json': {} }),
    head: sent({ 'application/json': {}, 'application/xml': {} }),
    changes: ['breaking clients | request body | webhook-media-type-added'],
    back: ['risky servers | request body | webhook-media-type-removed'],
  },
  {
    name: 'a webhook expects another success',
    base: statuses('200'),
    head: statuses('200', '202'),
    changes: ['safe servers | response 202 | webhook-status-added'],
    back: ['breaking clients | response 202 | webhook-status-removed'],
  },
  {
    name: 'a webhook expects only one success of a range',
    base: statuses('2XX'),
    head: statuses('200'),
    changes: [
      'breaking clients | response 2XX | webhook-status-removed',
      'safe both | response 200 | status-covered',
    ],
    back: ['safe both | response 200 | status-covered', 'safe servers | response 2XX | webhook-status-added'],
  },
  {
    name: 'a webhook expects another failure',
    base: statuses('200'),
    head: statuses('200', '410'),
    changes: ['safe servers | response 410 | webhook-status-added'],
    back: ['risky clients | response 410 | webhook-status-error-removed'],
  },
  {
    name: 'a webhook expects a response body',
    base: response({}),
    head: response({ content: { 'application/json': {} } }),
    changes: ['breaking clients | response 200 | request-body-required-added'],
    back: ['breaking clients | response 200 | request-body-removed'],
  },
  {
    name: 'a webhook accepts another media type in the response',
    base: response({ content: { 'application/json': {} } }),
    head: response({ content: { 'application/json': {}, 'application/xml': {} } }),
    changes: ['safe servers | response 200 | request-media-type-added'],
    back: ['breaking clients | response 200 | request-media-type-removed'],
  },
  {
    name: 'a webhook accepts only one type of a range in the response',
    base: response({ content: { '*/*': {} } }),
    head: response({ content: { 'application/json': {} } }),
    changes: ['breaking clients | response 200 | request-media-type-removed'],
    back: ['safe servers | response 200 | request-media-type-added'],
  },
  {
    name: 'a webhook reads an optional header of the response',
    base: response({}),
    head: response({ headers: { 'X-A': {} } }),
    changes: ['safe servers | header X-A of response 200 | parameter-added'],
    back: ['breaking clients | header X-A of response 200 | parameter-removed'],
  },
  {
    name: 'a webhook expects a header in the response',
    base: response({}),
    head: response({ headers: { 'X-A': { required: true } } }),
    changes: ['breaking clients | header X-A of response 200 | webhook-header-required-added'],
    back: ['breaking clients | header X-A of response 200 | parameter-removed'],
  },
  {
    name: 'a header of the response to a webhook becomes required',
    base: response({ headers: { 'X-A': {} } }),
    head: response({ headers: { 'X-A': { required: true } } }),
    changes: ['breaking clients | header X-A of response 200 | parameter-became-required'],
    back: ['safe servers | header X-A of response 200 | parameter-became-optional'],
  },
  {
    name: 'a webhook sends credentials',
    base: security(),
    head: security({ token: [] }),
    changes: ['risky both | security | webhook-security-changed'],
    back: ['risky both | security | webhook-security-changed'],
  },
];
