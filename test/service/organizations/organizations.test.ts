import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok, paginate } from '../../../client/platform/index.ts';
import { writeJson } from '../../../server/database/json.ts';
import type { Role } from '../../../server/identity/levels.ts';
import { addMember } from '../../../server/identity/organizations.ts';
import { MAX_DOMAIN_ORGANIZATIONS } from '../../../server/platform/accounts/organizations/queries.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { organizationRow } from '../database/rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const at = (organizationId = server.organization) => ({ params: { path: { organizationId } } });

type Change = {
  title?: string;
  emailDomains?: string[];
  hostname?: string;
  defaultRole?: Role | null;
  defaultContent?: { type: 'site'; site: string } | null;
  logo?: string | null;
  sso?: boolean;
  ai?: boolean;
};

const create = async (client: Client, title: string, emailDomains?: string[]) =>
  await ok(client.POST('/v1/orgs', { body: { title, ...(emailDomains && { emailDomains }) } }));
const read = async (client: Client, id?: string) => await client.GET('/v1/orgs/{organizationId}', at(id));
const change = async (client: Client, body: Change, id?: string) =>
  await client.PATCH('/v1/orgs/{organizationId}', { ...at(id), body });

const titles = async (client: Client) => {
  const results: string[] = [];
  for await (const { title } of paginate(client, '/v1/orgs', { params: { query: { limit: 1 } } })) {
    results.push(title);
  }
  return results;
};

describe('an organization', () => {
  test('starts with its creator as its admin, and without content', async () => {
    const person = await server.person('Founder');
    const { data, response } = await person.client.POST('/v1/orgs', { body: { title: 'Acme' } });
    expect(response.status).toBe(201);
    expect(data).toMatchObject({
      object: 'organization',
      title: 'Acme',
      emailDomains: [],
      type: 'business',
      plan: 'free_2024',
      inviteLinks: true,
      sso: false,
      ai: false,
      trial: { status: 'notapplicable', count: 0 },
      permissions: { admin: true },
    });
    for (const unset of ['defaultRole', 'hostname', 'defaultContent', 'logo']) {
      expect(data).not.toHaveProperty(unset);
    }
    expect((await read(person.client, data?.id)).data).toEqual(data);
    const members = await ok(person.client.GET('/v1/orgs/{organizationId}/members', at(data?.id)));
    expect(members.items).toMatchObject([{ id: person.id, role: 'admin' }]);
  });

  test('is listed to its members, from oldest to newest', async () => {
    const [first, second] = [await server.person('Lister'), await server.person('Other')];
    await create(first.client, 'First');
    await create(second.client, 'Not theirs');
    const shared = await create(second.client, 'Shared');
    await create(first.client, 'Last');
    await ok(
      second.client.POST('/v1/orgs/{organizationId}/invites', {
        ...at(shared.id),
        body: { emails: [first.email], role: null },
      }),
    );
    expect(await titles(first.client)).toEqual(['First', 'Shared', 'Last']);
    expect((await read(first.client, shared.id)).response.status).toBe(200);
    expect((await read(second.client, server.organization)).response.status).toBe(404);
  });

  test('keeps fields that an update omits, and removes those set to null', async () => {
    const { client } = await server.person('Changer');
    const { id } = await create(client, 'Before');
    await ok(change(client, { logo: 'https://example.com/logo.png', ai: true }, id));
    const changed = await ok(change(client, { title: 'After', emailDomains: ['example.com'] }, id));
    expect(changed).toMatchObject({
      title: 'After',
      emailDomains: ['example.com'],
      ai: true,
      urls: { logo: 'https://example.com/logo.png' },
    });
    expect((await ok(change(client, { logo: null }, id))).urls).not.toHaveProperty('logo');
    expect((await ok(change(client, {}, id))).title).toBe('After');
  });

  test('has an optional default role, of which null makes guests', async () => {
    const { client } = await server.person('Defaulter');
    const { id } = await create(client, 'Default roles');
    expect((await ok(change(client, { defaultRole: 'edit' }, id))).defaultRole).toBe('edit');
    expect((await ok(change(client, { defaultRole: null }, id))).defaultRole).toBeNull();
    expect((await ok(read(client, id))).defaultRole).toBeNull();
  });

  test('has no site that does not exist', async () => {
    const { client } = await server.person('Shower');
    const { id } = await create(client, 'Default content');
    const rejected = await change(client, { defaultContent: { type: 'site', site: 'site_nowhere' } }, id);
    expect(rejected.error).toMatchObject({
      status: 400,
      details: [{ in: 'body', path: 'defaultContent.site' }],
    });
    expect((await change(client, { defaultContent: null }, id)).response.status).toBe(200);
  });

  test('has a unique host name, also for concurrent requests', async () => {
    const { client } = await server.person('Hoster');
    const [first, second] = [await create(client, 'Host one'), await create(client, 'Host two')];
    expect((await ok(change(client, { hostname: 'taken' }, first.id))).hostname).toBe('taken');
    expect((await change(client, { hostname: 'taken' }, second.id)).error).toMatchObject({
      status: 409,
      reason: 'hostname_taken',
    });
    expect((await change(client, { hostname: 'taken' }, first.id)).response.status).toBe(200);
    for (let round = 1; round <= 3; round++) {
      const statuses = await Promise.all(
        [first, second].map(
          async ({ id }) => (await change(client, { hostname: `both-${round}` }, id)).response.status,
        ),
      );
      expect(statuses.toSorted()).toEqual([200, 409]);
    }
  });
});

describe('the lookup by email domain', () => {
  test('finds organizations visible to the caller, in any case', async () => {
    const [first, second] = [await server.person('Seeker'), await server.person('Hider')];
    const visible = await create(first.client, 'Seen', ['Example.org', 'example.net']);
    await create(first.client, 'Another', ['elsewhere.org']);
    await create(second.client, 'Hidden', ['example.org']);
    const find = async (emailDomain: string) =>
      (
        await ok(
          first.client.GET('/v1/email-domains/{emailDomain}/orgs', { params: { path: { emailDomain } } }),
        )
      ).organizations.map(({ id }) => id);
    expect(await find('example.ORG')).toEqual([visible.id]);
    expect(await find('example.net')).toEqual([visible.id]);
    expect(await find('example.com')).toEqual([]);
    // Part of a domain.
    expect(await find('example.or')).toEqual([]);
  });

  test('finds a limited number of organizations, oldest first', async () => {
    const { id: user, client } = await server.person('Member of many');
    const organizations = Array.from({ length: MAX_DOMAIN_ORGANIZATIONS + 1 }, (_, at) => ({
      ...organizationRow(`org_many_${at}`),
      emailDomains: writeJson(['many.example']),
      createdAt: new Date(2_000_000_000_000 - at).toISOString(),
    }));
    await server.database.transaction(async (trx) => {
      for (const organization of organizations) {
        await trx.insertInto('organizations').values(organization).execute();
        const member = { organization: organization.id, user, role: 'read' as const, now: new Date() };
        await addMember(trx, NO_QUOTAS, member);
      }
    });
    const params = { path: { emailDomain: 'many.example' } };
    const found = await ok(client.GET('/v1/email-domains/{emailDomain}/orgs', { params }));
    const oldest = organizations.map(({ id }) => id).toReversed();
    expect(found.organizations.map(({ id }) => id)).toEqual(oldest.slice(0, MAX_DOMAIN_ORGANIZATIONS));
  });
});

describe('the permissions of a member in an organization', () => {
  const Member = ['view', 'access', 'listMembers', 'listTeams', 'listIntegrations'];
  const Reader = [...Member, 'listInstallations'];
  const Creator = [...Reader, 'createContent', 'createOpenAPISpec', 'ingestConversations'];
  const Admin = [...Creator, 'ownTeam', 'viewBilling', 'installIntegration', 'admin'];

  test.each<[string, Role | null, string[]]>([
    ['guest', null, Member],
    ['read', 'read', Reader],
    ['comment', 'comment', Reader],
    ['edit', 'edit', Reader],
    ['review', 'review', Reader],
    ['create', 'create', Creator],
    ['admin', 'admin', Admin],
  ])('are reported and enforced for %s', async (name, role, allowed) => {
    const { client } = await server.member(`Permitted.${name}`, role);
    const { permissions } = await ok(read(client));
    const reported = Object.entries(permissions).flatMap(([key, input]) => (input ? [key] : []));
    expect(reported.toSorted()).toEqual(allowed.toSorted());
    expect((await change(client, {})).response.status).toBe(allowed.includes('admin') ? 200 : 403);
    const created = await client.POST('/v1/orgs/{organizationId}/spaces', { ...at(), body: {} });
    expect(created.response.status).toBe(allowed.includes('createContent') ? 201 : 403);
    const team = await client.PUT('/v1/orgs/{organizationId}/teams', {
      ...at(),
      body: { title: name },
    });
    expect(team.response.status).toBe(allowed.includes('ownTeam') ? 201 : 403);
  });
});

describe('an organization that enforces SSO', () => {
  test('admits only SSO members and admins', async () => {
    const admin = await server.person('Enforcer');
    const { id } = await create(admin.client, 'Enforced');
    const [plain, sso] = [
      await server.member('PlainMember', 'create', id),
      await server.member('SsoMember', null, id),
    ];
    const enable = async (userId: string) =>
      await ok(
        admin.client.POST('/v1/orgs/{organizationId}/members/{userId}/sso', {
          params: { path: { organizationId: id, userId } },
        }),
      );
    await enable(sso.id);
    await ok(change(admin.client, { sso: true }, id));
    const sees = async (client: Client) => [
      (await read(client, id)).response.status,
      (await titles(client)).includes('Enforced'),
    ];
    expect(await sees(admin.client)).toEqual([200, true]);
    expect(await sees(sso.client)).toEqual([200, true]);
    expect(await sees(plain.client)).toEqual([404, false]);
    await enable(plain.id);
    expect(await sees(plain.client)).toEqual([200, true]);
    await ok(change(admin.client, { sso: false }, id));
    expect(await sees(plain.client)).toEqual([200, true]);
  });
});
