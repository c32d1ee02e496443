import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { components } from '../../../generated/schema.d.ts';
import { findSession, SESSION_COOKIE } from '../../../server/identity/sessions.ts';
import { cookiesOf, postForm, visit } from '../../support/saml/browser.ts';
import { inMinutes, nameIDOf } from '../../support/saml/responses.ts';
import { type SamlServer, secretOf, startSamlServer } from '../../support/saml/sign-ins.ts';
import type { TestServer } from '../../support/server.ts';

let saml: SamlServer;
let server: TestServer;
let provider: components['schemas']['SamlProvider'];
beforeAll(async () => {
  saml = await startSamlServer();
  ({ server } = saml);
  provider = await saml.createProvider();
});
afterAll(() => saml.stop());

const inOrganization = () => ({ params: { path: { organizationId: server.organization } } });
const memberAt = (userId: string) => ({
  params: { path: { organizationId: server.organization, userId } },
});

describe('a session', () => {
  test('lasts twelve hours, or as long as that of the identity provider', async () => {
    const hours = (count: number) => inMinutes(count * 60);
    const long = await saml.answer(provider, {
      sessionEnd: ` SessionNotOnOrAfter="${hours(24).toISOString()}"`,
    });
    const short = await saml.answer(provider, {
      sessionEnd: ` SessionNotOnOrAfter="${hours(1).toISOString()}"`,
    });
    expect([await saml.sessionOf(long, hours(11.9)), await saml.sessionOf(short, hours(0.9))]).toEqual([
      expect.any(Object),
      expect.any(Object),
    ]);
    expect([await saml.sessionOf(long, hours(12)), await saml.sessionOf(short, hours(1))]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('is stored as a hash, and found by no other text', async () => {
    const response = await saml.answer(provider);
    const secret = secretOf(response);
    const row = await server.database.query
      .selectFrom('sessions')
      .selectAll()
      .orderBy('createdAt', 'desc')
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(secret);
    for (const text of ['', row.hash, `${secret}x`, secret.toLowerCase(), 'é'.repeat(43)]) {
      expect(await findSession(server.database.query, text, new Date())).toBeUndefined();
    }
  });

  test('does not authenticate operations of the API', async () => {
    const cookie = cookiesOf(await saml.answer(provider, { nameID: nameIDOf(server.admin.email) }));
    const { status } = await fetch(`${server.url}/v1/user`, { headers: { Cookie: cookie } });
    expect([cookie.startsWith(SESSION_COOKIE), status]).toEqual([true, 401]);
    const asBearer = { Authorization: `Bearer ${cookie.slice(SESSION_COOKIE.length + 1)}` };
    expect((await fetch(`${server.url}/v1/user`, { headers: asBearer })).status).toBe(401);
  });

  test('ends when its member is removed, and does not return with them', async () => {
    const member = await server.member('Leaving', 'read');
    const { response } = await saml.signInAs(member.email, provider);
    expect(await saml.sessionOf(response)).toBeDefined();
    await server.admin.client.DELETE('/v1/orgs/{organizationId}/members/{userId}', memberAt(member.id));
    await server.admin.client.POST('/v1/orgs/{organizationId}/invites', {
      ...inOrganization(),
      body: { emails: [member.email], role: 'read', sso: true },
    });
    expect(await saml.sessionOf(response)).toBeUndefined();
  });

  test('ends when its provider is deleted', async () => {
    const own = await saml.createProvider({ label: 'Short-lived' });
    const response = await saml.answer(own);
    expect(await saml.sessionOf(response)).toBeDefined();
    await server.admin.client.DELETE('/v1/orgs/{organizationId}/saml/{samlProviderId}', {
      params: { path: { organizationId: server.organization, samlProviderId: own.id } },
    });
    expect(await saml.sessionOf(response)).toBeUndefined();
    expect((await visit(own.service.startURL)).status).toBe(404);
  });

  test('is deleted after it expires, a limited number at a time', async () => {
    const own = await saml.createProvider();
    const { user = '' } = (await saml.sessionOf(await saml.answer(own))) ?? {};
    const { query } = server.database;
    const owner = { user, organization: server.organization, samlProvider: own.id };
    for (let index = 0; index < 150; index++) {
      const times = { createdAt: inMinutes(-90).toISOString(), expiresAt: inMinutes(-80).toISOString() };
      await query
        .insertInto('sessions')
        .values({ ...owner, ...times, hash: `old ${index}` })
        .execute();
    }
    expect(await saml.sessionOf(await saml.answer(own))).toBeDefined();
    const remaining = await query
      .selectFrom('sessions')
      .select('hash')
      .where('samlProvider', '=', own.id)
      .execute();
    expect(remaining).toHaveLength(52);
  });

  test('ends with a sign-out from a page of this server only', async () => {
    const response = await saml.answer(provider);
    const signOutURL = `${server.url}/saml/sign-out`;
    const Cookie = cookiesOf(response);
    const foreign = [
      {},
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: server.url },
    ];
    for (const headers of foreign) {
      expect((await postForm(signOutURL, {}, { Cookie, ...headers })).status).toBe(403);
    }
    expect((await visit(signOutURL, { Cookie })).status).toBe(404);
    expect(await saml.sessionOf(response)).toBeDefined();
    const signedOut = await postForm(signOutURL, {}, { Cookie, Origin: server.url });
    expect([signedOut.status, signedOut.headers.getSetCookie()]).toEqual([
      200,
      [expect.stringMatching(new RegExp(`^${SESSION_COOKIE}=; .*Expires=Thu, 01 Jan 1970`))],
    ]);
    expect(await saml.sessionOf(response)).toBeUndefined();
    expect((await postForm(signOutURL, {}, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
  });
});
