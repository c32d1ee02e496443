import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { type SamlServer, startSamlServer } from '../../support/saml/sign-ins.ts';
import type { Person, TestServer } from '../../support/server.ts';
import {
  createLimited,
  expectExceeded,
  type LimitedOrganization,
  limitedOrganization,
  statusesOf,
} from './organizations.ts';

let saml: SamlServer;
let server: TestServer;
beforeAll(async () => {
  saml = await startSamlServer();
  ({ server } = saml);
});
afterAll(() => saml.stop());

const invite = ({ client, params }: LimitedOrganization, ...emails: string[]) =>
  client.POST('/v1/orgs/{organizationId}/invites', { params, body: { emails, role: 'read' } });
const accept = ({ client }: Person, { organizationId }: LimitedOrganization, inviteId: string) =>
  client.POST('/v1/orgs/{organizationId}/invites/{inviteId}', {
    params: { path: { organizationId, inviteId } },
  });
const linkOf = async ({ client, params }: LimitedOrganization) =>
  (await ok(client.POST('/v1/orgs/{organizationId}/link-invites', { params, body: { role: 'read' } }))).id;

describe('a quota of members', () => {
  test('limits invitations of users, of whom none is added then', async () => {
    const organization = await createLimited(server, { members: 2 });
    const [ada, ben] = [await server.person('Ada'), await server.person('Ben')];
    await expectExceeded(invite(organization, ada.email, ben.email), { name: 'members', limit: 2, used: 2 });
    expect((await organization.read()).members).toEqual({ used: 1, limit: 2 });
    await ok(invite(organization, ada.email, 'unknown@example.com'));
    await ok(invite(organization, ada.email));
    expect(await organization.used('members')).toBe(2);
    await expectExceeded(invite(organization, ben.email), { name: 'members', limit: 2, used: 2 });
    const { client, organizationId } = organization;
    const member = { params: { path: { organizationId, userId: ada.id } } };
    await ok(client.DELETE('/v1/orgs/{organizationId}/members/{userId}', member));
    await ok(invite(organization, ben.email));
    expect(await organization.used('members')).toBe(2);
  });

  test('limits the acceptance of invitations, of which one of two gets the last place', async () => {
    const organization = await createLimited(server, { members: 2 });
    const link = await linkOf(organization);
    const [carl, dora, emil] = [
      await server.person('Carl'),
      await server.person('Dora'),
      await server.person('Emil'),
    ];
    expect(await statusesOf([accept(carl, organization, link), accept(dora, organization, link)])).toEqual([
      200, 403,
    ]);
    const full = { name: 'members', limit: 2, used: 2 } as const;
    await expectExceeded(accept(emil, organization, link), full);
    await organization.limit({ members: 3 });
    await ok(accept(emil, organization, link));
    // Members accept another invitation without a new place.
    await ok(accept(emil, organization, link));
    expect(await organization.used('members')).toBe(3);
  });

  test('limits the first sign-in of users, not those of members', async () => {
    const organization = await limitedOrganization(server, server.organization, { members: 2 });
    const provider = await saml.createProvider({ defaultRole: 'read' });
    const first = await saml.signInAs('first@example.com', provider);
    expect(first.response.status).toBe(200);
    const second = await saml.signInAs('second@example.com', provider);
    expect([second.response.status, second.session]).toEqual([403, undefined]);
    expect(second.page).toContain('would exceed its quota of members: it uses 2 of 2');
    expect((await saml.signInAs('first@example.com', provider)).response.status).toBe(200);
    expect(await organization.used('members')).toBe(2);
    const users = server.database.query.selectFrom('users').where('email', '=', 'second@example.com');
    expect(await users.selectAll().execute()).toEqual([]);
    await organization.limit({ members: 'off' });
    expect((await saml.signInAs('second@example.com', provider)).response.status).toBe(200);
  });
});
