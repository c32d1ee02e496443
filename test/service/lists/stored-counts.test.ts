import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { runMigrations } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations/index.ts';
import { testLocation } from '../../support/database/engines.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { withUnmigrated } from '../../support/database/unmigrated.ts';
import { publish } from '../../support/integrations/integrations.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let member: Person;
beforeAll(async () => {
  server = await startTestServer();
  member = await server.member('Member', 'read');
});
afterAll(() => server.stop());

interface List {
  items: readonly unknown[];
  count?: number;
}

/** Compares the count of a list with its items, and requires that it is stored. */
async function expectStored(filter: object, read: (limit: number) => Promise<List>): Promise<number> {
  const { items } = await read(1000);
  const counted = await statementsOf(async () => {
    expect((await read(1)).count, JSON.stringify(filter)).toBe(items.length);
  });
  expect(
    counted.sql.filter((text) => /^select count\(\*\)/.test(text)),
    JSON.stringify(filter),
  ).toEqual([]);
  return items.length;
}

test('audit events that match a property or a period are not counted', async () => {
  const { organization, database } = server;
  const times = [
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T12:00:00.000Z',
    '2026-01-02T00:00:00.000Z',
    '2026-01-02T23:59:59.999Z',
    '2026-01-03T08:00:00.000Z',
    '2026-01-05T08:00:00.000Z',
  ];
  const events = times.map((occurredAt, n) => ({
    id: `aud_${n}`,
    organization,
    action: n % 2 === 0 ? ('team.created' as const) : ('team.deleted' as const),
    actor: n % 3 === 0 ? 'system' : server.admin.id,
    token: null,
    resourceType: 'team' as const,
    resource: `team_${n % 2}`,
    details: '{}' as never,
    requestId: null,
    address: n === 0 ? null : '127.0.0.2',
    occurredAt,
  }));
  await database.query.insertInto('auditEvents').values(events).execute();
  const list = (query: object) => (limit: number) =>
    ok(
      server.admin.client.GET('/v1/orgs/{organizationId}/audit-events', {
        params: { path: { organizationId: organization }, query: { ...query, limit } },
      }),
    );
  for (const [filter, expected] of [
    [{ action: 'team.created' }, 3],
    [{ actor: 'system' }, 2],
    [{ resourceType: 'team' }, 6],
    [{ resource: 'team_1' }, 3],
    [{ address: '127.0.0.2' }, 5],
    [{ address: '127.0.0.3' }, 0],
  ] as const) {
    expect(await expectStored(filter, list(filter))).toBe(expected);
  }
  await expectStored({}, list({}));
  const bounds = [undefined, ...times, '2026-01-02T12:00:00.000Z', '2026-01-04T00:00:00.000Z'];
  for (const from of bounds) {
    for (const until of bounds) {
      const { items } = await list({ from, until })(1000);
      expect((await list({ from, until })(1)).count, `${from} ${until}`).toBe(items.length);
    }
  }
  // The days are whole.
  const days = { from: '2026-01-01T00:00:00Z', until: '2026-01-03T00:00:00Z' };
  expect(await expectStored(days, list(days))).toBe(4);

  await database.query.deleteFrom('auditEvents').where('id', 'in', ['aud_0', 'aud_1']).execute();
  expect(await expectStored({ resource: 'team_1' }, list({ resource: 'team_1' }))).toBe(2);
  expect(await expectStored(days, list(days))).toBe(2);
});

test('integrations that match a property are not counted', async () => {
  const { admin, organization } = server;
  const block = { id: 'block', title: 'Block', urlUnfurl: ['https://example.com/*'] };
  const source = { id: 'source', title: 'Source', configuration: { componentId: 'form' } };
  await ok(publish(admin, 'one', { organization, visibility: 'public', blocks: [block], target: 'space' }));
  await ok(publish(admin, 'two', { organization, visibility: 'private', contentSources: [source] }));
  await ok(publish(admin, 'three', { organization, visibility: 'unlisted', blocks: [block] }));
  await ok(publish(admin, 'four', { organization, visibility: 'public', categories: ['analytics'] }));
  const stranger = await server.person('Stranger');
  const expectAll = async (of: Person) => {
    const counts: number[] = [];
    for (const filter of [
      {},
      { blocks: true },
      { blocks: false },
      { contentSources: true },
      { contentSources: false },
      { target: 'space' },
      { target: 'all' },
      { owner: organization },
      { category: 'analytics' },
      { scope: 'space:views:read' },
      { blockDomain: 'EXAMPLE.com' },
    ] as const) {
      const list = (limit: number) =>
        ok(of.client.GET('/v1/integrations', { params: { query: { ...filter, limit } } }));
      counts.push(await expectStored(filter, list));
    }
    return counts;
  };
  expect(await expectAll(member)).toEqual([3, 1, 2, 1, 2, 3, 2, 3, 1, 0, 1]);
  expect(await expectAll(stranger)).toEqual([2, 1, 1, 0, 2, 2, 1, 2, 1, 0, 1]);
  await ok(publish(admin, 'one', { visibility: 'unlisted' }));
  await ok(publish(admin, 'three', { visibility: 'private', scopes: ['space:views:read'] }));
  await ok(publish(admin, 'four', { visibility: 'private' }));
  expect(await expectAll(member)).toEqual([3, 1, 2, 1, 2, 3, 3, 3, 1, 1, 1]);
  expect(await expectAll(stranger)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
});

test('the rows of earlier releases are counted when they are migrated', async () => {
  const { location, remove } = await testLocation({ blank: true });
  const insert = (db: Kysely<unknown>, table: string, rows: ReadonlyArray<Record<string, string | number>>) =>
    sql`insert into ${sql.table(table)} (${sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)))})
      values ${sql.join(rows.map((row) => sql`(${sql.join(Object.values(row))})`))}`.execute(db);
  const time = '2026-01-01T08:00:00.000Z';
  try {
    await withUnmigrated(location, async (db) => {
      await runMigrations(db, migrations.slice(0, 1));
      const event = { organization: 'org_1', action: 'team.created', resourceType: 'team', details: '{}' };
      await insert(
        db,
        'auditEvents',
        [1, 2].map((n) => ({
          ...event,
          id: `aud_${n}`,
          actor: 'system',
          resource: `team_${n}`,
          occurredAt: time,
        })),
      );
      await runMigrations(db, migrations);
      const { rows } = await sql<{ kind: string; owner: string; value: number }>`
        select "kind", "owner", sum("value") as "value" from "rowCounts" where "organization" = 'org_1'
        group by "kind", "owner" order by "kind", "owner"`.execute(db);
      expect(rows.map(({ kind, owner, value }) => [kind, owner, Number(value)])).toEqual([
        ['audit events', '', 2],
        ['audit events by action', 'team.created', 2],
        ['audit events by actor', 'system', 2],
        ['audit events by resource', 'team_1', 1],
        ['audit events by resource', 'team_2', 1],
        ['audit events by resourceType', 'team', 2],
        ['audit events of day', '2026-01-01', 2],
      ]);
    });
  } finally {
    await remove();
  }
});
