/** Contract of the library server of the tests. */
const text = (description: string) => ({
  description,
  content: { 'application/json': { schema: ref('Error') } },
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: string, description = name) => ({
  description,
  content: { 'application/json': { schema: ref(name) } },
});
const body = (name: string) => ({ required: true, content: { 'application/json': { schema: ref(name) } } });
const rejected = {
  '400': text('Wrong'),
  '401': text('Who?'),
  '404': text('Not there'),
  '415': text('Media type'),
};
const created = (name: string) => ({
  ...json(name),
  headers: { Location: { required: true, schema: { type: 'string' } } },
});
const shelf = { name: 'shelfId', in: 'path', required: true, schema: ref('Id') };
const book = { name: 'bookId', in: 'path', required: true, schema: ref('Id') };
const paging = [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  { name: 'cursor', in: 'query', schema: { type: 'string', minLength: 1 } },
];
const sealed = (required: string[], properties: Record<string, unknown>) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});

export const libraryDocument = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1.0.0' },
  security: [{ token: [] }],
  paths: {
    '/status': {
      get: { operationId: 'getStatus', security: [], responses: { '200': json('Status') } },
    },
    '/shelves': {
      get: {
        operationId: 'listShelves',
        parameters: paging,
        responses: { '200': json('ShelfList'), ...rejected },
      },
      post: {
        operationId: 'createShelf',
        requestBody: body('ShelfWrite'),
        responses: { '201': created('Shelf'), ...rejected },
      },
    },
    '/shelves/{shelfId}': {
      parameters: [shelf],
      get: { operationId: 'getShelf', responses: { '200': json('Shelf'), ...rejected } },
      patch: {
        operationId: 'updateShelf',
        requestBody: body('ShelfPatch'),
        responses: { '200': json('Shelf'), ...rejected },
      },
      delete: { operationId: 'deleteShelf', responses: { '204': { description: 'Gone' }, ...rejected } },
    },
    '/shelves/{shelfId}/books': {
      parameters: [shelf],
      get: {
        operationId: 'listBooks',
        parameters: paging,
        responses: { '200': json('BookList'), ...rejected },
      },
      post: {
        operationId: 'createBook',
        requestBody: body('BookWrite'),
        responses: { '201': created('Book'), ...rejected },
      },
    },
    '/books/{bookId}': {
      parameters: [book],
      get: { operationId: 'getBook', responses: { '200': json('Book'), ...rejected } },
      put: {
        operationId: 'replaceBook',
        requestBody: body('BookWrite'),
        responses: { '200': json('Book'), ...rejected },
      },
      delete: { operationId: 'deleteBook', responses: { '204': { description: 'Gone' }, ...rejected } },
    },
  },
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Id: { type: 'string', pattern: '^[a-z0-9-]{1,40}$' },
      Error: sealed(['error'], { error: { type: 'string' } }),
      Status: sealed(['up'], { up: { type: 'boolean' } }),
      Title: { type: 'string', minLength: 1, maxLength: 20 },
      Tags: { type: 'array', items: { type: 'string', maxLength: 8 }, maxItems: 3 },
      ShelfWrite: sealed(['title'], { title: ref('Title'), tags: ref('Tags') }),
      ShelfPatch: { ...sealed([], { title: ref('Title'), tags: ref('Tags') }), minProperties: 1 },
      // Open, as schemas are by default.
      Shelf: {
        type: 'object',
        required: ['id', 'title', 'tags', 'createdAt'],
        properties: {
          id: ref('Id'),
          title: ref('Title'),
          tags: ref('Tags'),
          createdAt: { type: 'string', format: 'date-time' },
        },
      },
      BookWrite: sealed(['name', 'pages'], {
        name: ref('Title'),
        pages: { type: 'integer', minimum: 1, maximum: 1000 },
      }),
      Book: sealed(['id', 'shelfId', 'name', 'pages'], {
        id: ref('Id'),
        shelfId: ref('Id'),
        name: ref('Title'),
        pages: { type: 'integer', minimum: 1, maximum: 1000 },
      }),
      ShelfList: sealed(['items'], {
        items: { type: 'array', items: ref('Shelf') },
        next: { type: 'string' },
      }),
      BookList: sealed(['items'], { items: { type: 'array', items: ref('Book') }, next: { type: 'string' } }),
    },
  },
};
