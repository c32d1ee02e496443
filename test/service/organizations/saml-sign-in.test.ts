import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { cookiesOf, postForm, signInAt, startSignIn } from '../../support/saml/browser.ts';
import { startIdentityProvider } from '../../support/saml/identity-provider.ts';
import { encode, inMinutes, randomId, signedResponse } from '../../support/saml/responses.ts';
import { type SamlServer, startSamlServer } from '../../support/saml/sign-ins.ts';
import type { TestServer } from '../../support/server.ts';

let saml: SamlServer;
let server: TestServer;
/** A provider that adds users as readers, to a team. */
let provider: components['schemas']['SamlProvider'];
let team: string;

const inOrganization = () => ({ params: { path: { organizationId: server.organization } } });
const memberAt = (userId: string) => ({
  params: { path: { organizationId: server.organization, userId } },
});

beforeAll(async () => {
  saml = await startSamlServer();
  ({ server } = saml);
  const created = await ok(
    server.admin.client.PUT('/v1/orgs/{organizationId}/teams', {
      ...inOrganization(),
      body: { title: 'Newcomers' },
    }),
  );
  team = created.id;
  provider = await saml.createProvider({ defaultRole: 'read', defaultTeam: team });
});
afterAll(() => saml.stop());

const userOf = (email: string) =>
  server.database.query.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

describe('a first sign-in', () => {
  test('adds a user as a member with the default role, to the default team', async () => {
    const { response, session, page } = await saml.signInAs('Ada@Example.com', provider, 'Ada L');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page).toContain('<h1>Signed in to My organization</h1>');
    const user = (await userOf('ada@example.com'))?.id ?? '';
    expect(session).toEqual({ user, organization: server.organization });
    const member = await ok(
      server.admin.client.GET('/v1/orgs/{organizationId}/members/{userId}', memberAt(user)),
    );
    expect(member).toMatchObject({
      role: 'read',
      sso: true,
      disabled: false,
      lastSeenAt: expect.any(String),
      user: { displayName: 'Ada L', email: 'ada@example.com' },
      teams: 1,
    });
    const events: object[] = [];
    for await (const event of paginate(server.admin.client, '/v1/orgs/{organizationId}/audit-events', {
      params: { path: { organizationId: server.organization }, query: { limit: 5 } },
    })) {
      events.push(event);
    }
    const actor = { type: 'system' };
    expect(events).toContainEqual(
      expect.objectContaining({
        action: 'member.added',
        actor,
        resource: { type: 'user', id: user },
        details: { after: 'read', subject: { type: 'saml-provider', id: provider.id } },
        requestId: response.headers.get('x-request-id'),
      }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        action: 'team.member_added',
        actor,
        resource: { type: 'team', id: team },
        details: { after: 'member', subject: { type: 'user', id: user } },
      }),
    );
  });

  test('adds a guest without a default role, whose name is that of the address', async () => {
    const plain = await saml.createProvider();
    const { session } = await saml.signInAs('grace@example.com', plain);
    const member = await ok(
      server.admin.client.GET('/v1/orgs/{organizationId}/members/{userId}', memberAt(session?.user ?? '')),
    );
    expect(member).toMatchObject({ role: null, sso: true, user: { displayName: 'grace' }, teams: 0 });
  });

  test('accepts the pending invitation of this organization only', async () => {
    const other = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Other' } }));
    for (const organizationId of [server.organization, other.id]) {
      await ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/invites', {
          params: { path: { organizationId } },
          body: { emails: ['mary@example.com'], role: 'edit' },
        }),
      );
    }
    const { session } = await saml.signInAs('mary@example.com', provider);
    const memberships = await server.database.query
      .selectFrom('members')
      .select(['organization', 'role'])
      .where('user', '=', session?.user ?? '')
      .execute();
    expect(memberships).toEqual([{ organization: server.organization, role: 'edit' }]);
    const pending = await server.database.query
      .selectFrom('invites')
      .select('organization')
      .where('email', '=', 'mary@example.com')
      .where('acceptedAt', 'is', null)
      .execute();
    expect(pending).toEqual([{ organization: other.id }]);
  });

  test('adds a user of another organization to this one, and changes nothing else about them', async () => {
    const elsewhere = await server.person('Elsewhere');
    const owned = await ok(elsewhere.client.POST('/v1/orgs', { body: { title: 'Theirs' } }));
    const { session } = await saml.signInAs(elsewhere.email, provider, 'Impostor');
    expect(session).toEqual({ user: elsewhere.id, organization: server.organization });
    expect((await ok(elsewhere.client.GET('/v1/user'))).displayName).toBe('Elsewhere');
    const theirs = await server.database.query
      .selectFrom('members')
      .select(['role', 'sso'])
      .where('organization', '=', owned.id)
      .execute();
    expect(theirs).toEqual([{ role: 'admin', sso: 0 }]);
  });
});

describe('a later sign-in', () => {
  test('keeps the role and the teams of a member, and records SSO and the activity', async () => {
    const member = await server.member('Editor', 'edit');
    const { session } = await saml.signInAs(member.email, provider);
    expect(session).toEqual({ user: member.id, organization: server.organization });
    const read = () =>
      ok(server.admin.client.GET('/v1/orgs/{organizationId}/members/{userId}', memberAt(member.id)));
    expect(await read()).toMatchObject({ role: 'edit', sso: true, teams: 0, lastSeenAt: expect.any(String) });
    const event = await server.database.query
      .selectFrom('auditEvents')
      .select(['actor', 'resource'])
      .where('action', '=', 'member.sso_enabled')
      .execute();
    expect(event).toEqual([{ actor: 'system', resource: member.id }]);
    expect((await saml.signInAs(member.email, provider)).session).toBeDefined();
  });

  test('is rejected for a disabled member', async () => {
    const member = await server.member('Disabled', 'read');
    const disable = (disabled: 0 | 1) =>
      server.database.query.updateTable('members').set({ disabled }).where('user', '=', member.id).execute();
    const { response: signedIn } = await saml.signInAs(member.email, provider);
    await disable(1);
    expect(await saml.sessionOf(signedIn)).toBeUndefined();
    const { response, session, page } = await saml.signInAs(member.email, provider);
    expect([response.status, session, cookiesOf(response)]).toEqual([403, undefined, '']);
    expect(page).toContain('Your membership is disabled.');
  });

  test('identifies members of this organization by its own provider only', async () => {
    const owner = await server.person('Owner');
    const theirs = await ok(owner.client.POST('/v1/orgs', { body: { title: 'Theirs' } }));
    const foreign = await ok(
      owner.client.POST('/v1/orgs/{organizationId}/saml', {
        params: { path: { organizationId: theirs.id } },
        body: { label: 'Evil', ...saml.identity.settings, defaultRole: 'admin' },
      }),
    );
    const { session } = await saml.signInAs(server.admin.email, foreign);
    expect(session).toEqual({ user: server.admin.id, organization: theirs.id });
  });

  test('with one provider does not complete a request of another', async () => {
    const second = await saml.createProvider({ label: 'Second' });
    const send = await saml.begin(second);
    const response = await send({}, provider);
    expect([response.status, cookiesOf(response)]).toEqual([400, '']);
    expect((await send()).status).toBe(200);
  });
});

describe('a request', () => {
  test('is completed once', async () => {
    const send = await saml.begin(provider);
    const concurrent = await Promise.all([send(), send(), send()]);
    expect(concurrent.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect((await send()).status).toBe(400);
  });

  test('expires after ten minutes', async () => {
    const { query } = server.database;
    await query.deleteFrom('samlRequests').execute();
    const send = await saml.begin(provider);
    const { createdAt, expiresAt } = await query
      .selectFrom('samlRequests')
      .select(['createdAt', 'expiresAt'])
      .executeTakeFirstOrThrow();
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(600_000);
    const expireIn = (minutes: number) =>
      query
        .updateTable('samlRequests')
        .set({ expiresAt: inMinutes(minutes).toISOString() })
        .execute();
    await expireIn(0);
    expect((await send()).status).toBe(400);
    await expireIn(1);
    expect((await send()).status).toBe(200);
  });

  test.each([
    ['no relay state', {}],
    ['an unknown relay state', { RelayState: 'x'.repeat(43) }],
  ])('is required: a response with %s is rejected', async (_, fields) => {
    const { acsURL, entityID } = provider.service;
    const issuer = saml.identity.settings.entityID;
    const xml = signedResponse({ acsURL, audience: entityID, issuer, requestId: randomId() });
    const response = await postForm(acsURL, { SAMLResponse: encode(xml), ...fields });
    expect([response.status, cookiesOf(response)]).toEqual([400, '']);
    expect(await response.text()).toContain('was not started in this browser');
  });

  test('and an accepted assertion are deleted after they expire, a limited number at a time', async () => {
    const { query } = server.database;
    const count = async () => {
      const [requests, assertions] = await Promise.all(
        (['samlRequests', 'samlAssertions'] as const).map((table) =>
          query
            .selectFrom(table)
            .select((row) => row.fn.countAll().as('count'))
            .where('expiresAt', '<', inMinutes(-60).toISOString())
            .executeTakeFirstOrThrow(),
        ),
      );
      return [Number(requests?.count), Number(assertions?.count)];
    };
    const columns = { samlProvider: provider.id, organization: server.organization };
    const times = { createdAt: inMinutes(-90).toISOString(), expiresAt: inMinutes(-80).toISOString() };
    for (let index = 0; index < 150; index++) {
      await query
        .insertInto('samlRequests')
        .values({
          ...columns,
          ...times,
          relayStateHash: `old ${index}`,
          requestId: 'old',
          browserHash: null,
          returnPath: null,
        })
        .execute();
      await query
        .insertInto('samlAssertions')
        .values({ ...columns, assertionHash: `old ${index}`, expiresAt: times.expiresAt })
        .execute();
    }
    expect(await count()).toEqual([150, 150]);
    await startSignIn(provider.service.startURL);
    expect(await count()).toEqual([50, 50]);
  });
});

describe('an assertion', () => {
  test('is accepted once, also for another request', async () => {
    const assertionId = randomId();
    expect((await saml.answer(provider, { assertionId })).status).toBe(200);
    const replayed = await saml.answer(provider, { assertionId });
    expect([replayed.status, cookiesOf(replayed)]).toEqual([400, '']);
  });
});

test.runIf(isFirstEngine)('a provider that also signs the response is supported', async () => {
  const signing = await startIdentityProvider({ signResponse: true });
  try {
    const own = await saml.createProvider(signing.settings);
    signing.user = { email: 'signed@example.com' };
    const response = await signInAt(own.service.startURL);
    expect([response.status, (await saml.sessionOf(response))?.organization]).toEqual([
      200,
      server.organization,
    ]);
  } finally {
    await signing.stop();
  }
});
