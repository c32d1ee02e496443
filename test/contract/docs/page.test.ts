import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readReference } from '../../../server/contract/docs/reference.ts';
import type { OpenApiDocument } from '../../../server/contract/document.ts';
import { document as small } from '../small-contract.ts';
import { sendRaw } from '../small-server.ts';
import { readDocument, serveDocs } from './server.ts';

/** A contract with hostile text, and with what a page must not follow forever. */
const hostile: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: '<script>alert(1)</script>', version: '"><b>' },
  tags: [{ name: '<i>Tag</i>', description: '[link](javascript:alert(1)) <img src=x onerror=alert(1)>' }],
  paths: {
    '/items/{id}': {
      get: {
        operationId: 'get/item "x"',
        summary: '<img src=x onerror=alert(1)>',
        description: '![image](https://tracker.example/x.png) https://docs.example/page\n\n- [ ] task',
        tags: ['<i>Tag</i>'],
        responses: {
          200: {
            description: 'OK',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/A~1<b>' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      'A/<b>': {
        type: 'object',
        properties: {
          self: { $ref: '#/components/schemas/A~1<b>' },
          list: {
            type: 'array',
            items: { anyOf: [{ $ref: '#/components/schemas/A~1<b>' }, { type: 'null' }] },
          },
        },
        additionalProperties: { $ref: '#/components/schemas/A~1<b>' },
      },
    },
  },
};

/** Sends a request without the headers that fetch sets, and returns the body as sent. */
function get(url: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((done, fail) => {
    request(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', fail)
      .end();
  });
}

/** Returns the URLs that a page refers to. */
const linksOf = (page: string, url: string) =>
  [...page.matchAll(/ (?:href|src)="([^"#]+)"/g)]
    .map(([, link = '']) => link.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<'))
    .filter((link) => !link.startsWith('data:'))
    .map((link) => new URL(link, url).href);

test.for([
  ['the platform', readDocument(), 195],
  ['a small contract', small, 9],
  ['photos', readDocument('test/fixtures/photos/generated/openapi.json'), 9],
  ['a hostile contract', hostile, 1],
] as const)('every link of the pages of %s leads to a page', async ([, document, operations]) => {
  const url = await serveDocs(document, { prefix: '/api/v2' });
  // A set that grows while it is iterated.
  const seen = new Set([`${url}/api/v2/docs`]);
  for (const next of seen) {
    // Compressing every page takes longer than building it.
    const response = await fetch(next, { headers: { 'accept-encoding': 'identity' } });
    expect(response.status, next).toBe(200);
    const body = await response.text();
    if (response.headers.get('content-type')?.startsWith('text/html')) {
      for (const link of linksOf(body, next).filter((target) => target.startsWith(url))) {
        seen.add(link);
      }
    }
  }
  const pages = [...seen].filter((link) => link.includes('/docs/operations/'));
  expect(pages.length).toBe(readReference(document).operations.size);
  expect(pages.length).toBeGreaterThanOrEqual(operations);
});

test('text of a contract is never markup, and no page refers to another server', async () => {
  const url = await serveDocs(hostile);
  const name = encodeURIComponent('get/item "x"');
  for (const path of ['/docs', `/docs/operations/${name}`, `/docs/models/${encodeURIComponent('A/<b>')}`]) {
    const page = await (await fetch(url + path)).text();
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toMatch(/<script>|<img|<i>|<b>|"javascript:|<input type="checkbox"/);
  }
  const operation = await (await fetch(`${url}/docs/operations/${name}`)).text();
  expect(operation).toContain('<a href="https://docs.example/page">');
  expect(operation).not.toContain('tracker.example');
});

test('pages and assets are compressed, and are not sent again if the client has them', async () => {
  const url = await serveDocs(readDocument());
  const page = `${url}/docs/operations/getSpace`;
  const { headers, body } = await get(page);
  expect(headers['content-encoding']).toBeUndefined();
  expect(headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'Accept-Encoding' });
  const asset = linksOf(String(body), page).find((link) => link.endsWith('.css')) ?? '';
  for (const target of [page, asset, `${url}/openapi.json`]) {
    const plain = await get(target);
    const tags = new Set([plain.headers.etag]);
    for (const [encoding, decompress] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const encoded = await get(target, { 'accept-encoding': encoding });
      expect(encoded.headers['content-encoding']).toBe(encoding);
      expect(encoded.body.length).toBeLessThan(plain.body.length / 2);
      expect(decompress(encoded.body).equals(plain.body)).toBe(true);
      const tag = String(encoded.headers.etag);
      tags.add(tag);
      const again = await get(target, { 'accept-encoding': encoding, 'if-none-match': tag });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag]);
    }
    expect(tags.size).toBe(3);
  }
  const cached = await get(asset);
  expect(cached.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(asset).toMatch(/\/docs\/assets\/[0-9a-f]{12}\/\w+\.css$/);
});

test('other paths and methods are left to the application', async () => {
  const url = await serveDocs(small);
  for (const path of [
    '/Docs',
    '/docs/operations',
    '/docs/operations/unknown',
    '/docs/operations/%',
    '/docs/operations/getWidget/x',
    '/docs/models/toString',
    '/docs/assets/000000000000/base.css',
    '/docs/%2e%2e/package.json',
  ]) {
    expect((await get(url + path)).status, path).toBe(404);
  }
  expect((await fetch(`${url}/docs`, { method: 'POST' })).status).toBe(404);
  const head = await fetch(`${url}/docs`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const moved = await fetch(`${url}/docs/`, { redirect: 'manual' });
  expect([moved.status, moved.headers.get('location')]).toEqual([301, '../docs']);
  const { port } = new URL(url);
  const raw = await sendRaw(Number(port), 'GET /docs//# HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(raw.status).toBe(404);
});

test('the document is served unchanged', async () => {
  const url = await serveDocs(small);
  const response = await fetch(`${url}/openapi.json`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toEqual(small);
});
