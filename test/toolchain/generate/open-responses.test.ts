import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject, OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { normalize } from '../../../spec/toolchain/normalize/normalize.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: JsonObject) => ({ content: { 'application/json': { schema } } });
const sealed = (properties: JsonObject = {}, more: JsonObject = {}) => ({
  type: 'object',
  properties,
  ...more,
  additionalProperties: false,
});
const open = (properties: JsonObject = {}, more: JsonObject = {}) => ({
  type: 'object',
  properties,
  ...more,
});

/** Normalizes an operation with a body and a success of the given schemas. */
function normalized(schemas: JsonObject, request: JsonObject, response: JsonObject, more: JsonObject = {}) {
  const post = { requestBody: content(request), responses: { 200: content(response) }, ...more };
  const document = { openapi: '3.1.0', info: {}, paths: { '/a': { post } }, components: { schemas } };
  return normalize(document as OpenApiDocument);
}
const schemasOf = (...args: Parameters<typeof normalized>) => normalized(...args).components?.schemas;

describe('sealed objects', () => {
  test('are opened if only responses contain them, with all that they contain', () => {
    const schemas = { Item: sealed({ owner: ref('Owner') }), Owner: sealed({ urls: sealed({ app: {} }) }) };
    const document = normalized(schemas, {}, sealed({ items: { type: 'array', items: ref('Item') } }));
    expect(document.components?.schemas).toEqual({
      Item: open({ owner: ref('Owner') }),
      Owner: open({ urls: open({ app: {} }) }),
    });
    expect(document.paths['/a']?.post?.responses).toMatchObject({
      200: content(open({ items: { type: 'array', items: ref('Item') } })),
    });
  });

  test('stay sealed if requests contain them too', () => {
    const schemas = {
      Change: sealed({ body: ref('Body') }),
      Item: sealed({ body: ref('Body') }),
      Body: sealed({ a: {} }),
    };
    expect(schemasOf(schemas, ref('Change'), ref('Item'))).toEqual({
      ...schemas,
      Item: open({ body: ref('Body') }),
    });
    const parameters = [{ name: 'filter', in: 'query', ...content(ref('Body')) }];
    expect(schemasOf({ Body: schemas.Body }, {}, ref('Body'), { parameters })).toEqual({
      Body: schemas.Body,
    });
  });

  test('are opened in errors, headers and compositions', () => {
    const schemas = {
      Base: { type: 'object', properties: { id: {} } },
      Item: { ...open({ a: {} }), allOf: [ref('Base')], unevaluatedProperties: false },
      Failure: sealed({ code: {} }),
      Limits: sealed({ rest: {} }),
    };
    const responses = {
      200: { ...content(ref('Item')), headers: { Limits: { schema: ref('Limits') } } },
      default: content(ref('Failure')),
    };
    expect(schemasOf(schemas, {}, {}, { responses })).toEqual({
      ...schemas,
      Item: { ...open({ a: {} }), allOf: [ref('Base')] },
      Failure: open({ code: {} }),
      Limits: open({ rest: {} }),
    });
  });

  test('are opened in the requests of callbacks, and stay sealed in their responses', () => {
    const schemas = { Event: sealed({ a: {} }), Reply: sealed({ a: {} }) };
    const event = { post: { requestBody: content(ref('Event')), responses: { 200: content(ref('Reply')) } } };
    const result = schemasOf(schemas, {}, {}, { callbacks: { onChange: { '{$request.body#/url}': event } } });
    expect(result).toEqual({ Event: open({ a: {} }), Reply: schemas.Reply });
  });

  test('without properties do not become maps', () => {
    const empty = { type: 'object', additionalProperties: false };
    const map = { ...empty, patternProperties: { '^x-': {} } };
    expect(
      schemasOf({ Empty: empty, Map: map }, {}, sealed({ empty: ref('Empty'), map: ref('Map') })),
    ).toEqual({
      Empty: open(),
      Map: map,
    });
  });
});

describe('a variant of a oneOf', () => {
  const kind = (type: JsonObject) => sealed({ kind: type }, { required: ['kind'] });
  const [a, ab] = [
    sealed({ a: {} }, { required: ['a'] }),
    sealed({ a: {}, b: {} }, { required: ['a', 'b'] }),
  ];

  test.each([
    ['has properties that are all in another one', [a, ab], [a]],
    ['has no properties', [a, sealed()], [sealed()]],
    [
      'requires nothing, like the other one',
      [sealed({ a: {} }), sealed({ b: {} })],
      [sealed({ a: {} }), sealed({ b: {} })],
    ],
    [
      'has a property with the values of another one',
      [kind({ pattern: '^a' }), kind({ const: 'a' })],
      [kind({ pattern: '^a' }), kind({ const: 'a' })],
    ],
    [
      'has a property with a pattern that does not compile with the flag u',
      [kind({ pattern: '^[\\w\\@.]+$' }), kind({ const: 'a@b' })],
      [kind({ pattern: '^[\\w\\@.]+$' }), kind({ const: 'a@b' })],
    ],
    ['requires a property of its own', [a, sealed({ b: {} }, { required: ['b'] })], []],
    [
      'has a property with other values',
      [kind({ const: 'a' }), kind({ enum: ['b', 'c'] }), kind({ pattern: '^d' })],
      [],
    ],
  ])('that %s is sealed only if a value could match both', (_reason, variants, expected) => {
    const document = normalized({ Union: { oneOf: variants } }, {}, ref('Union'));
    const { oneOf } = Object(document.components?.schemas?.Union) as { oneOf: JsonObject[] };
    expect(oneOf).toHaveLength(variants.length);
    expect(oneOf.filter(({ additionalProperties }) => additionalProperties === false)).toEqual(expected);
  });
});

test('the published contract seals requests, and opens the rest of the responses', () => {
  const document = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8'),
  );
  const [requests, responses] = [new Set<JsonObject>(), new Set<JsonObject>()];
  for (const item of Object.values<Record<string, JsonObject>>(document.paths)) {
    for (const { requestBody, parameters, responses: statuses } of Object.values(item)) {
      collectObjects(document, [requestBody, parameters], requests);
      collectObjects(document, statuses, responses);
    }
  }
  const isOpen = (schema: JsonObject) => schema.additionalProperties === undefined;
  expect(requests.size).toBeGreaterThan(100);
  expect([...requests].filter(isOpen)).toEqual([]);
  const onlySent = [...responses].filter((schema) => !requests.has(schema));
  expect(onlySent.length).toBeGreaterThan(200);
  expect(onlySent.filter((schema) => schema.additionalProperties === false)).toEqual([]);
});

/** Adds the objects, except maps, that a part of the document contains or refers to. */
function collectObjects(
  document: JsonObject,
  part: unknown,
  objects: Set<JsonObject>,
  references = new Set<unknown>(),
): void {
  if (typeof part !== 'object' || part === null) {
    return;
  }
  const { $ref, properties, additionalProperties, type } = part as JsonObject;
  if (type === 'object' && (properties !== undefined || additionalProperties === false)) {
    objects.add(part as JsonObject);
  }
  if (typeof $ref === 'string' && !references.has($ref)) {
    references.add($ref);
    const target = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, name) => Object(value)[name], document);
    collectObjects(document, target, objects, references);
  }
  for (const inner of Object.values(part)) {
    collectObjects(document, inner, objects, references);
  }
}
