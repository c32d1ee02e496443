import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { digestOf } from '../../support/database/digest.ts';
import { install, installed, named, publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { createSpace, TestSite } from '../../support/sites/site-structure.ts';

type Schemas = components['schemas'];

let server: TestServer;
let client: TestServer['admin']['client'];
beforeAll(async () => {
  server = await startTestServer();
  client = server.admin.client;
});
afterAll(() => server.stop());

interface Outcome {
  response: Response;
  data?: unknown;
  error?: unknown;
}

/** Sends a request twice, and requires the second one to succeed with the same result, and to write nothing. */
async function expectRepeatable(send: () => Promise<Outcome>): Promise<void> {
  const first = await send();
  expect([first.response.status, first.error]).toMatchObject([expect.toBeOneOf([200, 201]), undefined]);
  const before = await digestOf(server.database);
  const again = await send();
  expect([again.response.status, again.error]).toEqual([first.response.status, undefined]);
  expect(again.data).toEqual(first.data);
  expect(await digestOf(server.database)).toEqual(before);
}

const createCollection = async (title: string, parent?: string) =>
  (
    await ok(
      client.POST('/v1/orgs/{organizationId}/collections', {
        params: { path: { organizationId: server.organization } },
        body: { title, ...(parent !== undefined && { parent }) },
      }),
    )
  ).id;

const moveSpace = async (spaceId: string, body: Schemas['MoveContent']) =>
  await client.POST('/v1/spaces/{spaceId}/move', { params: { path: { spaceId } }, body });
const moveCollection = async (collectionId: string, body: Schemas['MoveContent']) =>
  await client.POST('/v1/collections/{collectionId}/move', { params: { path: { collectionId } }, body });

test('a move of a space or collection to where it is succeeds without writing', async () => {
  const [shelf, box, other] = [
    await createCollection('Shelf'),
    await createCollection('Box'),
    await createCollection('Other'),
  ];
  const [a, b] = [await createSpace(server, 'A'), await createSpace(server, 'B')];
  const after = { position: { after: { type: 'space', space: a } } } as const;
  await expectRepeatable(() => moveSpace(a, { parent: shelf }));
  await expectRepeatable(() => moveSpace(b, { parent: shelf, position: { before: after.position.after } }));
  await expectRepeatable(() => moveSpace(b, after));
  await expectRepeatable(() => moveCollection(box, { parent: shelf }));
  await expectRepeatable(() => moveCollection(box, { position: { before: after.position.after } }));
  await expectRepeatable(() => moveCollection(box, { parent: null }));
  const pointer = (collection: string) => ({ type: 'collection', collection }) as const;
  const between = { after: pointer(other), before: pointer(box) };
  await expectRepeatable(() => moveCollection(shelf, { position: between }));
});

test('a transfer to the organization of a space or collection succeeds without writing', async () => {
  const { id: organization } = await ok(client.POST('/v1/orgs', { body: { title: 'Other' } }));
  const outer = await createCollection('Outer');
  const collectionId = await createCollection('Nested', outer);
  const spaceId = await createSpace(server, 'Nested');
  await ok(moveSpace(spaceId, { parent: outer }));
  const transfers = [
    async (to: string) =>
      await client.POST('/v1/spaces/{spaceId}/transfer', {
        params: { path: { spaceId } },
        body: { organization: to },
      }),
    async (to: string) =>
      await client.POST('/v1/collections/{collectionId}/transfer', {
        params: { path: { collectionId } },
        body: { organization: to },
      }),
  ];
  for (const transfer of transfers) {
    // It remains in its collection: nothing is transferred.
    await expectRepeatable(async () => await transfer(server.organization));
    expect((await transfer(server.organization)).data).toMatchObject({ parent: outer });
    await expectRepeatable(async () => await transfer(organization));
  }
});

test('a restoration of a space that is not deleted succeeds without writing', async () => {
  const params = { path: { spaceId: await createSpace(server, 'Phoenix') } };
  await client.DELETE('/v1/spaces/{spaceId}', { params });
  await expectRepeatable(async () => await client.POST('/v1/spaces/{spaceId}/restore', { params }));
});

test('a move of an entry of a published site to where it is succeeds without writing', async () => {
  const site = await TestSite.create(server, 'One', 'Two', 'Three');
  await site.publish();
  const [one = '', two = '', three = ''] = (await site.structure()).structure.map(({ id }) => id);
  const pointer = (siteSpace: string) => ({ type: 'site-space', siteSpace }) as const;
  await expectRepeatable(() => site.moveSpace(one));
  await expectRepeatable(() => site.moveSpace(one, { before: pointer(two) }));
  await expectRepeatable(() => site.moveSpace(one, { after: pointer(two), before: pointer(three) }));
  await expectRepeatable(() =>
    site.sort({ type: 'site-space', id: three }, { before: { type: 'site-space', id: two } }),
  );
});

test('a move of a section or section group to where it is succeeds without writing', async () => {
  const site = await TestSite.create(server);
  const sections: string[] = [];
  for (const title of ['One', 'Two', 'Three']) {
    sections.push((await ok(site.addSection(await createSpace(server, title)))).id);
  }
  const [one = '', two = '', three = ''] = sections;
  const { id: group } = await ok(site.addGroup('Group', [two]));
  const section = { type: 'site-section', id: one } as const;
  await expectRepeatable(() => site.addToGroup(group, three));
  await expectRepeatable(() => site.addToGroup(group, two));
  await expectRepeatable(() =>
    site.moveSection(two, { before: { type: 'site-section', siteSection: three } }),
  );
  await expectRepeatable(() => site.moveGroup(group, { before: section }));
  await expectRepeatable(() => site.moveGroup(group));
  await expectRepeatable(() => site.sort(section, { after: { type: 'site-section-group', id: group } }));
});

test('adding a space that a level of a site shows returns the existing site space', async () => {
  const site = await TestSite.create(server);
  const space = await createSpace(server, 'Once');
  await expectRepeatable(() => site.addSpace(space));
  const section = await ok(site.addSection(await createSpace(server, 'API')));
  await expectRepeatable(() => site.addSpace(space, section.id));
  const ofGroups = await TestSite.create(server);
  await ok(ofGroups.addGroup('Group'));
  await expectRepeatable(() => ofGroups.addSpace(space));
  // Another site space cannot show it: that is a conflict, not a repetition.
  const { id: other } = await ok(site.addSpace(await createSpace(server, 'Other'), section.id));
  const taken = await site.updateSpace(other, { spaceId: space });
  expect([taken.response.status, taken.error?.reason]).toEqual([409, 'space_already_shown']);
});

test('installing an integration that is installed returns the installation with its settings', async () => {
  const body = { organization: server.organization, configurations: {} };
  await ok(publish(server.admin, 'twice', { ...body, visibility: 'public' }));
  const installOnce = async (organization: string) =>
    await client.POST('/v1/integrations/{integrationName}/installations', {
      ...named('twice'),
      body: { organization },
    });
  const { id: elsewhere } = await ok(client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }));
  await expectRepeatable(() => installOnce(elsewhere));
  const { id } = await install(server.admin, 'twice', server.organization);
  await ok(
    client.PATCH('/v1/integrations/{integrationName}/installations/{installationId}', {
      ...installed('twice', id),
      body: { status: 'paused', externalIds: ['repo'] },
    }),
  );
  expect(await ok(installOnce(server.organization))).toMatchObject({
    id,
    status: 'paused',
    externalIds: ['repo'],
  });
  const space = await createSpace(server, 'Target');
  const site = (await TestSite.create(server)).id;
  const path = '/v1/integrations/{integrationName}/installations/{installationId}' as const;
  const onSpace = async () =>
    await client.POST(`${path}/spaces`, { ...installed('twice', id), body: { space } });
  const onSite = async () =>
    await client.POST(`${path}/sites`, { ...installed('twice', id), body: { site } });
  await expectRepeatable(onSpace);
  await expectRepeatable(onSite);
  // Neither a later restriction to its owner nor one to sites uninstalls it.
  await ok(publish(server.admin, 'twice', { ...body, visibility: 'private', target: 'site' }));
  await expectRepeatable(() => installOnce(elsewhere));
  await expectRepeatable(onSpace);
});
