import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { operations } from '../../../../generated/operations.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { writeJson } from '../../../../server/database/json.ts';
import type { SpaceGit } from '../../../../server/database/schema/spaces/spaces.ts';
import { createSigningKey } from '../../../../server/platform/sites/visitors/signing-keys.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import { SECRET_KEY } from '../../../support/environment.ts';
import { type Person, startTestServer, type TestServer } from '../../../support/server.ts';
import { signVisitorToken, VisitedSite } from '../../../support/sites/visited-sites.ts';

type Schemas = components['schemas'];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const createSpace = async (title = 'Guide') =>
  (
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization } },
        body: { title },
      }),
    )
  ).id;

/** Creates a published site with a space. */
async function publishedSite(visibility: Schemas['SiteVisibility'], settings = {}) {
  const space = await createSpace();
  const site = await VisitedSite.create(server, { visibility, spaces: [space] }, settings);
  return { site, space };
}

/** Reads a space with a token, or without, and returns the status. */
async function statusOf(spaceId: string, token?: string, shareKey?: string): Promise<number> {
  const query = shareKey === undefined ? {} : { shareKey };
  const { response } = await server
    .as(token)
    .GET('/v1/spaces/{spaceId}', { params: { path: { spaceId }, query } });
  return response.status;
}

/** Reads the site of a space and the space, which finds its sites first. Returns the statuses. */
async function statusesOf(
  { site, space }: { site: VisitedSite; space: string },
  token?: string,
  shareKey?: string,
): Promise<[site: number, space: number]> {
  const query = shareKey === undefined ? {} : { shareKey };
  const { response } = await server
    .as(token)
    .GET('/v1/orgs/{organizationId}/sites/{siteId}/published', { params: { path: site.path, query } });
  return [response.status, await statusOf(space, token, shareKey)];
}

const serviceVisitorClaims = async ({ client }: Person, organizationId = server.organization) => {
  const ping = await ok(
    client.POST('/v1/orgs/{organizationId}/ping', { params: { path: { organizationId } } }),
  );
  return ping.serviceVisitorClaims ?? '';
};

describe('visitors without credentials', () => {
  test.each([
    ['public', 200],
    ['unlisted', 200],
    ['share-link', 401],
    ['visitor-auth', 401],
  ] as const)('of a site that is %s receive %i', async (visibility, status) => {
    const { space } = await publishedSite(visibility);
    expect(await statusOf(space)).toBe(status);
  });

  test('cannot read what is not published, deleted or on no site', async () => {
    const { space, site } = await publishedSite('public', { isPublished: false });
    expect(await statusOf(space)).toBe(401);
    await site.publish();
    expect(await statusOf(space)).toBe(200);
    await ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } }));
    expect(await statusOf(space)).toBe(401);
    expect(await statusOf(await createSpace())).toBe(401);
    expect(await statusOf('spc_nothing')).toBe(401);
  });

  test('see no permissions and no internal information', async () => {
    const { space } = await publishedSite('unlisted');
    const path = { spaceId: space };
    const git = writeJson<SpaceGit>({
      repoName: 'acme/docs',
      installationProvider: 'github',
      integration: null,
      ref: 'refs/heads/main',
      projectDirectory: null,
      url: 'https://github.com/acme/docs',
      treeURL: null,
      commitURL: null,
      oid: null,
      revision: 'rev_a',
      imported: 'rev_a',
      address: 'https://github.com/acme/docs.git',
      timestamp: null,
      updatedAt: new Date().toISOString(),
    });
    const shelf = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
        params: { path: { organizationId: server.organization } },
        body: { title: 'Shelf' },
      }),
    );
    await server.database.query
      .updateTable('spaces')
      .set({ git, parent: shelf.id, defaultLevel: 'edit' })
      .where('id', '=', space)
      .execute();
    const seen = await ok(server.as().GET('/v1/spaces/{spaceId}', { params: { path } }));
    expect(seen).toMatchObject({ id: space, visibility: 'unlisted', defaultLevel: 'read', comments: 0 });
    expect(Object.values(seen.permissions)).not.toContain(true);
    for (const field of ['parent', 'gitSync']) {
      expect(seen).not.toHaveProperty(field);
    }
  });
});

describe('visitors with a share key', () => {
  test('are admitted while the link is active', async () => {
    const published = await publishedSite('share-link');
    const { site } = published;
    const { id, shareKey } = await site.createShareLink();
    expect(await statusesOf(published, undefined, shareKey)).toEqual([200, 200]);
    await site.updateShareLink(id, { active: false });
    expect(await statusesOf(published, undefined, shareKey)).toEqual([404, 404]);
    await site.updateShareLink(id, { active: true });
    expect(await statusesOf(published, undefined, shareKey)).toEqual([200, 200]);
    await ok(
      server.admin.client.DELETE('/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}', {
        params: { path: { ...site.path, shareLinkId: id } },
      }),
    );
    expect(await statusesOf(published, undefined, shareKey)).toEqual([404, 404]);
  });

  test('need one of the site, also if they are users of another organization', async () => {
    const [published, other] = [await publishedSite('share-link'), await publishedSite('share-link')];
    const [{ shareKey }, { shareKey: otherKey }] = [
      await published.site.createShareLink(),
      await other.site.createShareLink(),
    ];
    const outsider = await server.person('Outsider');
    expect(await statusesOf(published, outsider.token, shareKey)).toEqual([200, 200]);
    for (const key of [otherKey, 'x', shareKey.slice(1), `${shareKey}x`, shareKey.toLowerCase()]) {
      expect(await statusesOf(published, undefined, key)).toEqual([404, 404]);
      expect(await statusesOf(published, outsider.token, key)).toEqual([404, 404]);
    }
    expect(await statusesOf(published, outsider.token)).toEqual([404, 404]);
  });

  test('cannot use it for a site that requires a token', async () => {
    const { site, space } = await publishedSite('visitor-auth');
    const { shareKey } = await site.createShareLink();
    expect(await statusOf(space, undefined, shareKey)).toBe(404);
  });
});

describe('visitor tokens', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = () => Math.floor(Date.now() / 1000);
  const hmac = (header: object, payload: object, key: string, hash = 'sha256') => {
    const signed = `${encode(header)}.${encode(payload)}`;
    return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
  };

  test('signed with the key of the site are admitted until the key is replaced', async () => {
    const { site, space } = await publishedSite('visitor-auth');
    const token = await site.visitorToken({ email: 'ada@example.com' });
    expect(await statusOf(space, token)).toBe(200);
    await site.regenerateSigningKey();
    expect(await statusOf(space, token)).toBe(401);
    expect(await statusOf(space, await site.visitorToken())).toBe(200);
  });

  test('are invalid as soon as another process replaces the key', async () => {
    const { site, space } = await publishedSite('visitor-auth');
    const token = await site.visitorToken();
    expect(await statusOf(space, token)).toBe(200);
    const signingKey = createSigningKey(SECRET_KEY, site.id);
    await server.database.query.updateTable('sites').set({ signingKey }).where('id', '=', site.id).execute();
    expect(await statusOf(space, token)).toBe(401);
    expect(await statusOf(space, await site.visitorToken())).toBe(200);
  });

  test('can have the site or its URL as their audience', async () => {
    const published = await publishedSite('visitor-auth');
    const { site } = published;
    const { urls } = await site.publish();
    for (const aud of [site.id, [site.id], ['another', site.id], urls.published, `${urls.published}/`]) {
      expect(await statusesOf(published, await site.visitorToken({ aud }))).toEqual([200, 200]);
    }
    for (const aud of ['another', [], ['another'], '', server.organization, `${urls.published}/guide`]) {
      expect(await statusesOf(published, await site.visitorToken({ aud }))).toEqual([401, 401]);
    }
  });

  test('are valid from their times of issue and start to their expiry', async () => {
    const { site, space } = await publishedSite('visitor-auth');
    const statusWith = async (claims: object) =>
      await statusOf(space, await site.visitorToken({ ...claims }));
    expect(await statusWith({ iat: now() + 30, nbf: now() + 30 })).toBe(200);
    expect(await statusWith({ iat: now() + 300 })).toBe(401);
    expect(await statusWith({ nbf: now() + 300 })).toBe(401);
    expect(await statusWith({ exp: now() - 1 })).toBe(401);
    expect(await statusWith({ exp: now() + 7 * 24 * 3600 - 60 })).toBe(200);
    expect(await statusWith({ exp: now() + 7 * 24 * 3600 + 60 })).toBe(401);
  });

  const exp = () => now() + 3600;
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const attacks: [string, (key: string, site: VisitedSite) => string | Promise<string>][] = [
    ['no signature (alg none)', () => `${encode({ alg: 'none' })}.${encode({ exp: exp() })}.`],
    ['a signature of alg none', (key) => hmac({ alg: 'none' }, { exp: exp() }, key)],
    ['alg NONE', (key) => hmac({ alg: 'NONE' }, { exp: exp() }, key)],
    ['no algorithm', (key) => hmac({}, { exp: exp() }, key)],
    ['HS512', (key) => hmac({ alg: 'HS512' }, { exp: exp() }, key, 'sha512')],
    ['HS384 as HS256', (key) => hmac({ alg: 'HS256' }, { exp: exp() }, key, 'sha384')],
    [
      'RS256 with a key of the attacker',
      async () =>
        await new SignJWT({ exp: exp() }).setProtectedHeader({ alg: 'RS256' }).sign(keys.privateKey),
    ],
    ['RS256, signed with the key as a secret', (key) => hmac({ alg: 'RS256' }, { exp: exp() }, key)],
    [
      'a key in the header',
      (key) =>
        hmac(
          { alg: 'HS256', jwk: { kty: 'oct', k: encode('mine') }, kid: '../../key' },
          { exp: exp() },
          `${key}x`,
        ),
    ],
    ['an unknown critical header', (key) => hmac({ alg: 'HS256', crit: ['x'], x: 1 }, { exp: exp() }, key)],
    ['an unencoded payload', (key) => hmac({ alg: 'HS256', b64: false, crit: ['b64'] }, { exp: exp() }, key)],
    ['an empty key', () => hmac({ alg: 'HS256' }, { exp: exp() }, '')],
    [
      'the decoded key',
      (key) => hmac({ alg: 'HS256' }, { exp: exp() }, Buffer.from(key, 'base64url').toString('latin1')),
    ],
    ['the key of the server', () => hmac({ alg: 'HS256' }, { exp: exp() }, SECRET_KEY)],
    ['the ID of the site as the key', (_key, { id }) => hmac({ alg: 'HS256' }, { exp: exp() }, id)],
    [
      'another payload',
      (key) => {
        const [header, , signature] = hmac({ alg: 'HS256' }, { exp: exp() }, key).split('.');
        return `${header}.${encode({ exp: exp() + 1 })}.${signature}`;
      },
    ],
    ['no expiry', (key) => hmac({ alg: 'HS256' }, { sub: 'ada' }, key)],
    ['an expiry in text', (key) => hmac({ alg: 'HS256' }, { exp: String(exp()) }, key)],
    ['an expiry of null', (key) => hmac({ alg: 'HS256' }, { exp: null }, key)],
    ['an infinite expiry', (key) => hmac({ alg: 'HS256' }, { exp: 1e308 }, key)],
    ['a negative expiry', (key) => hmac({ alg: 'HS256' }, { exp: -1 }, key)],
    ['a payload that is a list', (key) => hmac({ alg: 'HS256' }, [exp()], key)],
    ['an audience that is an object', (key) => hmac({ alg: 'HS256' }, { exp: exp(), aud: { a: 1 } }, key)],
    ['garbage', () => 'a.b.c'],
    ['one part', () => 'abc'],
    ['five parts', () => 'a.b.c.d.e'],
    ['a huge payload', (key) => hmac({ alg: 'HS256' }, { exp: exp(), x: 'x'.repeat(8192) }, key)],
  ];

  test.runIf(isFirstEngine).each(attacks)('with %s are refused', async (_name, forge) => {
    const { site, space } = await publishedSite('visitor-auth');
    const token = await forge(await site.signingKey(), site);
    expect(await statusOf(space, token)).toBe(401);
    // An invalid credential is refused even where none is required.
    await site.update({ visibility: 'public' });
    expect(await statusOf(space, token)).toBe(401);
  });

  test('of another site, and of no site, are refused', async () => {
    const [{ site, space }, other] = [
      await publishedSite('visitor-auth'),
      await publishedSite('visitor-auth'),
    ];
    const token = await site.visitorToken();
    expect(await statusOf(other.space, token)).toBe(401);
    expect(await statusOf(await createSpace(), token)).toBe(401);
    expect(await statusOf('spc_nothing', token)).toBe(401);
    expect(await statusOf(space, await signVisitorToken(await other.site.signingKey()))).toBe(401);
  });

  test('do not admit to a site that requires a share key, or is unpublished', async () => {
    const { site, space } = await publishedSite('share-link');
    const token = await site.visitorToken();
    const { shareKey } = await site.createShareLink();
    expect(await statusOf(space, token)).toBe(404);
    expect(await statusOf(space, token, shareKey)).toBe(200);
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', {
        params: { path: site.path },
      }),
    );
    expect(await statusOf(space, token, shareKey)).toBe(401);
  });

  test('are refused by every operation that is not for visitors', async () => {
    const { site, space } = await publishedSite('public');
    const token = await site.visitorToken();
    const member = await serviceVisitorClaims(server.admin);
    const values: Record<string, string> = {
      organizationId: server.organization,
      siteId: site.id,
      spaceId: space,
    };
    const others = Object.values(operations).filter(({ secured }) => secured);
    for (const { method, path } of others) {
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'abc');
      for (const credential of [token, member]) {
        const headers = { Authorization: `Bearer ${credential}` };
        const { status } = await fetch(server.url + target, { method: method.toUpperCase(), headers });
        expect({ method, path, status }).toEqual({ method, path, status: 401 });
      }
    }
    expect(others.length).toBeGreaterThan(190);
  });
});

describe('members', () => {
  test('visit each site of their organization with the claims of a ping, while they are members', async () => {
    const reader = await server.member('Pinging.Reader', 'read');
    const token = await serviceVisitorClaims(reader);
    for (const visibility of ['public', 'unlisted', 'share-link', 'visitor-auth'] as const) {
      const { space } = await publishedSite(visibility);
      expect(await statusOf(space, token)).toBe(200);
    }
    const { space } = await publishedSite('visitor-auth');
    const members = server.database.query.updateTable('members').where('user', '=', reader.id);
    await members.set({ disabled: 1 }).execute();
    expect(await statusOf(space, token)).toBe(401);
    await members.set({ disabled: 0 }).execute();
    expect(await statusOf(space, token)).toBe(200);
  });

  test('of another organization cannot visit with the claims of their ping', async () => {
    const outsider = await server.person('Elsewhere');
    const { id } = await ok(outsider.client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }));
    const { space } = await publishedSite('visitor-auth');
    expect(await statusOf(space, await serviceVisitorClaims(outsider, id))).toBe(401);
    // Each ping is for one organization, also for a member of several.
    const both = await server.member('In.Both', 'read');
    const own = await ok(both.client.POST('/v1/orgs', { body: { title: 'Both' } }));
    expect(await statusOf(space, await serviceVisitorClaims(both, own.id))).toBe(401);
    expect(await statusOf(space, await serviceVisitorClaims(both))).toBe(200);
  });

  test('who are guests visit only sites that show a space visible to them', async () => {
    const guest = await server.member('Pinging.Guest', null);
    const token = await serviceVisitorClaims(guest);
    const { space } = await publishedSite('visitor-auth');
    expect(await statusOf(space, token)).toBe(401);
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: space } },
        body: { role: 'read', users: [guest.id] },
      }),
    );
    expect(await statusOf(space, token)).toBe(200);
  });
});

describe('conditions', () => {
  /** Sets the condition of the only site space of a site. */
  const setCondition = async ({ id }: VisitedSite, condition: string) =>
    await server.database.query.updateTable('siteSpaces').set({ condition }).where('site', '=', id).execute();

  test('exclude visitors without the claims', async () => {
    const { site, space } = await publishedSite('public');
    await site.setAdaptiveSchema();
    await setCondition(site, 'visitor.claims.beta');
    expect(await statusOf(space)).toBe(401);
    expect(await statusOf(space, await site.visitorToken({ beta: true }))).toBe(200);
    for (const claims of [{ beta: false }, { beta: 'true' }, { unsigned: { returning: true } }, {}]) {
      expect(await statusOf(space, await site.visitorToken(claims))).toBe(404);
    }
    await site.update({ adaptiveContent: { enabled: false } });
    expect(await statusOf(space)).toBe(200);
  });

  test('on claims that the schema no longer has exclude everyone', async () => {
    const { site, space } = await publishedSite('public');
    await site.setAdaptiveSchema();
    await setCondition(site, '!visitor.claims.beta');
    expect(await statusOf(space)).toBe(200);
    await site.setAdaptiveSchema({ type: 'object', properties: {}, additionalProperties: false });
    expect(await statusOf(space)).toBe(401);
  });

  test('select members by the claims of a ping', async () => {
    const { site, space } = await publishedSite('public');
    await site.setAdaptiveSchema();
    await setCondition(site, 'visitor.claims.member');
    expect(await statusOf(space)).toBe(401);
    expect(await statusOf(space, await serviceVisitorClaims(server.admin))).toBe(200);
  });
});
