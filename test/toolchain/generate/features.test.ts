import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GRAMMARS } from '../../../server/contract/validation/grammar.ts';
import type { JsonObject } from '../../../spec/toolchain/document.ts';
import { grammarOf, type Rule } from '../../../spec/toolchain/documents/grammar.ts';
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
    ['a keyword of OpenAPI 3.0', { type: 'string', nullable: true }, '#/components/schemas/Item/nullable'],
    ['a misspelled keyword', { type: 'string', maxlength: 3 }, '#/components/schemas/Item/maxlength'],
    [
      'a nested keyword',
      { properties: { a: { items: { oneOf: [{ if: { xml: {} } }] } } } },
      '#/components/schemas/Item/properties/a/items/oneOf/0/if/xml',
    ],
    ['a format', { type: 'string', format: 'iso-7' }, '#/components/schemas/Item/format'],
    ['a name that objects inherit', { constructor: {} }, '#/components/schemas/Item/constructor'],
  ])('are reported: %s', (_name, schema, pointer) => {
    expect(pointersOf(document(schema as JsonObject))).toEqual([pointer]);
  });

  test('are reported outside schemas', () => {
    const content = { 'multipart/form-data': { encoding: { a: { headers: { 'X-A': {} } } } } };
    const openapi = document(
      {},
      {
        parameters: { Session: { name: 'session', in: 'cookie', styel: 'form', schema: {} } },
        requestBodies: { Form: { content } },
        links: {},
      },
    );
    expect(pointersOf({ ...openapi, webhooks: {} } as OpenApiDocument)).toEqual([
      '#/components/parameters/Session/styel',
      '#/components/requestBodies/Form/content/multipart~1form-data/encoding/a/headers',
      '#/components/links',
      '#/webhooks',
    ]);
  });

  test('are not those that are served', () => {
    const served = {
      type: ['array', 'object'],
      prefixItems: [{ type: 'string', pattern: '\\-', format: 'int8' }],
      contains: { const: 1 },
      minContains: 1,
      unevaluatedItems: false,
      patternProperties: { '^x': { if: {}, else: {} } },
      dependentRequired: { a: ['b'] },
      dependentSchemas: { a: {} },
      $defs: { A: {} },
    };
    const more = {
      parameters: { Filter: { name: 'filter', in: 'query', style: 'deepObject', content: {}, 'x-a': 1 } },
      securitySchemes: { Key: { type: 'apiKey', in: 'query', name: 'key' } },
      pathItems: { Shared: { head: { operationId: 'a', responses: {} } } },
    };
    expect(pointersOf(document(served as JsonObject, more))).toEqual([]);
  });

  test('are not confused with property names', () => {
    const schema = { type: 'object', properties: { if: { type: 'string' }, default: { type: 'string' } } };
    expect(pointersOf(document({ ...schema, default: { if: 1 }, 'x-note': 1 }))).toEqual([]);
  });
});

test('toolchain and server find schemas at the same places of a document', () => {
  const own = grammarOf('3.1');
  const names = { requestBody: 'body', header: 'parameter' } as Record<string, string>;
  /** What a member contains, as the server names it; undefined if it contains no schema that the server applies. */
  const contents = (rule: Rule): unknown => {
    if (typeof rule !== 'string') {
      const [shape, inner] = 'map' in rule ? (['map', rule.map] as const) : (['list', rule.list] as const);
      const kind = contents(inner);
      return kind === undefined ? undefined : { [shape]: kind };
    }
    const name = names[rule] ?? rule;
    return Object.hasOwn(GRAMMARS, name) ? name : undefined;
  };
  for (const kind of [
    'pathItem',
    'operation',
    'parameter',
    'requestBody',
    'response',
    'mediaType',
    'encoding',
    'schema',
  ] as const) {
    const expected = Object.entries(own[kind]).flatMap(([name, rule]) => {
      const found = contents(rule);
      // Annotations, and keywords of other versions, which the server does not apply.
      return found === undefined || ['contentSchema', 'definitions'].includes(name) ? [] : [[name, found]];
    });
    // The server has one grammar for several kinds, such as headers, which are parameters.
    const served = [...(GRAMMARS[(names[kind] ?? kind) as keyof typeof GRAMMARS] ?? [])].filter(([name]) =>
      Object.hasOwn(own[kind], name),
    );
    expect(Object.fromEntries(served), kind).toEqual(Object.fromEntries(expected));
  }
});
