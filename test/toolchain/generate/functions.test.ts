import { expect, test } from 'vitest';
import type { OpenApiDocument, Operation, Parameter } from '../../../spec/toolchain/document.ts';
import { operationFunctionsSource } from '../../../spec/toolchain/generate/operation-functions.ts';
import { operationRows } from '../../../spec/toolchain/generate/operation-table.ts';

const json = (schema: object) => ({ content: { 'application/json': { schema: { ...schema } } } });
const team = { $ref: '#/components/schemas/Team' };

/** Generates the functions of a document with one operation for each path. */
function functionsOf(paths: Record<string, { method?: string; operation: Operation }>): string {
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, { method = 'get', operation }]) => [path, { [method]: operation }]),
    ),
    components: { schemas: { Team: { type: 'object' } } },
  };
  return operationFunctionsSource(document, operationRows(document, 'warning').rows);
}

const parameter = (location: string, name: string, required = location === 'path') => ({
  in: location,
  name,
  required,
  schema: { type: 'string' },
});

test('a function has the summary and description, the named models and its request', () => {
  const source = functionsOf({
    '/teams/{teamId}': {
      method: 'patch',
      operation: {
        operationId: 'updateTeam',
        summary: 'Update a team',
        description: 'Updates a team. */ Really.',
        parameters: [parameter('path', 'teamId')],
        requestBody: { required: true, ...json(team) },
        responses: { 200: json(team), 404: json({ type: 'string' }) },
      },
    },
  });
  expect(source).toContain("import type {\n  operations,\n  Team,\n} from './schema.d.ts';");
  expect(source).toContain(`/** Parameters and body of \`updateTeam\`. */
export interface UpdateTeamInput extends Path<'updateTeam'> {
  body: Team;
}

/**
 * Update a team
 *
 * Updates a team. *\\/ Really.
 */
export function updateTeam(
  client: Caller,
  input: UpdateTeamInput,
  options?: CallOptions,
): Promise<Team> {
  return client.call('PATCH', '/teams/{teamId}', input, options);
}
`);
});

test('parameters that collide, and headers, are nested', () => {
  const source = functionsOf({
    '/items/{id}': {
      operation: {
        operationId: 'getItem',
        parameters: [
          parameter('path', 'id'),
          parameter('query', 'id'),
          parameter('header', 'If-Match', true),
          parameter('cookie', 'session', true),
        ],
        responses: { 200: json({ type: 'string' }), 204: {} },
      },
    },
  });
  expect(source).toContain(`export interface GetItemInput extends Path<'getItem'> {
  query?: Query<'getItem'>;
  header: Header<'getItem'>;
  cookie: Cookie<'getItem'>;
}`);
  expect(source).toContain(
    "Promise<operations['getItem']['responses'][200]['content']['application/json'] | void>",
  );
  expect(source).toContain(
    "client.call('GET', '/items/{id}', input, options, { nested: ['query', 'header', 'cookie'] });",
  );
  expect(source).toContain('type Header<Id extends keyof operations> =');
});

test('a function states how its query parameters are written, unless the client writes them so by default', () => {
  const list = { type: 'array', items: { type: 'integer' } };
  const object = { type: 'object', properties: { a: { type: 'string' } } };
  const query = (name: string, schema: object, more: object = {}) => ({ in: 'query', name, schema, ...more });
  const parameters = [
    query('repeated', list),
    query('text', { type: 'string' }, { explode: false }),
    query('choice', { enum: ['a', 'b'] }, { explode: false }),
    query('deep', object, { style: 'deepObject', explode: true }),
    query('pipes', list, { style: 'pipeDelimited' }),
    query('ids', list, { explode: false }),
    query('nullable', { anyOf: [list, { type: 'null' }] }, { explode: false }),
    query('filter', object),
    query('team', team),
    query('pair', object, { explode: false }),
    { in: 'query', name: 'json', content: { 'application/json': { schema: object } }, explode: false },
    { in: 'header', name: 'X-Ids', schema: list, explode: false },
  ] as Parameter[];
  const source = functionsOf({
    '/items': { operation: { operationId: 'listItems', parameters, responses: { 204: {} } } },
  });
  expect(source).toContain(
    "styles: { query: { pipes: '|', ids: ',', nullable: ',', filter: '&', team: '&', pair: ',', json: 'json' } } });",
  );
});

test('media types of lines are streams, and text/json is text', () => {
  const schema = { type: 'object' };
  const source = functionsOf(
    Object.fromEntries(
      ['application/stream+json', 'application/jsonl', 'text/json', 'application/vnd.a+json; v=1'].map(
        (type, index) => [
          `/${index}`,
          {
            operation: {
              operationId: `get${index}`,
              responses: { 200: { content: { [type]: { schema } } } },
            } as Operation,
          },
        ],
      ),
    ),
  );
  expect([...source.matchAll(/'\/(\d)', input, options(.*)\);/g)].map(([, , format]) => format)).toEqual([
    ", { parseAs: 'stream' }",
    ", { parseAs: 'stream' }",
    ", { parseAs: 'text' }",
    '',
  ]);
});

test('only multipart/form-data is a form with fields, in any letter case', () => {
  const content = (type: string) => ({ required: true, content: { [type]: { schema: { ...team } } } });
  const source = functionsOf(
    Object.fromEntries(
      ['multipart/form-data', 'Multipart/Form-Data', 'multipart/mixed', 'multipart/related'].map(
        (type, index) => [
          `/${index}`,
          {
            method: 'post',
            operation: {
              operationId: `send${index}`,
              requestBody: content(type),
              responses: { 204: {} },
            } as Operation,
          },
        ],
      ),
    ),
  );
  expect([...source.matchAll(/^ {2}body: (.*);$/gm)].map(([, type]) => type)).toEqual([
    'Team | FormData',
    'Team | FormData',
    'BinaryBody',
    'BinaryBody',
  ]);
});

test('an input without required properties can be omitted', () => {
  const source = functionsOf({
    '/items': {
      method: 'post',
      operation: {
        operationId: 'createItem',
        parameters: [parameter('query', 'dry')],
        requestBody: json(team),
        responses: { 202: {} },
      },
    },
  });
  expect(source).toContain(
    "export interface CreateItemInput extends Query<'createItem'> {\n  body?: Team | undefined;\n}",
  );
  expect(source).toContain('  input: CreateItemInput = {},\n');
  expect(source).toContain('): Promise<void> {');
});

test('names of functions are unique, and differ from models and reserved words', () => {
  const ids = [
    'repos/get-content',
    'reposGetContent',
    'delete',
    'Team',
    '2fa',
    'caller',
    'getTeam',
    'get_team',
  ];
  const source = functionsOf(
    Object.fromEntries(
      ids.map((operationId) => [`/${operationId}`, { operation: { operationId, responses: { 204: {} } } }]),
    ),
  );
  const names = [...source.matchAll(/^export function ([\w$]+)\(/gm)].map(([, name]) => name);
  expect(names).toEqual([
    'reposGetContent',
    'reposGetContent2',
    'deleteOperation',
    'team',
    'call2fa',
    'caller',
    'getTeam',
    'getTeam2',
  ]);
  expect(source).toContain("client.call('GET', '/repos/get-content', input, options);");
});

test.each([
  ['redirects', { 302: {}, 404: json(team), default: json(team) }],
  ['errors', { 404: json(team) }],
  ['nothing', undefined],
])('a function of an operation that declares only %s returns the body as a Blob', (_, responses) => {
  const source = functionsOf({
    '/archive': { operation: { operationId: 'getArchive', ...(responses && { responses }) } },
  });
  expect(source).toContain("getArchive<As extends keyof Parsed = 'blob'>(");
  expect(source).toContain('): Promise<Parsed[As]> {');
  expect(source).toContain("input, options, { parseAs: 'blob' });");
});

test('a function of an operation with only a default response returns its body', () => {
  const source = functionsOf({
    '/status': { operation: { operationId: 'getStatus', responses: { 500: {}, default: json({}) } } },
  });
  expect(source).toContain("Promise<operations['getStatus']['responses']['default']['content']");
  const named = functionsOf({
    '/teams': { operation: { operationId: 'getTeam', responses: { default: json(team) } } },
  });
  expect(named).toContain('): Promise<Team> {');
});
