import { randomUUID } from 'node:crypto';
import type { Updateable } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import { operationsOf, parametersOf } from '../../../server/contract/document.ts';
import { writeJson } from '../../../server/database/json.ts';
import type { TokenScope, TokensTable } from '../../../server/database/schema/accounts/access-tokens.ts';
import type { Role } from '../../../server/identity/levels.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import type { OperationId } from '../../../server/platform/kit/slice.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { fillPath } from '../../support/http/requests.ts';
import { TestResources } from '../../support/resources.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';
import { TABLE } from './access-table.ts';

let server: TestServer;
let git: GitServer;
let resources: TestResources;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  resources = await TestResources.ofServer(server, git);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

/** All operations that accept an idempotency key; on the second engine, some of them. */
const document = readContract();
const keyed = Object.values(document.paths)
  .flatMap(operationsOf)
  .filter(([, operation]) => parametersOf(document, operation).some(({ name }) => name === 'Idempotency-Key'))
  // The IDs of the document are those of the table of operations.
  .map(([, { operationId }]) => operationId as OperationId)
  .filter((id) => isFirstEngine || ['createSpace', 'createShareLink', 'createOrganization'].includes(id));

/** Operations that need no membership in the organization of the test. */
const WITHOUT_MEMBERSHIP: readonly OperationId[] = ['createOrganization', 'createAccessToken'];

/** A request that can be repeated. */
interface Request {
  method: string;
  address: string;
  body: unknown;
}

/** Sends a request. Returns the status and the body of the response. */
async function send({ method, address, body }: Request, { token }: Person, key?: string) {
  const response = await fetch(address, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.text() };
}

/** Creates the request of an operation from the table of access. */
async function requestOf(id: OperationId, caller: Person): Promise<Request> {
  const [{ method, path }, row] = [operations[id], TABLE[id]];
  // An integration is installed in an organization once.
  const named = id === 'createInstallation' ? resources.fresh() : resources;
  const values = await named.pathValues(path);
  await row?.prepare?.(named);
  const body = await row?.body?.(named, caller);
  return { method: method.toUpperCase(), address: server.url + fillPath(path, values), body };
}

/** Changes the membership of a user in the organization, or the tokens of the user. */
const setMember = (user: string, changes: { role?: Role; disabled?: 0 | 1 }) =>
  server.database.query
    .updateTable('members')
    .set(changes)
    .where('user', '=', user)
    .where('organization', '=', server.organization)
    .execute();
const setToken = (user: string, changes: Updateable<TokensTable>) =>
  server.database.query.updateTable('tokens').set(changes).where('user', '=', user).execute();

/** A way to lose a right, and the way back; `ofToken` if it applies without a membership, too. */
interface Loss {
  name: string;
  ofToken?: boolean;
  lose: (user: string) => Promise<unknown>;
  restore: (user: string) => Promise<unknown>;
}

const LOSSES: Loss[] = [
  {
    name: 'a token that may only read',
    ofToken: true,
    lose: (user) => setToken(user, { scopes: writeJson<TokenScope[]>(['read']) }),
    restore: (user) => setToken(user, { scopes: null }),
  },
  {
    name: 'a lower role',
    lose: (user) => setMember(user, { role: 'read' }),
    restore: (user) => setMember(user, { role: 'admin' }),
  },
  {
    name: 'a disabled membership',
    lose: (user) => setMember(user, { disabled: 1 }),
    restore: (user) => setMember(user, { disabled: 0 }),
  },
  {
    name: 'a revoked token',
    ofToken: true,
    lose: (user) => setToken(user, { revokedAt: new Date().toISOString() }),
    restore: (user) => setToken(user, { revokedAt: null }),
  },
];

test.each(keyed)('%s returns its first response only to a caller who may still call it', async (id) => {
  const caller = await server.member(`Caller of ${id}`, 'admin');
  const request = await requestOf(id, caller);
  const key = randomUUID();
  const first = await send(request, caller, key);
  expect(first.status).toBe(operations[id].status);
  expect(await send(request, caller, key)).toEqual(first);
  const losses = LOSSES.filter(({ ofToken }) => ofToken || !WITHOUT_MEMBERSHIP.includes(id));
  for (const { name, lose, restore } of losses) {
    await lose(caller.id);
    const withoutKey = await send(request, caller);
    const replayed = await send(request, caller, key);
    const other = await send({ ...request, address: `${request.address}?format=document` }, caller, key);
    expect([401, 403, 404], name).toContain(withoutKey.status);
    expect({ name, replayed: replayed.status }).toEqual({ name, replayed: withoutKey.status });
    expect(other.body, name).not.toContain('idempotency_key_reused');
    await restore(caller.id);
  }
  expect(await send(request, caller, key)).toEqual(first);
});

test('a creation is not returned to a caller who no longer sees the created resource', async () => {
  const { client } = server.admin;
  const guest = await server.member('Guest', null);
  const organizationId = server.organization;
  const { id: collectionId } = await ok(
    client.POST('/v1/orgs/{organizationId}/collections', {
      params: { path: { organizationId } },
      body: { title: 'Shared' },
    }),
  );
  await ok(
    client.POST('/v1/collections/{collectionId}/permissions', {
      params: { path: { collectionId } },
      body: { role: 'create', users: [guest.id] },
    }),
  );
  const request = {
    method: 'POST',
    address: `${server.url}/v1/orgs/${organizationId}/spaces`,
    body: { title: 'Plans', parent: collectionId },
  };
  const key = randomUUID();
  const first = await send(request, guest, key);
  expect(first.status).toBe(201);
  // The body is that of a space.
  const { id: spaceId } = JSON.parse(first.body) as { id: string };
  await ok(
    client.POST('/v1/spaces/{spaceId}/move', { params: { path: { spaceId } }, body: { parent: null } }),
  );
  expect((await send(request, guest, key)).status).toBe(404);
  expect((await send(request, guest)).status).toBe(201);
});

test('an organization is not returned to a founder who has left it', async () => {
  const founder = await server.member('Founder', 'read');
  const request = { method: 'POST', address: `${server.url}/v1/orgs`, body: { title: 'Founded' } };
  const key = randomUUID();
  const first = await send(request, founder, key);
  // The body is that of an organization.
  const { id } = JSON.parse(first.body) as { id: string };
  await server.database.query
    .deleteFrom('members')
    .where('organization', '=', id)
    .where('user', '=', founder.id)
    .execute();
  expect((await send(request, founder, key)).status).toBe(404);
});

test('a replay writes nothing', async () => {
  const request = await requestOf('createSpace', server.admin);
  const key = randomUUID();
  const count = async () => (await server.database.query.selectFrom('spaces').select('id').execute()).length;
  const first = await send(request, server.admin, key);
  const before = await count();
  expect(await send(request, server.admin, key)).toEqual(first);
  expect(await count()).toBe(before);
});
