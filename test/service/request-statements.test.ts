/** The number of statements of frequent requests: each is a round trip to PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../client/platform/index.ts';
import { addPages, createBranch, createBranchOn } from '../support/content/branch-pages.ts';
import { statementsOf } from '../support/database/statements.ts';
import { untilJobsEnd } from '../support/jobs.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { publishSite } from '../support/sites/published-site.ts';

let server: TestServer;
let requests: Record<string, () => Promise<unknown>>;

beforeAll(async () => {
  server = await startTestServer();
  const { organization: organizationId } = server;
  const { client } = server.admin;
  const branch = await createBranch(server.admin, organizationId);
  await addPages(branch, ['First', 'Second']);
  await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params: { path: branch } }),
  );
  const { pages } = await ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: branch } }));
  const page = { params: { path: { spaceId: branch.spaceId, pageId: pages[0]?.id ?? '' } } };
  const params = { path: { organizationId } };
  await ok(client.POST('/v1/orgs/{organizationId}/collections', { params, body: { title: 'Guides' } }));
  const draft = await createBranchOn(server.admin, branch.spaceId);
  const edited = { operation: 'update_page' as const, page: pages[0]?.id ?? '' };
  let edits = 0;
  const { url } = await publishSite(server, { spaces: [branch.spaceId] });
  requests = {
    user: () => ok(client.GET('/v1/user')),
    space: () => ok(client.GET('/v1/spaces/{spaceId}', { params: { path: branch } })),
    'a list': () => ok(client.GET('/v1/orgs/{organizationId}/collections', { params })),
    spaces: () => ok(client.GET('/v1/orgs/{organizationId}/spaces', { params })),
    page: () => ok(client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', page)),
    'an edit': () =>
      ok(
        client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
          params: { path: draft },
          body: { changes: [{ ...edited, document: { markdown: `Edit ${++edits}` } }] },
        }),
      ),
    'a published page': async () => expect(await (await fetch(url)).text()).toContain('First'),
  };
  await untilJobsEnd(server.database, organizationId);
});
afterAll(() => server.stop());

test.each([
  ['user', 1],
  ['space', 2],
  ['a list', 3],
  ['spaces', 4],
  ['page', 2],
  ['a published page', 1],
  ['an edit', 12],
])('for %s, %i statements are executed', async (name, count) => {
  const send = requests[name];
  // The first request fills the caches.
  await send?.();
  const { sql } = await statementsOf(async () => await send?.());
  expect(sql, sql.join('\n')).toHaveLength(count);
});
