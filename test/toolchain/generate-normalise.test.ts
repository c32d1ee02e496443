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

  it('leaves what it was given as it was', () => {
    const given = documentOf({ Thing: { type: 'object', unevaluatedProperties: { not: {} } } });
    const before = structuredClone(given);
    normalise(given);
    expect(given).toEqual(before);
  });
});
