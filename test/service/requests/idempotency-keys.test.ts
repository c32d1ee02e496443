import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { ContractError } from '../../../server/contract/errors.ts';
import type { Transaction } from '../../../server/database/database.ts';
import { followWrites, type Writes } from '../../../server/database/writes.ts';
import { notFound } from '../../../server/errors/errors.ts';
import {
  type KeyedRequest,
  KeyedRequests,
} from '../../../server/platform/kit/idempotency-keys/keyed-requests.ts';
import { docsPage } from '../../support/http/site.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { useSites } from '../content/websites.ts';

const serve = useSites();

let server: TestServer;
let space: string;
beforeAll(async () => {
  server = await startTestServer();
  space = (await ok(createSpace({ title: 'Handbook' }))).id;
});
afterAll(() => server.stop());

const createSpace = (body: { title: string }, key?: string, { client } = server.admin) =>
  client.POST('/v1/orgs/{organizationId}/spaces', {
    params: {
      path: { organizationId: server.organization },
      header: { ...(key !== undefined && { 'Idempotency-Key': key }) },
    },
    body,
  });

const titles = async () => {
  const params = { path: { organizationId: server.organization } };
  const { items } = await ok(server.admin.client.GET('/v1/orgs/{organizationId}/spaces', { params }));
  return items.map(({ title }) => title);
};

/** Calls an operation twice with one key. Returns both responses with their `Location`. */
async function callTwice<Result extends { data?: unknown; response: Response }>(
  call: (header: { 'Idempotency-Key': string }) => Promise<Result>,
) {
  const header = { 'Idempotency-Key': randomUUID() };
  const responses: Result[] = [];
  for (let number = 0; number < 2; number++) {
    responses.push(await call(header));
  }
  return responses.map(({ data, response }) => ({
    status: response.status,
    location: response.headers.get('Location'),
    data,
  }));
}

const twelve = <Result>(call: () => Promise<Result>) => Promise.all(Array.from({ length: 12 }, call));

test('creates once for a key, and returns the first response again', async () => {
  const key = randomUUID();
  const first = await createSpace({ title: 'Once' }, key);
  const second = await createSpace({ title: 'Once' }, key);
  expect(second.response.status).toBe(201);
  expect(second.data).toEqual(first.data);
  expect(second.response.headers.get('Location')).toBe(first.response.headers.get('Location'));
  expect((await titles()).filter((title) => title === 'Once')).toHaveLength(1);
});

test('creates again for another key, without a key, and for another user', async () => {
  const [key, member] = [randomUUID(), await server.member('Editor', 'create')];
  await ok(createSpace({ title: 'Again' }, key));
  await ok(createSpace({ title: 'Again' }, randomUUID()));
  await ok(createSpace({ title: 'Again' }));
  await ok(createSpace({ title: 'Again' }, key, member));
  expect((await titles()).filter((title) => title === 'Again')).toHaveLength(4);
});

test('rejects a key that was used with another body or operation', async () => {
  const key = randomUUID();
  await ok(createSpace({ title: 'First' }, key));
  const other = await createSpace({ title: 'Second' }, key);
  expect([other.response.status, other.error?.reason]).toEqual([409, 'idempotency_key_reused']);
  const { response, error } = await server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', {
    params: { path: { spaceId: space }, header: { 'Idempotency-Key': key } },
    body: {},
  });
  expect([response.status, error?.reason]).toEqual([409, 'idempotency_key_reused']);
  expect(await titles()).not.toContain('Second');
});

test('rejects a key that was used with another query', async () => {
  const [reply, header] = [await replier(), { 'Idempotency-Key': randomUUID() }];
  const { id } = await ok(reply(header, {}));
  const { response, error } = await reply(header, { format: 'document' });
  expect([response.status, error?.reason]).toEqual([409, 'idempotency_key_reused']);
  expect((await ok(reply(header, {}))).id).toBe(id);
});

test('rejects an empty key and one that is too long', async () => {
  for (const key of ['', 'k'.repeat(256)]) {
    const { response, error } = await createSpace({ title: 'Invalid' }, key);
    expect(response.status).toBe(400);
    expect(error?.details).toMatchObject([{ in: 'header', path: 'Idempotency-Key' }]);
  }
});

test('of concurrent requests with one key, one creates', async () => {
  const key = randomUUID();
  const calls = await twelve(() => createSpace({ title: 'Concurrent' }, key));
  const ids = new Set(calls.flatMap(({ data }) => (data ? [data.id] : [])));
  expect(ids.size).toBe(1);
  expect(calls.map(({ response }) => response.status)).toEqual(Array(12).fill(201));
  expect((await titles()).filter((title) => title === 'Concurrent')).toHaveLength(1);
});

test('of concurrent requests with one key, none takes a name or a slot from another', async () => {
  const site = await serve({ '/': docsPage('Imported', '<p>Text.</p>') });
  const { client } = server.admin;
  const [slugKey, importKey] = [randomUUID(), randomUUID()];
  const specs = await twelve(() =>
    client.POST('/v1/orgs/{organizationId}/openapi', {
      params: { path: { organizationId: server.organization }, header: { 'Idempotency-Key': slugKey } },
      body: { slug: 'concurrent', source: { text: '{"openapi": "3.1.0"}' } },
    }),
  );
  const imports = await twelve(() =>
    client.POST('/v1/spaces/{spaceId}/content/import', {
      params: { path: { spaceId: space }, header: { 'Idempotency-Key': importKey } },
      body: { url: `${site.url}/`, source: 'website' },
    }),
  );
  for (const calls of [specs, imports]) {
    expect(calls.map(({ response }) => response.status)).toEqual(Array(12).fill(201));
    expect(new Set(calls.map(({ data }) => JSON.stringify(data))).size).toBe(1);
  }
});

test('requests in several processes wait for the first response', async () => {
  const processes = Array.from({ length: 3 }, () => new KeyedRequests());
  const request = requestOf();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let [started, performed] = [0, 0];
  const { database } = server;
  const services = { database, clock: () => new Date(), secretKey: 'secret', log: { warn() {} } };
  const responses = Promise.all(
    Array.from({ length: 12 }, (_, number) => {
      const writes: Writes = { committed: false };
      const perform = async () => {
        started += 1;
        await followWrites(writes, () => database.transaction((trx) => touch(trx)));
        performed += 1;
        await answered;
        return { body: { performed }, location: undefined };
      };
      const authorize = async () => {};
      return processes[number % 3]?.performOnce(services, request, { writes, perform, authorize });
    }),
  );
  await vi.waitUntil(() => performed > 0);
  answer();
  expect(await responses).toEqual(Array(12).fill({ body: { performed: 1 }, location: undefined }));
  // Requests of one process wait before they start.
  expect(started).toBeLessThanOrEqual(3);
});

test('a request that is rejected releases its key', async () => {
  const [key, guest] = [randomUUID(), await server.person('Guest')];
  const refused = await createSpace({ title: 'Later' }, key, guest);
  expect(refused.response.status).toBe(404);
  await makeMember(guest.id);
  expect((await createSpace({ title: 'Later' }, key, guest)).response.status).toBe(201);
});

const requestOf = () => ({
  user: `usr_${randomUUID()}`,
  key: 'key',
  operationId: 'createSpace',
  path: {},
  query: {},
  body: {},
});

/** Performs a request that fails after a write. */
function performFailing(request: KeyedRequest, error: Error, warn: (...entry: unknown[]) => void = () => {}) {
  const writes: Writes = { committed: false };
  const { database } = server;
  const services = { database, clock: () => new Date(), secretKey: 'secret', log: { warn } };
  const perform = () =>
    followWrites(writes, async () => {
      await database.transaction((trx) => touch(trx));
      throw error;
    });
  return new KeyedRequests().performOnce(services, request, { writes, perform, authorize: async () => {} });
}

test.each([
  ['is rejected', notFound('page'), 0],
  ['fails', new Error('unexpected'), 1],
])('records a request that %s after a write', async (_name, error, expected) => {
  const request = requestOf();
  await expect(performFailing(request, error)).rejects.toThrow(error);
  const rows = await server.database.query
    .selectFrom('idempotencyKeys')
    .select('response')
    .where('user', '=', request.user)
    .execute();
  expect(rows).toEqual(Array(expected).fill({ response: null }));
});

test('a rejected request whose key cannot be released fails with its own error', async () => {
  const failure = new Error('The database cannot be reached');
  vi.spyOn(server.database.query, 'deleteFrom').mockImplementation(() => {
    throw failure;
  });
  const warn = vi.fn();
  const error = notFound('page');
  await expect(performFailing(requestOf(), error, warn)).rejects.toBe(error);
  expect(warn).toHaveBeenCalledWith({ err: failure }, expect.any(String));
});

test('a request with another query is another request', async () => {
  const request = requestOf();
  const { user, operationId, path, query, body } = request;
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  await server.database.query
    .insertInto('idempotencyKeys')
    .values({
      user,
      key: sha256(request.key),
      request: sha256(JSON.stringify([operationId, path, query, body])),
      response: null,
      createdAt: new Date(Date.now() - 600_000).toISOString(),
    })
    .execute();
  const reasonOf = async (repeated: KeyedRequest) => {
    const error: unknown = await performFailing(repeated, new Error('unexpected')).catch((thrown) => thrown);
    return error instanceof ContractError ? error.reason : error;
  };
  expect(await reasonOf(request)).toBe('response_not_recorded');
  expect(await reasonOf({ ...request, query: { format: 'document' } })).toBe('idempotency_key_reused');
});

test('returns the document of the first response', async () => {
  const reply = await replier();
  const [first, second] = await callTwice((header) => reply(header, { format: 'document' }));
  expect(first?.data).toMatchObject({ body: { document: { object: 'document' } } });
  expect(second).toEqual(first);
});

test('returns the location and the secret of the first response', async () => {
  const site = await serve({ '/': docsPage('Imported', '<p>Text.</p>') });
  const path = { spaceId: space };
  const { client } = server.admin;
  const imports = await callTwice((header) =>
    client.POST('/v1/spaces/{spaceId}/content/import', {
      params: { path, header },
      body: { url: `${site.url}/`, source: 'website' },
    }),
  );
  const tokens = await callTwice((header) =>
    client.POST('/v1/user/tokens', { params: { header }, body: { label: 'deploy' } }),
  );
  for (const [first, second] of [imports, tokens]) {
    expect(first?.status).toBe(201);
    expect(second).toEqual(first);
  }
  expect(imports[1]?.location).toMatch(/\/revisions\//);
  const stored = await server.database.query.selectFrom('idempotencyKeys').select('response').execute();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain('deploy');
});

test('a key expires after 24 hours, and expired keys are deleted', async () => {
  const key = randomUUID();
  const rows = () =>
    server.database.query
      .selectFrom('idempotencyKeys')
      .select('key')
      .where('user', '=', server.admin.id)
      .execute();
  await ok(createSpace({ title: 'Daily' }, key));
  const count = (await rows()).length;
  await setAge(DAY_MS - 60_000);
  await ok(createSpace({ title: 'Daily' }, key));
  expect((await titles()).filter((title) => title === 'Daily')).toHaveLength(1);
  expect(await rows()).toHaveLength(count);
  await setAge(DAY_MS);
  await ok(createSpace({ title: 'Daily' }, key));
  expect((await titles()).filter((title) => title === 'Daily')).toHaveLength(2);
  expect(await rows()).toHaveLength(1);
});

test('waits for a request in progress, and reports one whose response was not recorded', async () => {
  const key = randomUUID();
  const first = await createSpace({ title: 'Crashed' }, key);
  const recorded = await server.database.query
    .selectFrom('idempotencyKeys')
    .select(['key', 'response'])
    .where('key', '=', createHash('sha256').update(key).digest('hex'))
    .executeTakeFirstOrThrow();
  const record = (response: string | null) =>
    server.database.query
      .updateTable('idempotencyKeys')
      .set({ response })
      .where('key', '=', recorded.key)
      .execute();
  await record(null);
  const other = await createSpace({ title: 'Another' }, key);
  expect([other.response.status, other.error?.reason]).toEqual([409, 'idempotency_key_reused']);
  const waiting = createSpace({ title: 'Crashed' }, key);
  await record(recorded.response);
  expect((await waiting).data).toEqual(first.data);
  await record(null);
  await setAge(10 * 60_000);
  const crashed = await createSpace({ title: 'Crashed' }, key);
  expect([crashed.response.status, crashed.error?.reason]).toEqual([409, 'response_not_recorded']);
  expect((await titles()).filter((title) => title === 'Crashed')).toHaveLength(1);
});

/** Returns a function that replies to a comment on a new change request. */
async function replier() {
  const { client } = server.admin;
  const { id: changeRequestId } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId: space } }, body: {} }),
  );
  const path = { spaceId: space, changeRequestId };
  const { id: commentId } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments', {
      params: { path },
      body: { body: { markdown: 'Why?' } },
    }),
  );
  return (header: { 'Idempotency-Key': string }, query: { format?: 'document' | 'markdown' }) =>
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies', {
      params: { path: { ...path, commentId }, header, query },
      body: { body: { markdown: 'Because of *this*.' } },
    });
}

/** Makes a user a member of the organization. */
const makeMember = (user: string) =>
  server.database.query
    .insertInto('members')
    .values({
      organization: server.organization,
      user,
      role: 'create',
      disabled: 0,
      sso: 0,
      joinedAt: new Date().toISOString(),
      lastSeenAt: null,
    })
    .execute();

/** Writes something. */
const touch = (trx: Transaction) =>
  trx.updateTable('users').set({ photoURL: null }).where('id', '=', server.admin.id).execute();

const DAY_MS = 86_400_000;

/** Sets the age of all keys. */
const setAge = (ageMs: number) =>
  server.database.query
    .updateTable('idempotencyKeys')
    .set({ createdAt: new Date(Date.now() - ageMs).toISOString() })
    .execute();
