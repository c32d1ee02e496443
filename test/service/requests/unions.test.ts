// Runs on one engine: requests are rejected before any query.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** The details of the error for a body, which the types of the client would not permit. */
async function detailsOf(path: '/openapi' | '/link-invites' | '/invites', body: object) {
  const { client } = server.admin;
  const { response, error } = await client.POST(`/v1/orgs/{organizationId}${path}`, {
    params: { path: { organizationId: server.organization } },
    body: body as never,
  });
  expect(response.status).toBe(400);
  return error?.details?.map((detail) => `${detail.path}: ${detail.message}`);
}

test('an invalid body is reported against the alternative of a union that it resembles', async () => {
  expect(await detailsOf('/openapi', { slug: 'pets', source: { url: 7 } })).toEqual([
    'source.url: must be string',
  ]);
  expect(await detailsOf('/openapi', { slug: 'pets', source: {} })).toEqual([
    'source: must have the field url or text',
  ]);
  expect(await detailsOf('/link-invites', { role: 7 })).toEqual(['role: must be string or null']);
  expect(await detailsOf('/link-invites', { level: 'read', space: 7 })).toEqual(['space: must be string']);
  expect(
    await detailsOf('/invites', { emails: [{ email: 'ada@example.com', role: 7 }], sso: false }),
  ).toEqual(['emails.0.role: must be string or null']);
});

test('an unknown query parameter is reported with those that exist', async () => {
  const { client } = server.admin;
  const { error } = await client.GET('/v1/orgs/{organizationId}/teams', {
    params: { path: { organizationId: server.organization }, query: { limt: 5 } as never },
  });
  expect(error?.message).toMatch(/^.*limt is not a known parameter \(known: .*\blimit\b.*\)/);
});
