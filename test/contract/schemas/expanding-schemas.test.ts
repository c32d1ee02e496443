import { createServer } from 'node:http';
import express from 'express';
import { describe, expect, test } from 'vitest';
import {
  createDocsPage,
  describePlace,
  type OpenApiDocument,
  unsupportedPlaces,
} from '../../../server/contract/index.ts';
import { COMPOSED, chainContract, NESTED } from '../../support/contract/expanding-schemas.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';
import { serveRouter, tableOf } from '../serve.ts';

/** Maximum processor time in total. Without limits, it takes minutes, or all memory. */
const MAX_MS = 10_000;

const handler = async () => ({ status: 200, body: {} });
const optionsOf = (document: OpenApiDocument) => ({
  ...{ document, operations: tableOf(document), security: {}, validateResponses: true },
  handlers: { listItems: handler, createItem: async () => ({ a: 'b' }) },
});

test.each(Object.entries(COMPOSED))(
  'refuses the operations of a contract with %s, and names the schema',
  (_name, chain) => {
    const document: OpenApiDocument = chainContract(chain);
    const elapsedMs = startProcessorClock();
    const places = unsupportedPlaces(document).map(describePlace);
    expect(places).toEqual([
      expect.stringMatching(
        /#\/components\/schemas\/S\d+.*: the schema expands to \d+ schemas, and at most 10000 are supported: refer/,
      ),
    ]);
    expect(elapsedMs()).toBeLessThan(MAX_MS);
  },
);

const post = async (url: string, body: unknown): Promise<Response> =>
  await fetch(`${url}/items`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** A value in a property of a value in the same property, and so on. */
const nested = (names: readonly string[], depth: number, innermost: unknown = {}): unknown =>
  depth === 0
    ? innermost
    : Object.fromEntries(names.map((name) => [name, nested(names, depth - 1, innermost)]));

describe.each(Object.entries(NESTED))('a contract with %s', (_name, chain) => {
  const document: OpenApiDocument = chainContract(chain);

  test.each([[{}], ['x'], [nested(['x'], 24)], [nested(['p'], 24)], [nested(['l', 'r'], 6)]])(
    'answers every body soon: %j',
    async (body) => {
      const { url } = await serveRouter(optionsOf(document) as never);
      const elapsedMs = startProcessorClock();
      const response = await post(url, body);
      expect(elapsedMs()).toBeLessThan(MAX_MS);
      // The handler returns one value for all contracts.
      expect([201, 400, 500]).toContain(response.status);
    },
  );
});

const node = { $ref: '#/components/schemas/S1' };
const properties = (members: object) => ({ type: 'object', properties: members });

describe('a recursive schema', () => {
  const serve = async (schema: object) => {
    const document: OpenApiDocument = chainContract({ length: 1, next: () => schema, last: {} });
    return (await serveRouter(optionsOf(document) as never)).url;
  };

  test.each<[string, object, unknown]>([
    ['in two parts', { allOf: [properties({ x: node }), properties({ x: node })] }, nested(['x'], 30)],
    [
      'in variants without a tag',
      {
        anyOf: [
          { ...properties({ x: node }), required: ['y'] },
          { ...properties({ x: node }), required: ['z'] },
        ],
      },
      nested(['x'], 30),
    ],
    [
      'in items of two parts',
      { allOf: [{ items: node }, { items: node }] },
      JSON.parse(`${'['.repeat(31)}${']'.repeat(31)}`),
    ],
  ])('%s rejects a value that would take for ever, and names itself', async (_name, schema, value) => {
    const url = await serve(schema);
    const elapsedMs = startProcessorClock();
    const response = await post(url, value);
    expect(elapsedMs()).toBeLessThan(MAX_MS);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('takes too many evaluations of the schema S1: nest fewer values');
  });

  test('accepts deep and large values that take linear time', async () => {
    const url = await serve(
      properties({ x: node, items: { type: 'array', items: node }, a: { type: 'string' } }),
    );
    expect((await post(url, nested(['x'], 30))).status).toBe(201);
    const items = Array.from({ length: 60_000 }, () => ({ a: 'b' }));
    expect((await post(url, { items })).status).toBe(201);
  });
});

test.each(Object.entries({ ...COMPOSED, ...NESTED }))(
  'documents a contract with %s soon',
  async (_name, chain) => {
    const server = createServer(express().use(createDocsPage(chainContract(chain) as OpenApiDocument)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = server.address();
      const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      const elapsedMs = startProcessorClock();
      const page = await (await fetch(`${origin}/docs`)).text();
      const links = [...page.matchAll(/href="([^"#]+)"/g)].map(
        ([, link = '']) => new URL(link, `${origin}/docs`).href,
      );
      const pages = links.filter((link) => /createItem|listItems|S\d+$/.test(link));
      expect(pages.length).toBeGreaterThan(2);
      for (const link of new Set(pages)) {
        expect((await fetch(link)).status).toBe(200);
      }
      expect(elapsedMs()).toBeLessThan(MAX_MS);
    } finally {
      server.close();
    }
  },
);
