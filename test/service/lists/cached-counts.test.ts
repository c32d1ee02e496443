import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import { MAX_VERSIONED_TEAMS } from '../../../server/identity/visibility-versions.ts';
import { install, installed, named, publish } from '../../support/integrations/integrations.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let client: Client;
let guest: Person;
beforeAll(async () => {
  server = await startTestServer();
  client = server.admin.client;
  guest = await server.member('Guest', null);
});
afterAll(() => server.stop());

/** Compares the count of a list, on a page that does not show all items, with the number of its items. */
async function expectCount(
  list: (page: { limit: number }) => Promise<{ items: unknown[]; count?: number }>,
  expected: number,
): Promise<void> {
  const { count } = await list({ limit: 0 });
  const { items } = await list({ limit: 1000 });
  expect({ count, items: items.length }).toEqual({ count: expected, items: expected });
}

const organizationPath = () => ({ organizationId: server.organization });

const createSpace = async (title: string) => {
  const { id } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: organizationPath() },
      body: { title },
    }),
  );
  return id;
};

test('counts of sites follow the sites, what they show and who sees it', async () => {
  const sites =
    (caller: Client, query: { title?: string; published?: boolean } = {}) =>
    async (page: { limit: number }) =>
      await ok(
        caller.GET('/v1/orgs/{organizationId}/sites', {
          params: { path: organizationPath(), query: { ...query, ...page } },
        }),
      );
  const space = await createSpace('Shown');
  const expectCounts = async (expected: { guide: number; published: number; ofGuest: number }) => {
    await expectCount(sites(client, { title: 'guide' }), expected.guide);
    await expectCount(sites(client, { published: true }), expected.published);
    await expectCount(sites(guest.client), expected.ofGuest);
  };
  await expectCounts({ guide: 0, published: 0, ofGuest: 0 });

  const site = await ok(
    client.POST('/v1/orgs/{organizationId}/sites', {
      params: { path: organizationPath() },
      body: { title: 'User guide', spaces: [space] },
    }),
  );
  const path = { ...organizationPath(), siteId: site.id };
  await expectCounts({ guide: 1, published: 0, ofGuest: 0 });

  await ok(client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', { params: { path } }));
  await expectCounts({ guide: 1, published: 1, ofGuest: 0 });

  const grants = '/v1/spaces/{spaceId}/permissions';
  await ok(
    client.POST(grants, { params: { path: { spaceId: space } }, body: { users: [guest.id], role: 'read' } }),
  );
  await expectCounts({ guide: 1, published: 1, ofGuest: 1 });

  await ok(client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } }));
  await expectCounts({ guide: 1, published: 1, ofGuest: 0 });

  const other = await createSpace('Other');
  await ok(
    client.POST(grants, { params: { path: { spaceId: other } }, body: { users: [guest.id], role: 'read' } }),
  );
  await expectCounts({ guide: 1, published: 1, ofGuest: 0 });
  await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
      params: { path },
      body: { spaceId: other },
    }),
  );
  await expectCounts({ guide: 1, published: 1, ofGuest: 1 });

  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
      params: { path },
      body: { title: 'Manual' },
    }),
  );
  await expectCounts({ guide: 0, published: 1, ofGuest: 1 });
  await ok(client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}', { params: { path } }));
  await expectCounts({ guide: 0, published: 0, ofGuest: 0 });
});

test('counts of filtered sites follow the titles and the publication of sites', async () => {
  const reader = await server.member('Filtering reader', null);
  const spaces = await Promise.all(['One', 'Two', 'Three'].map(createSpace));
  const ids: string[] = [];
  for (const [index, space] of spaces.entries()) {
    const { id } = await ok(
      client.POST('/v1/orgs/{organizationId}/sites', {
        params: { path: organizationPath() },
        body: { title: `Müller ${index}`, spaces: [space] },
      }),
    );
    ids.push(id);
  }
  for (const spaceId of spaces.slice(0, 2)) {
    await ok(
      client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId } },
        body: { users: [reader.id], role: 'read' },
      }),
    );
  }
  const expectCounts = async (title: string, published: boolean, ofAdmin: number, ofReader: number) => {
    for (const [caller, expected] of [
      [client, ofAdmin],
      [reader.client, ofReader],
    ] as const) {
      const list = async (page: { limit: number }) =>
        await ok(
          caller.GET('/v1/orgs/{organizationId}/sites', {
            params: { path: organizationPath(), query: { title, published, ...page } },
          }),
        );
      await expectCount(list, expected);
    }
  };
  const siteOf = (at: number) => ({
    params: { path: { ...organizationPath(), siteId: ids[at] ?? '' } },
  });
  const rename = async (at: number, title: string) =>
    await ok(client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', { ...siteOf(at), body: { title } }));
  await expectCounts('MÜLLER', false, 3, 2);
  // The reader does not see the last site.
  await rename(2, 'Meier');
  await expectCounts('MÜLLER', false, 2, 2);
  await rename(2, 'Müller');
  await expectCounts('MÜLLER', false, 3, 2);
  await rename(0, 'Meier');
  await expectCounts('MÜLLER', false, 2, 1);
  await rename(0, 'müller too');
  await expectCounts('MÜLLER', false, 3, 2);
  await ok(client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', siteOf(1)));
  await expectCounts('MÜLLER', false, 2, 1);
  await expectCounts('MÜLLER', true, 1, 1);
  await ok(client.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', siteOf(1)));
  await expectCounts('MÜLLER', true, 0, 0);
  await expectCounts('MÜLLER', false, 3, 2);
  await ok(client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}', siteOf(1)));
  await expectCounts('MÜLLER', false, 2, 1);
});

test('counts of the sites of a guest include exceptions', async () => {
  const reader = await server.member('Reader', null);
  const expectVisible = async (expected: number, sites: readonly string[]) => {
    const list = async (page: { limit: number }) =>
      await ok(
        reader.client.GET('/v1/orgs/{organizationId}/sites', {
          params: { path: organizationPath(), query: page },
        }),
      );
    await expectCount(list, expected);
    const { items } = await list({ limit: 1000 });
    expect(items.map(({ id }) => id)).toEqual(sites);
  };
  const [granted, shared, foreign, hidden] = await Promise.all(
    ['Granted', 'Shared', 'Foreign', 'Hidden'].map(createSpace),
  );
  const spaces = { granted, shared, foreign, hidden } as Record<string, string>;
  const createSite = async (...names: string[]) => {
    const { id } = await ok(
      client.POST('/v1/orgs/{organizationId}/sites', {
        params: { path: organizationPath() },
        body: { title: 'Site', spaces: names.map((name) => spaces[name] ?? '') },
      }),
    );
    return id;
  };
  const grant = async (name: string) => {
    await ok(
      client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: spaces[name] ?? '' } },
        body: { users: [reader.id], role: 'read' },
      }),
    );
  };
  // A space on no site, a space on several sites, sites with several spaces (some or none visible).
  await grant('granted');
  await expectVisible(0, []);
  const first = await createSite('granted');
  const both = await createSite('granted', 'shared', 'foreign');
  await createSite('foreign', 'hidden');
  await createSite('hidden');
  await expectVisible(2, [first, both]);
  await grant('shared');
  const other = await createSite('shared');
  await expectVisible(3, [first, both, other]);
  // The copy is on no site.
  const { id: copy } = await ok(
    client.POST('/v1/spaces/{spaceId}/duplicate', {
      params: { path: { spaceId: spaces.granted ?? '' } },
    }),
  );
  spaces.copy = copy;
  await grant('copy');
  await expectVisible(3, [first, both, other]);
  await ok(client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: spaces.shared ?? '' } } }));
  await expectVisible(2, [first, both]);
  await ok(
    client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}', {
      params: { path: { ...organizationPath(), siteId: first } },
    }),
  );
  await expectVisible(1, [both]);
  const { items } = await ok(
    client.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
      params: { path: { ...organizationPath(), siteId: both } },
    }),
  );
  const shown = items.find(({ space }) => space.id === spaces.granted);
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}', {
      params: { path: { ...organizationPath(), siteId: both, siteSpaceId: shown?.id ?? '' } },
      body: { spaceId: spaces.hidden ?? '' },
    }),
  );
  await expectVisible(0, []);
});

test('counts of the sites of a guest follow what their teams see', async () => {
  const reader = await server.member('Member of teams', null);
  const collection = async (parent?: string) => {
    const body = { title: 'Collection', ...(parent !== undefined && { parent }) };
    const params = { path: organizationPath() };
    return (await ok(client.POST('/v1/orgs/{organizationId}/collections', { params, body }))).id;
  };
  const createTeam = async () => {
    const params = { path: organizationPath() };
    const body = { title: 'Team', members: [] };
    return (await ok(client.PUT('/v1/orgs/{organizationId}/teams', { params, body }))).id;
  };
  const upper = await collection();
  const lower = await collection(upper);
  const [space, team] = [await createSpace('Of the team'), await createTeam()];
  const ofSpace = { params: { path: { spaceId: space } } };
  const move = async (parent: string | null) =>
    await ok(client.POST('/v1/spaces/{spaceId}/move', { ...ofSpace, body: { parent } }));
  const expectVisible = async (expected: 0 | 1, after: string) => {
    for (const filter of [{}, { title: 'of a team' }, { space }]) {
      const { count } = await ok(
        reader.client.GET('/v1/orgs/{organizationId}/sites', {
          params: { path: organizationPath(), query: { ...filter, limit: 0 } },
        }),
      );
      expect(count, `${after}, ${JSON.stringify(filter)}`).toBe(expected);
    }
  };
  const ofTeam = (teamId: string) => ({ params: { path: { ...organizationPath(), teamId } } });
  const changeMembers = async (body: { add?: string[]; remove?: string[] }) =>
    await client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', { ...ofTeam(team), body });
  const grants = '/v1/collections/{collectionId}/permissions';
  const ofUpper = { params: { path: { collectionId: upper } } };
  const grantUpper = async (...teams: string[]) =>
    await ok(client.POST(grants, { ...ofUpper, body: { teams, role: 'read' } }));
  const revokeUpper = async (teamId: string) => {
    const params = { path: { collectionId: upper, teamId } };
    await ok(client.DELETE(`${grants}/teams/{teamId}`, { params }));
  };

  const createSite = async () =>
    await ok(
      client.POST('/v1/orgs/{organizationId}/sites', {
        params: { path: organizationPath() },
        body: { title: 'Site of a team', spaces: [space] },
      }),
    );
  await createSite();
  await move(lower);
  await grantUpper(team);
  await expectVisible(0, 'a grant to others');
  await changeMembers({ add: [reader.id] });
  await expectVisible(1, 'joining the team');
  await move(null);
  await expectVisible(0, 'a move of the space');
  await move(lower);
  await expectVisible(1, 'a move of the space back');
  const moved = { params: { path: { collectionId: lower } } };
  await ok(client.POST('/v1/collections/{collectionId}/move', { ...moved, body: { parent: null } }));
  await expectVisible(0, 'a move of the collection');
  await ok(client.POST('/v1/collections/{collectionId}/move', { ...moved, body: { parent: upper } }));
  await expectVisible(1, 'a move of the collection back');
  await ok(client.DELETE('/v1/spaces/{spaceId}', ofSpace));
  await expectVisible(0, 'a deletion');
  await ok(client.POST('/v1/spaces/{spaceId}/restore', ofSpace));
  await createSite();
  await expectVisible(1, 'a restoration');
  await revokeUpper(team);
  await expectVisible(0, 'a revocation');
  await grantUpper(team);
  await expectVisible(1, 'a grant to the team');

  // In many teams, all grants to teams count as changes.
  const { query } = server.database;
  const time = new Date().toISOString();
  const teams = Array.from({ length: MAX_VERSIONED_TEAMS }, (_, at) => ({
    id: `team_a${at}`,
    organization: server.organization,
    title: 'One of many',
    createdAt: time,
    createdBy: null,
  }));
  await query.insertInto('teams').values(teams).execute();
  const joined = { user: reader.id, role: 'member', joinedAt: time, teamCreatedAt: time } as const;
  const memberships = teams.map(({ id, organization }) => ({ ...joined, organization, team: id }));
  await query.insertInto('teamMembers').values(memberships).execute();
  await expectVisible(1, 'joining other teams');
  await revokeUpper(team);
  await expectVisible(0, 'a revocation of one of many teams');
  await grantUpper('team_a0');
  await expectVisible(1, 'a grant to one of many teams');
  await changeMembers({ remove: [reader.id] });
  await revokeUpper('team_a0');
  await expectVisible(0, 'a revocation of the last grant');
});

test('counts of integrations follow their publication', async () => {
  const organization = server.organization;
  const integrations =
    (caller: Client, query: { category?: 'content' } = {}) =>
    async (page: { limit: number }) =>
      await ok(caller.GET('/v1/integrations', { params: { query: { ...query, ...page } } }));
  const stranger = await server.person('Stranger');
  const expectCounts = async (expected: { ofOwner: number; ofStranger: number; content: number }) => {
    await expectCount(integrations(client), expected.ofOwner);
    await expectCount(integrations(stranger.client), expected.ofStranger);
    await expectCount(integrations(client, { category: 'content' }), expected.content);
  };
  await expectCounts({ ofOwner: 0, ofStranger: 0, content: 0 });
  await ok(publish(server.admin, 'counted', { organization, visibility: 'private' }));
  await expectCounts({ ofOwner: 1, ofStranger: 0, content: 0 });
  await ok(publish(server.admin, 'counted', { organization, visibility: 'public', categories: ['content'] }));
  await expectCounts({ ofOwner: 1, ofStranger: 1, content: 1 });
  await ok(publish(server.admin, 'counted', { organization, visibility: 'public', categories: [] }));
  await expectCounts({ ofOwner: 1, ofStranger: 1, content: 0 });
  await ok(client.DELETE('/v1/integrations/{integrationName}', named('counted')));
  await expectCounts({ ofOwner: 0, ofStranger: 0, content: 0 });
});

test('counts of installations on spaces follow the installations and the spaces', async () => {
  const { organization } = server;
  await ok(publish(server.admin, 'installed', { organization }));
  const { id } = await install(server.admin, 'installed', organization);
  const { path } = installed('installed', id).params;
  const ofIntegration = (caller: Client) => async (query: { limit: number; externalId?: string }) =>
    await ok(
      caller.GET('/v1/integrations/{integrationName}/spaces', {
        params: { path: { integrationName: 'installed' }, query },
      }),
    );
  const ofInstallation = async (query: { limit: number }) =>
    await ok(
      client.GET('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
        params: { path, query },
      }),
    );
  const external = async (query: { limit: number }) =>
    await ofIntegration(client)({ ...query, externalId: 'external' });
  const expectCounts = async (expected: number, withExternalId = 0) => {
    await expectCount(ofIntegration(client), expected);
    await expectCount(ofInstallation, expected);
    await expectCount(external, withExternalId);
    // Guests see no installations.
    await expectCount(ofIntegration(guest.client), 0);
  };
  await expectCounts(0);
  const space = await createSpace('Installed');
  await ok(
    client.POST('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
      params: { path },
      body: { space },
    }),
  );
  await expectCounts(1);
  const item = { params: { path: { ...path, installedSpaceId: space } } };
  const address =
    '/v1/integrations/{integrationName}/installations/{installationId}/spaces/{installedSpaceId}';
  await ok(client.PATCH(address, { ...item, body: { externalIds: ['external'] } }));
  await expectCounts(1, 1);
  await ok(client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } }));
  await expectCounts(0);
  await ok(client.POST('/v1/spaces/{spaceId}/restore', { params: { path: { spaceId: space } } }));
  await expectCounts(1, 1);
  await ok(client.DELETE(address, item));
  await expectCounts(0);
});
