import { describe, expect, it } from 'vitest';
import type { JsonObject, OpenApiDocument } from '../../spec/toolchain/document.ts';
import { normalise } from '../../spec/toolchain/normalise.ts';

const documentOf = (schemas: JsonObject, paths: OpenApiDocument['paths'] = {}): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths,
  components: { schemas },
});
const normalised = (schema: JsonObject) =>
  normalise(documentOf({ Thing: schema })).components?.schemas?.Thing;

describe('normalising a document', () => {
  it('seals a schema of its own properties in the way that types know', () => {
    expect(normalised({ type: 'object', unevaluatedProperties: { not: {} } })).toEqual({
      type: 'object',
      additionalProperties: false,
    });
  });

  it('types the values of a map', () => {
    expect(normalised({ type: 'object', unevaluatedProperties: { type: 'string' } })).toEqual({
      type: 'object',
      additionalProperties: { type: 'string' },
    });
  });

  it.each(['allOf', 'anyOf', 'oneOf'])(
    'lets a schema that composes by %s look past its own properties',
    (keyword) => {
      expect(normalised({ [keyword]: [{ type: 'object' }], unevaluatedProperties: { not: {} } })).toEqual({
        [keyword]: [{ type: 'object' }],
        unevaluatedProperties: false,
      });
    },
  );

  it('marks bytes with the format that validators check', () => {
    expect(normalised({ type: 'string', contentEncoding: 'base64' })).toMatchObject({ format: 'byte' });
  });

  it('leaves a negation that says something', () => {
    expect(normalised({ not: { required: ['a'] } })).toEqual({ not: { required: ['a'] } });
  });

  it('takes no data and no property name for a keyword', () => {
    const data = { unevaluatedProperties: { not: {} } };
    const schema = {
      properties: { default: { unevaluatedProperties: { not: {} } } },
      default: data,
      examples: [data],
    };
    expect(normalised(schema)).toEqual({
      properties: { default: { additionalProperties: false } },
      default: data,
      examples: [data],
    });
  });

  it('orders paths and components by name, whatever the order of the sources', () => {
    const one = normalise(documentOf({ B: {}, A: {} }, { '/b': {}, '/a': {} }));
    const other = normalise(documentOf({ A: {}, B: {} }, { '/a': {}, '/b': {} }));
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  it('shares error responses by status, and keeps successes and references where they are', () => {
    const error = (description: string) => ({ description, content: {} });
    const existing = { $ref: '#/components/responses/Teapot' };
    const paths: OpenApiDocument['paths'] = {
      '/a': {
        get: { responses: { 200: { content: {} }, 404: error('None.'), 418: existing, default: error('?') } },
        put: { responses: { 200: { content: {} }, 404: error('None.'), '5XX': error('Down.') } },
        post: { responses: { 404: error('Not there.') } },
      },
    };
    const given = { ...documentOf({}, paths) };
    const { components, paths: found } = normalise({
      ...given,
      components: { ...given.components, responses: { Teapot: error('Tea.') } },
    });
    expect(Object.entries(components?.responses ?? {})).toEqual([
      ['Error5XX', error('Down.')],
      ['NotFound', error('None.')],
      ['NotFound2', error('Not there.')],
      ['Teapot', error('Tea.')],
      ['UnexpectedError', error('?')],
    ]);
    const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });
    expect(found['/a']).toEqual({
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

  it('leaves what it was given as it was', () => {
    const given = documentOf({ Thing: { type: 'object', unevaluatedProperties: { not: {} } } });
    const before = structuredClone(given);
    normalise(given);
    expect(given).toEqual(before);
  });
});
