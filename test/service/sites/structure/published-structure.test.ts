// Runs on one engine: conditions are evaluated after the reads of visitors.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { type Person, startTestServer, type TestServer } from '../../../support/server.ts';
import { createSpace } from '../../../support/sites/site-structure.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

interface Credentials {
  client?: Person['client'];
  shareKey?: string;
}

const READS = ['', '/structure', '/sections', '/site-spaces'] as const;

/** Statuses of the four reads of a site: as published, its structure, sections and site spaces. */
async function statuses(site: VisitedSite, { token, shareKey }: { token?: string; shareKey?: string }) {
  const query = shareKey === undefined ? '' : `?shareKey=${shareKey}`;
  const base = `${server.url}/v1/orgs/${site.path.organizationId}/sites/${site.id}`;
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const results = READS.map((read) => fetch(`${base}${read || '/published'}${query}`, { headers }));
  return (await Promise.all(results)).map(({ status }) => status);
}

/** Titles of the sections that a reader sees, in each of the reads. */
async function sectionsSeen({ path }: VisitedSite, { client = server.as(), shareKey }: Credentials) {
  const init = { params: { path, query: shareKey === undefined ? {} : { shareKey } } };
  const root = '/v1/orgs/{organizationId}/sites/{siteId}';
  const [published, structure, sections, siteSpaces] = await Promise.all([
    ok(client.GET(`${root}/published`, init)),
    ok(client.GET(`${root}/structure`, init)),
    ok(client.GET(`${root}/sections`, init)),
    ok(client.GET(`${root}/site-spaces`, init)),
  ]);
  return { published, structure, sections, siteSpaces };
}

/** Creates a published site with the sections Guide, Beta and Internal. The last two have conditions. */
async function adaptiveSite(): Promise<VisitedSite> {
  const site = await VisitedSite.create(server, { spaces: [await createSpace(server, 'Guide')] });
  await site.setAdaptiveSchema();
  for (const [title, condition] of [
    ['Beta', 'visitor.claims.beta'],
    ['Internal', 'visitor.claims.member'],
  ] as const) {
    const created = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
        params: { path: site.path },
        body: { spaceId: await createSpace(server, title), title },
      }),
    );
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
        params: { path: { ...site.path, siteSectionId: created.id } },
        body: { condition },
      }),
    );
  }
  return site;
}

describe('the reads of a published site', () => {
  test('serve those whom its visibility admits', async () => {
    const reader = await server.member('Admitted.Reader', 'read');
    const outsider = await server.person('Admitted.Outsider');
    const spaces = [await createSpace(server, 'Guide')];
    const all = (status: number) => READS.map(() => status);
    for (const [visibility, anonymous, keyed, signed] of [
      ['public', 200, 200, 200],
      ['unlisted', 200, 200, 200],
      ['share-link', 401, 200, 404],
      ['visitor-auth', 401, 404, 200],
    ] as const) {
      const site = await VisitedSite.create(server, { visibility, spaces });
      const { shareKey } = await site.createShareLink();
      const token = await site.visitorToken();
      const seen = {
        anonymous: await statuses(site, {}),
        keyed: await statuses(site, { shareKey }),
        signed: await statuses(site, { token }),
        forged: await statuses(site, { token: `${token}x` }),
        outsider: await statuses(site, { token: outsider.token }),
        member: await statuses(site, { token: reader.token }),
      };
      expect({ visibility, ...seen }).toEqual({
        visibility,
        anonymous: all(anonymous),
        keyed: all(keyed),
        signed: all(signed),
        forged: all(401),
        outsider: all(anonymous === 401 ? 404 : 200),
        member: all(200),
      });
    }
  });

  test('serve only members while it is unpublished', async () => {
    const site = await VisitedSite.create(
      server,
      { spaces: [await createSpace(server, 'Guide')] },
      { isPublished: false },
    );
    expect(await statuses(site, {})).toEqual([401, 401, 401, 401]);
    expect(await statuses(site, { token: await site.visitorToken() })).toEqual([401, 401, 401, 401]);
    expect(await statuses(site, { shareKey: 'x' })).toEqual([404, 404, 404, 404]);
    expect(await statuses(site, { token: server.admin.token })).toEqual([404, 200, 200, 200]);
  });

  test('contain what the claims of the visitor include, without conditions', async () => {
    const site = await adaptiveSite();
    const token = await site.visitorToken({ beta: true });
    for (const [client, titles] of [
      [server.as(), ['Guide']],
      [server.as(token), ['Guide', 'Beta']],
    ] as const) {
      const { published, structure, sections, siteSpaces } = await sectionsSeen(site, { client });
      expect(sections.items.map(({ title }) => title)).toEqual(titles);
      expect(sections.count).toBe(titles.length);
      expect(siteSpaces.items.map(({ title }) => title)).toEqual(titles);
      expect(structure.structure).toEqual(sections.items);
      expect(published.structure).toEqual(structure);
      expect(published.site.siteSpaces).toBe(titles.length);
      expect(Object.values(published.site.permissions)).not.toContain(true);
      expect(JSON.stringify({ published, siteSpaces })).not.toContain('visitor.claims');
      expect(JSON.stringify({ published, siteSpaces })).not.toContain('Internal');
    }
  });

  test('contain published URLs with the secret of an active share link of the site, and with no other', async () => {
    const spaces = [await createSpace(server, 'Guide')];
    const site = await VisitedSite.create(server, { visibility: 'share-link', spaces });
    const body = { spaceId: await createSpace(server, 'API') };
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
        params: { path: site.path },
        body,
      }),
    );
    const other = await VisitedSite.create(server, { visibility: 'share-link', spaces });
    const [{ id, shareKey }, foreign] = [await site.createShareLink(), await other.createShareLink()];
    const base = `${server.url}/sites/${server.organization}/${site.id}`;
    const urlsWith = async (credentials: Credentials) => {
      const { published, structure, sections, siteSpaces } = await sectionsSeen(site, credentials);
      expect(published.structure).toEqual(structure);
      expect(structure.structure).toEqual(sections.items);
      return [published.site, ...sections.items, ...siteSpaces.items].map(({ urls }) => urls.published);
    };
    const urls = (query = '') => ['', '', '/api', '', '/api'].map((path) => `${base}${path}${query}`);
    const { client } = server.admin;
    expect(await urlsWith({ client, shareKey })).toEqual(urls(`?shareKey=${shareKey}`));
    expect(await urlsWith({ shareKey })).toEqual(urls(`?shareKey=${shareKey}`));
    expect(await urlsWith({ client, shareKey: foreign.shareKey })).toEqual(urls());
    expect(await urlsWith({ client })).toEqual(urls());
    await site.updateShareLink(id, { active: false });
    expect(await urlsWith({ client, shareKey })).toEqual(urls());
  });

  test('contain everything for members, who see the published site with their own claims', async () => {
    const site = await adaptiveSite();
    const { published, sections } = await sectionsSeen(site, server.admin);
    expect(sections.items.map(({ title }) => title)).toEqual(['Guide', 'Beta', 'Internal']);
    expect(sections.items[1]?.condition).toBe('visitor.claims.beta');
    expect(published.structure.structure).toMatchObject([{ title: 'Guide' }, { title: 'Internal' }]);
  });

  test('do not exist for a visitor who sees no section', async () => {
    const site = await adaptiveSite();
    const { items } = (await sectionsSeen(site, server.admin)).sections;
    const path = { ...site.path, siteSectionId: items[0]?.id ?? '' };
    const condition = 'visitor.claims.beta';
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
        params: { path },
        body: { condition },
      }),
    );
    expect(await statuses(site, { token: await site.visitorToken() })).toEqual([404, 404, 404, 404]);
  });

  test('elect another default for a visitor who does not see the default section', async () => {
    const site = await adaptiveSite();
    const { items } = (await sectionsSeen(site, server.admin)).sections;
    await site.update({ defaultSiteSection: items[1]?.id ?? '' });
    const { sections } = await sectionsSeen(site, {});
    expect(sections.items).toMatchObject([{ title: 'Guide', default: true }]);
  });

  test('reject conditions on unknown claims when they are written', async () => {
    const site = await adaptiveSite();
    const { items } = (await sectionsSeen(site, server.admin)).sections;
    const { response, error } = await server.admin.client.PATCH(
      '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}',
      {
        params: { path: { ...site.path, siteSectionId: items[0]?.id ?? '' } },
        body: { condition: 'visitor.claims.gamma' },
      },
    );
    expect(response.status).toBe(400);
    expect(error).toMatchObject({
      details: [{ path: 'condition', message: expect.stringContaining('visitor.claims.beta') }],
    });
  });
});
