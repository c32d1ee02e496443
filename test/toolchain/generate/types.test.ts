import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { plainComments, schemaTypes, withoutRepeatedErrors } from '../../../spec/toolchain/schema-types.ts';

test('writes the same types as the entry point of the library, which also lints and bundles', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8');
  const document: OpenApiDocument = JSON.parse(text);
  const types = await openapiTypescript(JSON.stringify(withoutRepeatedErrors(document)), {
    defaultNonNullable: false,
    silent: true,
  });
  expect(schemaTypes(document) === plainComments(astToString(types))).toBe(true);
});

test('omits error responses with the body of the default response, and their unused components', () => {
  const response = (name: string) => ({ $ref: `#/components/responses/${name}` });
  const error = (type: string) => ({
    description: '',
    content: { 'application/json': { schema: { type } } },
  });
  const types = schemaTypes({
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: {
      '/a': {
        get: {
          operationId: 'getA',
          responses: {
            404: response('NotFound'),
            409: response('Conflict'),
            default: response('UnexpectedError'),
          },
        },
      },
      '/b': { get: { operationId: 'getB', responses: { 400: error('object') } } },
    },
    components: {
      responses: { Conflict: error('array'), NotFound: error('object'), UnexpectedError: error('object') },
    },
  });
  expect(types).toContain('409: components["responses"]["Conflict"]');
  expect(types).toContain('default: components["responses"]["UnexpectedError"]');
  expect(types).not.toContain('NotFound');
  expect(types).toContain('400: {');
});

test('writes descriptions as plain comments, in their own paragraph after a summary or a format', () => {
  const tagged =
    '/** @description One. */\n  /**\n   * @description Two,\n   *     long.\n   */\n  /**\n   * Three\n   * @description More.\n   */';
  expect(plainComments(tagged)).toBe(
    '/** One. */\n  /**\n   * Two,\n   *     long.\n   */\n  /**\n   * Three\n   *\n   * More.\n   */',
  );
});
