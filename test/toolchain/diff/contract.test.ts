import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../../spec/toolchain/document.ts';
import { type Change, diffDocuments, documentOf } from '../../../spec/toolchain/main.ts';

const contract = join(import.meta.dirname, '../../..', 'generated', 'openapi.json');
const text = readFileSync(contract, 'utf8');
const base = documentOf('the contract', JSON.parse(text));

/** Returns the changes of an edit of the contract. */
function edited(edit: (document: JsonObject) => void): Change[] {
  const document: JsonObject = JSON.parse(text);
  edit(document);
  return diffDocuments(base, documentOf('the edited contract', document));
}

/** Returns the object at a location of a document, which must exist. */
function at(value: Json | undefined, ...steps: string[]): JsonObject {
  const target = steps.reduce((parent, step) => (isObject(parent) ? parent[step] : undefined), value);
  if (!isObject(target)) {
    throw new Error(`There is no object at ${steps.join('/')}.`);
  }
  return target;
}

const schema = (document: JsonObject, name: string) => at(document, 'components', 'schemas', name);
const path = (document: JsonObject, name: string) => at(document, 'paths', name);
const without = (list: Json | undefined, item: string): Json =>
  Array.isArray(list) ? list.filter((entry) => entry !== item) : [];
const operations = Object.values(at(base.root, 'paths')).flatMap((item) => Object.values(Object(item)));

describe('the contract of this repository', () => {
  test('has not changed from itself', () => {
    expect(diffDocuments(base, documentOf('itself', JSON.parse(text)))).toEqual([]);
  });

  test('has no changes when it is written as YAML', () => {
    const yaml = stringify(base.root, { aliasDuplicateObjects: false });
    expect(diffDocuments(base, documentOf('as YAML', parse(yaml)))).toEqual([]);
  });

  test('has no changes when its parameters are inlined', () => {
    const changes = edited((document) => {
      for (const item of Object.values(at(document, 'paths'))) {
        for (const operation of Object.values(Object(item)).filter(isObject)) {
          if (!Array.isArray(operation.parameters)) {
            continue;
          }
          operation.parameters = operation.parameters.map((parameter) => {
            const name =
              isObject(parameter) && typeof parameter.$ref === 'string'
                ? parameter.$ref.split('/').at(-1)
                : undefined;
            return name === undefined ? parameter : at(document, 'components', 'parameters', name);
          });
        }
      }
      delete at(document, 'components').parameters;
    });
    expect(changes).toEqual([]);
  });

  test('has no changes when its schemas are inlined', () => {
    const schemas = at(base.root, 'components', 'schemas');
    const inlined = (value: Json, within: readonly string[] = []): Json => {
      if (Array.isArray(value)) {
        return value.map((item) => inlined(item, within));
      }
      if (!isObject(value)) {
        return value;
      }
      const [, name = ''] =
        typeof value.$ref === 'string' ? (/^#\/components\/schemas\/(.*)$/.exec(value.$ref) ?? []) : [];
      const target = schemas[name];
      // Deeper levels would be too large, and recursive schemas have no end.
      return target !== undefined && within.length < 2 && Object.keys(value).length === 1
        ? inlined(target, [...within, name])
        : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inlined(item, within)]));
    };
    const paths = inlined(at(base.root, 'paths'));
    expect(JSON.stringify(paths).length).toBeGreaterThan(2 * JSON.stringify(base.root.paths).length);
    expect(diffDocuments(base, documentOf('the inlined contract', { ...base.root, paths }))).toEqual([]);
  });

  test('has a change in every operation if a shared part changes', () => {
    const changes = edited((document) => {
      at(schema(document, 'Error'), 'properties').error = { type: 'string' };
    });
    expect(new Set(changes.map(({ operation }) => operation)).size).toBe(operations.length);
    expect(new Set(changes.map(({ message }) => message))).toEqual(
      new Set(['The type changed from object to string.']),
    );
  });
});

/** An edit of the contract, and the rules that report it. */
const seeded: [string, string[], (document: JsonObject) => void][] = [
  [
    'an operation goes',
    ['operation-removed'],
    (d) => void delete path(d, '/v1/collections/{collectionId}').get,
  ],
  ['a path goes', ['operation-removed'], (d) => void delete at(d, 'paths')['/v1/collections/{collectionId}']],
  [
    'a field of a response goes',
    ['response-property-removed'],
    (d) => {
      const space = schema(d, 'Space');
      delete at(space, 'properties').title;
      space.required = without(space.required, 'title');
    },
  ],
  [
    'a field of a response becomes optional',
    ['response-property-became-optional'],
    (d) => Object.assign(schema(d, 'Space'), { required: without(schema(d, 'Space').required, 'title') }),
  ],
  [
    'a field of a response may be null',
    ['response-null-widened'],
    (d) => Object.assign(at(schema(d, 'Space'), 'properties'), { title: { type: ['string', 'null'] } }),
  ],
  [
    'a field of a response is another type',
    ['response-type-changed'],
    (d) => Object.assign(at(schema(d, 'Space'), 'properties'), { title: { type: 'integer' } }),
  ],
  [
    'a field of a response is added',
    ['response-property-added'],
    (d) => Object.assign(at(schema(d, 'Space'), 'properties'), { extra: { type: 'string' } }),
  ],
  [
    'a page of a list is smaller',
    ['request-limit-narrowed'],
    (d) => Object.assign(at(d, 'components', 'parameters', 'ListQuery.limit', 'schema'), { maximum: 10 }),
  ],
  [
    'a page of a list has another size by default',
    ['request-default-changed'],
    (d) => Object.assign(at(d, 'components', 'parameters', 'ListQuery.limit', 'schema'), { default: 10 }),
  ],
  [
    'a parameter becomes required',
    ['parameter-became-required'],
    (d) => Object.assign(at(d, 'components', 'parameters', 'ListQuery.page'), { required: true }),
  ],
  [
    'a parameter gets another name',
    ['parameter-removed', 'parameter-added'],
    (d) => Object.assign(at(d, 'components', 'parameters', 'ListQuery.page'), { name: 'cursor' }),
  ],
  ['all callers are permitted', ['security-opened'], (d) => void delete d.security],
  [
    'a token is sent in another way',
    ['security-tightened'],
    (d) =>
      Object.assign(at(d, 'components', 'securitySchemes'), {
        AccessToken: {
          type: 'apiKey',
          in: 'query',
          name: 'token',
        },
      }),
  ],
  [
    'a header of failures goes',
    ['header-removed'],
    (d) => {
      const shared = at(d, 'components', 'responses', 'TooManyRequests');
      const responses = at(path(d, '/v1/collections/{collectionId}'), 'get', 'responses');
      responses['429'] = { ...shared, headers: {} };
    },
  ],
  [
    'a success gets another status',
    ['status-removed', 'status-added'],
    (d) => {
      const responses = at(path(d, '/v1/collections/{collectionId}'), 'get', 'responses');
      responses['203'] = responses['200'] ?? null;
      delete responses['200'];
    },
  ],
];

describe('an edit of the contract of this repository', () => {
  test.each(seeded)('has only the expected changes: %s', (_, rules, edit) => {
    expect([...new Set(edited(edit).map(({ rule }) => rule))]).toEqual(rules);
  });
});
