import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { Membership } from '../../../server/identity/membership.ts';
import { spacesVisibleTo } from '../../../server/identity/visible-spaces.ts';
import { collectionsVisibleTo } from '../../../server/platform/spaces/collections/queries/visible.ts';
import { type Statements, statementsOf } from '../../support/database/statements.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let guest: Person;
let other: Person;
let team: string;
let client: Client;
const created = { spaces: new Set<string>(), collections: new Set<string>() };

beforeAll(async () => {
  server = await startTestServer();
  client = server.admin.client;
  guest = await server.member('Guest', null);
  other = await server.member('Other', null);
  team = (
    await ok(
      client.PUT('/v1/orgs/{organizationId}/teams', { ...org(), body: { title: 'Team', members: [] } }),
    )
  ).id;
});
afterAll(() => server.stop());

const org = () => ({ params: { path: { organizationId: server.organization } } });
const teamPath = () => ({ params: { path: { organizationId: server.organization, teamId: team } } });
const ofSpace = (spaceId: string) => ({ params: { path: { spaceId } } });
const ofCollection = (collectionId: string) => ({ params: { path: { collectionId } } });

async function createSpace(parent?: string): Promise<string> {
  const { id } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { ...org(), body: { ...(parent && { parent }) } }),
  );
  created.spaces.add(id);
  return id;
}

async function createCollection(parent?: string): Promise<string> {
  const { id } = await ok(
    client.POST('/v1/orgs/{organizationId}/collections', { ...org(), body: { ...(parent && { parent }) } }),
  );
  created.collections.add(id);
  return id;
}

/** Returns the resources that a user can read, requested individually. */
async function readable(client: Client) {
  const spaces: string[] = [];
  for (const id of created.spaces) {
    if ((await client.GET('/v1/spaces/{spaceId}', ofSpace(id))).response.status === 200) {
      spaces.push(id);
    }
  }
  const collections: string[] = [];
  for (const id of created.collections) {
    if ((await client.GET('/v1/collections/{collectionId}', ofCollection(id))).response.status === 200) {
      collections.push(id);
    }
  }
  return { spaces: spaces.sort(), collections: collections.sort() };
}

const ids = (items: ReadonlyArray<{ id: string }>) => items.map(({ id }) => id).sort();

/** Compares lists and counts with the resources that are readable, with either query. */
async function expectTrue(after: string): Promise<void> {
  const expected = await readable(guest.client);
  const others = await readable(other.client);
  const spaces = await ok(guest.client.GET('/v1/orgs/{organizationId}/spaces', org()));
  expect(ids(spaces.items), after).toEqual(expected.spaces);
  expect(spaces.count, after).toBe(expected.spaces.length);
  const collections = await ok(guest.client.GET('/v1/orgs/{organizationId}/collections', org()));
  expect(ids(collections.items), after).toEqual(expected.collections);
  expect(collections.count, after).toBe(expected.collections.length);
  const counted = async (client: Client, { id }: Person) =>
    (
      await ok(
        client.GET('/v1/orgs/{organizationId}/members/{userId}', {
          params: { path: { organizationId: server.organization, userId: id } },
        }),
      )
    ).spaces;
  expect(await counted(client, guest), after).toBe(expected.spaces.length);
  const both = expected.spaces.filter((id) => others.spaces.includes(id));
  expect(await counted(other.client, guest), after).toBe(both.length);
  const shared = await ok(
    other.client.GET('/v1/orgs/{organizationId}/members/{userId}/spaces', {
      params: { path: { organizationId: server.organization, userId: guest.id } },
    }),
  );
  expect(ids(shared.items.map(({ space }) => space)), after).toEqual(both);
  // The query for guests with many grants returns the same.
  const membership: Membership = { user: guest.id, organization: server.organization, role: undefined };
  const walked = await spacesVisibleTo(server.database.query, membership).select('spaces.id').execute();
  expect(ids(walked), after).toEqual(expected.spaces);
  const walkedCollections = await collectionsVisibleTo(server.database.query, membership)
    .select('collections.id')
    .execute();
  expect(ids(walkedCollections), after).toEqual(expected.collections);
}

test('counts of resources visible to a guest are correct after each change', async () => {
  const [upper, lone] = [await createCollection(), await createSpace()];
  const lower = await createCollection(upper);
  const nested = await createSpace(lower);
  await createSpace();
  await expectTrue('nothing was granted');
  const teamSpaces = async () =>
    (await ok(client.GET('/v1/orgs/{organizationId}/teams/{teamId}', teamPath()))).spaces;
  const grantSpace = (space: string, body: { users?: string[]; teams?: string[] }) =>
    ok(
      client.POST('/v1/spaces/{spaceId}/permissions', { ...ofSpace(space), body: { role: 'read', ...body } }),
    );
  const grantCollection = (collection: string, body: { users?: string[]; teams?: string[] }) =>
    ok(
      client.POST('/v1/collections/{collectionId}/permissions', {
        ...ofCollection(collection),
        body: { role: 'read', ...body },
      }),
    );

  await grantSpace(lone, { users: [guest.id, other.id] });
  await expectTrue('a grant on a space');
  await grantCollection(upper, { teams: [team] });
  expect(await teamSpaces()).toBe(1);
  await expectTrue('a grant to a team of others');
  await ok(
    client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', {
      ...teamPath(),
      body: { add: [guest.id] },
    }),
  );
  await expectTrue('a membership of a team');
  const added = await createSpace(lower);
  expect(await teamSpaces()).toBe(2);
  await expectTrue('a space in a collection');
  const inner = await createCollection(lower);
  await createSpace(inner);
  await expectTrue('a collection in a collection');
  await grantSpace(added, { teams: [team] });
  await grantSpace(added, { users: [other.id] });
  expect(await teamSpaces()).toBe(3);
  await expectTrue('a second grant on a visible resource');
  await ok(
    client.POST('/v1/collections/{collectionId}/move', { ...ofCollection(lower), body: { parent: null } }),
  );
  expect(await teamSpaces()).toBe(1);
  await expectTrue('a move of a collection');
  await ok(client.POST('/v1/spaces/{spaceId}/move', { ...ofSpace(nested), body: { parent: upper } }));
  expect(await teamSpaces()).toBe(2);
  await expectTrue('a move of a space');
  await client.DELETE('/v1/spaces/{spaceId}', ofSpace(nested));
  expect(await teamSpaces()).toBe(1);
  await expectTrue('a deletion of a space');
  await ok(client.POST('/v1/spaces/{spaceId}/restore', ofSpace(nested)));
  expect(await teamSpaces()).toBe(2);
  await expectTrue('a restored space');
  await client.DELETE('/v1/collections/{collectionId}', ofCollection(upper));
  created.collections.delete(upper);
  expect(await teamSpaces()).toBe(1);
  await expectTrue('a deletion of a collection');
  await client.DELETE('/v1/spaces/{spaceId}/permissions/users/{userId}', {
    params: { path: { spaceId: lone, userId: guest.id } },
  });
  await expectTrue('a revoked grant');
  await client.DELETE('/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}', {
    params: { path: { organizationId: server.organization, teamId: team, userId: guest.id } },
  });
  await expectTrue('a membership that ended');
});

test('counts of resources visible to a guest are cached while nothing changes', async () => {
  const read = () => ok(guest.client.GET('/v1/orgs/{organizationId}/spaces', { ...org() }));
  const countingIn = ({ sql }: Statements) =>
    sql.filter((item) => /as "parts" group by "subject"/.test(item));
  await createSpace(await createCollection());
  expect(countingIn(await statementsOf(read))).toHaveLength(1);
  await createSpace();
  expect(countingIn(await statementsOf(read))).toEqual([]);
});
