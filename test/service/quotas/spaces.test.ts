import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { editSpace, pageInsertion } from '../../support/content/branches.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { untilJobsEnd } from '../../support/jobs.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { createLimited, expectExceeded, type LimitedOrganization, statusesOf } from './organizations.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const create = ({ client, params }: LimitedOrganization, body: components['schemas']['SpaceCreate'] = {}) =>
  client.POST('/v1/orgs/{organizationId}/spaces', { params, body });
const created = async (organization: LimitedOrganization, body?: components['schemas']['SpaceCreate']) =>
  (await ok(create(organization, body))).id;
const at = (spaceId: string) => ({ params: { path: { spaceId } } });
const remove = (spaceId: string) => ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', at(spaceId)));
const restore = (spaceId: string) => server.admin.client.POST('/v1/spaces/{spaceId}/restore', at(spaceId));
const duplicate = (spaceId: string) =>
  server.admin.client.POST('/v1/spaces/{spaceId}/duplicate', at(spaceId));
const transfer = (spaceId: string, { organizationId }: LimitedOrganization) =>
  server.admin.client.POST('/v1/spaces/{spaceId}/transfer', {
    ...at(spaceId),
    body: { organization: organizationId },
  });

describe('without a quota', () => {
  test('the use is shown, and nothing is limited', async () => {
    const organization = await createLimited(server);
    await created(organization);
    expect(await organization.read()).toEqual({
      object: 'organization-quotas',
      spaces: { used: 1 },
      pages: { used: 0 },
      bytes: { used: 0 },
      members: { used: 1 },
      integrations: { used: 0 },
      jobs: { used: 0 },
    });
  });
});

test('only a quota costs a statement', async () => {
  const [free, limited] = [await createLimited(server), await createLimited(server, { spaces: 9, bytes: 9 })];
  const statements = async (organization: LimitedOrganization) => {
    await created(organization);
    await untilJobsEnd(server.database, organization.organizationId);
    const { sql } = await statementsOf(() => created(organization));
    // Loops of the server execute others next to the request.
    return sql.filter((text) => text.includes('from "rowCounts"'));
  };
  const [without, withQuota] = [await statements(free), await statements(limited)];
  expect(withQuota).toHaveLength(without.length + 1);
});

describe('a quota of spaces', () => {
  test('is exact, and a deletion frees a place', async () => {
    const organization = await createLimited(server, { spaces: 2 });
    const first = await created(organization);
    const second = await created(organization);
    expect((await organization.read()).spaces).toEqual({ used: 2, limit: 2 });
    const full = { name: 'spaces', limit: 2, used: 2 } as const;
    await expectExceeded(create(organization), full);
    await expectExceeded(duplicate(first), full);
    await remove(second);
    expect(await organization.used('spaces')).toBe(1);
    await created(organization);
    await expectExceeded(restore(second), full);
    await remove(first);
    await ok(restore(second));
    await ok(restore(second));
    expect(await organization.used('spaces')).toBe(2);
  });

  test('admits one of two spaces that are created for the last place at once', async () => {
    for (let round = 0; round < 3; round++) {
      const organization = await createLimited(server, { spaces: 2 });
      const space = await created(organization);
      expect(await statusesOf([create(organization), create(organization)])).toEqual([201, 403]);
      expect(await organization.used('spaces')).toBe(2);
      await organization.limit({ spaces: 3 });
      expect(await statusesOf([duplicate(space), create(organization)])).toEqual([201, 403]);
      expect(await organization.used('spaces')).toBe(3);
    }
  });

  test('limits transfers to the organization, not from it', async () => {
    const [source, target] = [await createLimited(server), await createLimited(server, { spaces: 1 })];
    const [space, other] = [await created(source), await created(source)];
    await ok(transfer(space, target));
    await expectExceeded(transfer(other, target), { name: 'spaces', limit: 1, used: 1 });
    expect(await source.used('spaces')).toBe(1);
    const { id: collectionId } = await ok(
      source.client.POST('/v1/orgs/{organizationId}/collections', {
        params: source.params,
        body: { title: 'Guides' },
      }),
    );
    const inCollection = await created(source, { parent: collectionId });
    await remove(await created(source, { parent: collectionId }));
    const transferCollection = () =>
      source.client.POST('/v1/collections/{collectionId}/transfer', {
        params: { path: { collectionId } },
        body: { organization: target.organizationId },
      });
    await expectExceeded(transferCollection(), { name: 'spaces', limit: 1, used: 1 });
    await target.limit({ spaces: 2 });
    await ok(transferCollection());
    expect(await target.used('spaces')).toBe(2);
    expect(await source.used('spaces')).toBe(1);
    await source.limit({ spaces: 0 });
    await remove(other);
    await expectExceeded(transfer(inCollection, source), { name: 'spaces', limit: 0, used: 0 });
  });

  test('that is lowered deletes nothing, and rejects only what adds spaces', async () => {
    const organization = await createLimited(server);
    const [space] = [await created(organization), await created(organization)];
    expect((await organization.limit({ spaces: 1 })).spaces).toEqual({ used: 2, limit: 1 });
    await expectExceeded(create(organization), { name: 'spaces', limit: 1, used: 2 });
    await editSpace(organization.client, space, pageInsertion('Page'));
    await ok(organization.client.PATCH('/v1/spaces/{spaceId}', { ...at(space), body: { title: 'Renamed' } }));
    expect((await organization.limit({ spaces: 'default' })).spaces).toEqual({ used: 2 });
    await created(organization);
  });

  test('of the configuration applies to all organizations but those with their own', async () => {
    const limited = await startTestServer({ COLOPHON_QUOTAS: 'spaces=1, members=5' });
    try {
      const organization = await createLimited(limited);
      expect(await organization.read()).toMatchObject({
        spaces: { used: 0, limit: 1 },
        members: { used: 1, limit: 5 },
      });
      await created(organization);
      await expectExceeded(create(organization), { name: 'spaces', limit: 1, used: 1 });
      await organization.limit({ spaces: 'off', pages: 7 });
      await created(organization);
      expect(await organization.read()).toMatchObject({
        spaces: { used: 2 },
        pages: { used: 0, limit: 7 },
        members: { used: 1, limit: 5 },
      });
    } finally {
      await limited.stop();
    }
  });

  test('is shown to admins only', async () => {
    const reader = await server.member('Reader', 'create');
    const { response } = await reader.client.GET('/v1/orgs/{organizationId}/quotas', {
      params: { path: { organizationId: server.organization } },
    });
    expect(response.status).toBe(403);
  });
});
