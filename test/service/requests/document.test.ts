import { afterAll, beforeAll, expect, test } from 'vitest';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import { startTestServer, type TestServer } from '../../support/server.ts';

const PUBLIC_URL = 'https://docs.example.com/api';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ COLOPHON_PUBLIC_URL: PUBLIC_URL });
});
afterAll(() => server.stop());

test('the served document is the contract, whose server is the public URL', async () => {
  const response = await fetch(`${server.url}/openapi.json`);
  expect(await response.json()).toEqual({
    ...contract,
    servers: [{ url: PUBLIC_URL, description: 'Server that provides this document' }],
  });
});
