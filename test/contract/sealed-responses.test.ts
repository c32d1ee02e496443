import { expect, test } from 'vitest';
import { createValidation } from '../../server/contract/validation/validation.ts';

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Schemas as the toolchain publishes them for responses: none of them is sealed. */
const schemas = {
  Base: object({ id: text }),
  Derived: { ...object({ title: text }), allOf: [ref('Base')] },
  Named: { allOf: [ref('Base')], description: 'Another name of the same schema.' },
  Cat: object({ kind: { const: 'cat' }, mice: { type: 'integer' } }, { required: ['kind'] }),
  Dog: object({ kind: { const: 'dog' }, cats: { type: 'integer' } }, { required: ['kind'] }),
  Pet: { oneOf: [ref('Cat'), ref('Dog')] },
  OwnedPet: object({ owner: text }, { anyOf: [ref('Horse'), ref('Bird')] }),
  Horse: object({ kind: { const: 'horse' } }, { required: ['kind'] }),
  Bird: object({ kind: { const: 'bird' }, wings: { type: 'integer' } }, { required: ['kind'] }),
  Plain: object({ a: text, inner: object({ b: text }) }),
  Empty: object({}),
  Extensible: object({ a: text }, { additionalProperties: true }),
  Labels: object({ a: text }, { additionalProperties: text }),
  Anything: { type: 'object' },
};

/** Returns the message for a response with a value of a schema. */
function failure(schema: object, value: unknown): string | undefined {
  const responses = { 200: { description: 'OK', content: { 'application/json': { schema } } } };
  const operation = { operationId: 'getValue', responses };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Values', version: '1' },
    paths: { '/value': { get: operation } },
    components: { schemas },
  };
  try {
    createValidation(document, operation).response('200', 'application/json', value);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

test.each([
  ['an object', ref('Plain'), { a: 'x', more: 1 }],
  ['a nested object', ref('Plain'), { inner: { b: 'x', more: 1 } }],
  ['an object in a list', { type: 'array', items: ref('Plain') }, [{ more: 1 }]],
  ['an inline object', object({ a: text }), { a: 'x', more: 1 }],
  ['an object without properties', ref('Empty'), { more: 1 }],
  ['an object that may be null', { oneOf: [ref('Plain'), { type: 'null' }] }, { more: 1 }],
  ['an object that extends another one', ref('Derived'), { id: 'x', title: 'x', more: 1 }],
  ['a variant of a union', ref('Pet'), { kind: 'dog', mice: 1 }],
])('does not send an undeclared property of %s', (_object, schema, value) => {
  expect(failure(schema, value)).toEqual(
    expect.stringMatching(/getValue returned status 200 .* must NOT have \w+ properties|must match/),
  );
});

test.each([
  ['declared properties', ref('Plain'), { a: 'x', inner: { b: 'x' } }],
  ['a required property that is not declared', object({ a: text }, { required: ['b'] }), { b: 1 }],
  ['the properties of all composed objects', ref('Derived'), { id: 'x', title: 'x' }],
  ['the properties of a renamed schema', ref('Named'), { id: 'x' }],
  ['the properties of the variant', ref('Pet'), { kind: 'cat', mice: 1 }],
  ['the properties of a union and of its variant', ref('OwnedPet'), { owner: 'x', kind: 'bird', wings: 2 }],
  ['properties that the contract permits', ref('Extensible'), { a: 'x', more: 1 }],
  ['the names of a map', ref('Labels'), { a: 'x', more: 'x' }],
  ['an object of any shape', ref('Anything'), { more: 1 }],
])('accepts a response with %s', (_content, schema, value) => {
  expect(failure(schema, value)).toBeUndefined();
});
