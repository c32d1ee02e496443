import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { write } from '../../../spec/toolchain/conform/requests/parameters.ts';
import {
  type FieldLocation,
  isIdentifier,
  OperationRequests,
  type Parts,
} from '../../../spec/toolchain/conform/requests/requests.ts';
import { limitationsOf } from '../../../spec/toolchain/conform/run/limitations.ts';
import type { Parameter } from '../../../spec/toolchain/model/contract/contract.ts';
import { readContract } from '../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../spec/toolchain/model/contract/schemas-of.ts';
import { SchemaArbitraries } from '../../../spec/toolchain/model/schema/arbitraries.ts';
import { UnusableSchema } from '../../../spec/toolchain/model/schema/schema.ts';
import { documentOf } from '../../../spec/toolchain/source.ts';
import {
  assertAll,
  bodySchema,
  inputs,
  jsonOf,
  pathValues,
  plain,
  reference,
  requestsOf,
  shop,
} from './shop-requests.ts';

describe('valid requests', () => {
  test('conform to the contract and refer only to available entities', () => {
    assertAll(requestsOf('addItem').valid(inputs), (parts) => {
      expect(parts.path).toEqual(pathValues);
      expect(parts.inventedFields).toEqual([]);
      expect(schemasOf(shop).faults(bodySchema, jsonOf(parts))).toEqual([]);
      expect(parts.query.filter(([name]) => name === 'dryRun')).toHaveLength(1);
      expect(parts.headers.find(([name]) => name === 'cookie')?.[1]).toMatch(/^session=[1-9]\d*$/);
    });
  });

  test('take identifiers from earlier responses', () => {
    const locations = new Set<string>();
    assertAll(requestsOf('addItem').valid(inputs), ({ body, query }) => {
      if (body && 'json' in body) {
        for (const { at, value } of body.references) {
          expect(value).toEqual(reference);
          locations.add(at.join('.'));
        }
      }
      for (const [name, value] of query) {
        if (value === reference) {
          locations.add(name);
        }
      }
    });
    expect([...locations].sort()).toEqual(['cursor', 'ownerId', 'partIds.0', 'shop']);
  });

  test('report URLs, which refer to other resources, and times, which may have to be in the future', () => {
    assertAll(requestsOf('fetchIt').valid(inputs), ({ inventedFields }) => {
      expect(inventedFields).toEqual(expect.arrayContaining(['body /from', 'body /until']));
    });
  });

  test('report invented values, and omit optional ones', () => {
    const invented = new Set<string>();
    assertAll(requestsOf('addItem').valid({ path: {} }), (parts) => {
      for (const location of parts.inventedFields) {
        invented.add(location.replace(/\d+/, '*'));
      }
      // No such entity exists.
      expect(String(parts.path.shopId).length).toBeGreaterThanOrEqual(20);
      expect(schemasOf(shop).accepts(bodySchema, jsonOf(parts))).toBe(true);
    });
    expect([...invented].sort()).toEqual(['body /ownerId', 'body /partIds/*', 'body /shop', 'path shopId']);
    assertAll(requestsOf('addItem').minimal({ path: pathValues }), (parts) => {
      expect(parts.inventedFields).toEqual(['body /ownerId']);
      expect(Object.keys(Object(jsonOf(parts))).sort()).toEqual(['ownerId', 'title']);
    });
  });

  test('can be forms or text', () => {
    assertAll(requestsOf('upload').valid({ path: {} }), ({ body }) => {
      expect(body?.mediaType).toMatch(/^multipart\/form-data; boundary=/);
      expect(body && 'text' in body && body.text).toMatch(/name="file"; filename="/);
    });
    assertAll(requestsOf('fill').minimal({ path: {} }), ({ body }) => {
      expect(body && 'text' in body && body.text).toMatch(/^a=[a-z]{2,4}$/);
    });
    assertAll(requestsOf('note').valid({ path: {} }), ({ body }) => {
      if (body) {
        expect('text' in body && body.text.length).toBeGreaterThan(0);
      }
    });
  });

  test('can be images and other files, which the server may reject', () => {
    assertAll(requestsOf('draw').valid({ path: {} }), ({ body, inventedFields }) => {
      expect(body).toMatchObject({ mediaType: 'image/png', base64: expect.any(String) });
      expect(inventedFields).toEqual(['body ']);
    });
  });

  test('have parts of forms as JSON if these are objects', () => {
    assertAll(requestsOf('attach').minimal({ path: {} }), ({ body }) => {
      expect(body && 'text' in body && body.text).toContain(
        'name="meta"\r\ncontent-type: application/json\r\n\r\n{"kind":"',
      );
    });
  });

  test('have an item in each required list, because an empty one is like none', () => {
    for (const parts of [
      requestsOf('count').minimal({ path: {} }),
      requestsOf('count').valid({ path: {} }),
    ]) {
      assertAll(parts, ({ query }) => {
        expect(query.filter(([name]) => name === 'kinds').length).toBeGreaterThan(0);
        expect(query.find(([name]) => name === 'numbers')?.[1]).toMatch(/^-?\d+(\|-?\d+)*$/);
      });
    }
  });

  test('cannot have a body of an unknown media type', () => {
    expect(() => requestsOf('mix').valid({ path: {} })).toThrow(UnusableSchema);
    expect(() => requestsOf('mix').minimal({ path: {} })).toThrow('application/xml');
    expect(() => requestsOf('mix').faulty({ path: {} })).toThrow('application/xml');
  });

  test('include every limit', () => {
    const seen = new Set<string>();
    for (const edge of requestsOf('addItem').edges(inputs)) {
      assertAll(
        edge,
        (parts) => {
          const json = jsonOf(parts);
          // Lone surrogates are sent as text, and may be rejected.
          if (json === undefined) {
            expect(parts.inventedFields).not.toEqual([]);
          } else {
            expect(schemasOf(shop).faults(bodySchema, json)).toEqual([]);
          }
          seen.add(`title ${String(Object(json).title ?? '').length}`);
          for (const [name, value] of [...parts.query, ...parts.headers]) {
            seen.add(`${name} ${name === 'X-Trace' ? String(value).length : String(value)}`);
          }
          seen.add(`kind ${String(Object(json).kind)}`);
        },
        8,
      );
    }
    for (const edge of [
      'title 1',
      'title 9',
      'dryRun true',
      'dryRun false',
      'X-Trace 3',
      'X-Trace 9',
      'kind new',
      'kind used',
      'kind undefined',
      'cookie session=1',
    ]) {
      expect(seen).toContain(edge);
    }
  });
});

test('bodies and credentials that are never sent are listed with the reason', () => {
  const mtls = { kind: 'unsupported', name: 'certificate' } as const;
  const operations = shop.operations.map((operation) =>
    operation.id === 'draw'
      ? {
          ...operation,
          security: [[mtls]],
          body: { required: true, content: { 'image/png': empty, 'application/xml': object } },
        }
      : operation,
  );
  const all = new Set(operations.map(({ id }) => id));
  expect(limitationsOf({ ...shop, operations }, all)).toEqual([
    'draw: bodies of application/xml, which cannot be generated',
    'draw: requests with credentials of certificate, which are not supported',
  ]);
});
const empty = { schema: undefined, examples: [] };
const object = { schema: { type: 'object' }, examples: [] };

describe('invalid requests', () => {
  test('have each fault once', () => {
    const faults = requestsOf('addItem').faulty(inputs);
    expect(
      faults.map(({ name, kind }) => `${name}${kind === 'input' ? '' : ` (${kind})`}`),
    ).toMatchInlineSnapshot(`
      [
        "path shopId: maxLength",
        "path shopId: pattern",
        "path shopId: invalid encoding",
        "query dryRun: type",
        "query dryRun: empty",
        "query dryRun: invalid encoding",
        "query dryRun: twice",
        "query dryRun: missing",
        "query tags: maxLength",
        "query tags: invalid encoding",
        "query tags: maxItems",
        "query cursor: invalid encoding",
        "query cursor: twice",
        "header X-Trace: maxLength",
        "header X-Trace: minLength",
        "cookie session: minimum",
        "cookie session: type",
        "cookie session: missing",
        "query unknown: unknown (undeclared)",
        "query Limit: unknown (undeclared)",
        "query page[]: unknown (undeclared)",
        "query __proto__: unknown (undeclared)",
        "query constructor: unknown (undeclared)",
        "body : type",
        "body : null",
        "body title: required",
        "body ownerId: required",
        "body ?: additionalProperties (undeclared)",
        "body title: type",
        "body title: null",
        "body title: maxLength",
        "body title: minLength",
        "body ownerId: type",
        "body ownerId: null",
        "body shop: type",
        "body shop: maxLength",
        "body shop: pattern",
        "body partIds: type",
        "body partIds: null",
        "body partIds: uniqueItems",
        "body partIds.*: type",
        "body partIds.*: null",
        "body partIds.*: format",
        "body kind: type",
        "body kind: null",
        "body kind: enum",
        "body: missing",
        "body: no JSON",
        "body: no UTF-8",
        "body: media type (media-type)",
        "body: no media type (media-type)",
        "body: content coding (media-type)",
      ]
    `);
  });

  test('have one fault in the body', () => {
    for (const { name, parts, in: location } of requestsOf('addItem').faulty(inputs)) {
      assertAll(
        parts,
        (request) => {
          expect(request.fault?.name).toBe(
            name.startsWith('query') && name.endsWith('unknown') ? 'query unknown' : name,
          );
          const json = jsonOf(request);
          if (json === undefined) {
            return;
          }
          expect(schemasOf(shop).accepts(bodySchema, json)).toBe(
            !(location === 'body' && request.fault?.kind !== 'media-type'),
          );
        },
        5,
      );
    }
  });

  test('keep the invalid value next to values from earlier responses', () => {
    const fault = requestsOf('addItem')
      .faulty(inputs)
      .find(({ name }) => name === 'body ownerId: type');
    assertAll(
      fault?.parts ?? fc.constant({ path: {}, query: [], headers: [], inventedFields: [] }),
      ({ body }) => {
        expect(body && 'json' in body && body.references.map(({ at }) => at[0])).not.toContain('ownerId');
      },
    );
  });
});

describe('a parameter', () => {
  const parameter = (more: Partial<Parameter>): Parameter => ({
    ...{ name: 'p', in: 'query', required: false, style: 'form', explode: true, allowReserved: false },
    ...{ schema: {}, examples: [] },
    ...more,
  });
  const list = ['a', 1];
  const map = { r: 1, g: 2 };

  test.each<[style: Partial<Parameter>, value: unknown, written: [string, string][]]>([
    [{}, 'a b', [['p', 'a b']]],
    [
      {},
      list,
      [
        ['p', 'a'],
        ['p', '1'],
      ],
    ],
    [
      {},
      map,
      [
        ['r', '1'],
        ['g', '2'],
      ],
    ],
    [{ explode: false }, list, [['p', 'a,1']]],
    [{ explode: false }, map, [['p', 'r,1,g,2']]],
    [{ style: 'spaceDelimited', explode: false }, list, [['p', 'a 1']]],
    [{ style: 'pipeDelimited', explode: false }, list, [['p', 'a|1']]],
    [
      { style: 'deepObject' },
      map,
      [
        ['p[r]', '1'],
        ['p[g]', '2'],
      ],
    ],
    [{ mediaType: 'application/json' }, map, [['p', '{"r":1,"g":2}']]],
    [{ in: 'path', style: 'simple', explode: false }, list, [['p', 'a,1']]],
    [{ in: 'path', style: 'simple' }, map, [['p', 'r=1,g=2']]],
    [{ in: 'path', style: 'label', explode: false }, 'a', [['p', '.a']]],
    [{ in: 'path', style: 'label' }, list, [['p', '.a.1']]],
    [{ in: 'path', style: 'matrix', explode: false }, list, [['p', ';p=a,1']]],
    [{ in: 'path', style: 'matrix' }, list, [['p', ';p=a;p=1']]],
    [{ in: 'path', style: 'matrix' }, map, [['p', ';r=1;g=2']]],
    [{}, [], []],
  ])('of %j is serialized as its style specifies: %j', (more, value, written) => {
    expect(write(parameter(more), value)).toEqual(written);
  });
});

describe('a parameter or field refers to an entity', () => {
  const location = (more: Partial<FieldLocation>): FieldLocation => ({
    ...{ in: 'body', name: 'x', pointer: '/x', schema: { type: 'string' } },
    ...more,
  });
  test.each<[more: Partial<FieldLocation>, names: boolean]>([
    [{ name: 'ownerId' }, true],
    [{ name: 'owner_id', schema: { type: 'integer' } }, true],
    [{ name: 'id' }, true],
    [{ name: 'partIds' }, true],
    [{ name: 'x', schema: { type: 'string', format: 'uuid' } }, true],
    [{ name: 'x', schema: { $ref: '#/components/schemas/Id' }, component: 'Id' }, true],
    [{ in: 'query', name: 'cursor' }, true],
    [{ in: 'path', name: 'x' }, true],
    [{ name: 'cursor' }, false],
    [{ name: 'paid' }, false],
    [{ name: 'grid' }, false],
    [{ name: 'userId', schema: { enum: ['me'] } }, false],
    [{ name: 'hasId', schema: { type: 'boolean' } }, false],
    [{ in: 'query', name: 'page', schema: { type: 'integer' } }, false],
  ])('%j: %s', (more, names) => {
    expect(isIdentifier(shop, location(more))).toBe(names);
  });
});

describe('the operations of the platform', () => {
  const document = JSON.parse(
    readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'),
  );
  const contract = readContract(documentOf('generated/openapi.json', document));
  const make = new SchemaArbitraries(schemasOf(contract), plain);

  test('have valid, edge-case and invalid requests', () => {
    for (const operation of contract.operations) {
      const requests = new OperationRequests(contract, operation, make);
      const path = Object.fromEntries(operation.parameters.map(({ name }) => [name, 'known']));
      const schema = operation.body?.content['application/json']?.schema;
      const valid = (parts: Parts) => {
        const json = jsonOf(parts);
        if (schema && json !== undefined) {
          expect(make.schemas.faults(schema, json)).toEqual([]);
        }
      };
      assertAll(requests.valid({ path }), valid, 3);
      assertAll(requests.minimal({ path }), valid, 1);
      for (const edge of requests.edges({ path })) {
        assertAll(edge, valid, 1);
      }
      const invalid = requests
        .faulty({ path })
        .filter((faulty) => faulty.in === 'body' && faulty.kind !== 'media-type');
      for (const { parts, name } of invalid) {
        assertAll(
          parts,
          (request) => {
            const json = jsonOf(request);
            if (schema && json !== undefined) {
              expect(make.schemas.accepts(schema, json), name).toBe(false);
            }
          },
          1,
        );
      }
    }
  });
});
