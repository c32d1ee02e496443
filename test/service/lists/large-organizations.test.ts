import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import { createSpace } from '../../support/content/imports.ts';
import { FIRST_NUMBER, fill, idOf, TIME } from '../../support/large/fill-table.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

/** More than the maximum parameters of a statement on either engine. */
const COUNT = 70_000;
const TEAMS = 1000;

let server: TestServer;
let guest: Person;
let reader: Person;
let collection: string;
let team: string;
let space: string;

const params = () => ({ path: { organizationId: server.organization } });

beforeAll(async () => {
  server = await startTestServer();
  [guest, reader] = [await server.member('Guest', null), await server.member('Reader', 'read')];
  const { organization, database } = server;
  await fill(database, 'collections', COUNT, {
    id: idOf('col'),
    organization,
    parent: null,
    title: 'Collection',
    description: null,
    defaultLevel: null,
    position: 'V',
    createdAt: TIME,
  });
  collection = `col_${FIRST_NUMBER + COUNT - 1}`;
  await fill(database, 'teams', TEAMS, {
    id: idOf('team'),
    organization,
    title: 'Team',
    createdAt: TIME,
    createdBy: null,
  });
  team = `team_${FIRST_NUMBER}`;
  for (const [subjectKind, subject] of [
    ['user', guest.id],
    ['user', reader.id],
    ['team', team],
  ] as const) {
    await fill(database, 'grants', COUNT, {
      organization,
      targetKind: 'collection',
      target: idOf('col'),
      subjectKind,
      subject,
      role: 'edit',
      createdAt: TIME,
    });
  }
  const created = await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
      params: params(),
      body: { parent: collection },
    }),
  );
  space = created.id;
  await createSpace(server);
}, 240_000);
afterAll(() => server.stop());

const listSpaces = (client: Client) =>
  ok(client.GET('/v1/orgs/{organizationId}/spaces', { params: params() }));

test('lists spaces to a guest with a grant on each of many collections', async () => {
  const { items, count } = await listSpaces(guest.client);
  expect(items.map(({ id, permissions }) => [id, permissions.edit])).toEqual([[space, true]]);
  expect(count).toBe(1);
  const collections = await ok(
    guest.client.GET('/v1/orgs/{organizationId}/collections', { params: params() }),
  );
  expect(collections.count).toBe(COUNT);
  expect(collections.items.every(({ permissions }) => permissions.view && !permissions.admin)).toBe(true);
});

test('gives a member the highest level of their grants and role', async () => {
  const read = await ok(reader.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } }));
  expect(read.permissions).toMatchObject({ edit: true, review: false });
  const { items, count } = await listSpaces(reader.client);
  expect(items.map(({ permissions }) => permissions.edit).sort()).toEqual([false, true]);
  expect(count).toBe(2);
});

test('lists teams with the spaces they can see, and to a guest only spaces that the guest can see', async () => {
  const lists = { params: { ...params(), query: { limit: TEAMS } } };
  const { items } = await ok(reader.client.GET('/v1/orgs/{organizationId}/teams', lists));
  expect(items).toHaveLength(TEAMS);
  expect(items.filter(({ spaces }) => spaces > 0).map(({ id, spaces }) => [id, spaces])).toEqual([[team, 1]]);

  const outsider = await server.member('Outsider', null);
  const seen = await ok(outsider.client.GET('/v1/orgs/{organizationId}/teams', lists));
  expect(seen.items.filter(({ spaces }) => spaces > 0)).toEqual([]);
});

test('counts for each member only spaces that the caller can see', async () => {
  const spacesOf = async (client: Client) => {
    const { items } = await ok(client.GET('/v1/orgs/{organizationId}/members', { params: params() }));
    return Object.fromEntries(items.map(({ id, spaces }) => [id, spaces]));
  };
  expect(await spacesOf(reader.client)).toMatchObject({ [reader.id]: 2, [guest.id]: 1 });
  expect(await spacesOf(guest.client)).toMatchObject({ [reader.id]: 1, [guest.id]: 1 });
});
