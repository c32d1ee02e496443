import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok, paginate } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import { createId } from '../../../server/database/seams.ts';
import { createTokenUse, TOKEN_USE_RESOLUTION_MS } from '../../../server/identity/token-use.ts';
import { createToken, TOKEN_PATTERN } from '../../../server/identity/tokens.ts';
import { MAX_LIVE_TOKENS } from '../../../server/platform/accounts/access-tokens/queries.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import { OperationRequests } from '../../../spec/toolchain/conform/requests/requests.ts';
import { readContract as readForRequests } from '../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../spec/toolchain/model/contract/schemas-of.ts';
import { SchemaArbitraries } from '../../../spec/toolchain/model/schema/arbitraries.ts';
import { documentOf } from '../../../spec/toolchain/source.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { requestOf } from '../../support/http/requests.ts';
import { Wire } from '../../support/http/wire.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

type Scope = 'read' | 'write' | 'admin';
interface Create {
  label?: string;
  scopes?: Scope[];
  expiresAt?: string;
}

const post = async (client: Client, { label = 'Export', ...more }: Create = {}) =>
  await client.POST('/v1/user/tokens', { body: { label, ...more } });
const create = async (client: Client, options?: Create) => await ok(post(client, options));
const revoke = async (client: Client, tokenId: string) =>
  (await client.DELETE('/v1/user/tokens/{tokenId}', { params: { path: { tokenId } } })).response.status;
const list = async (client: Client) => (await ok(client.GET('/v1/user/tokens'))).items;
const statusOf = async (token: string) => (await server.as(token).GET('/v1/user')).response.status;

const ofMember = (organizationId: string, { id }: Person) => ({
  params: { path: { organizationId, userId: id } },
});
const listOfMember = async (client: Client, member: Person, organization = server.organization) =>
  await client.GET('/v1/orgs/{organizationId}/members/{userId}/tokens', ofMember(organization, member));
const revokeOfMember = async (
  client: Client,
  member: Person,
  tokenId: string,
  organizationId = server.organization,
) =>
  (
    await client.DELETE('/v1/orgs/{organizationId}/members/{userId}/tokens/{tokenId}', {
      params: { path: { organizationId, userId: member.id, tokenId } },
    })
  ).response.status;

const inFuture = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

describe('an access token', () => {
  test('is created with its secret, which is never returned again', async () => {
    const { client } = await server.person('Creator');
    const expiresAt = inFuture(3600);
    const { data, response } = await post(client, { label: 'Nightly', scopes: ['write', 'read'], expiresAt });
    expect(response.status).toBe(201);
    expect(data).toEqual({
      object: 'access-token',
      id: expect.stringMatching(/^tok_/),
      label: 'Nightly',
      scopes: ['read', 'write'],
      createdAt: expect.any(String),
      expiresAt,
      token: expect.stringMatching(TOKEN_PATTERN),
    });
    expect(await statusOf(data?.token ?? '')).toBe(200);
    const listed = await client.GET('/v1/user/tokens');
    expect(await ok(Promise.resolve(listed))).toMatchObject({
      items: [{ label: 'test' }, { label: 'Nightly' }],
    });
    expect(JSON.stringify(listed.data)).not.toContain(data?.token);
    const rows = await server.database.query.selectFrom('tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(data?.token);
  });

  test('ends immediately when it is revoked, also for the request that revokes it', async () => {
    const { client } = await server.person('Revoker');
    const [first, second] = [await create(client), await create(client)];
    expect(await statusOf(first.token)).toBe(200);
    expect(await revoke(client, first.id)).toBe(204);
    expect(await statusOf(first.token)).toBe(401);
    expect(await revoke(server.as(second.token), second.id)).toBe(204);
    expect(await statusOf(second.token)).toBe(401);
    expect((await list(client)).map(({ label }) => label)).toEqual(['test']);
    expect(await revoke(client, first.id)).toBe(204);
  });

  test('cannot be revoked by another user', async () => {
    const [first, second] = [await server.person('One'), await server.person('Other')];
    const { id, token } = await create(first.client);
    expect(await revoke(second.client, id)).toBe(204);
    expect(await statusOf(token)).toBe(200);
  });

  test('ends when it expires, and remains listed', async () => {
    const { client } = await server.person('Expirer');
    const { id, token } = await create(client, { expiresAt: inFuture(3600) });
    expect(await statusOf(token)).toBe(200);
    const expiresAt = new Date(Date.now() - 1).toISOString();
    await server.database.query.updateTable('tokens').set({ expiresAt }).where('id', '=', id).execute();
    expect(await statusOf(token)).toBe(401);
    expect(await list(client)).toMatchObject([{}, { id, expiresAt }]);
  });

  test.each([
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['expiresAt', { expiresAt: '2100-06-30T23:59:60Z' }],
    ['expiresAt', { expiresAt: '9999-12-31T23:59:59-01:00' }],
    ['label', { label: '' }],
    ['label', { label: 'x'.repeat(101) }],
    ['scopes', { scopes: [] }],
  ])('is rejected with an invalid %s', async (field, options) => {
    const rejected = await post(
      (await server.person(`Bad-${field}-${JSON.stringify(options)}`)).client,
      options,
    );
    expect(rejected.response.status).toBe(400);
    expect(rejected.error?.details).toMatchObject([{ in: 'body', path: field }]);
  });

  test('is rejected beyond the limit of tokens per user', async () => {
    const { id: user, client } = await server.person('Collector');
    const now = new Date();
    await server.database.transaction(async (trx) => {
      for (let count = 2; count < MAX_LIVE_TOKENS; count++) {
        await createToken(trx, { user, label: String(count), now, createId });
      }
      // Ended tokens do not count.
      await createToken(trx, {
        user,
        label: 'Expired',
        now,
        createId,
        expiresAt: new Date(now.getTime() - 1),
      });
    });
    const last = await create(client);
    const rejected = await post(client);
    expect(rejected.error).toMatchObject({ status: 409, reason: 'access_token_limit_reached' });
    expect(rejected.error?.message).toMatch(/100 access tokens.*Revoke one/);
    await revoke(client, last.id);
    await create(client);
  });
});

describe('the time of last use of a token', () => {
  const lastUse = async (client: Client) => (await list(client))[0]?.lastUsedAt;

  test('is returned', async () => {
    const { client } = await server.person('User');
    await expect.poll(() => lastUse(client)).toMatch(/^\d{4}-/);
  });

  test('is written at most once a minute by all processes', async () => {
    const { id: user } = await server.person('Busy');
    const row = () =>
      server.database.query
        .selectFrom('tokens')
        .select(['id', 'lastUsedAt'])
        .where('user', '=', user)
        .executeTakeFirstOrThrow();
    let now = new Date('2030-01-01T00:00:00.000Z');
    const options = { queries: server.database.query, clock: () => now, log: silent };
    const [first, second] = [createTokenUse(options), createTokenUse(options)];
    const unused = await row();
    const useAfter = async (milliseconds: number) => {
      now = new Date(now.getTime() + milliseconds);
      const before = await row();
      first.record(before);
      await first.flush();
      // Another process still has the old token in its cache.
      second.record(unused);
      await second.flush();
      return (await row()).lastUsedAt;
    };
    expect(await useAfter(0)).toBe('2030-01-01T00:00:00.000Z');
    expect(await useAfter(TOKEN_USE_RESOLUTION_MS - 1)).toBe('2030-01-01T00:00:00.000Z');
    expect(await useAfter(1)).toBe('2030-01-01T00:01:00.000Z');
  });
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('an admin', () => {
  test('lists and revokes the tokens of members', async () => {
    const member = await server.member('Employee', 'edit');
    const { id, token } = await create(member.client, { label: 'Laptop' });
    const { data } = await listOfMember(server.admin.client, member);
    expect(data?.items).toMatchObject([{ label: 'test' }, { id, label: 'Laptop' }]);
    expect(JSON.stringify(data)).not.toContain(token);
    expect(await revokeOfMember(server.admin.client, member, id)).toBe(204);
    expect(await statusOf(token)).toBe(401);
    expect(await statusOf(member.token)).toBe(200);
  });

  test('does not revoke tokens of others by the path of a member', async () => {
    const [member, other] = [await server.member('Named', 'edit'), await server.member('Unnamed', 'edit')];
    const { id, token } = await create(other.client);
    expect(await revokeOfMember(server.admin.client, member, id)).toBe(204);
    expect(await statusOf(token)).toBe(200);
  });

  test('cannot manage tokens of users who belonged to another organization before', async () => {
    const victim = await server.member('Victim', 'edit');
    const attacker = await server.person('Attacker');
    const { id, token } = await create(victim.client);
    const { id: organizationId } = await ok(
      attacker.client.POST('/v1/orgs', { body: { title: 'Attackers' } }),
    );
    await ok(
      attacker.client.POST('/v1/orgs/{organizationId}/invites', {
        params: { path: { organizationId } },
        body: { emails: [victim.email], role: 'read' },
      }),
    );
    expect((await listOfMember(attacker.client, victim, organizationId)).response.status).toBe(403);
    expect(await revokeOfMember(attacker.client, victim, id, organizationId)).toBe(403);
    expect(await statusOf(token)).toBe(200);
    // The previous member still has access.
    expect(await revokeOfMember(server.admin.client, victim, id)).toBe(204);
    expect(await statusOf(token)).toBe(401);
  });
});

describe('scopes', () => {
  const contract = readContract();
  const described = readForRequests(documentOf('generated/openapi.json', contract));
  const make = new SchemaArbitraries(schemasOf(described));
  let wire: Wire;
  let tokens: Record<Scope, string>;
  beforeAll(async () => {
    wire = new Wire(server.url);
    const of = async (scopes: Scope[]) => (await create(server.admin.client, { scopes })).token;
    tokens = { read: await of(['read']), write: await of(['write']), admin: await of(['admin']) };
  });
  afterAll(() => wire.close());

  const Scopes: Scope[] = ['read', 'write', 'admin'];

  /** Scope that the contract requires; the table of operations is generated from it. */
  const neededBy = (id: keyof typeof operations): Scope => {
    const { method, path } = operations[id];
    const marked = contract.paths[path]?.[method]?.['x-scope'];
    return Scopes.find((scope) => scope === marked) ?? (method === 'get' ? 'read' : 'write');
  };
  // The keys of the table of operations are operation ids.
  const ids = Object.keys(operations) as (keyof typeof operations)[];

  test('are required in the contract by operations for administrators', () => {
    const admin = ids.filter((id) => neededBy(id) === 'admin');
    // Their responses contain secrets.
    expect(admin.filter((id) => operations[id].method === 'get').sort()).toEqual([
      'getSitePublishingAuth',
      'listShareLinks',
    ]);
    for (const id of ['deleteMember', 'createAccessToken', 'createSpaceGrants', 'deleteSpace'] as const) {
      expect(admin).toContain(id);
    }
  });

  test.runIf(isFirstEngine).each(ids)('%s rejects each token that lacks its scope', async (id) => {
    const operation = described.operations.find((item) => item.id === id);
    if (!operation) {
      throw new Error(`The contract has no operation ${id}.`);
    }
    const path = Object.fromEntries(operation.parameters.map(({ name }) => [name, 'nowhere']));
    const [parts] = fc.sample(new OperationRequests(described, operation, make).minimal({ path }), {
      numRuns: 1,
    });
    if (!parts) {
      throw new Error(`There is no request for ${id}.`);
    }
    const needed = neededBy(id);
    for (const scope of Scopes) {
      const { text } = await wire.send(requestOf(operation, { ...parts, path }), tokens[scope]);
      const rejected = Scopes.indexOf(scope) < Scopes.indexOf(needed);
      if (rejected) {
        expect(text).toMatch(
          `"reason":"scope_missing","message":"The access token lacks the scope ${needed},`,
        );
      } else {
        expect(text).not.toContain('lacks the scope');
      }
    }
  });

  test('limit the scopes that a token can grant to another one', async () => {
    const admin = server.as(tokens.admin);
    for (const scopes of [undefined, ['read', 'admin']] as const) {
      const { response } = await post(admin, scopes && { scopes: [...scopes] });
      expect(response.status).toBe(scopes ? 201 : 403);
    }
    const expiresAt = inFuture(3600);
    const ending = server.as((await create(server.admin.client, { expiresAt })).token);
    expect((await post(ending)).response.status).toBe(403);
    expect((await post(ending, { expiresAt: inFuture(7200) })).response.status).toBe(403);
    expect((await post(ending, { expiresAt: inFuture(60) })).response.status).toBe(201);
  });
});

test('lists tokens page by page', async () => {
  const { client } = await server.person('Pager');
  for (const label of ['a', 'b']) {
    await create(client, { label });
  }
  const labels: string[] = [];
  for await (const { label } of paginate(client, '/v1/user/tokens', { params: { query: { limit: 1 } } })) {
    labels.push(label);
  }
  expect(labels).toEqual(['test', 'a', 'b']);
});
