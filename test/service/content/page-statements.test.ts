import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { addPages, createBranch } from '../../support/content/branch-pages.ts';
import { type Statements, statementsOf } from '../../support/database/statements.ts';
import { untilJobsEnd } from '../../support/jobs.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

/** The token, the space with the membership, the collections above the space, and the grants. */
const MAX_STATEMENTS = 4;

let server: TestServer;
let people: Record<'admin' | 'member' | 'guest', Person>;
let path: { spaceId: string; pageId: string };

beforeAll(async () => {
  server = await startTestServer();
  people = {
    admin: server.admin,
    member: await server.member('Member', 'read'),
    guest: await server.member('Guest', null),
  };
  const { client } = server.admin;
  const params = { path: { organizationId: server.organization } };
  const outer = await ok(client.POST('/v1/orgs/{organizationId}/collections', { params, body: {} }));
  const inner = await ok(
    client.POST('/v1/orgs/{organizationId}/collections', { params, body: { parent: outer.id } }),
  );
  const branch = await createBranch(server.admin, server.organization);
  const texts = Array.from({ length: 200 }, (_, number) => `[Text](page-${number + 1}.md) ${number}.`);
  const [pageId = ''] = await addPages(branch, texts);
  path = { spaceId: branch.spaceId, pageId };
  await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params: { path: branch } }),
  );
  await ok(client.POST('/v1/spaces/{spaceId}/move', { params: { path }, body: { parent: inner.id } }));
  await ok(
    client.POST('/v1/spaces/{spaceId}/permissions', {
      params: { path },
      body: { role: 'read', users: [people.guest.id] },
    }),
  );
  // Jobs run in this process, and their statements would be counted.
  await untilJobsEnd(server.database, server.organization);
});
afterAll(() => server.stop());

/** Returns the minimum of several runs: the first ones fill caches. */
async function fewestOf(work: () => Promise<unknown>): Promise<Statements> {
  const runs: Statements[] = [];
  for (let run = 0; run < 5; run++) {
    runs.push(await statementsOf(work));
  }
  return runs.reduce((fewest, item) => (item.sql.length < fewest.sql.length ? item : fewest));
}

describe.each(['admin', 'member', 'guest'] as const)(
  'a page of a space in a collection, read again by %s',
  (caller) => {
    test(`takes at most ${MAX_STATEMENTS} statements, none of which counts`, async () => {
      const { sql } = await fewestOf(() =>
        ok(people[caller].client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', { params: { path } })),
      );
      expect(sql.length, sql.join('\n')).toBeLessThanOrEqual(MAX_STATEMENTS);
      expect(sql.filter((item) => item.includes('count(*)'))).toEqual([]);
    });
  },
);
