import { expect, test } from 'vitest';
import {
  ContractError,
  createContractRouter,
  type ErrorBody,
  type HttpMethod,
  type OpenApiDocument,
  RateLimit,
  type RequestContext,
  type SecurityHooks,
  unauthenticated,
} from '../../server/contract/index.ts';
import { MAX_COOKIE_HEADER_CHARACTERS } from '../../server/contract/request/credentials.ts';
import { type ServedRouter, serveRouter, tableOf } from './serve.ts';

type Requirement = Record<string, string[]>;

const securitySchemes = {
  Token: { type: 'http', scheme: 'bearer' },
  Alias: { $ref: '#/components/securitySchemes/QueryKey' },
  Login: { type: 'http', scheme: 'Basic' },
  Signature: { type: 'http', scheme: 'Shared-Key' },
  HeaderKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  QueryKey: { type: 'apiKey', in: 'query', name: 'key' },
  Session: { type: 'apiKey', in: 'cookie', name: 'session' },
  OAuth: { type: 'oauth2', flows: {} },
  OpenId: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
};

interface Principals {
  Alias: string;
  Token: { user: string };
  Login: { login: string };
  Signature: string;
  HeaderKey: string;
  QueryKey: string;
  Session: string;
  OAuth: { scopes: readonly string[] };
  OpenId: { subject: string };
}

/** A contract with one operation, `getThing`. */
function contractOf(security: Requirement[] | undefined, global?: Requirement[]): OpenApiDocument {
  const schema = { type: 'string' };
  const responses = {
    200: { description: 'Who is asking.', content: { 'application/json': { schema: {} } } },
  };
  const method: HttpMethod = 'get';
  const operation = {
    operationId: 'getThing',
    parameters: [{ name: 'limit', in: 'query' as const, schema }],
    responses,
    ...(security && { security }),
  };
  return {
    openapi: '3.1.0',
    info: { title: 'A "secure" thing', version: '1' },
    ...(global && { security: global }),
    paths: { '/thing': { [method]: operation } },
    components: { securitySchemes },
  };
}

type Operations = {
  getThing: {
    parameters: { query?: { limit?: string } };
    requestBody?: never;
    responses: { 200: { headers: { [name: string]: unknown }; content: { 'application/json': unknown } } };
  };
};
type Table = Record<never, never>;

const forbidden = () => new ContractError(403, 'permission_missing', 'The key lacks a scope.');

/** Hooks that accept `good`, refuse `denied` with 403, and fail for `broken`. */
function check(value: string): string {
  if (value === 'broken') {
    throw new Error('The database is closed.');
  }
  if (value === 'denied') {
    throw forbidden();
  }
  if (value !== 'good') {
    throw unauthenticated(`Unknown credential ${value}.`);
  }
  return value;
}

const hooks: SecurityHooks<Principals> = {
  Token: { bearer: async (token) => ({ user: check(token) }) },
  Login: { basic: async ({ username, password }) => ({ login: `${username}/${check(password)}` }) },
  Signature: { http: async (credentials) => check(credentials.replace('user="ada", key=', '')) },
  HeaderKey: { apiKey: async (key) => check(key) },
  QueryKey: { apiKey: async (key) => check(key) },
  Alias: { apiKey: async (key) => check(key) },
  Session: { apiKey: async (key) => check(key) },
  OAuth: {
    bearer: async (token, { scopes }) => {
      check(token);
      return { scopes };
    },
  },
  OpenId: { bearer: async (token, { request }) => ({ subject: `${check(token)} ${request.operationId}` }) },
};

function serve(
  security: Requirement[] | undefined,
  options: { rateLimit?: RateLimit; global?: Requirement[] } = {},
) {
  const { global, ...others } = options;
  const document = contractOf(security, global);
  return serveRouter<Operations, Table, RequestContext<Principals>, Principals>({
    document,
    operations: tableOf(document),
    handlers: { getThing: async ({ query }, { principals }) => ({ principals, query }) },
    security: hooks,
    validateResponses: true,
    ...others,
  });
}

async function get({ url }: ServedRouter, headers: Record<string, string> = {}, query = '') {
  const response = await fetch(`${url}/thing${query}`, { headers });
  const body = (await response.json()) as Partial<ErrorBody> & { principals?: object; query?: object };
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    message: body.error?.message,
    principals: body.principals,
    query: body.query,
  };
}

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test.each<[string, Requirement, Record<string, string>, string, object]>([
  ['a bearer token', { Token: [] }, bearer('good'), '', { Token: { user: 'good' } }],
  [
    'a bearer token in any case',
    { Token: [] },
    { authorization: 'BEARER  good' },
    '',
    { Token: { user: 'good' } },
  ],
  ['a username and password', { Login: [] }, basic('ädä:good'), '', { Login: { login: 'ädä/good' } }],
  [
    'another scheme of HTTP',
    { Signature: [] },
    { authorization: 'shared-key  user="ada", key=good' },
    '',
    { Signature: 'good' },
  ],
  ['a key in a header', { HeaderKey: [] }, { 'x-api-key': 'good' }, '', { HeaderKey: 'good' }],
  ['a key in a query', { QueryKey: [] }, {}, '?key=good', { QueryKey: 'good' }],
  ['a scheme that refers to another one', { Alias: [] }, {}, '?key=good', { Alias: 'good' }],
  ['a key in a cookie', { Session: [] }, { cookie: 'a=b; session=good' }, '', { Session: 'good' }],
  [
    'OAuth 2 with scopes',
    { OAuth: ['read', 'write'] },
    bearer('good'),
    '',
    { OAuth: { scopes: ['read', 'write'] } },
  ],
  ['OpenID Connect', { OpenId: [] }, bearer('good'), '', { OpenId: { subject: 'good getThing' } }],
])('authenticates by %s', async (_name, requirement, headers, query, principals) => {
  const server = await serve([requirement]);
  expect(await get(server, headers, query)).toMatchObject({ status: 200, principals, query: {} });
  expect((await get(server)).status).toBe(401);
});

test('passes the key of a query to its hook only', async () => {
  const server = await serve([{ QueryKey: [] }]);
  expect((await get(server, {}, '?limit=1&key=good')).query).toEqual({ limit: '1' });
  expect((await get(server, {}, '?key=good&key=good')).status).toBe(401);
  const other = await serve([{ Token: [] }]);
  expect((await get(other, bearer('good'), '?key=good')).status).toBe(400);
});

test('names another scheme of HTTP in the challenge', async () => {
  const server = await serve([{ Signature: [] }]);
  expect(await get(server)).toMatchObject({
    message: 'Authentication is required. Send Authorization: Shared-Key <credentials>.',
    challenge: 'Shared-Key',
  });
  expect((await get(server, { authorization: 'Shared-Key2 good' })).status).toBe(401);
});

test('requires all schemes of a combination', async () => {
  const server = await serve([{ Token: [], HeaderKey: [] }]);
  const both = await get(server, { ...bearer('good'), 'x-api-key': 'good' });
  expect(both.principals).toEqual({ Token: { user: 'good' }, HeaderKey: 'good' });
  const one = await get(server, bearer('good'));
  expect(one).toMatchObject({
    status: 401,
    message: 'Authentication is required. Send Authorization: Bearer <token> and the header X-Api-Key.',
    challenge: 'Bearer, ApiKey in="header", name="X-Api-Key"',
  });
  expect((await get(server, { ...bearer('good'), 'x-api-key': 'bad' })).status).toBe(401);
  expect((await get(server, { ...bearer('bad'), 'x-api-key': 'good' })).status).toBe(401);
});

test('accepts any of several alternatives', async () => {
  const server = await serve([{ Token: [] }, { HeaderKey: [] }]);
  expect((await get(server, bearer('good'))).principals).toEqual({ Token: { user: 'good' } });
  expect((await get(server, { 'x-api-key': 'good' })).principals).toEqual({ HeaderKey: 'good' });
  const second = await get(server, { ...bearer('bad'), 'x-api-key': 'good' });
  expect(second.principals).toEqual({ HeaderKey: 'good' });
  expect((await get(server)).message).toContain('Bearer <token>, or the header X-Api-Key');
});

test.each([
  ['the first', bearer('denied'), 'bad'],
  ['the second', bearer('bad'), 'denied'],
])('returns the 403 of %s alternative if all fail', async (_name, headers, key) => {
  const server = await serve([{ Token: [] }, { HeaderKey: [] }]);
  const { status, message, challenge } = await get(server, { ...headers, 'x-api-key': key });
  expect([status, message, challenge]).toEqual([403, 'The key lacks a scope.', null]);
});

test('returns the first 401 if all alternatives fail with 401, with all challenges', async () => {
  const server = await serve([{ Login: [] }, { HeaderKey: [] }]);
  expect(await get(server, { ...basic('a:one'), 'x-api-key': 'two' })).toMatchObject({
    status: 401,
    message: 'Unknown credential one.',
    challenge: 'Basic realm="A \\"secure\\" thing", charset="UTF-8", ApiKey in="header", name="X-Api-Key"',
  });
});

test('returns 500 if a hook fails, without trying the other alternatives or its message', async () => {
  const server = await serve([{ Token: [] }, { HeaderKey: [] }]);
  const { status, message } = await get(server, { ...bearer('broken'), 'x-api-key': 'good' });
  expect(status).toBe(500);
  expect(message).not.toContain('database');
  expect(server.errors()).toEqual(['The database is closed.']);
});

test.each([
  ['a malformed bearer token', [{ Token: [] }], { authorization: 'Bearer' }],
  ['a bearer token with a space', [{ Token: [] }], { authorization: 'Bearer good good' }],
  ['another scheme', [{ Token: [] }], { authorization: 'Basic good' }],
  ['a username without a password', [{ Login: [] }], basic('good')],
  ['a username that is not UTF-8', [{ Login: [] }], { authorization: 'Basic /zpnb29k' }],
  ['no credentials of another scheme', [{ Signature: [] }], { authorization: 'Shared-Key' }],
  ['an empty key', [{ HeaderKey: [] }], { 'x-api-key': '' }],
  ['an empty cookie', [{ Session: [] }], { cookie: 'session=' }],
])('rejects %s with 401', async (_name, security: Requirement[], headers: Record<string, string>) => {
  const server = await serve(security);
  const { status, challenge } = await get(server, headers);
  expect([status, challenge !== null]).toEqual([401, true]);
  // The same credential is no anonymous request, except if it belongs to a scheme that the operation does not have.
  const optional = await serve([...security, {}]);
  expect((await get(optional, headers)).status).toBe(headers.authorization === 'Basic good' ? 200 : 401);
});

test('ignores cookies in a header that is too long', async () => {
  const server = await serve([{ Session: [] }]);
  const cookie = (length: number) => `session=good; a=${'b'.repeat(length)}`.slice(0, length);
  expect((await get(server, { cookie: cookie(MAX_COOKIE_HEADER_CHARACTERS) })).status).toBe(200);
  expect((await get(server, { cookie: cookie(MAX_COOKIE_HEADER_CHARACTERS + 1) })).status).toBe(401);
});

test('permits anonymous requests where the contract does, and rejects invalid credentials there', async () => {
  for (const security of [
    [{ Token: [] }, {}],
    [{}, { Token: [] }],
  ] as Requirement[][]) {
    const server = await serve(security);
    expect(await get(server)).toMatchObject({ status: 200, principals: {} });
    expect((await get(server, bearer('good'))).principals).toEqual({ Token: { user: 'good' } });
    expect((await get(server, bearer('bad'))).status).toBe(401);
  }
});

test('applies the requirements of the document unless the operation has its own', async () => {
  const global = [{ Token: [] }];
  expect((await get(await serve(undefined, { global }))).status).toBe(401);
  expect((await get(await serve([], { global }), bearer('bad'))).status).toBe(200);
  expect((await get(await serve(undefined))).status).toBe(200);
});

test('counts unknown credentials of any scheme against the address', async () => {
  const server = await serve([{ HeaderKey: [] }], {
    rateLimit: new RateLimit({ perMinute: 20, now: () => 0 }),
  });
  const statuses: number[] = [];
  for (const key of ['a', 'b', 'c']) {
    statuses.push((await get(server, { 'x-api-key': key })).status);
  }
  expect(statuses).toEqual([401, 401, 429]);
});

test('requires a hook of the declared kind for each scheme', () => {
  const document = contractOf([{ Token: [] }]);
  const create = (security: object) => () =>
    createContractRouter<Operations, Table, RequestContext>({
      document,
      operations: tableOf(document),
      handlers: { getThing: async () => null },
      security: security as never,
      validateResponses: false,
    });
  expect(create(hooks)).not.toThrow();
  expect(create({})).toThrow('The security scheme Token requires a hook of the kind "bearer"');
  expect(create({ Token: hooks.Login })).toThrow(
    'The security scheme Token requires a hook of the kind "bearer"',
  );
});
