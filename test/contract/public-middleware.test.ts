import { glob, readFile } from 'node:fs/promises';
import { Agent, request as send } from 'node:http';
import { join } from 'node:path';
import express, { type ErrorRequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { listen, type OpenApiDocument } from '../../server/contract/index.ts';
import { runs } from '../support/seed.ts';
import { contractOf } from './bodies/serve-bodies.ts';
import { serveRouter, tableOf } from './serve.ts';

/*
 * The validators of express-openapi-validator decide about each request of the router, which passes only parsed values to
 * them. Its public middleware decides about the same requests here. Each difference belongs to a class below, with the
 * standard that settles it.
 */

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string', minLength: 1, maxLength: 8 };
const object = (properties: object, required: string[] = [], more: object = {}) => ({
  type: 'object',
  ...{ properties, required, additionalProperties: false },
  ...more,
});

/** Values that schemas below can accept, with those around their limits. */
const scalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    '',
    'a',
    'cat',
    'dog',
    'red',
    'long text that exceeds',
    '2026-01-31',
    '2026-13-01',
  ),
  fc.constantFrom(0, 1, 1.5, -1, 0.3, 0.35, 19.99, 10, 2 ** 31, 9, 'aGk=', '?', 'x@example.com', '7'),
);
const names = fc.constantFrom(
  'id',
  'name',
  'size',
  'tags',
  'kind',
  'lives',
  'bark',
  'inner',
  'price',
  'other',
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  ),
}));

/** A JSON request. */
interface Sent {
  method: string;
  path: string;
  body?: unknown;
}

/** A contract, and requests. About half of them are valid. */
interface Subject {
  document: OpenApiDocument;
  requests: fc.Arbitrary<Sent>;
}

/** Creates requests with bodies that resemble valid ones. */
function bodies(
  schemas: Record<string, [schema: object, valid: fc.Arbitrary<unknown>]>,
  components = {},
): Subject {
  const requests = Object.entries(schemas).map(([name, [, valid]]) =>
    fc
      .oneof(
        valid,
        anything,
        fc.tuple(valid, names, scalar).map(([value, key, inner]) => changed(value, key, inner)),
      )
      .map((body): Sent => ({ method: 'POST', path: `/${name}`, body })),
  );
  const declared = Object.fromEntries(Object.entries(schemas).map(([name, [schema]]) => [name, schema]));
  return { document: contractOf(declared, components), requests: fc.oneof(...requests) };
}

/** Changes, adds or removes a member. */
function changed(value: unknown, key: string, inner: unknown): unknown {
  if (Array.isArray(value)) {
    return [...value, inner];
  }
  if (typeof value !== 'object' || value === null) {
    return inner;
  }
  const { [key]: removed, ...others } = { ...value } as Record<string, unknown>;
  return removed === undefined
    ? { ...others, [key]: inner }
    : inner === null
      ? others
      : { ...others, [key]: inner };
}

const record = (model: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(model, { requiredKeys });
const short = fc.constantFrom('a', 'bc', 'name');

const objects = bodies({
  item: [
    object(
      {
        id: { type: 'integer', minimum: 1, maximum: 10 },
        name: text,
        size: { type: 'number', exclusiveMinimum: 0 },
        tags: { type: 'array', items: text, maxItems: 2, uniqueItems: true },
        kind: { enum: ['cat', 'dog', null] },
        inner: object({ name: { type: 'string', format: 'date' } }, ['name']),
      },
      ['id', 'name'],
    ),
    record(
      {
        id: fc.integer({ min: 1, max: 10 }),
        name: short,
        size: fc.constant(1.5),
        tags: fc.uniqueArray(short),
        inner: fc.constant({ name: '2026-01-31' }),
      },
      ['id', 'name'],
    ),
  ],
  map: [
    { type: 'object', additionalProperties: { type: ['integer', 'null'] }, maxProperties: 3 },
    fc.dictionary(names, fc.constantFrom(1, null), { maxKeys: 3 }),
  ],
  list: [
    { type: 'array', items: { type: 'string', format: 'byte' }, minItems: 1 },
    fc.array(fc.constant('aGk='), { minLength: 1 }),
  ],
});

const tag = (kind: string, more: object) => object({ kind: { const: kind }, ...more }, ['kind']);
const unions = bodies(
  {
    tagged: [
      { oneOf: [ref('Cat'), ref('Dog')] },
      fc.oneof(
        record({ kind: fc.constant('cat'), lives: fc.constant(9) }, ['kind']),
        record({ kind: fc.constant('dog'), bark: short }, ['kind']),
      ),
    ],
    nullable: [{ anyOf: [ref('Cat'), { type: 'null' }] }, fc.constantFrom(null, { kind: 'cat' })],
    mixed: [
      {
        anyOf: [{ type: 'string', maxLength: 3 }, { type: 'integer' }, { type: 'array', items: ref('Dog') }],
      },
      fc.constantFrom('abc', 7, [{ kind: 'dog' }]),
    ],
    composed: [
      {
        allOf: [
          { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
          { type: 'object', properties: { name: text } },
        ],
      },
      record({ id: fc.constant(1), name: short }, ['id']),
    ],
  },
  { Cat: tag('cat', { lives: { type: 'integer' } }), Dog: tag('dog', { bark: text }) },
);

const pet = { type: 'object', properties: { kind: { type: 'string' }, name: text }, required: ['kind'] };
const special = bodies(
  {
    cents: [
      object({ price: { type: 'number', multipleOf: 0.01 } }),
      record({ price: fc.constantFrom(19.99, 0.3, 1) }),
    ],
    tuple: [
      { type: 'array', prefixItems: [{ type: 'integer' }, text] },
      fc.constantFrom([1, 'a'], [1], [], [1, 'a', true]),
    ],
    large: [{ type: 'integer', format: 'int64' }, fc.constantFrom(1, 2 ** 31)],
    inherited: [
      ref('Pet'),
      fc.oneof(
        record({ kind: fc.constant('Dog'), bark: short }, ['kind']),
        record({ kind: fc.constantFrom('Pet', 'Cat'), name: short }, ['kind']),
      ),
    ],
  },
  {
    Pet: { ...pet, discriminator: { propertyName: 'kind' } },
    Dog: { allOf: [ref('Pet'), { type: 'object', properties: { bark: text }, required: ['bark'] }] },
  },
);

const parameter = (name: string, schema: object, more: object = {}) => ({
  name,
  in: 'query',
  schema,
  ...more,
});
const parameters: Subject = {
  document: {
    ...contractOf({}),
    paths: {
      '/things/{id}': {
        get: {
          operationId: 'getThing',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
            parameter('size', { type: 'integer', maximum: 10, default: 5 }),
            parameter('flag', { type: 'boolean' }),
            parameter('kind', { type: 'string', enum: ['cat', 'dog'] }, { required: true }),
            parameter('tags', { type: 'array', items: { type: 'string', maxLength: 3 } }),
          ],
          responses: { 200: { description: 'OK.', content: { 'application/json': { schema: {} } } } },
        },
      },
    },
  } as unknown as OpenApiDocument,
  requests: fc
    .record(
      {
        id: fc.constantFrom('1', '7', '0', 'a', '1.5', '0x10', '1e1', '%31'),
        size: fc.constantFrom('5', '11', 'a', '1e0', '0x5', ''),
        flag: fc.constantFrom('true', 'false', '1', 'TRUE'),
        kind: fc.constantFrom('cat', 'dog', 'bird', ''),
        tags: fc.array(fc.constantFrom('a', 'abc', 'abcd', 'a,b'), { maxLength: 3 }),
        other: fc.constant('a'),
      },
      { requiredKeys: ['id'] },
    )
    .map(({ id, ...query }): Sent => {
      const pairs = Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((item) => `${name}=${item}`),
      );
      return { method: 'GET', path: `/things/${id}?${pairs.join('&')}` };
    }),
};

/** Differences: what the middleware returns, what the router returns, and the standard that settles it. */
const CLASSES: readonly {
  name: string;
  standard: string;
  applies(sent: Sent, verdicts: { theirs: number; ours: number }): boolean;
}[] = [
  {
    name: 'multiples of decimals are computed with binary numbers',
    standard: 'JSON Schema 2020-12, Validation, section 6.2.1',
    applies: ({ path }, { theirs, ours }) => path === '/cents' && theirs === 400 && ours === 200,
  },
  {
    name: 'an open tuple is an internal error',
    standard: 'JSON Schema 2020-12, section 10.3.1.1',
    applies: ({ path }, { theirs }) => path === '/tuple' && theirs === 500,
  },
  {
    name: 'the discriminator of a schema that others inherit from is ignored',
    standard: 'OpenAPI 3.1, Discriminator Object',
    applies: ({ path }, { theirs, ours }) => path === '/inherited' && theirs === 200 && ours === 400,
  },
  {
    name: 'a scalar body is malformed JSON to the usual parser',
    standard: 'RFC 8259, section 2',
    applies: ({ body }, { theirs }) => typeof body !== 'object' && theirs === 400,
  },
  {
    name: 'numbers and booleans are read from more texts than JSON has',
    standard: 'RFC 8259, section 6',
    applies: ({ path }, { theirs, ours }) => /0x|TRUE|=1(?:&|$)/.test(path) && theirs === 200 && ours === 400,
  },
];

test('the verdicts of the router and of the public middleware differ in known classes only', async () => {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const counts = new Map<string, number>();
  const unexplained: string[] = [];
  for (const { document, requests } of [objects, unions, special, parameters]) {
    const ports = { theirs: await serveMiddleware(document), ours: await serveOurs(document) };
    for (const sent of fc.sample(requests, { numRuns: runs(60), seed: 1 })) {
      const [theirs, ours] = await Promise.all([
        statusOf(agent, ports.theirs, sent),
        statusOf(agent, ports.ours, sent),
      ]);
      if (theirs === ours) {
        continue;
      }
      const known = CLASSES.find(({ applies }) => applies(sent, { theirs, ours }));
      if (known) {
        counts.set(known.name, (counts.get(known.name) ?? 0) + 1);
      } else {
        unexplained.push(`${JSON.stringify(sent)}: middleware ${theirs}, router ${ours}`);
      }
    }
  }
  expect(unexplained).toEqual([]);
  const names = CLASSES.map(({ name }) => name).filter((name) => !counts.has(name));
  // With COLOPHON_TEST_RUNS=21, there are 5,040 requests, and each class has an example.
  expect(runs(1) >= 21 ? names : []).toEqual([]);
});

async function serveOurs(document: OpenApiDocument): Promise<number> {
  const handlers = Object.fromEntries(Object.keys(tableOf(document)).map((id) => [id, async () => ({})]));
  const { port } = await serveRouter({
    ...{ document, operations: tableOf(document), handlers, security: {}, validateResponses: false },
  } as never);
  return port;
}

async function serveMiddleware(document: OpenApiDocument): Promise<number> {
  const app = express().use(express.json({ strict: false }));
  // The middleware changes its document. Its types require literals.
  const apiSpec = structuredClone(document) as never;
  app.use(
    OpenApiValidator.middleware({
      apiSpec,
      validateRequests: { allErrors: true },
      validateResponses: false,
      validateSecurity: false,
      ajvFormats: { mode: 'full' },
    }),
  );
  app.use((_req, res) => void res.json({}));
  const onError: ErrorRequestHandler = (error, _req, res, _next) =>
    void res.status(error.status ?? 500).json({});
  app.use(onError);
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onTestFinished(() => listener.close(0));
  return listener.port;
}

/** Sends a request as it is. */
const statusOf = (agent: Agent, port: number, { method, path, body }: Sent) =>
  new Promise<number>((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
    const req = send({ agent, host: '127.0.0.1', port, method, path, headers }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode ?? 0));
    });
    req.on('error', reject).end(payload);
  });

test('one module imports the internals of express-openapi-validator', async () => {
  const root = join(import.meta.dirname, '../..');
  const importing: string[] = [];
  for (const folder of ['server', 'client', 'spec']) {
    for await (const file of glob(`${folder}/**/*.ts`, { cwd: root, exclude: ['**/node_modules/**'] })) {
      if (/from 'express-openapi-validator/.test(await readFile(join(root, file), 'utf8'))) {
        importing.push(file);
      }
    }
  }
  expect(importing).toEqual(['server/contract/validation/validator.ts']);
});
