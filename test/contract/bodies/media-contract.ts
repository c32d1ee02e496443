import type { OpenApiDocument } from '../../../server/contract/index.ts';

/*
 * A contract with bodies, parameters and responses of all kinds: written by hand as the toolchain would emit it, with
 * its types.
 */

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const binary = { type: 'string', format: 'binary' };
const done = { 204: { description: 'Done.' } };
const text = (status = 200) => ({
  [status]: { description: 'What was sent.', content: { 'application/json': { schema: {} } } },
});
const body = (content: object, required = true) => ({ required, content });

/** Maximum bytes of the body of `createImport`. */
export const IMPORT_LIMIT = 10_000_000;

const order = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 20 },
    count: { type: 'integer', minimum: 1 },
    gift: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', enum: ['red', 'green'] }, maxItems: 2 },
    sizes: { type: 'array', items: { type: 'number' } },
    note: { type: ['string', 'null'] },
  },
  required: ['name'],
};

export const document = {
  openapi: '3.1.0',
  info: { title: 'Media', version: '1' },
  paths: {
    '/orders': {
      post: {
        operationId: 'createOrder',
        requestBody: body({ 'application/x-www-form-urlencoded': { schema: order } }),
        responses: text(),
      },
      put: {
        operationId: 'replaceOrders',
        requestBody: body({
          'application/json': { schema: { type: 'array', items: order } },
          'application/vnd.orders+json; version=2': {
            schema: { type: 'object', properties: { orders: { type: 'array' } }, required: ['orders'] },
          },
          'text/csv': { schema: { type: 'string', maxLength: 20 } },
        }),
        responses: text(),
      },
    },
    '/notes': {
      post: {
        operationId: 'createNote',
        requestBody: body({ 'text/plain': { schema: { type: 'string', maxLength: 20 } } }, false),
        responses: text(),
      },
    },
    '/files/{id}': {
      parameters: [id],
      put: {
        operationId: 'replaceFile',
        requestBody: body({ 'application/octet-stream': { schema: binary } }),
        responses: text(),
      },
      post: {
        operationId: 'createImage',
        requestBody: body({ 'image/*': {}, 'application/pdf': {} }, false),
        responses: text(),
      },
      get: {
        operationId: 'getFile',
        responses: {
          200: {
            description: 'The file.',
            headers: {
              ETag: { required: true, schema: { type: 'string', pattern: '^"' } },
              'X-Parts': { $ref: '#/components/headers/Parts' },
            },
            content: { 'application/octet-stream': { schema: binary } },
          },
        },
      },
    },
    '/imports': {
      post: {
        operationId: 'createImport',
        'x-max-body-bytes': IMPORT_LIMIT,
        requestBody: body({
          'multipart/form-data': {
            schema: {
              type: 'object',
              additionalProperties: false,
              properties: {
                title: { type: 'string', maxLength: 20 },
                count: { type: 'integer', minimum: 1 },
                labels: { type: 'array', items: { type: 'string' } },
                options: {
                  type: 'object',
                  additionalProperties: false,
                  properties: { overwrite: { type: 'boolean' } },
                },
                cover: binary,
                pages: { type: 'array', items: binary, minItems: 1 },
              },
              required: ['title', 'pages'],
            },
            encoding: { cover: { contentType: 'image/png, image/jpeg' } },
          },
        }),
        responses: text(),
      },
    },
    '/exports/{id}': {
      get: {
        operationId: 'getExport',
        parameters: [id],
        responses: {
          200: {
            description: 'The export.',
            content: {
              'application/json': { schema: { type: 'object', required: ['id'], properties: { id: {} } } },
              'text/csv': { schema: { type: 'string', pattern: '^id' } },
              'image/*': {},
            },
          },
          303: {
            description: 'The export is elsewhere.',
            headers: { location: { required: true, schema: { type: 'string', format: 'uri-reference' } } },
          },
          '2XX': { description: 'Not yet.', content: { 'application/json': { schema: { type: 'string' } } } },
        },
      },
    },
    '/links/{id}': {
      get: { operationId: 'getLink', parameters: [id], responses: { 302: { description: 'Found.' } } },
    },
    '/events': {
      get: {
        operationId: 'listEvents',
        responses: {
          200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        },
      },
    },
    '/lines': {
      get: {
        operationId: 'listLines',
        responses: {
          200: {
            description: 'Lines.',
            content: { 'application/x-ndjson': { schema: { type: 'object', properties: { n: {} } } } },
          },
        },
      },
    },
    '/page': {
      get: {
        operationId: 'getPage',
        responses: {
          200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } },
        },
      },
    },
    '/anything': {
      get: {
        operationId: 'getAnything',
        responses: { default: { description: 'Anything.', ...{ content: { 'application/json': {} } } } },
      },
    },
    '/parameters': {
      parameters: [{ $ref: '#/components/parameters/Trace' }],
      get: {
        operationId: 'getParameters',
        parameters: [
          { name: 'X-Count', in: 'header', schema: { type: 'integer', minimum: 1 } },
          { name: 'X-Flag', in: 'header', schema: { type: 'boolean', default: false } },
          {
            name: 'X-Tags',
            in: 'header',
            schema: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
          },
          { name: 'session', in: 'cookie', required: true, schema: { type: 'string', minLength: 3 } },
          { name: 'Size', in: 'cookie', schema: { type: 'number', default: 1 } },
          { name: 'Accept', in: 'header', required: true, schema: { type: 'string', enum: ['none'] } },
        ],
        responses: text(),
      },
      delete: { operationId: 'deleteParameters', responses: done },
    },
  },
  components: {
    headers: { Parts: { schema: { type: 'integer' } } },
    parameters: {
      Trace: { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string', format: 'uuid' } },
    },
  },
  // The literals above are narrower than the interface, which declares only what the server runtime reads.
} as unknown as OpenApiDocument;

type Unknown = { [name: string]: unknown };
type Response<Content, Headers = unknown> = { headers: Headers & Unknown; content: Content };
type Echo = { 200: Response<{ 'application/json': unknown }> };
type Parameters<Path = never, Header = never, Cookie = never> = {
  query?: never;
  path?: Path;
  header?: Header;
  cookie?: Cookie;
};
type WithId = { query?: never; header?: never; path: { id: string }; cookie?: never };

export interface Order {
  name: string;
  count?: number;
  gift?: boolean;
  tags?: ('red' | 'green')[];
  sizes?: number[];
  note?: string | null;
}

/** The operations, as openapi-typescript writes them. Strings with `format: binary` are of type `Blob`. */
export interface Operations {
  createOrder: {
    parameters: Parameters;
    requestBody: { content: { 'application/x-www-form-urlencoded': Order } };
    responses: Echo;
  };
  replaceOrders: {
    parameters: Parameters;
    requestBody: {
      content: {
        'application/json': Order[];
        'application/vnd.orders+json; version=2': { orders: unknown[] };
        'text/csv': string;
      };
    };
    responses: Echo;
  };
  createNote: {
    parameters: Parameters;
    requestBody?: { content: { 'text/plain': string } };
    responses: Echo;
  };
  replaceFile: {
    parameters: WithId;
    requestBody: { content: { 'application/octet-stream': Blob } };
    responses: Echo;
  };
  createImage: {
    parameters: WithId;
    requestBody?: { content: { 'image/*': unknown; 'application/pdf': unknown } };
    responses: Echo;
  };
  getFile: {
    parameters: WithId;
    requestBody?: never;
    responses: {
      200: Response<{ 'application/octet-stream': Blob }, { ETag: string; 'X-Parts'?: number }>;
    };
  };
  createImport: {
    parameters: Parameters;
    requestBody: {
      content: {
        'multipart/form-data': {
          title: string;
          count?: number;
          labels?: string[];
          options?: { overwrite?: boolean };
          cover?: Blob;
          pages: Blob[];
        };
      };
    };
    responses: Echo;
  };
  getExport: {
    parameters: WithId;
    requestBody?: never;
    responses: {
      200: Response<{ 'application/json': { id: unknown }; 'text/csv': string; 'image/*': unknown }>;
      303: { headers: { location: string } & Unknown; content?: never };
      '2XX': Response<{ 'application/json': string }>;
    };
  };
  getLink: {
    parameters: WithId;
    requestBody?: never;
    responses: { 302: { headers: Unknown; content?: never } };
  };
  listEvents: {
    parameters: Parameters;
    requestBody?: never;
    responses: { 200: Response<{ 'text/event-stream': string }> };
  };
  listLines: {
    parameters: Parameters;
    requestBody?: never;
    responses: { 200: Response<{ 'application/x-ndjson': { n?: unknown } }> };
  };
  getPage: {
    parameters: Parameters;
    requestBody?: never;
    responses: { 200: Response<{ 'text/html': string }> };
  };
  getAnything: {
    parameters: Parameters;
    requestBody?: never;
    responses: { default: Response<{ 'application/json': unknown }> };
  };
  getParameters: {
    parameters: Parameters<
      never,
      { 'X-Trace': string; 'X-Count'?: number; 'X-Flag'?: boolean; 'X-Tags'?: number[]; Accept: 'none' },
      { session: string; Size?: number }
    >;
    requestBody?: never;
    responses: Echo;
  };
  deleteParameters: {
    parameters: Parameters<never, { 'X-Trace': string }>;
    requestBody?: never;
    responses: { 204: { headers: Unknown; content?: never } };
  };
}
