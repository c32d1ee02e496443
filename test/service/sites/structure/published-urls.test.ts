import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { REPLACED_REVISION_MS } from '../../../../server/platform/content/revisions/queries.ts';
import { edit } from '../../../support/content/edited-spaces.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { png } from '../../../support/pdf/pngs.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { TestSite } from '../../../support/sites/site-structure.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

type Schemas = components['schemas'];
type Content = Schemas['PublishedUrlContent'];

let server: TestServer;
let git: GitServer;
let site: VisitedSite;
let url: string;
let guide: Schemas['Space'];
let beta: Schemas['Space'];
let unpublished: Schemas['Space'];

const FILES = {
  'README.md': '# Guide\n\nSee [setup](setup.md) and ![](plan.png).\n',
  'setup.md': '# Setup\n\nVersion {{ space.vars.version }}.\n\n{% include ".gitbook/includes/note.md" %}\n',
  'plan.png': png(20, 10),
  '.gitbook/vars.yaml': 'version: "7"\n',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nA **reused** note.\n',
  'SUMMARY.md': '* [Guide](README.md)\n* [Setup](setup.md)\n',
};

beforeAll(async () => {
  server = await startTestServer();
  git = await startGitServer();
  guide = (await spaceFrom(server, git, 'Guide', FILES)).space;
  const variant = (await spaceFrom(server, git, 'Guide v1', FILES)).space;
  beta = (await spaceFrom(server, git, 'Beta', FILES)).space;
  unpublished = (await spaceFrom(server, git, 'Private', FILES)).space;
  site = await VisitedSite.create(server, { title: 'Acme', spaces: [guide.id, variant.id] });
  const structure = new TestSite(server, site.id);
  const { client } = server.admin;
  const section = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
      ...structure.path({}),
      body: { spaceId: beta.id, title: 'Beta' },
    }),
  );
  await site.setAdaptiveSchema();
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
      ...structure.path({ siteSectionId: section.id }),
      body: { condition: 'visitor.claims.beta == true' },
    }),
  );
  url = (await site.publish()).urls.published ?? '';
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

const anyone = () => server.as();
const request = (body: Schemas['PublishedUrlRequest'], client = anyone()) =>
  client.POST('/v1/urls/published', { body });

/** Resolves a URL of content for a visitor. */
async function resolve(path: string, visitor: Schemas['PublishedUrlVisitor'] = {}): Promise<Content> {
  const result = await ok(request({ url: `${url}${path}`, visitor }));
  expect(result).not.toHaveProperty('redirect');
  // Only redirects have no token, so that this one is content.
  return result as Content;
}

const reading = (content: Content) => ({
  client: server.as(content.apiToken),
  site: { params: { path: { organizationId: content.organization, siteId: content.site } } },
  space: { params: { path: { spaceId: content.space } } },
});

describe('a URL of published content', () => {
  test.each([
    '',
    '/setup',
    '/guide-v1',
    '/guide-v1/setup',
    '/guide',
    '/guide/setup',
    '/setup?x=1',
    '/no-such-page',
    '/beta',
  ])('leads to what the published site shows at "%s"', async (path) => {
    const served = await fetch(`${url}${path}`, { redirect: 'manual' });
    const result = await ok(request({ url: `${url}${path}` }));
    if (served.status === 308) {
      expect(result).toMatchObject({
        target: 'content',
        redirect: new URL(served.headers.get('location') ?? '', url).href,
      });
      return;
    }
    const content = await resolve(path);
    const { client, space } = reading(content);
    const read = await ok(client.GET('/v1/spaces/{spaceId}', space));
    const page = await client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}', {
      params: {
        path: { ...space.params.path, revisionId: read.revision, pagePath: content.pathname || 'x' },
      },
    });
    expect(content.canonicalUrl).toBe(`${url}${path}`.split('?')[0]);
    expect([path, content.pathname === '' ? 200 : page.response.status]).toEqual([path, served.status]);
  });

  test('has the paths of its site and its site space', async () => {
    const base = new URL(url).pathname;
    expect(await resolve('/guide-v1/setup')).toMatchObject({
      site: site.id,
      organization: server.organization,
      siteBasePath: `${base}/`,
      basePath: `${base}/guide-v1/`,
      pathname: 'setup',
      complete: true,
    });
    expect(await resolve('')).toMatchObject({ basePath: `${base}/`, pathname: '', complete: false });
    expect(await resolve('/guide-v1')).toMatchObject({ complete: true });
  });

  test('does not exist elsewhere', async () => {
    for (const elsewhere of [
      'https://other.example.com/setup',
      new URL('/sites/none/none', url).href,
      new URL('/v1/user', url).href,
    ]) {
      expect([elsewhere, (await request({ url: elsewhere })).response.status]).toEqual([elsewhere, 404]);
    }
  });

  test('is that of the proxy in front of the site, too', async () => {
    await site.update({ proxy: 'www.example.com/help/acme' });
    const content = await ok(request({ url: 'https://www.example.com/help/acme/setup' }));
    expect(content).toMatchObject({
      siteBasePath: '/help/acme/',
      pathname: 'setup',
      canonicalUrl: 'https://www.example.com/help/acme/setup',
    });
    await site.update({ proxy: null });
  });
});

describe('a site token', () => {
  test('reads the site, its spaces and their content, and nothing else', async () => {
    const content = await resolve('/setup');
    const { client, site: ofSite, space } = reading(content);
    const published = await ok(client.GET('/v1/orgs/{organizationId}/sites/{siteId}/published', ofSite));
    expect(Object.keys(published.customizations.siteSpaces)).toContain(content.siteSpace);
    const { revision } = await ok(client.GET('/v1/spaces/{spaceId}', space));
    const path = { spaceId: content.space, revisionId: revision };
    const whole = await ok(client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', { params: { path } }));
    expect(whole).not.toHaveProperty('git');
    const [file] = whole.files;
    expect((await fetch(file?.downloadURL ?? '')).status).toBe(200);
    const page = await ok(
      client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}', {
        params: { path: { ...path, pagePath: 'setup' }, query: { format: 'markdown' } },
      }),
    );
    expect(page).toMatchObject({ title: 'Setup', markdown: expect.stringContaining('Version') });
    const others = [
      client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: unpublished.id } } }),
      client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', {
        params: { path: { spaceId: unpublished.id, revisionId: unpublished.revision } },
      }),
      client.GET('/v1/spaces/{spaceId}/content', space),
      client.GET('/v1/spaces/{spaceId}/change-requests', space),
      client.GET('/v1/orgs/{organizationId}', {
        params: { path: { organizationId: server.organization } },
      }),
      client.PATCH('/v1/spaces/{spaceId}', { ...space, body: { title: 'Mine' } }),
      client.GET('/v1/user'),
    ];
    for (const { response } of await Promise.all(others)) {
      expect([response.url, response.status]).toEqual([response.url, 401]);
    }
  });

  test('reads documents, with the reusable content that they include', async () => {
    const content = await resolve('/setup');
    const { client } = reading(content);
    const path = { spaceId: content.space, revisionId: guide.revision };
    const page = await ok(
      client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}', {
        params: { path: { ...path, pagePath: 'setup' } },
      }),
    );
    const read = async (query: { evaluated?: 'deterministic-only'; dereferenced?: 'reusable-contents' }) =>
      JSON.stringify(
        await ok(
          client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document', {
            params: { path: { ...path, pageId: page.id }, query },
          }),
        ),
      );
    const plain = await read({});
    expect(plain).toContain('space.vars.version');
    expect(plain).toContain('"reusable-content"');
    const whole = await read({ evaluated: 'deterministic-only', dereferenced: 'reusable-contents' });
    expect(whole).toContain('Version 7.');
    expect(whole).toContain('reused');
    expect(whole).not.toContain('"reusable-content"');
    const { reusableContents } = await ok(
      client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', { params: { path } }),
    );
    const note = await ok(
      client.GET(
        '/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document',
        {
          params: { path: { ...path, reusableContentId: reusableContents[0]?.id ?? '' } },
        },
      ),
    );
    expect(JSON.stringify(note)).toContain('reused');
  });

  test('states what the visitor sees, and reads only that', async () => {
    const jwtToken = await site.visitorToken({ beta: true });
    const selected = await resolve('/beta', { jwtToken });
    expect(selected.space).toBe(beta.id);
    const everyone = await resolve('');
    expect(selected.contextId).not.toBe(everyone.contextId);
    const params = { path: { spaceId: beta.id } };
    const status = async ({ apiToken }: Content) =>
      (await server.as(apiToken).GET('/v1/spaces/{spaceId}', { params })).response.status;
    expect(await status(selected)).toBe(200);
    expect(await status(everyone)).toBe(404);
    const [, payload = ''] = selected.apiToken.split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      kind: 'site',
      site: site.id,
      siteSpace: selected.siteSpace,
      claims: { beta: true },
    });
  });

  test('is the same until the content changes, so that it identifies what is cached', async () => {
    const [first, second] = [await resolve(''), await resolve('')];
    expect(second.apiToken).toBe(first.apiToken);
    await edit(server.admin.client, first.space);
    expect((await resolve('')).apiToken).not.toBe(first.apiToken);
  });

  test('reads a replaced revision for a short time, and no earlier one', async () => {
    const content = await resolve('');
    const { client, space } = reading(content);
    const { revision: before } = await ok(client.GET('/v1/spaces/{spaceId}', space));
    const current = await edit(server.admin.client, content.space);
    const read = async (revisionId: string) =>
      await client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', {
        params: { path: { spaceId: content.space, revisionId } },
      });
    expect((await read(before)).response.status).toBe(200);
    expect((await read(guide.revision)).response.status).toBe(404);
    // Members see the merged change request, visitors do not.
    const { data } = await read(current);
    expect(data?.type).toBe('edits');
    expect(data).not.toHaveProperty('mergedFrom');
    const earlier = new Date(Date.now() - REPLACED_REVISION_MS - 1000).toISOString();
    await server.database.query
      .updateTable('revisions')
      .set({ createdAt: earlier })
      .where('id', '=', current)
      .execute();
    expect((await read(before)).response.status).toBe(404);
  });

  test('ends with the visibility, the key and the publication of its site', async () => {
    const params = { path: site.path };
    const status = async ({ apiToken }: Content) =>
      (await server.as(apiToken).GET('/v1/orgs/{organizationId}/sites/{siteId}/published', { params }))
        .response.status;
    const open = await resolve('');
    expect(await status(open)).toBe(200);
    await site.update({ visibility: 'visitor-auth' });
    expect(await status(open)).toBe(401);
    const jwtToken = await site.visitorToken({});
    const restricted = await resolve('', { jwtToken });
    expect(await status(restricted)).toBe(200);
    await site.regenerateSigningKey();
    expect(await status(restricted)).toBe(401);
    await site.update({ visibility: 'public' });
    const again = await resolve('');
    const other = await VisitedSite.create(server, { title: 'Other', spaces: [guide.id] });
    await other.publish();
    const elsewhere = await server
      .as(again.apiToken)
      .GET('/v1/orgs/{organizationId}/sites/{siteId}/published', { params: { path: other.path } });
    expect(elsewhere.response.status).toBe(401);
  });

  test('cannot be signed with the key of the site for visitor tokens', async () => {
    const { apiToken } = await resolve('');
    const [header = '', payload = ''] = apiToken.split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: server.admin.id };
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', ...JSON.parse(Buffer.from(header, 'base64url').toString()) })
      .sign(new TextEncoder().encode(await site.signingKey()));
    for (const token of [forged, `${header}.${payload}.AAAA`]) {
      const { response } = await server
        .as(token)
        .GET('/v1/orgs/{organizationId}/sites/{siteId}/published', { params: { path: site.path } });
      expect(response.status).toBe(401);
    }
  });

  test('issues URLs of files that end with the publication of the site', async () => {
    const content = await resolve('');
    const { client, space } = reading(content);
    const { revision } = await ok(client.GET('/v1/spaces/{spaceId}', space));
    const path = { spaceId: content.space, revisionId: revision };
    const { files } = await ok(
      client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', { params: { path } }),
    );
    const address = files[0]?.downloadURL ?? '';
    expect((await fetch(address)).status).toBe(200);
    await site.unpublish();
    expect((await fetch(address)).status).toBe(404);
    await site.publish();
    expect((await fetch(address)).status).toBe(200);
    const other = await VisitedSite.create(server, { title: 'Elsewhere', spaces: [beta.id] });
    const moved = address.replace(encodeURIComponent(site.id), encodeURIComponent(other.id));
    expect(moved).not.toBe(address);
    expect((await fetch(moved)).status).toBe(404);
  });

  test('contains the share link that admits its visitor, and ends with it', async () => {
    await site.update({ visibility: 'share-link' });
    const { id, shareKey } = await site.createShareLink();
    expect((await request({ url })).response.status).toBe(404);
    const content = await resolve(`?shareKey=${shareKey}`);
    expect(content.shareKey).toBe(shareKey);
    const { client, space } = reading(content);
    expect((await client.GET('/v1/spaces/{spaceId}', space)).response.status).toBe(200);
    await site.updateShareLink(id, { active: false });
    expect((await client.GET('/v1/spaces/{spaceId}', space)).response.status).toBe(404);
    await site.update({ visibility: 'public' });
  });
});

describe('a visitor who is not admitted', () => {
  test('is redirected to where visitors sign in; a rejected token is an error unless requested otherwise', async () => {
    await site.update({ visibility: 'visitor-auth' });
    const target = `${url}/setup`;
    const signIn = await ok(request({ url: target }));
    expect(signIn).toMatchObject({ target: 'external', site: site.id });
    expect(signIn).toHaveProperty('redirect', expect.stringMatching(/\/~sign-in\?location=%2Fsetup$/));
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
        params: { path: site.path },
        body: { fallbackURL: 'https://login.example.com/start?a=1' },
      }),
    );
    const redirect = 'https://login.example.com/start?a=1&location=%2Fsetup';
    expect(await ok(request({ url: target }))).toMatchObject({ target: 'external', redirect });
    const visitor = { jwtToken: 'a.b.c' };
    expect((await request({ url: target, visitor })).response.status).toBe(401);
    expect(await ok(request({ url: target, visitor, redirectOnError: true }))).toMatchObject({ redirect });
    expect(
      await ok(request({ url: `${target}?visitorToken=${await site.visitorToken({})}` })),
    ).toHaveProperty('apiToken');
    // Members of the organization are admitted to every visibility.
    expect(await ok(request({ url: target }, server.admin.client))).toHaveProperty('apiToken');
    await site.update({ visibility: 'public' });
  });
});
