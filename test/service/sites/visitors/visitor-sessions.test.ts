import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { createId } from '../../../../server/database/seams.ts';
import { hashToken } from '../../../../server/identity/tokens.ts';
import { createQueue } from '../../../../server/jobs/queue.ts';
import {
  registerAuditPruning,
  requestAuditPruning,
} from '../../../../server/platform/accounts/audit-events/jobs.ts';
import {
  MAX_VISITOR_SESSIONS_PER_SITE,
  pruneVisitorSessions,
} from '../../../../server/platform/sites/visitors/sessions.ts';
import { MAX_VISITOR_TOKEN_CHARACTERS } from '../../../../server/platform/sites/visitors/token-form.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import { statementsOf } from '../../../support/database/statements.ts';
import { install, publish } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { signVisitorToken, VisitedSite } from '../../../support/sites/visited-sites.ts';

const PROVIDER = 'provider';
/** Rows that one statement inserts: the parameters of a statement are limited. */
const INSERTED_ROWS = 2000;

let server: TestServer;
let space: string;
beforeAll(async () => {
  server = await startTestServer();
  const { admin, organization } = server;
  const params = { path: { organizationId: organization } };
  ({ id: space } = await ok(
    admin.client.POST('/v1/orgs/{organizationId}/spaces', { params, body: { title: 'Guide' } }),
  ));
  await ok(publish(admin, PROVIDER, { organization, target: 'site', scopes: ['site:visitor:auth'] }));
  await install(admin, PROVIDER, organization);
});
afterAll(() => server.stop());

async function visitedSite(visibility: 'visitor-auth' | 'public' | 'share-link' = 'visitor-auth') {
  const site = await VisitedSite.create(server, { visibility, spaces: [space] });
  return { site, url: `${server.url}/sites/${server.organization}/${site.id}` };
}

const read = (address: string, cookie?: string) =>
  fetch(address, { redirect: 'manual', headers: cookie === undefined ? {} : { Cookie: cookie } });

/** Opens a site with a token in the address, and returns the cookie. */
async function enter(url: string, token: string, cookie?: string): Promise<string> {
  const response = await read(`${url}?jwt_token=${token}&x=1`, cookie);
  expect([response.status, response.headers.get('location')]).toEqual([303, `${new URL(url).pathname}?x=1`]);
  return response.headers.getSetCookie().join('\n').split(';')[0] ?? '';
}

const sessionsOf = ({ id }: VisitedSite) =>
  server.database.query.selectFrom('visitorSessions').selectAll().where('site', '=', id).execute();

const setBackend = (
  site: VisitedSite,
  body: { backend: 'custom' } | { backend: 'integration'; integration: string },
) =>
  ok(
    server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
      params: { path: site.path },
      body,
    }),
  );

/** A token of the maximum length, with as many groups as it can contain. */
async function longestToken(site: VisitedSite): Promise<string> {
  const groups: string[] = [];
  let token = '';
  for (let count = 1000; ; count += 10) {
    groups.length = 0;
    groups.push(...Array.from({ length: count }, (_, at) => at.toString(36)));
    const longer = await site.visitorToken({ groups });
    if (longer.length > MAX_VISITOR_TOKEN_CHARACTERS) {
      return token;
    }
    token = longer;
  }
}

describe('the session of a visitor', () => {
  test('has a small cookie for the longest token, which is not stored in plain text', async () => {
    const { site, url } = await visitedSite();
    const token = await longestToken(site);
    expect(token.length).toBeGreaterThan(8000);
    const response = await read(`${url}/?visitorToken=${token}`);
    const [cookie = '', ...others] = response.headers.getSetCookie();
    expect(others).toEqual([]);
    expect(cookie.length).toBeLessThan(300);
    expect(cookie).toMatch(
      new RegExp(
        `^colophon-visitor-session=[\\w-]{43}; Path=/sites/${server.organization}/${site.id}; Expires=[^;]+GMT; HttpOnly; SameSite=Lax$`,
      ),
    );
    const expires = Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '') - Date.now();
    expect(Math.abs(expires - 3600_000)).toBeLessThan(60_000);
    const page = await read(url, cookie.split(';')[0]);
    expect(page.status).toBe(200);
    const [row] = await sessionsOf(site);
    expect(row?.token).not.toContain(token.split('.')[2]);
    expect(row?.hash).toBe(hashToken(/=([^;]+)/.exec(cookie)?.[1] ?? ''));
  });

  test('is the same for the same token, and replaces the previous one of the browser', async () => {
    const { site, url } = await visitedSite();
    const token = await site.visitorToken({ sub: 'first' });
    const cookie = await enter(url, token);
    expect(await enter(url, token)).toBe(cookie);
    expect(await enter(url, token, cookie)).toBe(cookie);
    expect(await sessionsOf(site)).toHaveLength(1);
    const next = await enter(url, await site.visitorToken({ sub: 'second' }), cookie);
    expect(next).not.toBe(cookie);
    expect(await sessionsOf(site)).toHaveLength(1);
    expect([(await read(url, cookie)).status, (await read(url, next)).status]).toEqual([401, 200]);
    // Another browser has a session of its own.
    await enter(url, token);
    expect(await sessionsOf(site)).toHaveLength(2);
    expect((await read(url, next)).status).toBe(200);
  });

  test('does not replace those of other sites', async () => {
    const [first, second] = [await visitedSite(), await visitedSite()];
    const cookie = await enter(first.url, await first.site.visitorToken());
    await enter(second.url, await second.site.visitorToken(), cookie);
    expect((await read(first.url, cookie)).status).toBe(200);
    expect((await read(second.url, cookie)).status).toBe(401);
  });

  test('is not created for a token that is not valid, or not needed', async () => {
    const { site, url } = await visitedSite('public');
    const other = await visitedSite();
    expect(await enter(url, await site.visitorToken())).toBe('');
    await site.setAdaptiveSchema();
    const forged = await signVisitorToken('another key');
    const expired = await site.visitorToken({ exp: Math.floor(Date.now() / 1000) - 1 });
    for (const token of [forged, expired, await other.site.visitorToken(), 'x']) {
      expect(await enter(url, token)).toBe('');
    }
    expect(await sessionsOf(site)).toEqual([]);
    // With adaptive content, the claims of a valid token matter.
    expect(await enter(url, await site.visitorToken())).toMatch(/^colophon-visitor-session=/);
    expect(await sessionsOf(site)).toHaveLength(1);
  });

  const Ends: [string, (site: VisitedSite) => Promise<unknown>][] = [
    ['the signing key is replaced', (site) => site.regenerateSigningKey()],
    [
      'an integration becomes the backend',
      (site) => setBackend(site, { backend: 'integration', integration: PROVIDER }),
    ],
    [
      'it is deleted',
      async ({ id, server: { database } }) => {
        await database.query.deleteFrom('visitorSessions').where('site', '=', id).execute();
      },
    ],
  ];
  test.each(Ends)('ends when %s, with a page that states so', async (_name, end) => {
    const { site, url } = await visitedSite();
    const cookie = await enter(url, await site.visitorToken());
    expect((await read(url, cookie)).status).toBe(200);
    await end(site);
    const ended = await read(`${url}/setup?x=1`, cookie);
    expect(ended.status).toBe(401);
    expect(ended.headers.getSetCookie()[0]).toMatch(/^colophon-visitor-session=; Max-Age=0; Path=\/sites/);
    expect(await ended.text()).toContain('Your sign-in was not accepted');
  });

  test('ends when the integration that signed its token is no longer the backend', async () => {
    const { site, url } = await visitedSite();
    await setBackend(site, { backend: 'integration', integration: PROVIDER });
    // With an integration, the audience is not compared.
    const cookie = await enter(url, await site.visitorToken({ aud: 'client-1' }));
    expect((await read(url, cookie)).status).toBe(200);
    await setBackend(site, { backend: 'custom' });
    expect((await read(url, cookie)).status).toBe(401);
  });

  test('applies the claims of its token to the current adaptive schema', async () => {
    const { site, url } = await visitedSite();
    const cookie = await enter(url, await site.visitorToken({ beta: true }));
    const { pathname } = new URL(url);
    await site.setAdaptiveSchema();
    const structure = await ok(
      server.admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
        params: { path: site.path },
      }),
    );
    const condition = async (text: string) =>
      await ok(
        server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}', {
          params: { path: { ...site.path, siteSpaceId: structure.items[0]?.id ?? '' } },
          body: { condition: text },
        }),
      );
    await condition('visitor.claims.beta == true');
    expect((await read(server.url + pathname, cookie)).status).toBe(200);
    await condition('visitor.claims.beta == false');
    expect((await read(server.url + pathname, cookie)).status).toBe(404);
  });

  test.runIf(isFirstEngine)('costs a site that everyone reads no statement, and others one', async () => {
    const [open, restricted] = [await visitedSite('public'), await visitedSite()];
    const cookie = await enter(restricted.url, await restricted.site.visitorToken());
    const lookups = async (url: string) => {
      await read(url, cookie);
      const { sql } = await statementsOf(() => read(url, cookie));
      return sql.filter((statement) => statement.includes('"visitorSessions"'));
    };
    expect(await lookups(open.url)).toEqual([]);
    expect(await lookups(restricted.url)).toHaveLength(1);
  });

  test.each(['', 'x', 'x'.repeat(43), '__proto__', '%', 'x'.repeat(5000)])(
    'does not exist for other texts in the cookie: %.20s',
    async (text) => {
      const { url } = await visitedSite();
      expect((await read(url, `colophon-visitor-session=${text}`)).status).toBe(401);
    },
  );
});

describe('the sessions of a site', () => {
  const inserted = async (site: VisitedSite, count: number, expiresAt: (at: number) => Date) => {
    const rows = Array.from({ length: count }, (_, at) => ({
      hash: hashToken(`${site.id} ${at}`),
      organization: server.organization,
      site: site.id,
      token: '',
      expiresAt: expiresAt(at).toISOString(),
    }));
    await server.database.transaction(async (trx) => {
      for (let at = 0; at < rows.length; at += INSERTED_ROWS) {
        await trx
          .insertInto('visitorSessions')
          .values(rows.slice(at, at + INSERTED_ROWS))
          .execute();
      }
    });
  };
  const earliest = async (site: VisitedSite) =>
    (await sessionsOf(site)).map(({ expiresAt }) => expiresAt).toSorted()[0];

  test('are limited in number: those that end first are replaced', async () => {
    const { site, url } = await visitedSite();
    const other = await visitedSite();
    const [day, minute] = [Date.now() + 86_400_000, 60_000];
    await inserted(other.site, 1, () => new Date(day - minute));
    await inserted(site, MAX_VISITOR_SESSIONS_PER_SITE, (at) => new Date(day + at));
    const exp = Math.floor((day + 2 * minute) / 1000);
    const cookie = await enter(url, await site.visitorToken({ exp }));
    expect((await read(url, cookie)).status).toBe(200);
    expect(await sessionsOf(site)).toHaveLength(MAX_VISITOR_SESSIONS_PER_SITE);
    expect(await earliest(site)).toBe(new Date(day + 1).toISOString());
    expect(await sessionsOf(other.site)).toHaveLength(1);
  });

  test('are deleted within a day after they end, and with the site', async () => {
    const { site } = await visitedSite();
    const [now, day] = [Date.now(), 86_400_000];
    const clock = () => new Date(now + 2 * day);
    const { database } = server;
    await inserted(site, 1200, (at) => new Date(now + (at < 1100 ? 2 : 3) * day));
    const queue = createQueue({ database, clock, createId, log: silent });
    // The worker needs no other services.
    registerAuditPruning(
      { queue, database, clock } as Parameters<typeof registerAuditPruning>[0],
      pruneVisitorSessions,
    );
    await requestAuditPruning({ database, clock, queue }, 1);
    queue.start();
    try {
      await expect.poll(async () => (await sessionsOf(site)).length).toBe(100);
    } finally {
      await queue.stop();
    }
    await ok(
      server.admin.client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}', { params: { path: site.path } }),
    );
    expect(await sessionsOf(site)).toEqual([]);
  });
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };
