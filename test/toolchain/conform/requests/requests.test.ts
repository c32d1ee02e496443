import { describe, expect, test } from 'vitest';
import { limitationsOf } from '../../../../spec/toolchain/conform/run/limitations.ts';
import { RequestGenerators } from '../../../../spec/toolchain/conform/run/request-generators.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../../spec/toolchain/model/contract/schemas-of.ts';
import { Resources } from '../../../../spec/toolchain/model/plan/resources.ts';
import { UnusableSchema } from '../../../../spec/toolchain/model/schema/schema.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import {
  assertAll,
  bodySchema,
  inputs,
  jsonOf,
  pathValues,
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

  test('leave parameters to the credentials that have their place', () => {
    const query = (name: string) => ({ name, in: 'query', required: true, schema: { type: 'string' } });
    const contract = readContract(
      documentOf('keys', {
        openapi: '3.1.0',
        info: { title: 'Keys', version: '1' },
        paths: { '/a': { get: { parameters: ['key', 'token', 'q'].map(query), responses: {} } } },
        security: [{ key: [] }, { token: [] }],
        components: {
          securitySchemes: Object.fromEntries(
            ['key', 'token'].map((name) => [name, { type: 'apiKey', in: 'query', name }]),
          ),
        },
      }),
    );
    const schemas = schemasOf(contract);
    const generators = new RequestGenerators(new Resources(contract, schemas), schemas, 1);
    // The second scheme is an alternative, so its parameter is sent.
    const sent = contract.operations.map((operation) => generators.of(operation).minimal({ path: {} }));
    expect(sent).toHaveLength(1);
    for (const parts of sent) {
      assertAll(parts, ({ query }) => {
        expect(query.map(([name]) => name)).toEqual(['token', 'q']);
      });
    }
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
    for (const { parts } of requestsOf('addItem').edges(inputs)) {
      assertAll(
        parts,
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
