import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test, vi } from 'vitest';
import { type OpenApiDocument, operationsOf, schemaOf } from '../../server/contract/document.ts';
import { createContractRouter } from '../../server/contract/router.ts';
import { MAX_FULL_REPORT_BYTES, MAX_REPORTED_FAULTS } from '../../server/contract/validation/faults.ts';
import { createSchemas } from '../../server/contract/validation/schemas.ts';
import { createValidation } from '../../server/contract/validation/validation.ts';
import { branchesOf, variantsOf } from '../../server/contract/validation/variants.ts';
import { document, operations } from './small-contract.ts';
import { expectError, faultLocations, serveSmallContract } from './small-server.ts';

test('never recompiles a validator because of headers, queries or bodies', async () => {
  const { send } = await serveSmallContract();
  const rounds = async (round: number) => {
    const type = `application/json; x=${round}; charset=utf-8`;
    await send('GET', `/v1/widgets?page=p${round}`, undefined, { 'content-type': type });
    await send('POST', '/v1/widgets', { title: `t${round}` }, { 'content-type': type });
    await send('PATCH', `/v1/widgets/a${round}`, undefined, { 'content-type': type });
    await send('POST', '/v1/widgets', { title: 'x' }, { 'content-type': `x/y${round}` });
  };
  await rounds(0);
  const compiled = vi.spyOn(Ajv2020.prototype, 'addSchema');
  for (let round = 1; round < 20; round++) {
    await rounds(round);
  }
  expect(compiled).not.toHaveBeenCalled();
  compiled.mockRestore();
});

test('compiles the validators of an operation when it is first requested', async () => {
  const built = vi.spyOn(Ajv2020.prototype, 'addSchema');
  const { send } = await serveSmallContract({}, { ownDocument: true });
  expect(built).not.toHaveBeenCalled();
  await send('DELETE', '/v1/widgets/a');
  expect(built.mock.calls.length).toBeGreaterThan(0);
  expect(JSON.stringify(built.mock.calls)).not.toContain('WidgetCreate');
  built.mockRestore();
});

test('validates a tree of variants of any depth', async () => {
  const { send } = await serveSmallContract();
  const tree = (leaf: string) =>
    `{"nodes":[${'{"nodes":['.repeat(40)}${leaf}${'],"type":"note"}'.repeat(40)}]}`;
  expect((await send('PUT', '/v1/widgets/a/tree', tree('{"type":"text"}'))).status).toBe(204);
  const error = await expectError(await send('PUT', '/v1/widgets/a/tree', tree('{"type":"tree"}')), 400);
  expect(error.details).toHaveLength(1);
});

test('distinguishes text from variants by its type', () => {
  const text = { type: ['string', 'null'] };
  const contract = structuredClone(document);
  const shapes = contract.components?.schemas?.Shape as { oneOf: object[] };
  shapes.oneOf.push(text);
  const check = createSchemas(contract);
  for (const fits of ['round', null, { type: 'circle', radius: 1 }]) {
    expect(check('Shape', fits)).toEqual([]);
  }
  const paths = (value: unknown) => check('Shape', value).map(({ path }) => path);
  expect(paths({ type: 'circle' })).toContain('radius');
  expect(paths({ type: 'circle' })).not.toContain('side');
  expect(paths({ type: 'star' })).toContain('type');
  expect(paths(7)).toEqual(['']);
});

test('reports only some of a large number of errors', async () => {
  const { send } = await serveSmallContract();
  const title = 'a';
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`field${i}`, i]));
  const fields = await expectError(await send('POST', '/v1/widgets', { title, ...many }), 400);
  expect(fields.details).toHaveLength(MAX_REPORTED_FAULTS);
  const query = Array.from({ length: 500 }, (_, i) => `q${i}=1`).join('&');
  const parameters = await expectError(await send('GET', `/v1/widgets?${query}`), 400);
  expect(parameters.details).toHaveLength(MAX_REPORTED_FAULTS);
  const name = await expectError(await send('POST', '/v1/widgets', { title, ['x'.repeat(50_000)]: 1 }), 400);
  expect(name.details?.[0]?.path).toHaveLength(200);
});

/** Resolution of the CPU time of a thread, in microseconds. */
const CLOCK_TICK_US = 10_000;

test('rejects a large body at little cost, and reports its first error', async () => {
  const { send } = await serveSmallContract();
  const cost = async (marks: number) => {
    const body = JSON.stringify({ title: 'a', marks: Array(marks).fill('aa') });
    expect(body.length).toBeGreaterThan(MAX_FULL_REPORT_BYTES);
    const startedAt = process.threadCpuUsage();
    const error = await expectError(await send('POST', '/v1/widgets', body), 400);
    expect(faultLocations(error)).toEqual(['body marks.0']);
    // Only the sum is exact: samples divide it between user and system.
    const { user, system } = process.threadCpuUsage(startedAt);
    return user + system;
  };
  await cost(180_000);
  // Six times as many errors: collecting them all takes quadratic time.
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    ratios.push((await cost(180_000)) / Math.max(await cost(30_000), CLOCK_TICK_US));
  }
  expect(Math.min(...ratios)).toBeLessThan(20);
});

test('fails the start for a contract that the runtime cannot serve, and names the operation', () => {
  const security = { Token: { bearer: async () => ({}) } };
  const options = { document, operations, security, validateResponses: false };
  const router = (contract: OpenApiDocument, table: object, handlers: object) => () =>
    createContractRouter({ ...options, document: contract, operations: table, handlers } as never);
  const handlers = Object.fromEntries(Object.keys(operations).map((id) => [id, async () => ({})]));
  expect(router(document, operations, handlers)).not.toThrow();
  const { getWidget: _handler, ...fewer } = handlers;
  expect(router(document, operations, fewer)).toThrow('getWidget has no handler');
  const { getWidget: _row, ...short } = operations;
  expect(router(document, short, handlers)).toThrow('does not match the contract: getWidget');
  expect(router(document, { ...operations, getWidget: operations.deleteWidget }, handlers)).toThrow(
    'getWidget',
  );
});

const real = JSON.parse(
  readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'),
) as OpenApiDocument;

/** Returns all schemas in a value, with the components that they refer to. */
function* schemasIn(value: unknown, seen: Set<unknown>): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || seen.has(value)) {
    return;
  }
  seen.add(value);
  if (!Array.isArray(value)) {
    const schema = value as Record<string, unknown>;
    yield schema;
    if (typeof schema.$ref === 'string') {
      yield* schemasIn(schemaOf(real, schema), seen);
    }
  }
  for (const inner of Object.values(value)) {
    yield* schemasIn(inner, seen);
  }
}

test('tags the variants of every recursive union of the contract', () => {
  const unions = [...schemasIn(real.components?.schemas, new Set())].filter(
    (schema) => branchesOf(schema).length > 1,
  );
  expect(unions.length).toBeGreaterThan(10);
  const open = unions.filter((union) => {
    if (variantsOf(real, union)) {
      return false;
    }
    const recursive = branchesOf(union).filter((branch) =>
      [...schemasIn(branch, new Set())].some((inner) => inner === union),
    );
    // Alternatives of different JSON types are distinguished by their type.
    const types = recursive.map((branch) => schemaOf(real, branch).type);
    return new Set(types).size < types.length;
  });
  expect(open.map((union) => JSON.stringify(union).slice(0, 300))).toEqual([]);
});

test('compiles a validator for every operation of the contract', () => {
  for (const item of Object.values(real.paths)) {
    for (const [, operation] of operationsOf(item)) {
      const { request } = createValidation(real, operation);
      const json = operation.requestBody && { type: 'application/json', value: {} };
      const parameters = { path: {}, query: {}, headers: {}, cookies: {} };
      expect(request({ ...parameters, json, bytes: 2 })).toBeInstanceOf(Array);
    }
  }
});
