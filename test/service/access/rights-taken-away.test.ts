import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { createSession, SESSION_COOKIE } from '../../../server/identity/sessions.ts';
import { createSpecification, waitUntilProcessed } from '../../support/content/specifications.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { png } from '../../support/pdf/pngs.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';
import { spaceFrom } from '../../support/sites/published-site.ts';
import { VisitedSite } from '../../support/sites/visited-sites.ts';

let server: TestServer;
let git: GitServer;
let space: string;
let changeRequest: string;
let file: string;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const imported = await spaceFrom(server, git, 'Guide', {
    'README.md': '# Guide\n\nZebracrossing ![](plan.png)\n',
    'deep.md': '# Deep\n\nZebracrossing\n',
    'plan.png': png(20, 10),
    'SUMMARY.md': '* [Guide](README.md)\n* [Deep](deep.md)\n',
  });
  space = imported.space.id;
  const path = { spaceId: space };
  const { client } = server.admin;
  changeRequest = (
    await ok(client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path }, body: {} }))
  ).id;
  const files = await ok(client.GET('/v1/spaces/{spaceId}/content/files', { params: { path } }));
  file = files.items[0]?.id ?? '';
  await createSpecification(server.admin, server.organization, 'pets', {
    text: '{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": {}}',
  });
  await waitUntilProcessed(server.admin, server.organization, 'pets');
});
afterAll(() => Promise.all([server.stop(), git.close()]));

/** Something that is read repeatedly: an address with the headers of its reader. */
interface Address {
  name: string;
  url: string;
  headers?: Record<string, string>;
}

/** Reads an address, with the tag of an earlier response if there is one. */
async function read({ url, headers }: Address, tag?: string) {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { ...headers, ...(tag !== undefined && { 'If-None-Match': tag }) },
  });
  await response.arrayBuffer();
  return { status: response.status, tag: response.headers.get('etag') ?? undefined };
}

/**
 * Reads all addresses twice, so that everything is cached that can be, takes the right away, and expects that nothing
 * is returned afterwards, also not that a response is unchanged.
 */
async function expectLoss(addresses: readonly Address[], takeAway: () => Promise<unknown>): Promise<void> {
  const tags = new Map<string, string | undefined>();
  for (const address of addresses) {
    const first = await read(address);
    const again = await read(address, first.tag);
    expect([address.name, first.status]).toEqual([address.name, 200]);
    expect([address.name, again.status]).toEqual([address.name, expect.toSatisfy((status) => status < 400)]);
    tags.set(address.name, first.tag);
  }
  await takeAway();
  for (const address of addresses) {
    for (const tag of [undefined, tags.get(address.name)]) {
      const { status } = await read(address, tag);
      expect([address.name, status]).toEqual([address.name, expect.toSatisfy(isRefusal)]);
    }
  }
}

const isRefusal = (status: number) => [401, 403, 404].includes(status);

/** Sends a request of the API. */
const request = async ({ token }: Person, path: string) => {
  const response = await fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  // The caller names a field that the operation returns.
  return (await response.json()) as Record<string, string>;
};

/** The signed addresses of a reader: whoever has them needs no token. */
async function signedAddresses(reader: Person): Promise<Address[]> {
  const content = `/v1/spaces/${space}`;
  const { downloadURL = '' } = await request(reader, `${content}/content/files/${file}`);
  const { url: pdf = '' } = await request(reader, `${content}/change-requests/${changeRequest}/pdf`);
  return [
    { name: 'file', url: downloadURL },
    { name: 'PDF', url: pdf },
  ];
}

const specAddress = async (reader: Person): Promise<Address> => {
  const path = `/v1/orgs/${server.organization}/openapi/pets/versions/latest`;
  return { name: 'version of a specification', url: (await request(reader, path)).url ?? '' };
};

/** Addresses of the API with cached counts, pages or matches, and a further page of a list. */
async function cachedAddresses(reader: Person): Promise<Address[]> {
  // A guest remains one without a grant.
  const isGuest = reader.id === guest.id;
  const headers = { Authorization: `Bearer ${reader.token}` };
  const at = (name: string, path: string): Address => ({ name, url: `${server.url}${path}`, headers });
  const organization = `/v1/orgs/${server.organization}`;
  const members = await ok(
    reader.client.GET('/v1/orgs/{organizationId}/members', {
      params: { path: { organizationId: server.organization }, query: { limit: 1 } },
    }),
  );
  return [
    at('content', `/v1/spaces/${space}/content`),
    at('search in a space', `/v1/spaces/${space}/search?query=zebracrossing`),
    at('list', `/v1/spaces/${space}/content/files?limit=1`),
    at('links', `/v1/spaces/${space}/links?limit=1`),
    at('change requests', `/v1/spaces/${space}/change-requests?limit=1`),
    ...(isGuest
      ? []
      : [
          at('search in the organization', `${organization}/search?query=zebracrossing`),
          at('members by name', `${organization}/members?search=member&limit=1`),
          at('teams by title', `${organization}/teams?title=writers`),
          at('second page of members', `${organization}/members?limit=1&page=${members.next?.page}`),
          at('spaces', `${organization}/spaces?limit=1`),
        ]),
  ];
}

let guest: Person;
beforeAll(async () => {
  guest = await server.member('Guest', null);
});

const grant = () =>
  ok(
    server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
      params: { path: { spaceId: space } },
      body: { role: 'read', users: [guest.id] },
    }),
  );

describe('a caller receives nothing', () => {
  test('after a membership has ended', async () => {
    const member = await server.member('Member', 'read');
    const path = { organizationId: server.organization, userId: member.id };
    await expectLoss(
      [...(await signedAddresses(member)), await specAddress(member), ...(await cachedAddresses(member))],
      () =>
        ok(server.admin.client.DELETE('/v1/orgs/{organizationId}/members/{userId}', { params: { path } })),
    );
  });

  test('while a membership is disabled', async () => {
    const member = await server.member('Disabled', 'read');
    const addresses = [
      ...(await signedAddresses(member)),
      await specAddress(member),
      ...(await cachedAddresses(member)),
    ];
    const setDisabled = (disabled: 0 | 1) =>
      server.database.query.updateTable('members').set({ disabled }).where('user', '=', member.id).execute();
    await expectLoss(addresses, () => setDisabled(1));
    await setDisabled(0);
    for (const address of addresses) {
      expect([address.name, (await read(address)).status]).toEqual([address.name, 200]);
    }
  });

  test('after a grant is revoked', async () => {
    await grant();
    const path = { spaceId: space, userId: guest.id };
    await expectLoss([...(await signedAddresses(guest)), ...(await cachedAddresses(guest))], () =>
      ok(server.admin.client.DELETE('/v1/spaces/{spaceId}/permissions/users/{userId}', { params: { path } })),
    );
  });

  test('from the address that another reader has', async () => {
    await grant();
    const [theirs, own] = [await signedAddresses(guest), await signedAddresses(server.admin)];
    for (const [index, { name, url }] of theirs.entries()) {
      const mixed = new URL(own[index]?.url ?? '');
      mixed.searchParams.set('reader', guest.id);
      expect([name, (await read({ name, url })).status]).toEqual([name, 200]);
      expect([name, (await read({ name, url: mixed.href })).status]).toEqual([name, 404]);
    }
  });
});

/** All kinds of addresses of a site, as a visitor reads them. */
async function siteAddresses(site: VisitedSite, headers: Record<string, string>): Promise<Address[]> {
  const { urls } = await site.update({});
  const { items } = await ok(
    server.admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
      params: { path: site.path },
    }),
  );
  const siteSpace = items[0]?.id;
  const paths = [
    '',
    '/deep',
    '/deep.md',
    '/llms.txt',
    '/~search?q=zebracrossing',
    '/~search.json?q=zebracrossing',
    `/~files/${siteSpace}/${file}/plan.png`,
    `/~pdf/${siteSpace}`,
  ];
  return paths.map((path) => ({ name: path, url: `${urls.published}${path}`, headers }));
}

describe('a visitor receives nothing', () => {
  const visit = (visibility: 'share-link' | 'visitor-auth' | 'public') =>
    VisitedSite.create(server, { title: `Visited ${visibility}`, visibility, spaces: [space] });

  test('after the share link is deactivated', async () => {
    const site = await visit('share-link');
    const link = await site.createShareLink();
    const headers = { Cookie: `colophon-share-key=${link.shareKey}` };
    await expectLoss(await siteAddresses(site, headers), () =>
      site.updateShareLink(link.id, { active: false }),
    );
  });

  test('after the signing key is replaced', async () => {
    const site = await visit('visitor-auth');
    const headers = { Authorization: `Bearer ${await site.visitorToken()}` };
    await expectLoss(await siteAddresses(site, headers), () => site.regenerateSigningKey());
  });

  test('after the site is unpublished', async () => {
    const site = await visit('public');
    await expectLoss(await siteAddresses(site, {}), () =>
      ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', {
          params: { path: site.path },
        }),
      ),
    );
  });

  test('after a public site is restricted', async () => {
    const site = await visit('public');
    await expectLoss(await siteAddresses(site, {}), () => site.update({ visibility: 'share-link' }));
  });

  test('after the space is no longer in the site', async () => {
    const site = await visit('public');
    const { id: other } = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization } },
        body: { title: 'Other' },
      }),
    );
    const path = site.path;
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
        params: { path },
        body: { spaceId: other },
      }),
    );
    const addresses = await siteAddresses(site, {});
    const { items } = await ok(
      server.admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', { params: { path } }),
    );
    // The site itself, its search and its list of pages remain.
    const own = addresses.filter(({ name }) => !/^$|search|llms/.test(name));
    await expectLoss(own, () =>
      ok(
        server.admin.client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}', {
          params: { path: { ...path, siteSpaceId: items[0]?.id ?? '' } },
        }),
      ),
    );
  });

  test('after the membership of a session is disabled', async () => {
    const site = await visit('share-link');
    const { organization } = server;
    const member = await server.member('Signed in', 'read');
    const { id: samlProvider } = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/saml', {
        params: { path: { organizationId: organization } },
        body: { label: 'Identity provider' },
      }),
    );
    const session = { user: member.id, organization, samlProvider, now: new Date() };
    const { secret } = await server.database.transaction((trx) => createSession(trx, session));
    const headers = { Cookie: `${SESSION_COOKIE}=${secret}` };
    await expectLoss(await siteAddresses(site, headers), () =>
      server.database.query
        .updateTable('members')
        .set({ disabled: 1 })
        .where('user', '=', member.id)
        .execute(),
    );
  });
});

test('everyone loses the files and PDFs of a deleted space', async () => {
  await expectLoss(await signedAddresses(server.admin), () =>
    ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } })),
  );
});
