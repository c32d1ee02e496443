import { describe, expect, test } from 'vitest';
import type { JsonObject, OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { normalize } from '../../../spec/toolchain/normalize/normalize.ts';

const documentOf = (schemas: JsonObject, paths: OpenApiDocument['paths'] = {}): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths,
  components: { schemas },
});
const normalized = (schema: JsonObject) => normalize(documentOf({ Item: schema })).components?.schemas?.Item;

describe('normalizing a document', () => {
  test('seals a schema without composition with additionalProperties', () => {
    expect(normalized({ type: 'object', unevaluatedProperties: { not: {} } })).toEqual({
      type: 'object',
      additionalProperties: false,
    });
  });

  test('keeps the value schema of a map', () => {
    expect(normalized({ type: 'object', unevaluatedProperties: { type: 'string' } })).toEqual({
      type: 'object',
      additionalProperties: { type: 'string' },
    });
  });

  test('turns unevaluatedItems into items, unless something else evaluates items', () => {
    const tuple = { prefixItems: [{ type: 'string' }] };
    expect(normalized({ ...tuple, unevaluatedItems: { not: {} } })).toEqual({ ...tuple, items: false });
    for (const other of [{ allOf: [{}] }, { contains: {} }, { items: {} }]) {
      const schema = { ...tuple, ...other, unevaluatedItems: false };
      expect(normalized(schema)).toEqual(schema);
    }
  });

  test.each(['allOf', 'anyOf', 'oneOf'])('keeps unevaluatedProperties in a schema with %s', (keyword) => {
    expect(normalized({ [keyword]: [{ type: 'object' }], unevaluatedProperties: { not: {} } })).toEqual({
      [keyword]: [{ type: 'object' }],
      unevaluatedProperties: false,
    });
  });

  test('adds the format byte to base64 strings', () => {
    expect(normalized({ type: 'string', contentEncoding: 'base64' })).toMatchObject({ format: 'byte' });
  });

  test('keeps a negation with constraints', () => {
    expect(normalized({ not: { required: ['a'] } })).toEqual({ not: { required: ['a'] } });
  });

  test('ignores keywords in data and property names', () => {
    const data = { unevaluatedProperties: { not: {} } };
    const schema = {
      properties: { default: { unevaluatedProperties: { not: {} } } },
      default: data,
      examples: [data],
    };
    expect(normalized(schema)).toEqual({
      properties: { default: { additionalProperties: false } },
      default: data,
      examples: [data],
    });
  });

  test('sorts paths and components by name', () => {
    const normalized = normalize(documentOf({ B: {}, A: {} }, { '/b': {}, '/a': {} }));
    const other = normalize(documentOf({ A: {}, B: {} }, { '/a': {}, '/b': {} }));
    expect(JSON.stringify(normalized)).toBe(JSON.stringify(other));
  });

  test('shares error responses by status, and does not move success responses and references', () => {
    const error = (description: string) => ({ description, content: {} });
    const existing = { $ref: '#/components/responses/Teapot' };
    const paths: OpenApiDocument['paths'] = {
      '/a': {
        get: { responses: { 200: { content: {} }, 404: error('None.'), 418: existing, default: error('?') } },
        put: { responses: { 200: { content: {} }, 404: error('None.'), '5XX': error('Down.') } },
        post: { responses: { 404: error('Not there.') } },
      },
    };
    const input = { ...documentOf({}, paths) };
    const { components, paths: normalizedPaths } = normalize({
      ...input,
      components: { ...input.components, responses: { Teapot: error('Tea.') } },
    });
    expect(Object.entries(components?.responses ?? {})).toEqual([
      ['Error5XX', error('Down.')],
      ['NotFound', error('None.')],
      ['NotFound2', error('Not there.')],
      ['Teapot', error('Tea.')],
      ['UnexpectedError', error('?')],
    ]);
    const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });
    expect(normalizedPaths['/a']).toEqual({
      get: {
        responses: {
          200: { content: {} },
          404: shared('NotFound'),
          418: existing,
          default: shared('UnexpectedError'),
        },
      },
      put: { responses: { 200: { content: {} }, 404: shared('NotFound'), '5XX': shared('Error5XX') } },
      post: { responses: { 404: shared('NotFound2') } },
    });
  });

  test('describes a success without a description of its own by its status', () => {
    const described = (description: string) => ({ description, content: {} });
    const { paths } = normalize(
      documentOf(
        {},
        {
          '/a': {
            get: {
              responses: { 200: described('The request has succeeded.'), 202: described('Started.') },
            },
          },
        },
      ),
    );
    expect(paths['/a']?.get).toMatchObject({
      responses: { 200: described('OK'), 202: described('Started.') },
    });
  });

  test('does not modify its input', () => {
    const input = documentOf({ Item: { type: 'object', unevaluatedProperties: { not: {} } } });
    const before = structuredClone(input);
    normalize(input);
    expect(input).toEqual(before);
  });
});
