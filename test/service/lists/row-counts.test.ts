import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { createSpace } from '../../support/content/imports.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let editor: Person;
beforeAll(async () => {
  server = await startTestServer();
  editor = await server.member('Editor', 'edit');
});
afterAll(() => server.stop());

type Counts = Record<string, number>;

/** Returns the stored counts, except those that are 0. */
async function storedCounts(): Promise<Counts> {
  const rows = await server.database.query.selectFrom('rowCounts').selectAll().execute();
  const counts: Counts = {};
  for (const { organization, kind, owner, value } of rows) {
    add(counts, [organization, kind, owner], value);
  }
  return nonzero(counts);
}

/** Returns the counted numbers. */
async function counted(): Promise<Counts> {
  const { query } = server.database;
  const counts: Counts = {};
  const count = (organization: string, kind: string, owner = '') =>
    add(counts, [organization, kind, owner], 1);
  for (const { organization, role, lastSeenAt } of await query.selectFrom('members').selectAll().execute()) {
    count(organization, 'members');
    count(organization, `members ${role ?? 'guest'}`);
    if (lastSeenAt !== null) {
      count(organization, 'members seen');
    }
  }
  for (const { organization } of await query.selectFrom('teams').selectAll().execute()) {
    count(organization, 'teams');
  }
  for (const { organization, team, user } of await query.selectFrom('teamMembers').selectAll().execute()) {
    count(organization, 'members of team', team);
    count(organization, 'teams of member', user);
  }
  for (const grant of await query.selectFrom('grants').selectAll().execute()) {
    const { organization, subjectKind, subject, targetKind, target } = grant;
    count(organization, `grants ${subjectKind}`, target);
    count(organization, `${targetKind}s granted`, subject);
  }
  for (const { organization } of await query.selectFrom('linkInvites').selectAll().execute()) {
    count(organization, 'link invites');
  }
  for (const { organization, parent } of await query.selectFrom('collections').selectAll().execute()) {
    count(organization, 'collections');
    if (parent === null) {
      count(organization, 'collections at root');
    }
  }
  for (const { organization, parent, deletedAt } of await query.selectFrom('spaces').selectAll().execute()) {
    if (deletedAt !== null) {
      count(organization, 'spaces deleted');
      continue;
    }
    count(organization, 'spaces');
    if (parent !== null) {
      count(organization, 'spaces in collection', parent);
    }
  }
  for (const { organization, space, status } of await query
    .selectFrom('changeRequests')
    .selectAll()
    .execute()) {
    count(organization, 'change requests', space);
    count(organization, `change requests ${status}`, space);
  }
  for (const row of await query.selectFrom('comments').selectAll().execute()) {
    if (row.parent === null) {
      count(row.organization, `comments ${row.status}`, row.changeRequest ?? row.space);
    } else {
      count(row.organization, 'replies', row.parent);
      count(row.organization, 'replies by author', `${row.parent} ${row.postedBy}`);
    }
  }
  for (const event of await query.selectFrom('auditEvents').selectAll().execute()) {
    const { organization, occurredAt } = event;
    count(organization, 'audit events');
    count(organization, 'audit events of day', occurredAt.slice(0, '2026-01-31'.length));
    for (const filter of ['action', 'actor', 'resourceType', 'resource', 'address'] as const) {
      const value = event[filter];
      if (value !== null) {
        count(organization, `audit events by ${filter}`, value);
      }
    }
  }
  for (const event of await query.selectFrom('integrationEvents').selectAll().execute()) {
    if (event.attempted === 1) {
      count('', 'integration events received', event.integration);
    }
  }
  const tags = await query.selectFrom('integrationTags').selectAll().execute();
  for (const integration of await query.selectFrom('integrations').selectAll().execute()) {
    const { name, organization, visibility, target } = integration;
    if (visibility === 'unlisted') {
      continue;
    }
    const listedBy = visibility === 'public' ? '' : organization;
    count(listedBy, 'integrations');
    count(listedBy, 'integrations by owner', organization);
    count(listedBy, 'integrations by target', target);
    if (integration.hasBlocks === 1) {
      count(listedBy, 'integrations with blocks');
    }
    if (integration.hasContentSources === 1) {
      count(listedBy, 'integrations with content sources');
    }
    for (const { kind, value } of tags.filter((tag) => tag.integration === name)) {
      count(listedBy, `integrations by ${kind}`, value);
    }
  }
  return nonzero(counts);
}

const add = (counts: Counts, key: string[], value: number) => {
  counts[key.join(' | ')] = (counts[key.join(' | ')] ?? 0) + value;
};
const nonzero = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0));

test('counts of rows follow creations, changes, moves, transfers and deletions', async () => {
  const { client } = server.admin;
  const inOrganization = { params: { path: { organizationId: server.organization } } };
  const check = async () => expect(await storedCounts()).toEqual(await counted());
  await check();

  const team = await ok(
    client.PUT('/v1/orgs/{organizationId}/teams', { ...inOrganization, body: { title: 'A' } }),
  );
  const inTeam = { params: { path: { organizationId: server.organization, teamId: team.id } } };
  await ok(
    client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', { ...inTeam, body: { add: [editor.id] } }),
  );
  await ok(editor.client.POST('/v1/orgs/{organizationId}/ping', inOrganization));
  const collection = await ok(
    client.POST('/v1/orgs/{organizationId}/collections', { ...inOrganization, body: {} }),
  );
  const { id: spaceId } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization, body: { parent: collection.id } }),
  );
  const space = { params: { path: { spaceId } } };
  const inCollection = { params: { path: { collectionId: collection.id } } };
  const grants = { role: 'edit' as const, users: [editor.id], teams: [team.id] };
  await ok(client.POST('/v1/spaces/{spaceId}/permissions', { ...space, body: grants }));
  const changeRequest = await ok(client.POST('/v1/spaces/{spaceId}/change-requests', { ...space, body: {} }));
  const comment = await ok(
    client.POST('/v1/spaces/{spaceId}/comments', { ...space, body: { body: { markdown: 'One' } } }),
  );
  const onComment = { params: { path: { spaceId, commentId: comment.id } } };
  await ok(
    client.POST('/v1/spaces/{spaceId}/comments/{commentId}/replies', {
      ...onComment,
      body: { body: { markdown: 'Two' } },
    }),
  );
  await ok(
    client.POST('/v1/orgs/{organizationId}/link-invites', { ...inOrganization, body: { role: 'read' } }),
  );
  await check();

  await ok(
    client.PATCH('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
      params: { path: { spaceId, changeRequestId: changeRequest.id } },
      body: { status: 'open' },
    }),
  );
  const member = { params: { path: { organizationId: server.organization, userId: editor.id } } };
  await ok(client.PATCH('/v1/orgs/{organizationId}/members/{userId}', { ...member, body: { role: null } }));
  await check();

  const other = await ok(client.POST('/v1/orgs', { body: { title: 'Other' } }));
  await ok(
    client.POST('/v1/collections/{collectionId}/transfer', {
      ...inCollection,
      body: { organization: other.id },
    }),
  );
  await check();

  await ok(client.DELETE('/v1/spaces/{spaceId}/comments/{commentId}', onComment));
  await ok(client.DELETE('/v1/collections/{collectionId}', inCollection));
  await ok(client.DELETE('/v1/orgs/{organizationId}/teams/{teamId}', inTeam));
  await ok(client.DELETE('/v1/orgs/{organizationId}/members/{userId}', member));
  const deletedSpace = (await createSpace(server)).id;
  await ok(client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: deletedSpace } } }));
  await check();

  // As the purge does, seven days later.
  await server.database.query.deleteFrom('spaces').where('id', '=', spaceId).execute();
  await check();
});
