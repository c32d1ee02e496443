import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../spec/toolchain/document.ts';
import { formatProblem, type OpenApiDocument, unhandledFeatures } from '../../../spec/toolchain/main.ts';

const document = (schema: JsonObject, more: JsonObject = {}): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths: {},
  components: { schemas: { Item: schema }, ...(more as Record<string, JsonObject>) },
});
const pointersOf = (openapi: OpenApiDocument) =>
  unhandledFeatures(openapi).map(({ message }) => message.split(' ')[0]);

describe('unsupported features', () => {
  test('do not occur in the generated document', async () => {
    const path = join(import.meta.dirname, '../../..', 'generated', 'openapi.json');
    const emitted: OpenApiDocument = JSON.parse(await readFile(path, 'utf8'));
    expect(Object.keys(emitted.paths).length).toBeGreaterThan(0);
    expect(unhandledFeatures(emitted).map(formatProblem)).toEqual([]);
  });

  test.each([
    ['a schema keyword', { type: 'array', prefixItems: [] }, '#/components/schemas/Item/prefixItems'],
    ['a keyword of OpenAPI 3.0', { type: 'string', nullable: true }, '#/components/schemas/Item/nullable'],
    [
      'a nested keyword',
      { properties: { a: { items: { oneOf: [{ if: {} }] } } } },
      '#/components/schemas/Item/properties/a/items/oneOf/0/if',
    ],
    ['a format', { type: 'string', format: 'iso-7' }, '#/components/schemas/Item/format'],
    [
      'a pattern that is invalid in Unicode mode',
      { type: 'string', pattern: '\\-' },
      '#/components/schemas/Item/pattern',
    ],
  ])('are reported: %s', (_name, schema, pointer) => {
    expect(pointersOf(document(schema as JsonObject))).toEqual([pointer]);
  });

  test('are reported outside schemas', () => {
    const openapi = document(
      {},
      {
        parameters: { Session: { name: 'session', in: 'cookie', style: 'odd', schema: {} } },
        securitySchemes: { Key: { type: 'apiKey', in: 'query', name: 'key' } },
        links: {},
      },
    );
    expect(pointersOf({ ...openapi, webhooks: {} } as OpenApiDocument)).toEqual([
      '#/components/parameters/Session/style',
      '#/components/securitySchemes/Key/in',
      '#/components/securitySchemes/Key/name',
      '#/components/securitySchemes/Key',
      '#/components/links',
      '#/webhooks',
    ]);
  });

  test('are not confused with property names', () => {
    const schema = { type: 'object', properties: { if: { type: 'string' }, default: { type: 'string' } } };
    expect(pointersOf(document({ ...schema, default: { if: 1 }, 'x-note': 1 }))).toEqual([]);
  });
});
