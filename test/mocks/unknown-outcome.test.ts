import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ok } from '../../client/platform/index.ts';
import { DatabaseUnavailableError } from '../../server/database/errors.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/* A request that fails after it wrote must not make clients retry it. */

const outage = vi.hoisted(() => {
  // Other files share the modules of this worker: the server is imported again with the mock, and once more after it.
  vi.resetModules();
  return { begins: false };
});
vi.mock('../../server/models/change-requests/present.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../server/models/change-requests/present.ts')>();
  const presentChangeRequest: typeof original.presentChangeRequest = (...parameters) => {
    if (outage.begins) {
      throw new DatabaseUnavailableError('unreachable');
    }
    return original.presentChangeRequest(...parameters);
  };
  return { ...original, presentChangeRequest };
});

let server: TestServer;
let path: { spaceId: string; changeRequestId: string };
beforeAll(async () => {
  server = await startTestServer();
  const { client } = server.admin;
  const organization = { path: { organizationId: server.organization } };
  const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params: organization, body: {} }));
  const params = { path: { spaceId: space.id } };
  const request = await ok(client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: {} }));
  path = { spaceId: space.id, changeRequestId: request.id };
});
afterAll(async () => {
  await server.stop();
  vi.resetModules();
});
beforeEach(() => {
  outage.begins = false;
});

test('does not ask to retry a request if the database failed after the commit', async () => {
  outage.begins = true;
  const { client } = server.admin;
  const { response, error } = await client.POST(
    '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
    {
      params: { path },
      body: { changes: [{ operation: 'insert_page', title: 'Guide', document: { markdown: 'Text.' } }] },
    },
  );
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toBeNull();
  expect(error?.message).toMatch(/^The request may have been applied/);
  const tree = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', { params: { path } }),
  );
  expect(tree.pages.map(({ title }) => title)).toEqual(['Guide']);
});

test('asks to retry a request if the database failed before anything was written', async () => {
  outage.begins = true;
  const { response } = await server.admin.client.GET(
    '/v1/spaces/{spaceId}/change-requests/{changeRequestId}',
    { params: { path } },
  );
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toBe('1');
});
