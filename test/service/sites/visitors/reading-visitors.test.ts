import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { createSession, deleteSession, SESSION_COOKIE } from '../../../../server/identity/sessions.ts';
import { MAX_VISITOR_TOKEN_CHARACTERS } from '../../../../server/platform/sites/visitors/token-form.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { readPdf } from '../../../support/pdf/pdf.ts';
import { png } from '../../../support/pdf/pngs.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { TestSite } from '../../../support/sites/site-structure.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

let server: TestServer;
let git: GitServer;
let site: VisitedSite;
let url: string;
/** Site space and section that only visitors with the claim `beta` see, and its file. */
let hidden: { siteSpace: string; file: string };

const BETA = 'visitor.claims.beta == true';
/** A page with a block that only visitors with the claim `beta` see, and a block with an invalid condition. */
const SETUP = `# Setup

{% if ${BETA} %}
Prereleasestep
{% endif %}

{% if visitor.claims. %}
Neverstep
{% endif %}

{% hint style="info" %}
{% if ${BETA} %}
## Zebraheading

Hintstep
{% endif %}
{% endhint %}

Laststep
`;

beforeAll(async () => {
  server = await startTestServer();
  git = await startGitServer();
  const link = (space: string) => `[Beta](/spaces/${space})`;
  const beta = await spaceFrom(server, git, 'Beta program', {
    'README.md': '# Beta\n\nUnreleasedfeature ![](plan.png)\n',
    'plan.png': png(20, 10),
    'deep.md': '# Deep\n',
    'SUMMARY.md': '* [Beta](README.md)\n* [Deep](deep.md)\n',
  });
  const guide = await spaceFrom(server, git, 'Guide', {
    'README.md': `# Guide\n\nRead ${link(beta.space.id)}.\n`,
    'setup.md': SETUP,
    'SUMMARY.md': '* [Guide](README.md)\n* [Setup](setup.md)\n',
  });
  const second = await spaceFrom(server, git, 'Guide v1', {
    'README.md': '# Guide v1\n',
    'setup.md': '# Setup v1\n',
    'SUMMARY.md': '* [Guide v1](README.md)\n* [Setup v1](setup.md)\n',
  });
  site = await VisitedSite.create(server, { title: 'Acme', spaces: [guide.space.id, second.space.id] });
  const structure = new TestSite(server, site.id);
  const { client } = server.admin;
  const section = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
      ...structure.path({}),
      body: { spaceId: beta.space.id, title: 'Beta' },
    }),
  );
  await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/section-groups', {
      ...structure.path({}),
      body: { title: 'More', sections: [section.id] },
    }),
  );
  await site.setAdaptiveSchema();
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
      ...structure.path({ siteSectionId: section.id }),
      body: { condition: BETA },
    }),
  );
  url = (await site.publish()).urls.published ?? '';
  const [siteSpace] = section.siteSpaces;
  const files = await ok(
    client.GET('/v1/spaces/{spaceId}/content/files', { params: { path: { spaceId: beta.space.id } } }),
  );
  hidden = { siteSpace: siteSpace?.id ?? '', file: files.items[0]?.id ?? '' };
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}${path}`, { redirect: 'manual', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const bearer = async (claims: Record<string, unknown>) => ({
  Authorization: `Bearer ${await site.visitorToken(claims)}`,
});

/** Every kind of address of what only some visitors see, and those of others that could reveal it. */
const addresses = () => ({
  own: [
    '/beta',
    '/beta/deep',
    '/beta/deep.md',
    `/~files/${hidden.siteSpace}/${hidden.file}/plan.png`,
    `/~pdf/${hidden.siteSpace}`,
  ],
  shared: [
    '',
    '/setup',
    '/~search?q=unreleasedfeature',
    '/~search.json?q=unreleasedfeature',
    '/sitemap.xml',
    '/llms.txt',
  ],
});

describe('what only some visitors see', () => {
  test.runIf(isFirstEngine)('is at none of the addresses of the others', async () => {
    await site.update({ agentsContext: 'included' });
    for (const claims of [{}, { beta: false }, { other: true }]) {
      const headers = await bearer(claims);
      for (const path of addresses().own) {
        expect([path, (await get(path, headers)).status]).toEqual([path, 404]);
      }
      for (const path of addresses().shared) {
        const { status, text } = await get(path, headers);
        expect([path, status]).toEqual([path, 200]);
        expect(text, path).not.toMatch(/\/beta["/]|Unreleasedfeature|>More/);
      }
    }
  });

  test.runIf(isFirstEngine)(
    'is complete for them, also right after others read the same addresses',
    async () => {
      const headers = await bearer({ beta: true });
      for (const path of addresses().own) {
        await get(path);
        expect([path, (await get(path, headers)).status]).toEqual([path, 200]);
      }
      expect((await get('', headers)).text).toMatch(
        /<button type="button" class="section-tab"[^>]*><span>More/,
      );
      expect((await get('', headers)).text).toMatch(/Read <a[^>]+\/beta"/);
      expect((await get('/~search?q=unreleasedfeature', headers)).text).toContain('/beta"');
      expect((await get('/sitemap.xml', headers)).text).toContain('/beta/deep');
      expect((await get('')).text).not.toContain('/beta"');
    },
  );

  test.runIf(isFirstEngine).each(['/setup', '/setup.md'])('is a block of the page %s', async (path) => {
    const steps = async (headers: Record<string, string>) =>
      [...(await get(path, headers)).text.matchAll(/\b[A-Z][a-z]+step\b/g)].map(([step]) => step);
    expect(new Set(await steps(await bearer({ beta: true })))).toEqual(
      new Set(['Prereleasestep', 'Hintstep', 'Laststep']),
    );
    expect(new Set(await steps(await bearer({ beta: false })))).toEqual(new Set(['Laststep']));
  });

  test('is a block that a search finds only for them', async () => {
    const search = async (query: string, headers: Record<string, string>) => {
      const { text } = await get(`/~search.json?q=${query}`, headers);
      return JSON.parse(text) as { count: number; results: unknown[] };
    };
    const [selected, others] = [await bearer({ beta: true }), await bearer({ beta: false })];
    for (const query of ['prereleasestep', 'prereleas', 'hintstep', 'zebraheading', 'prereleasestap']) {
      expect([query, (await search(query, selected)).count]).toEqual([query, 1]);
      expect([query, await search(query, others)]).toEqual([query, { count: 0, results: [] }]);
    }
    expect((await search('neverstep', selected)).count).toBe(0);
    // What everyone sees is found without what is next to it.
    const { text } = await get('/~search?q=laststep', others);
    expect(text).toContain('Laststep');
    expect(text.replaceAll('<mark>', '')).not.toMatch(/Prerelease|Hintstep|Zebra|Neverstep/);
    // Without adaptive content, no visitor has claims.
    await site.update({ adaptiveContent: { enabled: false } });
    expect((await search('prereleasestep', selected)).count).toBe(0);
    await site.update({ adaptiveContent: { enabled: true } });
  });

  test.runIf(isFirstEngine)('is printed only for them', async () => {
    const print = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(`${url}${path}`, { headers });
      expect(response.headers.get('content-type')).toBe('application/pdf');
      expect(response.headers.get('x-robots-tag')).toBe('noindex');
      expect(response.headers.get('cache-control')).toContain('private');
      const { pages } = await readPdf(new Uint8Array(await response.arrayBuffer()));
      const text = pages.map((page) => page.text).join(' ');
      return new Set(text.match(/[A-Z][a-z]+step\b/g));
    };
    const [, path = ''] =
      new RegExp(`href="${new URL(url).pathname}(/~pdf/[^"]+)"`).exec((await get('/setup')).text) ?? [];
    const whole = path.split('/').slice(0, 3).join('/');
    // Twice, because PDFs are cached.
    for (const _ of [1, 2]) {
      for (const address of [path, whole]) {
        expect(await print(address, await bearer({ beta: true }))).toEqual(
          new Set(['Prereleasestep', 'Hintstep', 'Laststep']),
        );
        expect(await print(address, await bearer({ beta: false }))).toEqual(new Set(['Laststep']));
      }
    }
  });

  test.runIf(isFirstEngine)('is not stored by shared caches', async () => {
    for (const path of ['', '/setup', '/sitemap.xml', '/~search.json?q=a', '/setup.md']) {
      const { headers } = await get(path);
      expect([path, headers.get('cache-control')]).toEqual([path, 'private, no-store']);
      expect(headers.get('vary')).toContain('Cookie');
    }
  });
});

test.runIf(isFirstEngine)('variants are switched on the same page', async () => {
  const { text } = await get('/setup');
  expect(text).toMatch(/href="[^"]+\/guide-v1\/setup"><span>Guide v1/);
  expect((await get('/guide-v1/setup')).text).toContain('Setup v1');
});

test.runIf(isFirstEngine)(
  'a share key is remembered by a cookie of the site, and removed from the address',
  async () => {
    await site.update({ visibility: 'share-link' });
    const { id, shareKey } = await site.createShareLink();
    expect((await get('/setup')).status).toBe(404);
    const entered = await get(`/setup?shareKey=${shareKey}&x=1`);
    expect(entered.status).toBe(303);
    expect(entered.headers.get('location')).toBe(`${new URL(url).pathname}/setup?x=1`);
    const [cookie = ''] = entered.headers.getSetCookie();
    expect(cookie).toMatch(new RegExp(`; Path=${new URL(url).pathname};.*HttpOnly; SameSite=Lax`));
    const headers = { Cookie: cookie.split(';')[0] ?? '' };
    const read = await get('/setup', headers);
    expect(read.status).toBe(200);
    expect(read.text).not.toContain(shareKey);
    expect((await get('/setup?shareKey=wrong', headers)).status).toBe(404);
    await site.updateShareLink(id, { active: false });
    expect((await get('/setup', headers)).status).toBe(404);
  },
);

test.runIf(isFirstEngine)(
  'visitors without a token are redirected to where they sign in, or asked to',
  async () => {
    await site.update({ visibility: 'visitor-auth' });
    const refused = await get('/setup');
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('Sign in to read this site');
    expect(refused.text).not.toContain('Acme');
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
        params: { path: site.path },
        body: { fallbackURL: 'https://login.example.com/start?a=1' },
      }),
    );
    const redirected = await get('/setup');
    expect(redirected.status).toBe(302);
    expect(redirected.headers.get('location')).toBe('https://login.example.com/start?a=1&location=%2Fsetup');
    const token = await site.visitorToken({});
    const entered = await get(`/setup?visitorToken=${token}`);
    expect(entered.status).toBe(303);
    const headers = { Cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    expect((await get('/setup', headers)).status).toBe(200);
    await site.regenerateSigningKey();
    const rejected = await get('/setup', headers);
    expect(rejected.status).toBe(401);
    expect(rejected.text).toContain('Your sign-in was not accepted');
  },
);

test.runIf(isFirstEngine)(
  'visitor tokens have the same maximum length on pages as in requests to the API',
  async () => {
    await site.update({ visibility: 'public' });
    const tokenOf = async (length: number) => {
      const claims = (text: string) => site.visitorToken({ beta: true, text });
      // Base64url encodes three characters as four.
      return await claims('x'.repeat(Math.ceil(((length - (await claims('')).length) * 3) / 4)));
    };
    const token = await tokenOf(MAX_VISITOR_TOKEN_CHARACTERS);
    const longer = await tokenOf(MAX_VISITOR_TOKEN_CHARACTERS + 1);
    expect([token, longer].map(({ length }) => length - MAX_VISITOR_TOKEN_CHARACTERS)).toEqual([0, 1]);
    const statusesOf = async (credential: string) => {
      const { response } = await server
        .as(credential)
        .GET('/v1/orgs/{organizationId}/sites/{siteId}/published', { params: { path: site.path } });
      const bearers = { Authorization: `Bearer ${credential}` };
      const { headers } = await get(`/?visitorToken=${credential}`);
      const cookies = { Cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' };
      return [response.status, (await get('/beta', bearers)).status, (await get('/beta', cookies)).status];
    };
    expect(await statusesOf(token)).toEqual([200, 200, 200]);
    expect(await statusesOf(longer)).toEqual([401, 404, 404]);
  },
);

test('members who are signed in read the sites of their organization, until their session ends', async () => {
  await site.update({ visibility: 'share-link' });
  const { organization } = server;
  const member = await server.member('Reader', 'read');
  const { id: samlProvider } = await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/saml', {
      params: { path: { organizationId: organization } },
      body: { label: 'Identity provider' },
    }),
  );
  const cookieOf = async (user: string) => {
    const now = new Date();
    const session = { user, organization, samlProvider, now };
    const { secret } = await server.database.transaction((trx) => createSession(trx, session));
    return { secret, headers: { Cookie: `${SESSION_COOKIE}=${secret}` } };
  };
  const { secret, headers } = await cookieOf(member.id);
  expect((await get('/setup', headers)).status).toBe(200);
  // Their session is a cookie of this server: they did not request the proxy of the site.
  await site.update({ proxy: 'www.example.com/help' });
  const proxied = await get('/setup?x=1', headers);
  expect(proxied.status).toBe(307);
  expect(proxied.headers.get('location')).toMatch(
    /^https:\/\/www\.example\.com\/help\/setup\?x=1&visitorToken=/,
  );
  await site.update({ proxy: null });
  await deleteSession(server.database.query, secret);
  expect((await get('/setup', headers)).status).toBe(404);
});

test.runIf(isFirstEngine)('claims that a browser states about itself are remembered', async () => {
  await site.update({ visibility: 'public' });
  const entered = await get('/setup?visitor.returning=true&visitor.beta=true');
  expect(entered.status).toBe(303);
  const headers = { Cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  // A claim that has to be signed is not accepted from a browser.
  expect((await get('/beta', headers)).status).toBe(404);
  expect((await get('/setup', headers)).status).toBe(200);
});

test.runIf(isFirstEngine)(
  'guests see the spaces visible to them, or all that they are admitted to otherwise',
  async () => {
    const guest = await server.member('Guest', null);
    const guests = await VisitedSite.create(server, { title: 'For guests' });
    const structure = new TestSite(server, guests.id);
    const spaces = [
      (await spaceFrom(server, git, 'Visible', { 'README.md': '# Visible\n' })).space.id,
      (await spaceFrom(server, git, 'Invisible', { 'README.md': '# Invisible\n' })).space.id,
    ];
    for (const spaceId of spaces) {
      await ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
          ...structure.path({}),
          body: { spaceId },
        }),
      );
    }
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: spaces[0] ?? '' } },
        body: { role: 'read', users: [guest.id] },
      }),
    );
    const { serviceVisitorClaims } = await ok(
      guest.client.POST('/v1/orgs/{organizationId}/ping', {
        params: { path: { organizationId: server.organization } },
      }),
    );
    const { urls } = await guests.update({ visibility: 'share-link' });
    const statusOf = async (path: string, cookie = '') => {
      const response = await fetch(`${urls.published}${path}`, {
        headers: { Authorization: `Bearer ${serviceVisitorClaims}`, Cookie: cookie },
      });
      await response.arrayBuffer();
      return response.status;
    };
    const titles = async (client = guest.client, shareKey?: string) => {
      const { structure: shown } = await ok(
        client.GET('/v1/orgs/{organizationId}/sites/{siteId}/published', {
          params: { path: guests.path, query: { ...(shareKey !== undefined && { shareKey }) } },
        }),
      );
      return shown.structure.map(({ title }) => title);
    };
    expect([await statusOf(''), await statusOf('/invisible')]).toEqual([200, 404]);
    expect(await titles()).toEqual(['Visible']);
    expect(await titles(server.admin.client)).toEqual(['Visible', 'Invisible']);
    const { shareKey } = await guests.createShareLink();
    expect(await statusOf('/invisible', `colophon-share-key=${shareKey}`)).toBe(200);
    expect(await titles(guest.client, shareKey)).toEqual(['Visible', 'Invisible']);
    await guests.update({ visibility: 'public' });
    expect(await statusOf('/invisible')).toBe(200);
    expect(await titles()).toEqual(['Visible', 'Invisible']);
  },
);
