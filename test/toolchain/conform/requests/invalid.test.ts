import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { schemasOf } from '../../../../spec/toolchain/model/contract/schemas-of.ts';
import { assertAll, bodySchema, inputs, jsonOf, pathValues, requestsOf, shop } from './shop-requests.ts';

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

  test('omit optional identifiers that would be invented, since their rejection would hide the fault', () => {
    for (const { name, parts, in: location } of requestsOf('addItem').faulty({ path: pathValues })) {
      if (location !== 'body') {
        continue;
      }
      assertAll(parts, (request) => {
        const { shop, partIds } = Object(jsonOf(request));
        if (!name.startsWith('body shop')) {
          expect(shop ?? null).toBe(null);
        }
        if (!name.startsWith('body partIds')) {
          expect(partIds ?? []).toEqual([]);
        }
      });
    }
  });
});
