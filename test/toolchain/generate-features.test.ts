import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../spec/toolchain/document.ts';
import { formatProblem, type OpenApiDocument, unhandledFeatures } from '../../spec/toolchain/main.ts';

const document = (schema: JsonObject, more: JsonObject = {}): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths: {},
  components: { schemas: { Thing: schema }, ...(more as Record<string, JsonObject>) },
});
const places = (given: OpenApiDocument) =>
  unhandledFeatures(given).map(({ message }) => message.split(' ')[0]);

describe('features that nothing handles', () => {
  it('are absent from the emitted document', async () => {
    const path = join(import.meta.dirname, '..', '..', 'generated', 'openapi.json');
    const emitted: OpenApiDocument = JSON.parse(await readFile(path, 'utf8'));
    expect(Object.keys(emitted.paths).length).toBeGreaterThan(0);
    expect(unhandledFeatures(emitted).map(formatProblem)).toEqual([]);
  });

  it.each([
    ['a keyword of schemas', { type: 'array', prefixItems: [] }, '#/components/schemas/Thing/prefixItems'],
    ['one that OpenAPI 3.0 had', { type: 'string', nullable: true }, '#/components/schemas/Thing/nullable'],
    [
      'one deep within',
      { properties: { a: { items: { oneOf: [{ if: {} }] } } } },
      '#/components/schemas/Thing/properties/a/items/oneOf/0/if',
    ],
    ['a format', { type: 'string', format: 'iso-7' }, '#/components/schemas/Thing/format'],
    [
      'a pattern outside Unicode mode',
      { type: 'string', pattern: '\\-' },
      '#/components/schemas/Thing/pattern',
    ],
  ])('are found: %s', (_name, schema, place) => {
    expect(places(document(schema as JsonObject))).toEqual([place]);
  });

  it('are found outside schemas', () => {
    const given = document(
      {},
      {
        parameters: { Session: { name: 'session', in: 'cookie', schema: {} } },
        securitySchemes: { Key: { type: 'apiKey', in: 'query', name: 'key' } },
        links: {},
      },
    );
    expect(places({ ...given, webhooks: {} } as OpenApiDocument)).toEqual([
      '#/components/parameters/Session/in',
      '#/components/securitySchemes/Key/in',
      '#/components/securitySchemes/Key/name',
      '#/components/securitySchemes/Key',
      '#/components/links',
      '#/webhooks',
    ]);
  });

  it('are not mistaken for names that the contract chose', () => {
    const schema = { type: 'object', properties: { if: { type: 'string' }, default: { type: 'string' } } };
    expect(places(document({ ...schema, default: { if: 1 }, 'x-note': 1 }))).toEqual([]);
  });
});
