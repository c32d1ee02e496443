import { expect, test } from 'vitest';
import type { JsonObject } from '../../spec/toolchain/document.ts';
import { compareWithPlatform, type Difference } from '../interop/api/compare.ts';
import { formatDifferences } from '../interop/api/report.ts';

const json = (schema: JsonObject) => ({ content: { 'application/json': { schema } } });
const document = (components: JsonObject, paths: JsonObject) => ({
  name: 'document',
  root: {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    components: { schemas: components },
    paths,
  },
});
const read = (schema: JsonObject): JsonObject => ({
  '/v1/sites': { get: { operationId: 'list', responses: { 200: { description: 'OK', ...json(schema) } } } },
});
const write = (schema: JsonObject): JsonObject => ({
  '/v1/sites': {
    post: {
      operationId: 'create',
      requestBody: { required: true, ...json(schema) },
      responses: { 204: { description: 'OK' } },
    },
  },
});
const Site = { $ref: '#/components/schemas/Site' };
const object = (properties: JsonObject, required: string[] = [], isSealed = false): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...(isSealed && { additionalProperties: false }),
});
const text = { type: 'string' };

/** Compares responses, or requests, with a schema `Site` of each document. */
function kindsOf(platform: JsonObject, own: JsonObject, operation: typeof read): string[] {
  const schemas = (site: JsonObject) => ({ Site: site });
  return compareWithPlatform(
    document(schemas(platform), operation(Site)),
    document(schemas(own), operation(Site)),
  ).map(({ kind }) => kind);
}

test('fields of responses that this service lacks are required or optional', () => {
  const urls = object({ app: text, icon: text }, ['app']);
  const platform = object({ id: text, title: text, urls }, ['id', 'title']);
  const own = object({ id: text, urls: object({}) }, ['id']);
  const differences = compareWithPlatform(
    document({ Site: platform }, read({ type: 'array', items: Site })),
    document({ Site: own }, read({ type: 'array', items: Site })),
  );
  const kindOf = (name: string) => differences.find(({ text }) => text.includes(`"${name}"`))?.kind;
  expect(['title', 'app', 'icon'].map(kindOf)).toEqual(['required', 'required', 'optional']);
});

test('required fields are found in compositions', () => {
  const platform = { allOf: [object({ id: text }, ['id']), { anyOf: [object({ draft: text }, ['draft'])] }] };
  expect(kindsOf(platform, object({ id: text }, ['id']), read)).toEqual(['required']);
});

test.each<[string, JsonObject, JsonObject, typeof read, string[]]>([
  ['a field that may be omitted', object({ id: text }, ['id']), object({ id: text }), read, ['absent']],
  ['a further value', { enum: ['a'] }, { enum: ['a', 'b'] }, read, ['values']],
  ['a value that is not sent', { enum: ['a', 'b'] }, { enum: ['a'] }, read, []],
  ['a rejected value', { enum: ['a', 'b'] }, { enum: ['a'] }, write, ['rejected']],
  ['a further accepted value', { enum: ['a'] }, { enum: ['a', 'b'] }, write, []],
  ['a rejected field', object({ id: text }), object({}, [], true), write, ['rejected']],
  ['a required field', object({ id: text }), object({ id: text }, ['id']), write, ['demanded']],
  ['a limit', text, { type: 'string', maxLength: 5 }, write, ['limits']],
])('%s is reported by its direction', (_case, platform, own, operation, kinds) => {
  expect(kindsOf(platform, own, operation)).toEqual(kinds);
});

test('operations that only one of them has', () => {
  const [first, second] = [document({}, read(text)), document({}, write(text))];
  expect(compareWithPlatform(first, second)).toEqual([
    { kind: 'missing', text: 'GET /v1/sites', operations: ['GET /v1/sites'] },
  ]);
});

test('the report has a line for each operation, and lists what clients depend on', () => {
  const differences: Difference[] = [
    { kind: 'missing', text: 'GET /v1/fonts', operations: ['GET /v1/fonts'] },
    { kind: 'required', text: 'schema Site: draft', operations: ['GET /v1/sites', 'POST /v1/sites'] },
    { kind: 'limits', text: 'schema Site: title', operations: ['POST /v1/sites'] },
  ];
  const lines = formatDifferences(differences).split('\n');
  expect(lines.slice(0, 4).map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'operation required absent values rejected demanded optional limits',
    'GET /v1/sites 1 0 0 0 0 0 0',
    'POST /v1/sites 1 0 0 0 0 0 1',
    'total 1 0 0 0 0 0 1',
  ]);
  expect(lines).toContain('1 operations that only the platform has:');
  expect(lines).toContain('  schema Site: draft (GET /v1/sites, POST /v1/sites)');
  expect(lines).not.toContain('  schema Site: title (POST /v1/sites)');
});
