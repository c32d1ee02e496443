import { describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { edit as editSpace, createSpace as newSpace } from '../../support/content/edited-spaces.ts';
import { develop } from '../../support/integrations/event-receiver.ts';
import { install, publish } from '../../support/integrations/integrations.ts';
import { untilEventsSettle } from '../../support/jobs.ts';
import { developed, INSTALLATION, receiver, server, useReceivers } from './developed.ts';

type Schemas = components['schemas'];

const SPACES = `${INSTALLATION}/spaces` as const;
const SPACE = `${SPACES}/{installedSpaceId}` as const;
const SITES = `${INSTALLATION}/sites` as const;

const CHANNEL = {
  properties: { channel: { type: 'string' }, limit: { type: 'number', default: 5 } },
  required: ['channel'],
} satisfies Schemas['IntegrationSettings'];

useReceivers();

const settled = () => untilEventsSettle(server.database);
const inOrganization = () => ({ params: { path: { organizationId: server.organization } } });
const createSpace = () => newSpace(server.admin.client, server.organization);
const edit = (spaceId: string) => editSpace(server.admin.client, spaceId);
const createSite = async (spaces: string[]) =>
  (
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites', {
        ...inOrganization(),
        body: { title: 'Docs', spaces },
      }),
    )
  ).id;
const onSite = (siteId: string) => ({ params: { path: { organizationId: server.organization, siteId } } });

describe('an installation', () => {
  test('receives its creation and each change of its settings', async () => {
    const { id, path } = await developed({ configurations: { account: CHANNEL } });
    const update = (body: Schemas['InstallationPatch']) =>
      ok(server.admin.client.PATCH(INSTALLATION, { ...path, body }));
    await update({ configuration: { channel: 'docs' } });
    await update({ externalIds: ['customer'] });
    await update({ status: 'paused' });
    await update({ status: 'paused' });
    await settled();
    const event = { type: 'installation_setup', installationId: id, eventId: expect.any(String) };
    expect(receiver.received.map(({ payload }) => payload)).toEqual([
      { ...event, status: 'pending' },
      {
        ...event,
        status: 'active',
        previous: { status: 'pending', configuration: { limit: 5 } },
      },
      {
        ...event,
        status: 'paused',
        previous: { status: 'active', configuration: { channel: 'docs', limit: 5 } },
      },
    ]);
    expect(receiver.received[1]?.environment).toMatchObject({
      installation: { id, configuration: { channel: 'docs' } },
    });
  });

  test('receives that it was installed on spaces and sites, and removed from them', async () => {
    const { name, id, path } = await developed({ configurations: { space: CHANNEL } });
    const { client } = server.admin;
    const spaceId = await createSpace();
    const siteId = await createSite([spaceId]);
    await ok(client.POST(SPACES, { ...path, body: { space: spaceId } }));
    const onSpace = { params: { path: { ...path.params.path, installedSpaceId: spaceId } } };
    await ok(client.PATCH(SPACE, { ...onSpace, body: { configuration: { channel: 'a' } } }));
    await client.DELETE(SPACE, onSpace);
    await ok(client.POST(SITES, { ...path, body: { site: siteId } }));
    await client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}', onSite(siteId));
    await settled();
    const event = { installationId: id, eventId: expect.any(String) };
    expect(receiver.received.slice(1).map(({ payload }) => payload)).toEqual([
      { ...event, type: 'space_installation_setup', spaceId, status: 'pending' },
      {
        ...event,
        type: 'space_installation_setup',
        spaceId,
        status: 'active',
        previous: { status: 'pending', configuration: { limit: 5 } },
      },
      {
        ...event,
        type: 'space_installation_deleted',
        spaceId,
        previous: { configuration: { channel: 'a', limit: 5 } },
      },
      { ...event, type: 'site_installation_setup', siteId, status: 'active' },
      { ...event, type: 'site_installation_deleted', siteId, previous: { configuration: {} } },
    ]);
    expect(name).toBeTruthy();
  });

  test('receives that its spaces were transferred, alone and with their collection', async () => {
    const { id, path } = await developed({});
    const { client } = server.admin;
    const organization = (await ok(client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }))).id;
    const { params } = inOrganization();
    const collection = await ok(
      client.POST('/v1/orgs/{organizationId}/collections', { params, body: { title: 'Guides' } }),
    );
    const [alone, within] = [
      await createSpace(),
      (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: { parent: collection.id } })))
        .id,
    ];
    for (const space of [alone, within]) {
      await ok(client.POST(SPACES, { ...path, body: { space } }));
    }
    await ok(
      client.POST('/v1/spaces/{spaceId}/transfer', {
        params: { path: { spaceId: alone } },
        body: { organization },
      }),
    );
    await ok(
      client.POST('/v1/collections/{collectionId}/transfer', {
        params: { path: { collectionId: collection.id } },
        body: { organization },
      }),
    );
    await settled();
    const removed = receiver.of('space_installation_deleted');
    expect(removed).toMatchObject([
      { installationId: id, spaceId: alone },
      { installationId: id, spaceId: within },
    ]);
    const back = { params: { path: { spaceId: alone } }, body: { organization: server.organization } };
    await ok(client.POST('/v1/spaces/{spaceId}/transfer', back));
    expect((await ok(client.GET(SPACES, path))).items).toEqual([]);
  });

  test('receives its removal, after that from its spaces, but no earlier event about content', async () => {
    const { id, path } = await developed({
      scopes: ['space:content:read'],
      configurations: { account: CHANNEL },
    });
    const { client } = server.admin;
    const spaceId = await createSpace();
    await ok(client.PATCH(INSTALLATION, { ...path, body: { configuration: { channel: 'docs' } } }));
    await ok(client.POST(SPACES, { ...path, body: { space: spaceId } }));
    await settled();
    const answered = Promise.withResolvers<number>();
    receiver.answer = () => answered.promise;
    await edit(spaceId);
    await edit(spaceId);
    await vi.waitUntil(() => receiver.of('space_content_updated').length > 0, { timeout: 60_000 });
    receiver.answer = () => 200;
    await client.DELETE(INSTALLATION, path);
    answered.resolve(200);
    await settled();
    expect(receiver.of('space_content_updated')).toHaveLength(1);
    const last = receiver.received.slice(-2);
    expect(last.map(({ payload }) => payload)).toMatchObject([
      { type: 'space_installation_deleted', spaceId, previous: { configuration: {} } },
      {
        type: 'installation_deleted',
        installationId: id,
        previous: { configuration: { channel: 'docs', limit: 5 } },
      },
    ]);
    expect(last[1]?.environment.installation).toBeUndefined();
  });
});

describe('the content of a space', () => {
  test('is reported to installations with the scope, in order', async () => {
    const { id } = await developed({ scopes: ['space:content:read'] });
    const { id: unscoped } = await developed({ scopes: ['space:metadata:read'] });
    const spaceId = await createSpace();
    const revisions = [await edit(spaceId), await edit(spaceId), await edit(spaceId)];
    await settled();
    const events = receiver.of('space_content_updated').filter((event) => event.spaceId === spaceId);
    expect(events.filter(({ installationId }) => installationId === id)).toEqual(
      revisions.map((revisionId) => ({
        type: 'space_content_updated',
        eventId: expect.any(String),
        installationId: id,
        spaceId,
        revisionId,
        updatedBy: [expect.objectContaining({ object: 'user', id: server.admin.id })],
      })),
    );
    expect(events.filter(({ installationId }) => installationId === unscoped)).toEqual([]);
  });

  test('is not reported to installations that are paused, pending or installed on other spaces', async () => {
    const scopes = ['space:content:read' as const];
    const { client } = server.admin;
    const paused = await developed({ scopes });
    await ok(client.PATCH(INSTALLATION, { ...paused.path, body: { status: 'paused' } }));
    await developed({ scopes, configurations: { account: CHANNEL } });
    const selective = await developed({ scopes });
    await ok(client.PATCH(INSTALLATION, { ...selective.path, body: { space_selection: 'selected' } }));
    const [spaceId, pausedOn, other] = [await createSpace(), await createSpace(), await createSpace()];
    for (const space of [spaceId, pausedOn]) {
      await ok(client.POST(SPACES, { ...selective.path, body: { space } }));
    }
    const onSpace = { params: { path: { ...selective.path.params.path, installedSpaceId: pausedOn } } };
    await ok(client.PATCH(SPACE, { ...onSpace, body: { status: 'paused' } }));
    await settled();
    for (const space of [pausedOn, other, spaceId]) {
      await edit(space);
    }
    await settled();
    expect(receiver.of('space_content_updated')).toMatchObject([{ installationId: selective.id, spaceId }]);
  });

  test('is reported to one organization only', async () => {
    const other = await server.person('Neighbor');
    const organization = (await ok(other.client.POST('/v1/orgs', { body: { title: 'Next door' } }))).id;
    const name = 'events-next-door';
    await ok(publish(other, name, { organization, scopes: ['space:content:read'] }));
    await develop(other, name, receiver.url, true);
    await install(other, name, organization);
    await edit(await createSpace());
    await settled();
    expect(receiver.of('space_content_updated')).toEqual([]);
    expect(receiver.of('installation_setup')).toHaveLength(1);
  });
});

describe('the visibility of a space', () => {
  test('is reported when its sites and its placement change', async () => {
    await developed({ scopes: ['space:metadata:read'] });
    const { client } = server.admin;
    const [spaceId, other] = [await createSpace(), await createSpace()];
    const { id: parent } = await ok(
      client.POST('/v1/orgs/{organizationId}/collections', { ...inOrganization(), body: {} }),
    );
    const siteId = await createSite([spaceId, other]);
    const site = onSite(siteId);
    const Site = '/v1/orgs/{organizationId}/sites/{siteId}';
    await ok(client.POST(`${Site}/publish`, site));
    await ok(client.POST(`${Site}/publish`, site));
    await ok(client.PATCH(Site, { ...site, body: { title: 'Renamed' } }));
    await ok(client.PATCH(Site, { ...site, body: { visibility: 'unlisted' } }));
    const { items } = await ok(client.GET(`${Site}/site-spaces`, site));
    const shown = items.find(({ space }) => space.id === spaceId)?.id ?? '';
    await client.DELETE(`${Site}/site-spaces/{siteSpaceId}`, {
      params: { path: { ...site.params.path, siteSpaceId: shown } },
    });
    await ok(client.POST('/v1/spaces/{spaceId}/move', { params: { path: { spaceId } }, body: { parent } }));
    await client.DELETE('/v1/collections/{collectionId}', { params: { path: { collectionId: parent } } });
    await client.DELETE(Site, site);
    await settled();
    const changes = receiver
      .of('space_visibility_updated')
      .map(({ spaceId: id, previousVisibility, visibility }) => [id, previousVisibility, visibility]);
    expect(changes.filter(([id]) => id === spaceId)).toEqual([
      [spaceId, 'private', 'public'],
      [spaceId, 'public', 'unlisted'],
      [spaceId, 'unlisted', 'private'],
      [spaceId, 'private', 'in-collection'],
      [spaceId, 'in-collection', 'private'],
    ]);
    expect(changes.filter(([id]) => id === other)).toEqual([
      [other, 'private', 'public'],
      [other, 'public', 'unlisted'],
      [other, 'unlisted', 'private'],
    ]);
  });
});
