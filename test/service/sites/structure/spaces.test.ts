import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { branch, edit, pageInsertion } from '../../../support/content/branches.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { createSpace, TestSite } from '../../../support/sites/site-structure.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const space = (title: string) => createSpace(server, title);
const at = (spaceId: string) => ({ params: { path: { spaceId } } });

describe('a space that is shown on sites', () => {
  test('leaves them when it is deleted, with its sections, and does not return when it is restored', async () => {
    const site = await TestSite.create(server);
    const [deleted, other] = [await space('Deleted'), await space('Other')];
    const section = await ok(site.addSection(deleted));
    await ok(site.addSection(other));
    await ok(site.addSpace(deleted, (await ok(site.addSection(await space('Third')))).id));
    const second = await TestSite.create(server, 'First');
    await ok(second.addSpace(deleted));
    await ok(site.update({ defaultSiteSection: section.id }));

    await server.admin.client.DELETE('/v1/spaces/{spaceId}', at(deleted));
    expect(await site.outline()).toEqual(['Other*/', '  Other*', 'Third/', '  Third']);
    expect(await second.outline()).toEqual(['First*']);
    await ok(server.admin.client.POST('/v1/spaces/{spaceId}/restore', at(deleted)));
    expect(await second.outline()).toEqual(['First*']);
  });

  test.each(['space', 'collection'] as const)('leaves them when its %s is transferred', async (kind) => {
    const site = await TestSite.create(server, 'Remaining');
    const moved = await space('Transferred');
    await ok(site.addSpace(moved));
    const { id: organization } = await ok(
      server.admin.client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }),
    );
    if (kind === 'space') {
      await ok(
        server.admin.client.POST('/v1/spaces/{spaceId}/transfer', { ...at(moved), body: { organization } }),
      );
    } else {
      const { id: collectionId } = await ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
          params: { path: { organizationId: server.organization } },
        }),
      );
      await ok(
        server.admin.client.POST('/v1/spaces/{spaceId}/move', {
          ...at(moved),
          body: { parent: collectionId },
        }),
      );
      await ok(
        server.admin.client.POST('/v1/collections/{collectionId}/transfer', {
          params: { path: { collectionId } },
          body: { organization },
        }),
      );
    }
    expect(await site.outline()).toEqual(['Remaining*']);
  });

  test('has the visibility and the URL of the published site with the widest audience', async () => {
    const shown = await space('Published');
    const read = async () => await ok(server.admin.client.GET('/v1/spaces/{spaceId}', at(shown)));
    const [unlisted, open] = [await TestSite.create(server, 'Guide'), await TestSite.create(server)];
    await ok(unlisted.update({ visibility: 'unlisted' }));
    await ok(unlisted.addSpace(shown));
    await ok(open.addSection(await space('Home')));
    const { path } = await ok(open.addSection(shown));
    expect(await read()).toMatchObject({ visibility: 'private' });

    const { urls } = await unlisted.publish();
    const onUnlisted = await read();
    expect([onUnlisted.visibility, onUnlisted.urls.published]).toEqual([
      'unlisted',
      `${urls.published}/published`,
    ]);
    expect(onUnlisted.urls.public).toBeUndefined();

    const published = await open.publish();
    const url = `${published.urls.published}/${path}`;
    const onBoth = await read();
    expect(onBoth).toMatchObject({ visibility: 'public', urls: { published: url, public: url } });
    const { structure } = await open.structure();
    expect(structure[1]).toMatchObject({ urls: { published: url }, siteSpaces: [{ space: onBoth }] });
  });

  test('has a current revision with the same URL, and earlier ones and drafts without it', async () => {
    const site = await TestSite.create(server);
    const shown = await space('Revised');
    await ok(site.addSpace(shown));
    const { client } = server.admin;
    const current = async () => await ok(client.GET('/v1/spaces/{spaceId}/content', at(shown)));
    const first = await current();
    expect(first.urls.published).toBeUndefined();
    await site.publish();
    const { urls } = await ok(client.GET('/v1/spaces/{spaceId}', at(shown)));
    const published = { published: urls.published, public: urls.public };
    expect((await current()).urls).toEqual({ ...first.urls, ...published });
    await ok(site.update({ visibility: 'unlisted' }));
    expect((await current()).urls).toEqual({ ...first.urls, published: urls.published });

    const body = { id: 'tpl_release_notes' };
    await ok(client.POST('/v1/spaces/{spaceId}/content/template', { ...at(shown), body }));
    const params = { path: { spaceId: shown, revisionId: first.id } };
    const earlier = await ok(client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', { params }));
    expect(earlier.urls).toEqual(first.urls);
    expect((await current()).urls).toMatchObject({ published: urls.published });
    const { id: changeRequestId } = await branch(client, shown);
    await edit(client, shown, changeRequestId, pageInsertion('Draft'));
    const draft = await ok(
      client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
        params: { path: { spaceId: shown, changeRequestId } },
      }),
    );
    expect(draft.urls.published).toBeUndefined();
  });

  test('must belong to the organization', async () => {
    const site = await TestSite.create(server);
    const { id: organizationId } = await ok(
      server.admin.client.POST('/v1/orgs', { body: { title: 'Another' } }),
    );
    const foreign = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } } }),
    );
    for (const result of [await site.addSpace(foreign.id), await site.addSection(foreign.id)]) {
      expect([result.response.status, result.error]).toMatchObject([400, { details: [{ path: 'spaceId' }] }]);
    }
  });
});

test('the default content of an organization is a site of it, until the site is deleted', async () => {
  const site = await TestSite.create(server);
  const params = { path: { organizationId: server.organization } };
  const set = (id: string) =>
    server.admin.client.PATCH('/v1/orgs/{organizationId}', {
      params,
      body: { defaultContent: { type: 'site', site: id } },
    });
  expect((await set('site_missing')).error).toMatchObject({ details: [{ path: 'defaultContent.site' }] });
  expect(await ok(set(site.id))).toMatchObject({ defaultContent: { type: 'site', site: site.id } });
  await server.admin.client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}', site.path({}));
  const organization = await ok(server.admin.client.GET('/v1/orgs/{organizationId}', { params }));
  expect(organization.defaultContent).toBeUndefined();
});
