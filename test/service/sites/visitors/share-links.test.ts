import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../../client/platform/index.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const list = async ({ path }: VisitedSite) => {
  const links = [];
  const pages = paginate(server.admin.client, '/v1/orgs/{organizationId}/sites/{siteId}/share-links', {
    params: { path, query: { limit: 2 } },
  });
  for await (const link of pages) {
    links.push(link);
  }
  return links;
};

const create = async ({ path }: VisitedSite, name: string, client = server.admin.client) =>
  await client.POST('/v1/orgs/{organizationId}/sites/{siteId}/share-links', {
    params: { path },
    body: { name },
  });

const remove = async ({ path }: VisitedSite, shareLinkId: string, client = server.admin.client) =>
  (
    await client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}', {
      params: { path: { ...path, shareLinkId } },
    })
  ).response.status;

describe('share links', () => {
  test('have a URL with a secret of their own while the site is published', async () => {
    const site = await VisitedSite.create(server, {}, { isPublished: false });
    const link = await ok(create(site, 'Reviewers'));
    expect(link).toMatchObject({ object: 'share-link', name: 'Reviewers', active: true });
    expect(link.urls).toEqual({
      location: `${server.url}/v1/orgs/${server.organization}/sites/${site.id}/share-links/${link.id}`,
    });
    await site.publish();
    const other = await ok(create(site, 'Partners'));
    const [first, second] = await list(site);
    expect(second).toEqual(other);
    const keys = [first, second].map((each) =>
      new URL(each?.urls.published ?? '').searchParams.get('shareKey'),
    );
    expect(keys[0]).toMatch(/^[\w-]{43}$/);
    expect(new Set(keys).size).toBe(2);
  });

  test('are listed page by page, renamed, deactivated and deleted', async () => {
    const site = await VisitedSite.create(server);
    const ids = [];
    for (const name of ['One', 'Two', 'Three']) {
      ids.push((await site.createShareLink(name)).id);
    }
    expect((await list(site)).map(({ id }) => id)).toEqual(ids);
    await site.updateShareLink(ids[1] ?? '', { name: 'Second', active: false });
    expect((await list(site))[1]).toMatchObject({ name: 'Second', active: false });
    expect(await remove(site, ids[0] ?? '')).toBe(204);
    expect(await remove(site, ids[0] ?? '')).toBe(204);
    expect((await list(site)).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  test('of another site do not exist', async () => {
    const [site, other] = [await VisitedSite.create(server), await VisitedSite.create(server)];
    const { id } = await other.createShareLink();
    expect(await remove(site, id)).toBe(204);
    const { response } = await server.admin.client.PATCH(
      '/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}',
      { params: { path: { ...site.path, shareLinkId: id } }, body: { active: false } },
    );
    expect(response.status).toBe(404);
    expect(await list(other)).toMatchObject([{ id, active: true }]);
  });

  test('are limited to 100 per site, also if they are created at once', async () => {
    const site = await VisitedSite.create(server);
    for (let count = 0; count < 95; count += 1) {
      await ok(create(site, `Link ${count}`));
    }
    const results = await Promise.all(Array.from({ length: 8 }, () => create(site, 'Another')));
    expect(results.map(({ response }) => response.status).sort()).toEqual([
      ...Array(5).fill(201),
      ...Array(3).fill(409),
    ]);
    expect(results.find(({ error }) => error)?.error).toMatchObject({ reason: 'share_link_limit_exceeded' });
    expect(await list(site)).toHaveLength(100);
  });

  test('are stored without their secrets, which audit events do not contain either', async () => {
    const site = await VisitedSite.create(server);
    const { id, shareKey } = await site.createShareLink();
    await site.updateShareLink(id, { active: false });
    const { query } = server.database;
    const rows = await query.selectFrom('shareLinks').selectAll().where('site', '=', site.id).execute();
    const events = await query.selectFrom('auditEvents').selectAll().where('resource', '=', id).execute();
    expect(events.map(({ action }) => action).sort()).toEqual(['share_link.changed', 'share_link.created']);
    expect(JSON.stringify([rows, events])).not.toContain(shareKey);
  });
});

describe('the signing key of a site', () => {
  test('is sealed at rest and replaced by regenerating it, which is recorded without the key', async () => {
    const site = await VisitedSite.create(server);
    const before = await site.signingKey();
    await site.regenerateSigningKey();
    const after = await site.signingKey();
    expect(after).not.toBe(before);
    const { query } = server.database;
    const rows = await query.selectFrom('sites').selectAll().where('id', '=', site.id).execute();
    const events = await query
      .selectFrom('auditEvents')
      .selectAll()
      .where('resource', '=', site.id)
      .execute();
    expect(events.map(({ action }) => action)).toContain('site.signing_key_regenerated');
    for (const key of [before, after]) {
      expect(JSON.stringify([rows, events])).not.toContain(key);
    }
  });

  test('has a fallback URL that can be set and removed', async () => {
    const { path } = await VisitedSite.create(server);
    const update = async (fallbackURL: string | null) =>
      await ok(
        server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
          params: { path },
          body: { fallbackURL },
        }),
      );
    const fallbackURL = 'https://accounts.example.com/login';
    expect(await update(fallbackURL)).toMatchObject({ fallbackURL });
    expect(await update(null)).not.toHaveProperty('fallbackURL');
  });
});

describe('subdomains', () => {
  const get = async (subdomain: string, client = server.admin.client) =>
    await client.GET('/v1/subdomains/{subdomain}', { params: { path: { subdomain } } });

  test('are the hostnames of organizations, for every user', async () => {
    const stranger = await server.person('Stranger');
    expect((await get('acme-docs', stranger.client)).response.status).toBe(404);
    const path = { organizationId: server.organization };
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}', {
        params: { path },
        body: { hostname: 'acme-docs' },
      }),
    );
    expect(await ok(get('acme-docs', stranger.client))).toEqual({
      object: 'subdomain',
      subdomain: 'acme-docs',
      target: { type: 'organization', organization: server.organization },
      isActive: false,
    });
    expect((await get('acme-docs', server.as())).response.status).toBe(401);
  });

  test('of one organization cannot be taken by another', async () => {
    const other = await server.person('Other');
    const { id } = await ok(other.client.POST('/v1/orgs', { body: { title: 'Other' } }));
    const { error, response } = await other.client.PATCH('/v1/orgs/{organizationId}', {
      params: { path: { organizationId: id } },
      body: { hostname: 'acme-docs' },
    });
    expect(response.status).toBe(409);
    expect(error).toMatchObject({ reason: 'hostname_taken' });
  });

  test('are active if sites are served at subdomains', async () => {
    const own = await startTestServer({ COLOPHON_SITES_DOMAIN: 'sites.example.com' });
    try {
      const path = { organizationId: own.organization };
      const body = { hostname: 'acme-docs' };
      await ok(own.admin.client.PATCH('/v1/orgs/{organizationId}', { params: { path }, body }));
      expect(await ok(get('acme-docs', own.admin.client))).toMatchObject({ isActive: true });
    } finally {
      await own.stop();
    }
  });
});
