import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { engineOf } from '../../../server/database/engine.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';
import { createSpace, TestSite } from '../../support/sites/site-structure.ts';

let server: TestServer;
let member: Person;
beforeAll(async () => {
  server = await startTestServer();
  member = await server.member('Member', 'read');
});
afterAll(() => server.stop());

const org = () => ({ organizationId: server.organization });

const readSpace = (spaceId: string) =>
  ok(server.admin.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }));

test('the response to a change has maintained counts', async () => {
  const { client } = server.admin;
  const space = await createSpace(server, 'Space');
  const changeRequests = { params: { path: { spaceId: space } }, body: { subject: 'Change' } };
  await ok(client.POST('/v1/spaces/{spaceId}/change-requests', changeRequests));
  const { sql: statements } = await statementsOf(async () => {
    const changed = await ok(
      client.PATCH('/v1/spaces/{spaceId}', {
        params: { path: { spaceId: space } },
        body: { title: 'Changed' },
      }),
    );
    expect(changed).toMatchObject({
      changeRequests: 1,
      changeRequestsOpen: 0,
      changeRequestsDraft: 1,
      comments: 0,
    });
    const { spaces } = await ok(
      client.PATCH('/v1/orgs/{organizationId}/members/{userId}', {
        params: { path: { ...org(), userId: member.id } },
        body: { role: 'comment' },
      }),
    );
    const team = await ok(
      client.PUT('/v1/orgs/{organizationId}/teams', {
        params: { path: org() },
        body: { title: 'Team', members: [member.id] },
      }),
    );
    const ofTeam = { params: { path: { ...org(), teamId: team.id } } };
    const renamed = await ok(
      client.PATCH('/v1/orgs/{organizationId}/teams/{teamId}', { ...ofTeam, body: { title: 'Renamed' } }),
    );
    expect([team.members, renamed.members]).toEqual([2, 2]);
    await client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', {
      ...ofTeam,
      body: { remove: [member.id] },
    });
    const listed = await client.GET('/v1/orgs/{organizationId}/spaces', { params: { path: org() } });
    expect(spaces).toBe(listed.data?.count);
  });
  const rows = /"(changeRequests|teamMembers)" as "counted" where "counted"."(space|team)"/;
  expect(statements.filter((text) => rows.test(text))).toEqual([]);
  expect(statements.filter((text) => /^select count\(\*\) as "count" from "spaces"/.test(text))).toEqual([]);
});

test('the counts of spaces are read in one range of an index', async () => {
  const { query } = server.database;
  const { sql: statements } = await statementsOf(() =>
    ok(member.client.GET('/v1/orgs/{organizationId}/spaces', { params: { path: org() } })),
  );
  const counting = statements.filter((text) => text.includes(`'comments open'`));
  expect(counting).toHaveLength(1);
  if (engineOf(query) === 'postgres') {
    return;
  }
  for (const text of counting) {
    const plan = await sql<{ detail: string }>`
      explain query plan select * from (${sql.raw(text.replaceAll('?', "''"))})`.execute(query);
    expect(plan.rows.map(({ detail }) => detail)).toContain(
      'SEARCH rowCounts USING INDEX rowCounts_of_spaces (owner=?)',
    );
  }
});

test('where the spaces of one site are published is known from its structure', async () => {
  const site = await TestSite.create(server, 'First', 'Second');
  await site.publish();
  await ok(site.addSection(await createSpace(server, 'Section'), 'Section'));
  const publishedSpaces = async () => {
    const { siteSpaces } = await structureOf(site);
    return siteSpaces.map(({ space }) => space);
  };
  let spaces = await publishedSpaces();
  expect(spaces).toHaveLength(3);
  for (const space of spaces) {
    expect(space).toEqual(await readSpace(space.id));
    expect(space.urls.published).toBeDefined();
  }
  const finding = /as "showing"/;
  const alone = await statementsOf(publishedSpaces);
  expect(alone.sql.filter((text) => finding.test(text))).toEqual([]);

  // Another site has a wider audience.
  const [shared] = spaces;
  await ok(site.update({ visibility: 'unlisted' }));
  const other = await TestSite.create(server);
  await ok(other.addSpace(shared?.id ?? ''));
  await other.publish();
  const both = await statementsOf(async () => {
    spaces = await publishedSpaces();
  });
  expect(both.sql.filter((text) => finding.test(text))).toHaveLength(1);
  for (const space of spaces) {
    expect(space).toEqual(await readSpace(space.id));
  }
  expect(spaces.map(({ visibility }) => visibility)).toEqual(['public', 'unlisted', 'unlisted']);
});

/** Returns the site spaces of all sections of a site. */
async function structureOf(site: TestSite) {
  const { structure } = await site.structure();
  return {
    siteSpaces: structure.flatMap((entry) => (entry.object === 'site-section' ? entry.siteSpaces : [])),
  };
}
