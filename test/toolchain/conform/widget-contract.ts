import type { Contract } from '../../../spec/toolchain/model/contract/contract.ts';
import { readContract } from '../../../spec/toolchain/model/contract/read.ts';

const problem = {
  description: 'wrong',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};
/** A contract with responses in all forms that the checks distinguish. */
export const contract: Contract = readContract({
  name: 'widgets.json',
  root: {
    openapi: '3.1.0',
    info: { title: 'Widgets', version: '1' },
    paths: {
      '/widgets': {
        get: {
          operationId: 'listWidgets',
          responses: {
            200: {
              description: 'ok',
              content: {
                'application/json': {
                  schema: { type: 'array', items: { $ref: '#/components/schemas/Widget' } },
                },
              },
            },
            default: problem,
          },
        },
      },
      '/widgets/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: {
          operationId: 'getWidget',
          security: [{ token: [] }],
          responses: {
            200: {
              description: 'ok',
              headers: {
                ETag: { required: true, schema: { type: 'string' } },
                'X-Left': { schema: { type: 'integer', minimum: 0 } },
              },
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/Widget' } },
                'text/*': { schema: { type: 'string', maxLength: 5 } },
              },
            },
            401: problem,
            '4XX': problem,
          },
        },
        put: {
          operationId: 'putWidget',
          security: [{ token: [] }],
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { title: { type: 'string' } },
                  additionalProperties: false,
                },
              },
            },
          },
          responses: { 204: { description: 'done' }, 403: { description: 'no' } },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Widget: {
          type: 'object',
          required: ['id'],
          properties: {
            id: { type: 'string' },
            tags: { type: 'array', items: { type: 'string' } },
            owner: { $ref: '#/components/schemas/Owner' },
          },
        },
        Owner: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
        Problem: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
      },
    },
  },
});
