// Runs on one engine: URLs are checked before anything is stored.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { isObject } from '../../../server/contract/json-values.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let space: string;
beforeAll(async () => {
  // As configured by default: no range beyond public addresses.
  server = await startTestServer({ COLOPHON_OUTGOING_ALLOW: '' });
  const path = { organizationId: server.organization };
  const { client } = server.admin;
  space = (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params: { path }, body: {} }))).id;
  await ok(
    client.POST('/v1/integrations/{integrationName}', {
      params: { path: { integrationName: 'tunnelled' } },
      body: { organization: server.organization, visibility: 'public', script: 'export default {};' },
    }),
  );
});
afterAll(() => server.stop());

const OTHER_SCHEMES = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'ftp://example.com/'];

/** Hosts that are never public, in several spellings, and URLs that cannot be called. */
const REFUSED = [
  ...OTHER_SCHEMES,
  'http://127.0.0.1:8080/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://017700000001/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fe80::1]/',
  'http://localhost/',
  'https://LOCALHOST:3000/',
  'http://app.localhost/',
  'http://printer.local/',
  'http://db.internal/',
  'http://nas.home.arpa/',
  'http://intranet/',
  'https://user:secret@example.com/',
];

/** The operations that store a URL which the server calls, and its field. */
const CALLED: [
  name: string,
  method: string,
  path: () => string,
  field: string,
  body: (url: string) => object,
][] = [
  ['a tunnel', 'PUT', () => '/v1/integrations/tunnelled/dev', 'tunnelUrl', (tunnelUrl) => ({ tunnelUrl })],
  [
    'the source of a specification',
    'PUT',
    () => `/v1/orgs/${server.organization}/openapi/pets`,
    'source.url',
    (url) => ({ source: { url } }),
  ],
  [
    'the source of an import',
    'POST',
    () => `/v1/spaces/${space}/content/import`,
    'url',
    (url) => ({ url, source: 'website' }),
  ],
];

describe.each(CALLED)('%s', (_name, method, path, field, body) => {
  test.each(REFUSED)('is refused at the call: %s', async (url) => {
    const response = await fetch(`${server.url}${path()}`, {
      method,
      headers: { Authorization: `Bearer ${server.admin.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body(url)),
    });
    const { error } = (await response.json()) as { error: { details?: { path: string }[] } };
    expect(response.status).toBe(400);
    expect(error.details?.map((detail) => detail.path)).toContain(field);
  });
});

test('a public tunnel is accepted', async () => {
  const { response } = await server.admin.client.PUT('/v1/integrations/{integrationName}/dev', {
    params: { path: { integrationName: 'tunnelled' } },
    body: { tunnelUrl: 'HTTPS://quiet-fox.example.net/' },
  });
  expect(response.status).toBe(204);
});

test('every URL in a request excludes schemes other than http and https', () => {
  const patterns = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (isObject(value)) {
      // All strings in requests have a maximum length.
      if (value.format === 'uri' && value.maxLength !== undefined) {
        patterns.add(value.pattern);
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(readContract().components?.schemas);
  expect(patterns.size).toBeGreaterThan(0);
  for (const pattern of patterns) {
    expect(
      OTHER_SCHEMES.filter((url) => typeof pattern !== 'string' || new RegExp(pattern).test(url)),
    ).toEqual([]);
  }
});
