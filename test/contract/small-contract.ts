import type { OpenApiDocument } from '../../server/contract/document.ts';

/*
 * A small contract with everything that the server runtime supports: written by hand as the toolchain would emit it,
 * with its table of operations and its types.
 */

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const failures = { default: { description: 'A failure.', ...json(ref('Error')) } };
const responses = (status: number, schema?: object) => ({
  [status]: { description: 'Done.', ...(schema && json(schema)) },
  ...failures,
});
const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });
const path = (name: string, schema: object = ref('Id')) => ({ name, in: 'path', required: true, schema });
/** An object of responses. */
const open = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const sealed = (properties: object, required: string[] = []) => ({
  ...open(properties, required),
  additionalProperties: false,
});
const widget = { parameters: [path('widgetId')] };

/** Maximum bytes of the body of `replaceTree`. */
export const TREE_LIMIT = 4_000_000;

export const document = {
  openapi: '3.1.0',
  info: { title: 'Widgets & <more>', version: '1' },
  security: [{ Token: [] }],
  paths: {
    '/v1/widgets': {
      get: {
        operationId: 'listWidgets',
        tags: ['Widgets'],
        summary: 'List widgets',
        parameters: [
          query('limit', { type: 'integer', minimum: 0, maximum: 1000, default: 50 }, { explode: false }),
          query('page', { type: 'string', maxLength: 20 }),
          query('nested', { type: 'boolean', default: false }),
          query('sort', { ...ref('Order'), default: 'asc' }),
          query('since', { type: 'string', format: 'date-time' }),
          query('tags', { type: 'array', items: ref('Tag') }),
          query('scores', { type: 'array', items: { type: 'integer' }, maxItems: 3 }),
          query('title', { type: 'string' }, { explode: true }),
        ],
        responses: responses(200, open({ items: { type: 'array', items: ref('Widget') } }, ['items'])),
      },
      post: {
        operationId: 'createWidget',
        tags: ['Widgets'],
        requestBody: { required: true, ...json(ref('WidgetCreate')) },
        responses: {
          201: { description: 'Made.', headers: { Location: {} }, ...json(ref('Widget')) },
          ...failures,
        },
      },
    },
    '/v1/widgets/{widgetId}': {
      get: {
        operationId: 'getWidget',
        tags: ['Widgets'],
        ...widget,
        responses: responses(200, ref('Widget')),
      },
      patch: {
        operationId: 'updateWidget',
        tags: ['Widgets'],
        ...widget,
        requestBody: { required: false, ...json(ref('WidgetPatch')) },
        responses: responses(200, ref('Widget')),
      },
      delete: { operationId: 'deleteWidget', tags: ['Widgets'], ...widget, responses: responses(204) },
    },
    '/v1/widgets/search': {
      get: {
        operationId: 'searchWidgets',
        tags: ['Widgets'],
        parameters: [query('query', { type: 'string', minLength: 2 }, { required: true })],
        responses: responses(200, open({ items: { type: 'array', items: ref('Widget') } }, ['items'])),
      },
    },
    '/v1/widgets/{widgetId}/parts/{number}': {
      patch: {
        operationId: 'updatePart',
        tags: ['Parts'],
        parameters: [
          path('widgetId'),
          path('number', { type: 'integer', minimum: 1 }),
          query('dry', { type: 'boolean' }),
        ],
        // No key is required, but the body is.
        requestBody: { required: true, ...json(ref('WidgetPatch')) },
        responses: responses(200, ref('Part')),
      },
    },
    '/v1/widgets/{widgetId}/tree': {
      put: {
        operationId: 'replaceTree',
        tags: ['Parts'],
        ...widget,
        'x-max-body-bytes': TREE_LIMIT,
        requestBody: { required: true, ...json(sealed({ nodes: { type: 'array', items: ref('Node') } })) },
        responses: responses(204),
      },
    },
    '/v1/widgets/{widgetId}/run': {
      post: {
        operationId: 'runWidget',
        tags: ['Widgets'],
        ...widget,
        responses: {
          200: { description: 'Ran.', ...json(open({ result: { type: 'string' } }, ['result'])) },
          202: { description: 'Will run.', ...json(open({ job: { type: 'string' } }, ['job'])) },
          204: { description: 'Nothing to run.' },
          ...failures,
        },
      },
    },
    '/v1/status': {
      get: {
        operationId: 'getStatus',
        tags: ['Status'],
        security: [],
        responses: responses(200, open({ status: { type: 'string' } }, ['status'])),
      },
    },
  },
  components: {
    securitySchemes: { Token: { type: 'http', scheme: 'Bearer' } },
    schemas: {
      Id: { type: 'string', pattern: '^[a-z0-9_/ %]+$', maxLength: 20 },
      Order: { type: 'string', enum: ['asc', 'desc'] },
      Tag: { type: 'string', enum: ['red', 'green'] },
      Widget: open(
        {
          id: { type: 'string' },
          title: { type: 'string' },
          createdAt: { type: 'string', format: 'date-time' },
          urls: open({ location: { type: 'string' } }, ['location']),
        },
        ['id', 'title'],
      ),
      WidgetCreate: sealed(
        {
          title: { type: 'string', minLength: 1, maxLength: 10 },
          size: { type: 'integer', minimum: 0 },
          due: { type: 'string', format: 'date' },
          shape: ref('Shape'),
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          marks: { type: 'array', items: ref('Tag') },
        },
        ['title'],
      ),
      WidgetPatch: sealed({ title: { type: ['string', 'null'], maxLength: 10 }, size: { type: 'integer' } }),
      Part: sealed({ number: { type: 'integer' } }, ['number']),
      Shape: {
        oneOf: [ref('Circle'), ref('Square')],
        discriminator: {
          propertyName: 'type',
          mapping: { circle: '#/components/schemas/Circle', square: '#/components/schemas/Square' },
        },
      },
      Circle: sealed({ type: { const: 'circle' }, radius: { type: 'number' } }, ['type', 'radius']),
      Square: sealed({ type: { enum: ['square'] }, side: { type: 'number' } }, ['type', 'side']),
      // Recursive variants with the tag last: without the tag, each variant would be tried at every level.
      Node: { oneOf: [ref('Leaf'), ref('Branch')] },
      Leaf: { type: 'object', oneOf: [ref('TextLeaf'), ref('NoteLeaf')] },
      TextLeaf: sealed({ nodes: { type: 'array', items: ref('Node') }, type: { const: 'text' } }, ['type']),
      NoteLeaf: sealed({ nodes: { type: 'array', items: ref('Node') }, type: { const: 'note' } }, ['type']),
      Branch: sealed({ nodes: { type: 'array', items: ref('Node') }, type: { const: 'branch' } }, [
        'type',
        'nodes',
      ]),
      Error: open({ error: ref('Failure') }, ['error']),
      Failure: open(
        {
          code: { type: 'integer', minimum: 400, maximum: 599 },
          reason: { type: 'string', pattern: '^[a-z_]+$' },
          message: { type: 'string', maxLength: 4000 },
          requestId: { type: 'string', minLength: 1 },
          details: { type: 'array', maxItems: 50, items: ref('Detail') },
        },
        ['code', 'reason', 'message', 'requestId'],
      ),
      Detail: open(
        {
          in: { enum: ['path', 'query', 'header', 'body'] },
          path: { type: 'string', maxLength: 200 },
          message: { type: 'string' },
        },
        ['in', 'path', 'message'],
      ),
    },
  },
  // The literals above are narrower than the interface, which declares only what the server runtime reads.
} as unknown as OpenApiDocument;

/** The table of operations, as the generator writes it. */
export const operations = {
  listWidgets: {
    method: 'get',
    path: '/v1/widgets',
    status: 200,
    secured: true,
    defaults: { limit: 50, nested: false, sort: 'asc' },
  },
  createWidget: { method: 'post', path: '/v1/widgets', status: 201, secured: true, defaults: {} },
  getWidget: { method: 'get', path: '/v1/widgets/{widgetId}', status: 200, secured: true, defaults: {} },
  updateWidget: { method: 'patch', path: '/v1/widgets/{widgetId}', status: 200, secured: true, defaults: {} },
  deleteWidget: {
    method: 'delete',
    path: '/v1/widgets/{widgetId}',
    status: 204,
    secured: true,
    defaults: {},
  },
  searchWidgets: { method: 'get', path: '/v1/widgets/search', status: 200, secured: true, defaults: {} },
  updatePart: {
    method: 'patch',
    path: '/v1/widgets/{widgetId}/parts/{number}',
    status: 200,
    secured: true,
    defaults: {},
  },
  replaceTree: {
    method: 'put',
    path: '/v1/widgets/{widgetId}/tree',
    status: 204,
    secured: true,
    defaults: {},
  },
  runWidget: { method: 'post', path: '/v1/widgets/{widgetId}/run', status: 200, secured: true, defaults: {} },
  getStatus: { method: 'get', path: '/v1/status', status: 200, secured: false, defaults: {} },
} as const;

export interface Widget {
  id: string;
  title: string;
  createdAt?: string;
  urls?: { location: string };
}
interface Tree {
  type: 'text' | 'note' | 'branch';
  nodes?: Tree[];
}
interface WidgetPatch {
  title?: string | null;
  size?: number;
}
interface ErrorBody {
  error: { code: number; reason: string; message: string; requestId: string };
}
type Json<Body> = { headers: { [name: string]: unknown }; content: { 'application/json': Body } };
type NoBody = { headers: { [name: string]: unknown }; content?: never };
type Failures = { default: Json<ErrorBody> };
type Parameters<Path, Query = never> = { path: Path; query?: Query; header?: never; cookie?: never };
type OnWidget = Parameters<{ widgetId: string }>;

/** The operations, as openapi-typescript writes them. */
export interface Operations {
  listWidgets: {
    parameters: Parameters<
      never,
      {
        limit?: number;
        page?: string;
        nested?: boolean;
        sort?: 'asc' | 'desc';
        since?: string;
        tags?: ('red' | 'green')[];
        scores?: number[];
        title?: string;
      }
    >;
    requestBody?: never;
    responses: { 200: Json<{ items: Widget[] }> } & Failures;
  };
  createWidget: {
    parameters: Parameters<never>;
    requestBody: {
      content: {
        'application/json': {
          title: string;
          size?: number;
          due?: string;
          shape?: { type: 'circle'; radius: number } | { type: 'square'; side: number };
          labels?: { [name: string]: string };
          marks?: ('red' | 'green')[];
        };
      };
    };
    responses: { 201: Json<Widget> } & Failures;
  };
  getWidget: { parameters: OnWidget; requestBody?: never; responses: { 200: Json<Widget> } & Failures };
  updateWidget: {
    parameters: OnWidget;
    requestBody?: { content: { 'application/json': WidgetPatch } };
    responses: { 200: Json<Widget> } & Failures;
  };
  deleteWidget: { parameters: OnWidget; requestBody?: never; responses: { 204: NoBody } & Failures };
  searchWidgets: {
    parameters: { query: { query: string }; path?: never };
    requestBody?: never;
    responses: { 200: Json<{ items: Widget[] }> } & Failures;
  };
  updatePart: {
    parameters: Parameters<{ widgetId: string; number: number }, { dry?: boolean }>;
    requestBody: { content: { 'application/json': WidgetPatch } };
    responses: { 200: Json<{ number: number }> } & Failures;
  };
  replaceTree: {
    parameters: OnWidget;
    requestBody: { content: { 'application/json': { nodes?: Tree[] } } };
    responses: { 204: NoBody } & Failures;
  };
  runWidget: {
    parameters: OnWidget;
    requestBody?: never;
    responses: { 200: Json<{ result: string }>; 202: Json<{ job: string }>; 204: NoBody } & Failures;
  };
  getStatus: {
    parameters: Parameters<never>;
    requestBody?: never;
    responses: { 200: Json<{ status: string }> } & Failures;
  };
}
