import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import type { components, paths } from '../../../generated/schema.d.ts';
import { issueToken } from '../../../server/commands/token.ts';
import { createId } from '../../../server/database/seams.ts';
import { auditorOf } from '../../../server/platform/kit/audit/record.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import type { OperationId } from '../../../server/platform/kit/slice.ts';
import { digestOf } from '../../support/database/digest.ts';
import { isFirstEngine, testEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { fillPath } from '../../support/http/requests.ts';
import { TestResources } from '../../support/resources.ts';
import { PROVIDER_KEY } from '../../support/saml/keys.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';
import { TABLE } from '../access/access-table.ts';
import { AUDIT_TABLE } from './audit-table.ts';

type AuditEvent = components['schemas']['AuditEvent'];

let server: TestServer;
let git: GitServer;
let resources: TestResources;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  resources = await TestResources.ofServer(server, git);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

type Query = paths['/v1/orgs/{organizationId}/audit-events']['get']['parameters']['query'];

const list = async (query: Query = {}, organizationId = server.organization, client = server.admin.client) =>
  await ok(
    client.GET('/v1/orgs/{organizationId}/audit-events', { params: { path: { organizationId }, query } }),
  );

/** Returns the events of a request in any organization. */
const rowsOf = async (requestId: string) =>
  await server.database.query
    .selectFrom('auditEvents')
    .selectAll()
    .where('requestId', '=', requestId)
    .execute();

type Send = () => Promise<{ status: number; requestId: string }>;

/** Creates the resources of a request of an operation. Returns a function that sends the request. */
async function prepare(id: OperationId, named: TestResources, caller: Person): Promise<Send> {
  const row = TABLE[id];
  const recorded = AUDIT_TABLE[id];
  const own = typeof recorded === 'object' ? recorded : undefined;
  const { method, path } = operations[id];
  const values = await named.pathValues(path);
  await row?.prepare?.(named);
  await own?.prepare?.(named);
  const body = own?.body ? await own.body(named) : await row?.body?.(named, caller);
  const url = server.url + fillPath(path, values);
  return async () => {
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        Authorization: `Bearer ${caller.token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, requestId: response.headers.get('X-Request-Id') ?? '' };
  };
}

/** Sends the request of an operation, once its resources exist. */
async function send(id: OperationId, named: TestResources, caller: Person): ReturnType<Send> {
  const sendRequest = await prepare(id, named, caller);
  return await sendRequest();
}

/** Returns shared resources for a request that changes nothing, unless they are prepared for one operation. */
const resourcesFor = (id: OperationId): TestResources => {
  const recorded = AUDIT_TABLE[id];
  const isPrepared = TABLE[id]?.prepare ?? (typeof recorded === 'object' && recorded.prepare);
  // Another operation changes the owner of the shared token.
  return isPrepared || id === 'revokeAccessToken' ? resources.fresh() : resources;
};

/** Makes the database reject every new audit event in any transaction. */
async function refuseAuditEvents(): Promise<void> {
  const { query } = server.database;
  if (testEngine() === 'sqlite') {
    await sql`create trigger refuse_events before insert on ${sql.table('auditEvents')}
      begin select raise(abort, 'refused'); end`.execute(query);
    return;
  }
  await sql`create or replace function refuse_event() returns trigger language plpgsql
    as ${sql.lit("begin raise exception 'refused'; end")}`.execute(query);
  await sql`create trigger refuse_events before insert on ${sql.table('auditEvents')}
    for each row execute function refuse_event()`.execute(query);
}

async function acceptAuditEvents(): Promise<void> {
  const table = testEngine() === 'sqlite' ? sql`` : sql`on ${sql.table('auditEvents')}`;
  await sql`drop trigger if exists refuse_events ${table}`.execute(server.database.query);
}

// The keys of the table of operations are operation ids.
const writing = (Object.keys(operations) as OperationId[]).filter((id) => operations[id].method !== 'get');
const recording = writing.flatMap((id) => {
  const row = AUDIT_TABLE[id];
  return typeof row === 'object' ? [{ id, actions: row.actions }] : [];
});

/** Every rule records in the transaction of its change; the rollback is tested on each engine. */
const sampled = recording.filter((_, at) => isFirstEngine || at % 8 === 0);

describe('the table of recorded actions', () => {
  test('contains exactly the operations that write', () => {
    expect(Object.keys(AUDIT_TABLE).toSorted()).toEqual(writing.toSorted());
  });

  test('covers every action of the contract together with those of the service and its operator', () => {
    const actions: unknown = readContract().components?.schemas?.AuditAction;
    const recorded = [
      ...recording.flatMap((row) => row.actions),
      'space.purged',
      'organization.quotas_changed',
    ];
    expect(actions).toMatchObject({ enum: expect.arrayContaining(recorded) });
    // Was just compared with the list.
    const { enum: declared } = actions as { enum: string[] };
    expect([...new Set(recorded)].sort()).toEqual(declared.toSorted());
  });
});

describe('the audit trail', () => {
  let guest: Person;
  beforeAll(async () => {
    guest = await server.member('Refused', null);
  });
  let newcomers = 0;
  /** Callers: operations on the caller's own resources need a caller who has them. */
  const callerOf = async (id: OperationId): Promise<Person> =>
    id === 'acceptInvite' ? await server.person(`Newcomer-${newcomers++}`) : server.admin;

  // First, because repeated changes have no effect and are not recorded again.
  describe('that cannot be written', () => {
    const requests = new Map<OperationId, Send>();
    let before: Record<string, string>;
    beforeAll(async () => {
      for (const { id } of sampled) {
        requests.set(id, await prepare(id, resourcesFor(id), await callerOf(id)));
      }
      before = await digestOf(server.database);
      await refuseAuditEvents();
    });
    afterAll(async () => {
      await acceptAuditEvents();
      // A failure names the tables; to find the operation, run the tests individually (`-t`).
      expect(await digestOf(server.database)).toEqual(before);
    });

    test.each(sampled)('rolls $id back', async ({ id }) => {
      expect(await requests.get(id)?.()).toMatchObject({ status: 500 });
    });
  });

  test.each(recording)('records $id once, with its actor, address and request', async ({ id, actions }) => {
    const caller = await callerOf(id);
    const { status, requestId } = await send(id, resources.fresh(), caller);
    expect(status).toBeLessThan(300);
    const rows = await rowsOf(requestId);
    // Transfers are recorded in both organizations, other actions in one.
    const times = id.startsWith('transfer') ? 2 : 1;
    expect(rows.map(({ action }) => action)).toEqual(Array(times).fill(actions).flat());
    expect(new Set(rows.map(({ organization }) => organization)).size).toBe(times);
    expect(rows[0]).toMatchObject({ actor: caller.id, token: expect.stringMatching(/^tok_/), requestId });
    const [row] = rows;
    if (id === 'createOrganization') {
      return;
    }
    const { items } = await list({ requestId });
    expect(items).toMatchObject([
      {
        object: 'audit-event',
        action: row?.action,
        actor: { type: 'user', id: caller.id, token: row?.token },
        source: 'api',
        resource: { id: row?.resource },
        target: { id: row?.resource },
        requestId,
        address: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$|^::1$/),
      },
    ]);
  });

  test.runIf(isFirstEngine).each(recording)('records nothing if $id is rejected', async ({ id }) => {
    if (TABLE[id]?.outcomes.every((response) => typeof response === 'number' && response < 300)) {
      return;
    }
    const { status, requestId } = await send(id, resourcesFor(id), guest);
    // Content is not visible to a guest; a DELETE of an invisible resource returns 204.
    expect([403, 404, 204]).toContain(status);
    expect(await rowsOf(requestId)).toEqual([]);
  });

  test.runIf(isFirstEngine).each(writing.filter((id) => TABLE[id] && typeof AUDIT_TABLE[id] === 'string'))(
    'records nothing for %s',
    async (id) => {
      const { status, requestId } = await send(id, resources.fresh(), server.admin);
      // Without a language model, questions are not answered.
      expect(id === 'askSite' ? [501] : [200, 201, 204]).toContain(status);
      expect(await rowsOf(requestId)).toEqual([]);
    },
  );

  test('records nothing for a request that changes nothing', async () => {
    const named = resources.fresh();
    const [organizationId, userId, teamId, collectionId] = [
      server.organization,
      await named.idFor('userId'),
      await named.idFor('teamId'),
      await named.idFor('collectionId'),
    ];
    const { client } = server.admin;
    const inOrganization = { path: { organizationId } };
    const member = { params: { path: { organizationId, userId } } };
    const team = { params: { path: { organizationId, teamId, userId } } };
    const collection = { params: { path: { collectionId } } };
    const grants = { ...collection, body: { role: 'edit' as const, users: [userId] } };
    const twice = async (write: () => Promise<unknown>) => {
      await write();
      const { count } = await list({ limit: 0 });
      await write();
      expect((await list({ limit: 0 })).count).toBe(count);
    };
    await twice(() =>
      ok(client.PATCH('/v1/orgs/{organizationId}/members/{userId}', { ...member, body: { role: 'read' } })),
    );
    await twice(() => ok(client.POST('/v1/orgs/{organizationId}/members/{userId}/sso', member)));
    await twice(() =>
      ok(client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}', { ...team, body: {} })),
    );
    await twice(() => ok(client.DELETE('/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}', team)));
    await twice(() => ok(client.POST('/v1/collections/{collectionId}/permissions', grants)));
    await twice(() =>
      ok(client.PATCH('/v1/collections/{collectionId}', { ...collection, body: { defaultLevel: 'edit' } })),
    );
    await twice(() =>
      ok(client.PATCH('/v1/orgs/{organizationId}', { params: inOrganization, body: { ai: true } })),
    );
    await twice(() =>
      ok(
        client.POST('/v1/orgs/{organizationId}/invites', {
          params: inOrganization,
          body: { emails: ['twice@example.com'] },
        }),
      ),
    );
    await twice(() => ok(client.DELETE('/v1/orgs/{organizationId}/members/{userId}', member)));
  });

  test('is rolled back with its transaction', async () => {
    const audit = auditorOf({ clock: () => new Date(), createId }, { actor: 'system' });
    const { count } = await list({ limit: 0 });
    const failed = server.database.transaction(async (trx) => {
      await audit(trx, {
        organization: server.organization,
        action: 'space.purged',
        resource: { type: 'space', id: 'spc_none' },
      });
      throw new Error('The change fails.');
    });
    await expect(failed).rejects.toThrow('The change fails.');
    expect((await list({ limit: 0 })).count).toBe(count);
  });

  test('contains no secrets', async () => {
    const { token } = await ok(server.admin.client.POST('/v1/user/tokens', { body: { label: 'Hidden' } }));
    const { certificate } = PROVIDER_KEY;
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/saml', {
        params: { path: { organizationId: server.organization } },
        body: { label: 'Hidden', certificate },
      }),
    );
    const all = JSON.stringify(await server.database.query.selectFrom('auditEvents').selectAll().execute());
    expect(all).not.toContain(token);
    expect(all).not.toContain('CERTIFICATE');
  });

  test('records actions of the service', async () => {
    const spaceId = await resources.fresh().idFor('spaceId');
    await ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }));
    await server.database.query
      .updateTable('jobs')
      .set({ runAt: new Date().toISOString() })
      .where('key', '=', `purge ${spaceId}`)
      .execute();
    await expect
      .poll(async () => (await list({ resource: spaceId })).items)
      .toMatchObject([{ action: 'space.purged', actor: { type: 'system' } }, { action: 'space.deleted' }]);
    const [purged] = (await list({ actor: 'system', resource: spaceId })).items;
    expect(purged).not.toHaveProperty('requestId');
    expect(purged).not.toHaveProperty('address');
  });

  test('records actions of operators, in the organizations that a new user joins', async () => {
    const [email, now] = ['operated@example.com', new Date()];
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/invites', {
        params: { path: { organizationId: server.organization } },
        body: { emails: [email], role: 'edit' },
      }),
    );
    await server.database.transaction((trx) =>
      issueToken(trx, { email, scopes: ['read'] }, { now, createId }),
    );
    const { items } = await list({ actor: 'operator', from: now.toISOString() });
    expect(items.map(({ action, actor, details }) => ({ action, actor, details }))).toEqual(
      expect.arrayContaining([
        { action: 'member.added', actor: { type: 'operator' }, details: { after: 'edit' } },
        {
          action: 'token.created',
          actor: { type: 'operator' },
          details: { subject: { type: 'user', id: expect.any(String) }, fields: ['read'] },
        },
      ]),
    );
    expect(items).toHaveLength(2);
  });
});

describe('the list of audit events', () => {
  let organizationId: string;
  let other: Person;
  let events: AuditEvent[];
  beforeAll(async () => {
    ({ id: organizationId } = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Listed' } })));
    other = await server.member('Other-admin', 'admin', organizationId);
    const params = { path: { organizationId } };
    for (const client of [server.admin.client, other.client, server.admin.client]) {
      await ok(client.PUT('/v1/orgs/{organizationId}/teams', { params, body: { title: 'Listed' } }));
    }
    events = (await list({}, organizationId)).items;
  });

  test('contains events that can be read by their URLs, in their organization only', async () => {
    const [event] = events;
    const headers = { Authorization: `Bearer ${server.admin.token}` };
    const url = event?.urls.location ?? '';
    expect(await (await fetch(url, { headers })).json()).toEqual({
      ...event,
      schemaVersion: 1,
      payload: event?.details,
    });
    const elsewhere = url.replace(organizationId, server.organization);
    for (const missing of [elsewhere, `${url}x`]) {
      expect((await fetch(missing, { headers })).status, missing).toBe(404);
    }
  });

  test('is ordered from newest to oldest, and paginated', async () => {
    expect(events.map(({ action }) => action)).toEqual([
      ...Array(3).fill('team.created'),
      'organization.created',
    ]);
    const times = events.map(({ occurredAt }) => occurredAt);
    expect(times).toEqual(times.toSorted().toReversed());
    const walked: unknown[] = [];
    for await (const event of paginate(server.admin.client, '/v1/orgs/{organizationId}/audit-events', {
      params: { path: { organizationId }, query: { limit: 1 } },
    })) {
      walked.push(event);
    }
    expect(walked).toEqual(events);
  });

  test('can be filtered by each property of an event', async () => {
    const [newest, second, , oldest] = events;
    if (!newest || !second || !oldest) {
      throw new Error('There are not enough events.');
    }
    const idsOf = async (query: Query) => (await list(query, organizationId)).items.map(({ id }) => id);
    const where = (is: (event: AuditEvent) => boolean) => events.filter(is).map(({ id }) => id);
    expect(await idsOf({ actor: other.id })).toEqual([second.id]);
    expect(await idsOf({ action: 'organization.created' })).toEqual([oldest.id]);
    expect(await idsOf({ resourceType: 'team' })).toEqual(where(({ resource }) => resource.type === 'team'));
    expect(await idsOf({ resource: newest.resource.id })).toEqual([newest.id]);
    expect(await idsOf({ requestId: newest.requestId ?? '' })).toEqual([newest.id]);
    expect(await idsOf({ address: newest.address ?? '' })).toEqual(where(() => true));
    expect(await idsOf({ address: '192.0.2.1' })).toEqual([]);
    expect(await idsOf({ from: second.occurredAt })).toEqual(
      where(({ occurredAt }) => occurredAt >= second.occurredAt),
    );
    expect(await idsOf({ until: second.occurredAt })).toEqual(
      where(({ occurredAt }) => occurredAt < second.occurredAt),
    );
    expect(await idsOf({ actor: other.id, action: 'organization.created' })).toEqual([]);
  });

  test('rejects invalid times', async () => {
    for (const name of ['from', 'until']) {
      const { response, error } = await server.admin.client.GET('/v1/orgs/{organizationId}/audit-events', {
        params: { path: { organizationId }, query: { [name]: '2030-06-30T23:59:60Z' } },
      });
      expect(response.status).toBe(400);
      expect(error?.details).toMatchObject([{ in: 'query', path: name }]);
    }
  });
});
