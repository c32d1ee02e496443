// Runs on one engine: admission is decided after the reads of reading-visitors.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { createSession, SESSION_COOKIE } from '../../../../server/identity/sessions.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { png } from '../../../support/pdf/pngs.ts';
import { type Person, startTestServer, type TestServer } from '../../../support/server.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { signVisitorToken, VisitedSite } from '../../../support/sites/visited-sites.ts';

type Visibility = components['schemas']['SiteVisibility'];

/** What a visitor reads of a site with a guide for everyone, and a section for visitors with the claim `beta`. */
type Outcome = 'guide' | 'all' | 'nothing' | 'sign-in';

const VISIBILITIES = ['public', 'unlisted', 'share-link', 'visitor-auth'] as const satisfies Visibility[];

/** A visitor, and the outcome at each visibility in the order of `VISIBILITIES`. */
const TABLE = [
  ['nobody in particular', ['guide', 'guide', 'nothing', 'sign-in']],
  ['the share key of the site', ['guide', 'guide', 'guide', 'sign-in']],
  ['an inactive share key', ['guide', 'guide', 'nothing', 'sign-in']],
  ['the share key of another site', ['guide', 'guide', 'nothing', 'sign-in']],
  ['a visitor token', ['guide', 'guide', 'nothing', 'guide']],
  ['a visitor token with the claim', ['all', 'all', 'nothing', 'all']],
  ['the session of a visitor token with the claim', ['all', 'all', 'nothing', 'all']],
  ['a share key, and a visitor token with the claim', ['all', 'all', 'all', 'all']],
  ['a visitor token signed for another site', ['guide', 'guide', 'nothing', 'sign-in']],
  ['a visitor token that expired', ['guide', 'guide', 'nothing', 'sign-in']],
  ['the claim, stated by the browser', ['guide', 'guide', 'nothing', 'sign-in']],
  ['an access token of the API', ['guide', 'guide', 'nothing', 'sign-in']],
  ['the session of a member', ['guide', 'guide', 'guide', 'guide']],
  ['the claims of a ping of a member', ['guide', 'guide', 'guide', 'guide']],
  ['the session of a member in another organization', ['guide', 'guide', 'nothing', 'sign-in']],
  ['the claims of a ping of a guest who sees the guide', ['guide', 'guide', 'guide', 'guide']],
  ['the claims of a ping of another guest', ['guide', 'guide', 'nothing', 'sign-in']],
] as const satisfies [string, [Outcome, Outcome, Outcome, Outcome]][];

/** Nonces and IDs. */
const RANDOM_TEXTS = /nonce="[^"]*"|\b[a-z]+_[A-Za-z0-9]{20}\b/g;

type Visitor = (typeof TABLE)[number][0];

interface Place {
  site: VisitedSite;
  url: string;
  /** Headers by visitor. */
  headers: Record<Visitor, Record<string, string>>;
  guide: { siteSpace: string; file: string; page: string };
  beta: { section: string; siteSpace: string; file: string; page: string };
}

let server: TestServer;
let git: GitServer;
const places = new Map<Visibility, Place>();

beforeAll(async () => {
  server = await startTestServer();
  git = await startGitServer();
  const guide = await spaceFrom(server, git, 'Guide', {
    'README.md': '# Guide\n\nFor everyone. ![](plan.png)\n',
    'setup.md': '# Setup\n\nOpentext, then [Beta](https://example.com).\n',
    'plan.png': png(20, 10),
    '.gitbook.yaml': 'redirects:\n  old: ./setup.md\n',
    'SUMMARY.md': '* [Guide](README.md)\n* [Setup](setup.md)\n',
  });
  const beta = await spaceFrom(server, git, 'Prerelease', {
    'README.md': '# Prerelease\n\nSecrettext ![](plan.png)\n',
    'deep.md': '# Deepsecret\n',
    'plan.png': png(30, 10),
    '.gitbook.yaml': 'redirects:\n  old: ./deep.md\n',
    'SUMMARY.md': '* [Prerelease](README.md)\n* [Deepsecret](deep.md)\n',
  });
  const people = await peopleWith(guide.space.id);
  for (const visibility of VISIBILITIES) {
    places.set(visibility, await publish(visibility, [guide.space.id, beta.space.id], people));
  }
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

interface People {
  member: string;
  foreign: string;
  ping: { member: string; guest: string; other: string };
}

/** Creates members. One of them is a guest who sees a space. */
async function peopleWith(space: string): Promise<People> {
  const member = await server.member('Member', 'read');
  const guest = await server.member('Guest', null);
  await ok(
    server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
      params: { path: { spaceId: space } },
      body: { role: 'read', users: [guest.id] },
    }),
  );
  const other = await server.member('Other', null);
  const foreign = await server.member('In.Both', 'read');
  const elsewhere = await ok(foreign.client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }));
  const sessionOf = async (person: Person, organization: string, owner: Person) => {
    const provider = await ok(
      owner.client.POST('/v1/orgs/{organizationId}/saml', {
        params: { path: { organizationId: organization } },
        body: { label: 'Identity provider' },
      }),
    );
    const session = { user: person.id, organization, samlProvider: provider.id, now: new Date() };
    const { secret } = await server.database.transaction((trx) => createSession(trx, session));
    return `${SESSION_COOKIE}=${secret}`;
  };
  const pingOf = async ({ client }: Person) =>
    (
      await ok(
        client.POST('/v1/orgs/{organizationId}/ping', {
          params: { path: { organizationId: server.organization } },
        }),
      )
    ).serviceVisitorClaims ?? '';
  return {
    member: await sessionOf(member, server.organization, server.admin),
    foreign: await sessionOf(foreign, elsewhere.id, foreign),
    ping: { member: await pingOf(member), guest: await pingOf(guest), other: await pingOf(other) },
  };
}

/** Opens a site with a token in the address, and returns the cookie, if it has one. */
async function enter(url: string, token: string): Promise<string> {
  const { headers } = await fetch(`${url}?visitorToken=${token}`, { redirect: 'manual' });
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function publish(
  visibility: Visibility,
  [guide = '', beta = '']: string[],
  { member, foreign, ping }: People,
): Promise<Place> {
  const site = await VisitedSite.create(server, { visibility, spaces: [guide] });
  await site.setAdaptiveSchema();
  const { client } = server.admin;
  const created = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
      params: { path: site.path },
      body: { spaceId: beta, title: 'Prerelease' },
    }),
  );
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
      params: { path: { ...site.path, siteSectionId: created.id } },
      body: { condition: 'visitor.claims.beta' },
    }),
  );
  const other = await VisitedSite.create(server, { visibility: 'share-link' });
  const [active, inactive, foreignLink] = [
    await site.createShareLink(),
    await site.createShareLink(),
    await other.createShareLink(),
  ];
  await site.updateShareLink(inactive.id, { active: false });
  const key = (secret: string) => ({ Cookie: `colophon-share-key=${secret}` });
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const withClaim = await site.visitorToken({ beta: true });
  const expired = await site.visitorToken({ beta: true, exp: Math.floor(Date.now() / 1000) - 1 });
  const elsewhere = await signVisitorToken(await other.signingKey(), { beta: true });
  const url = (await site.publish()).urls.published ?? '';
  const headers: Place['headers'] = {
    'nobody in particular': {},
    'the share key of the site': key(active.shareKey),
    'an inactive share key': key(inactive.shareKey),
    'the share key of another site': key(foreignLink.shareKey),
    'a visitor token': bearer(await site.visitorToken()),
    'a visitor token with the claim': bearer(withClaim),
    'the session of a visitor token with the claim': { Cookie: await enter(url, withClaim) },
    'a share key, and a visitor token with the claim': { ...key(active.shareKey), ...bearer(withClaim) },
    'a visitor token signed for another site': bearer(elsewhere),
    'a visitor token that expired': bearer(expired),
    'the claim, stated by the browser': { Cookie: 'colophon-visitor-claims={"beta":true}' },
    'an access token of the API': bearer(server.admin.token),
    'the session of a member': { Cookie: member },
    'the claims of a ping of a member': bearer(ping.member),
    'the session of a member in another organization': { Cookie: foreign },
    'the claims of a ping of a guest who sees the guide': bearer(ping.guest),
    'the claims of a ping of another guest': bearer(ping.other),
  };
  const { items } = await ok(
    client.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', { params: { path: site.path } }),
  );
  const idsOf = async (space: string) => {
    const path = { spaceId: space };
    const files = await ok(client.GET('/v1/spaces/{spaceId}/content/files', { params: { path } }));
    const pages = await ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path } }));
    return {
      siteSpace: items.find((item) => item.space.id === space)?.id ?? '',
      file: files.items[0]?.id ?? '',
      page: pages.pages[1]?.id ?? '',
    };
  };
  return {
    site,
    url,
    headers,
    guide: await idsOf(guide),
    beta: { section: created.id, ...(await idsOf(beta)) },
  };
}

/** Every kind of address of a site, and its status for a visitor who reads the guide only, and everything. */
const addressesOf = (
  { guide, beta }: Place,
  visibility: Visibility,
): [kind: string, path: string, guide: number, all: number][] => [
  ['the first page', '', 200, 200],
  ['a page', '/setup', 200, 200],
  ['a page as Markdown', '/setup.md', 200, 200],
  ['a path with a slash at the end', '/setup/', 308, 308],
  ['a path with the default section', '/guide/setup', 308, 308],
  ['a path with the ID of a site space', `/${guide.siteSpace}/setup`, 308, 308],
  ['a redirect of the repository', '/old', 308, 308],
  ['a file', `/~files/${guide.siteSpace}/${guide.file}/plan.png`, 200, 200],
  ['a PDF of a page', `/~pdf/${guide.siteSpace}/${guide.page}`, 200, 200],
  ['a PDF of a space', `/~pdf/${guide.siteSpace}`, 200, 200],
  ['the results of a search', '/~search?q=opentext', 200, 200],
  ['a search as one types', '/~search.json?q=opentext', 200, 200],
  ['the index for agents', '/llms.txt', 200, 200],
  ['the rules for crawlers', '/robots.txt', 200, 200],
  ['the sitemap', '/sitemap.xml', visibility === 'public' ? 200 : 404, visibility === 'public' ? 200 : 404],
  ['a page that does not exist', '/missing', 404, 404],
  ['a script that does not exist', '/~scripts/x/y.js', 404, 404],
  ['a block that does not exist', `/~blocks/${guide.siteSpace}/${guide.page}/x`, 404, 404],
  ['the hidden section', '/prerelease', 404, 200],
  ['a page of the hidden section', '/prerelease/deep', 404, 200],
  ['a hidden page as Markdown', '/prerelease/deep.md', 404, 200],
  ['the ID of the hidden section', `/${beta.section}/deep`, 404, 308],
  ['a redirect in the hidden section', '/prerelease/old', 404, 308],
  ['a hidden file', `/~files/${beta.siteSpace}/${beta.file}/plan.png`, 404, 200],
  ['a hidden file at a visible space', `/~files/${guide.siteSpace}/${beta.file}/plan.png`, 404, 404],
  ['a PDF of a hidden page', `/~pdf/${beta.siteSpace}/${beta.page}`, 404, 200],
  ['a search for hidden text', '/~search?q=secrettext', 200, 200],
  ['a hidden search as one types', '/~search.json?q=secrettext', 200, 200],
  ['a block in a hidden page', `/~blocks/${beta.siteSpace}/${beta.page}/x`, 404, 404],
];

describe.each(VISIBILITIES)('at every kind of address of a site that is %s', (visibility) => {
  test.each(TABLE)('a visitor with %s reads what they may', async (visitor, outcomes) => {
    const place = places.get(visibility);
    if (!place) {
      throw new Error(`There is no site that is ${visibility}.`);
    }
    const outcome = outcomes[VISIBILITIES.indexOf(visibility)];
    const seen: [string, number][] = [];
    const expected: [string, number][] = [];
    for (const [kind, path, guide, all] of addressesOf(place, visibility)) {
      const headers = place.headers[visitor];
      const response = await fetch(`${place.url}${path}`, { redirect: 'manual', headers });
      // Random texts may contain any word.
      const text = (await response.text()).replaceAll(RANDOM_TEXTS, '');
      seen.push([kind, response.status]);
      const statuses = { guide, all, nothing: 404, 'sign-in': 401 };
      expected.push([kind, statuses[outcome ?? 'nothing']]);
      if (outcome !== 'all') {
        // Queries are shown again.
        expect(text.replaceAll('secrettext', ''), kind).not.toMatch(/prerelease|secrettext|deepsecret/i);
        expect(response.headers.get('location') ?? '', kind).not.toMatch(/prerelease|deep/);
      }
      if (outcome === 'nothing' || outcome === 'sign-in') {
        expect(text, kind).not.toMatch(/opentext|for everyone|setup/i);
        expect(response.headers.get('location'), kind).toBeNull();
      }
    }
    expect(seen).toEqual(expected);
  });
});

test('a visitor who reads everything finds it at each of the addresses that list pages', async () => {
  for (const { url, headers } of places.values()) {
    const read = async (path: string) =>
      await (
        await fetch(`${url}${path}`, { headers: headers['a share key, and a visitor token with the claim'] })
      ).text();
    expect(await read('')).toMatch(/class="section-tab"[^>]*>(?:<svg.*?<\/svg>)?<span>Prerelease/);
    expect(await read('/llms.txt')).toContain('[Deepsecret]');
    expect(await read('/~search?q=secrettext')).toContain('/prerelease"');
    expect(JSON.parse(await read('/~search.json?q=secrettext'))).toMatchObject({ count: 1 });
  }
});
