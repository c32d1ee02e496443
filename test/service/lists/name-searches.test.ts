import fc from 'fast-check';
import { type SqlBool, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { Transaction } from '../../../server/database/database.ts';
import { fold } from '../../../server/database/fold.ts';
import {
  lookUpNames,
  MAX_ADJUSTED_VERSIONS,
  type NameSearch,
} from '../../../server/database/lists/name-searches.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { fill, idOf, TIME } from '../../support/large/fill-table.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { userRow } from '../database/rows.ts';

/** Users of each organization. Some are members. */
const USERS = 6;
const TEAMS = 4;
const SEARCHES = ['ada', 'ｂＯ', 'nobody'];

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startTestServer();
  client = server.admin.client;
});
afterAll(() => server.stop());

/** Time of a row by its number. It orders the list. Some times are equal. */
const timeOf = (index: number) => `2026-01-0${1 + (index % 3)}T00:00:00.000Z`;

type Change =
  | { kind: 'join'; user: number; role: 'read' | 'edit' | null }
  | { kind: 'leave' | 'visit'; user: number }
  | { kind: 'role'; user: number; role: 'read' | 'edit' | null }
  | { kind: 'name'; user: number; name: string }
  | { kind: 'create' | 'rename'; team: number; name: string }
  | { kind: 'delete'; team: number }
  | { kind: 'add' | 'remove'; team: number; user: number }
  | { kind: 'bulk'; count: number; name: string };

const user = fc.nat({ max: USERS - 1 });
const team = fc.nat({ max: TEAMS - 1 });
const name = fc.constantFrom('Ada', 'ADA B', 'Bob', 'Ｂｏｂ ada', 'Çelik', 'o');
const role = fc.constantFrom('read' as const, 'edit' as const, null);
const kind = <Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: kind('join'), user, role }),
  fc.record({ kind: kind('leave', 'visit'), user }),
  fc.record({ kind: kind('role'), user, role }),
  fc.record({ kind: kind('name'), user, name }),
  fc.record({ kind: kind('create', 'rename'), team, name }),
  fc.record({ kind: kind('delete'), team }),
  fc.record({ kind: kind('add', 'remove'), team, user }),
  fc.record({ kind: kind('bulk'), count: fc.integer({ min: 1, max: 20 }), name }),
);

/** Transactions that run at once, each with its changes, and whether it is rolled back. */
const steps = fc.array(
  fc.record({ changes: fc.array(changes, { minLength: 1, maxLength: 3 }), isRolledBack: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);

class RollBack extends Error {}

/** An organization with rows written in transactions of a process other than the server. */
class Organization {
  readonly id: string;
  #bulks = 0;

  constructor(id: string) {
    this.id = id;
  }

  userOf = (index: number) => `usr_${this.id}_${index}`;
  teamOf = (index: number) => `team_${this.id}_${index}`;

  async write(written: readonly Change[], isRolledBack: boolean): Promise<void> {
    const work = server.database.transaction(async (trx) => {
      for (const change of written) {
        await this.#apply(trx, change);
      }
      if (isRolledBack) {
        throw new RollBack();
      }
    });
    await work.catch((error: unknown) => {
      if (!(error instanceof RollBack)) {
        throw error;
      }
    });
  }

  async #apply(trx: Transaction, change: Change): Promise<void> {
    const organization = this.id;
    const members = trx
      .updateTable('members')
      .where('organization', '=', organization)
      .where('user', '=', 'user' in change ? this.userOf(change.user) : '');
    const teams = 'team' in change ? this.teamOf(change.team) : '';
    switch (change.kind) {
      case 'join':
        await trx
          .insertInto('members')
          .values({
            organization,
            user: this.userOf(change.user),
            role: change.role,
            disabled: 0,
            sso: 0,
            joinedAt: timeOf(change.user),
            lastSeenAt: null,
          })
          .onConflict((conflict) => conflict.columns(['organization', 'user']).doNothing())
          .execute();
        return;
      case 'leave':
        await trx
          .deleteFrom('members')
          .where('organization', '=', organization)
          .where('user', '=', this.userOf(change.user))
          .execute();
        return;
      case 'visit':
        await members.set({ lastSeenAt: timeOf(change.user) }).execute();
        return;
      case 'role':
        await members.set({ role: change.role }).execute();
        return;
      case 'name':
        await trx
          .updateTable('users')
          .set({ displayName: change.name })
          .where('id', '=', this.userOf(change.user))
          .execute();
        return;
      case 'create':
        await trx
          .insertInto('teams')
          .values({
            id: teams,
            organization,
            title: change.name,
            createdAt: timeOf(change.team),
            createdBy: null,
          })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        return;
      case 'rename':
        await trx.updateTable('teams').set({ title: change.name }).where('id', '=', teams).execute();
        return;
      case 'delete':
        await trx.deleteFrom('teams').where('id', '=', teams).execute();
        return;
      case 'add':
        await trx
          .insertInto('teamMembers')
          .columns(['organization', 'team', 'user', 'role', 'joinedAt', 'teamCreatedAt'])
          .expression((from) =>
            from
              .selectFrom('teams')
              .select(({ val, ref }) => [
                val(organization).as('organization'),
                ref('id').as('team'),
                val(this.userOf(change.user)).as('user'),
                val('member' as const).as('role'),
                val(timeOf(change.user)).as('joinedAt'),
                ref('createdAt').as('teamCreatedAt'),
              ])
              .where('id', '=', teams),
          )
          .onConflict((conflict) => conflict.columns(['team', 'user']).doNothing())
          .execute();
        return;
      case 'remove':
        await trx
          .deleteFrom('teamMembers')
          .where('team', '=', teams)
          .where('user', '=', this.userOf(change.user))
          .execute();
        return;
      case 'bulk': {
        const number = this.#bulks++;
        await trx
          .insertInto('teams')
          .values(
            Array.from({ length: change.count }, (_, index) => ({
              id: `team_${this.id}_${number}_${index}`,
              organization,
              title: change.name,
              createdAt: timeOf(index),
              createdBy: null,
            })),
          )
          .execute();
      }
    }
  }
}

interface Listed {
  ids: string[];
  count: number | undefined;
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
const firstOf = (ids: string[], limit: number): Listed => ({ ids: ids.slice(0, limit), count: ids.length });

/** Compares the lists of an organization with a filter of all its rows. */
async function expectLists({ id: organization, userOf }: Organization): Promise<void> {
  const { query } = server.database;
  const path = { organizationId: organization };
  const members = await query
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user')
    .selectAll('members')
    .select(['displayName', 'email'])
    .where('organization', '=', organization)
    .execute();
  const teams = await query
    .selectFrom('teams')
    .selectAll()
    .where('organization', '=', organization)
    .execute();
  const own = await query.selectFrom('teamMembers').select('team').where('user', '=', userOf(0)).execute();
  const ownTeams = new Set(own.map((row) => row.team));
  const contains = (text: string, search: string) => fold(text).includes(fold(search));
  members.sort((a, b) => compare(a.joinedAt, b.joinedAt) || compare(a.user, b.user));
  teams.sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
  for (const search of SEARCHES) {
    const inName = members.filter(
      ({ displayName, email }) => contains(displayName, search) || contains(email ?? '', search),
    );
    const inTitle = teams.filter(({ title }) => contains(title, search));
    for (const limit of [2, 1000]) {
      const listMembers = async (filter: { role?: 'edit' | 'guest'; sort?: 'lastSeenAt' }) => {
        const request = { params: { path, query: { search, limit, order: 'asc' as const, ...filter } } };
        const { items, count } = await ok(client.GET('/v1/orgs/{organizationId}/members', request));
        return { ids: items.map((item) => item.id), count };
      };
      const idsOf = (rows: typeof members) => rows.map((row) => row.user);
      expect(await listMembers({}), search).toEqual(firstOf(idsOf(inName), limit));
      for (const role of ['edit', 'guest'] as const) {
        const expected = inName.filter((member) => (member.role ?? 'guest') === role);
        expect(await listMembers({ role }), `${search} ${role}`).toEqual(firstOf(idsOf(expected), limit));
      }
      const seen = inName.filter((member) => member.lastSeenAt !== null);
      expect((await listMembers({ sort: 'lastSeenAt' })).count, search).toBe(seen.length);

      const titled = await ok(
        client.GET('/v1/orgs/{organizationId}/teams', { params: { path, query: { title: search, limit } } }),
      );
      expect({ ids: titled.items.map((item) => item.id), count: titled.count }, search).toEqual(
        firstOf(
          inTitle.map((row) => row.id),
          limit,
        ),
      );
      if (!members.some((member) => member.user === userOf(0))) {
        continue;
      }
      const request = { path: { ...path, userId: userOf(0) }, query: { title: search, limit } };
      const ofMember = await ok(
        client.GET('/v1/orgs/{organizationId}/members/{userId}/teams', { params: request }),
      );
      const expected = inTitle.filter((row) => ownTeams.has(row.id)).map((row) => row.id);
      expect({ ids: ofMember.items.map((item) => item.team.id), count: ofMember.count }, search).toEqual(
        firstOf(expected, limit),
      );
    }
  }
}

async function createOrganization(): Promise<Organization> {
  const { id } = await ok(client.POST('/v1/orgs', { body: { title: 'Searched' } }));
  const organization = new Organization(id);
  const users = Array.from({ length: USERS }, (_, index) => ({
    ...userRow(organization.userOf(index)),
    email: null,
  }));
  await server.database.query.insertInto('users').values(users).execute();
  return organization;
}

test('searches in names find and count what a filter of all rows does, after changes of another process', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 6 }), async (all) => {
      const organization = await createOrganization();
      await organization.write([{ kind: 'join', user: 0, role: 'read' }], false);
      await expectLists(organization);
      for (const step of all) {
        await Promise.all(step.map((item) => organization.write(item.changes, item.isRolledBack)));
        await expectLists(organization);
      }
    }),
    { numRuns: 5 },
  );
}, 240_000);

describe('the first search after a change', () => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await createOrganization();
    await organization.write(
      Array.from({ length: USERS }, (_, index) => ({ kind: 'join', user: index, role: 'read' })),
      false,
    );
    await organization.write([{ kind: 'bulk', count: 10, name: 'Ada' }], false);
    await organization.write([{ kind: 'create', team: 0, name: 'Bob' }], false);
    await organization.write([{ kind: 'add', team: 0, user: 0 }], false);
  });

  const listTeams = async (title: string) => {
    const params = { path: { organizationId: organization.id }, query: { title, limit: 5 } };
    return await ok(client.GET('/v1/orgs/{organizationId}/teams', { params }));
  };
  /** Returns the statements of a search that compare all names. */
  const comparing = async (read: () => Promise<unknown>) => {
    const statements = await statementsOf(read);
    return statements.sql.filter((text) => /"(members|teams)"\."searchedText"(,| like) /.test(text));
  };

  test('reads the changes instead of the names', async () => {
    const path = { organizationId: organization.id };
    const reads = [
      () => listTeams('ada'),
      () =>
        ok(
          client.GET('/v1/orgs/{organizationId}/members', {
            params: { path, query: { search: 'usr', role: 'read', limit: 2 } },
          }),
        ),
    ];
    for (const read of reads) {
      const before = await read();
      const change: Change[] = [
        { kind: 'rename', team: 0, name: `Bob ${Math.random()}` },
        { kind: 'name', user: 1, name: `Celik ${Math.random()}` },
      ];
      await organization.write(change, false);
      expect(await comparing(read)).toEqual([]);
      expect(await read()).toEqual(before);
    }
    const ofMember = () =>
      ok(
        client.GET('/v1/orgs/{organizationId}/members/{userId}/teams', {
          params: { path: { ...path, userId: organization.userOf(0) }, query: { title: 'ada', limit: 0 } },
        }),
      );
    expect((await ofMember()).count).toBe(0);
    await organization.write([{ kind: 'rename', team: 0, name: 'Ada' }], false);
    expect(await comparing(async () => expect((await ofMember()).count).toBe(1))).toEqual([]);
  });

  test('reads the names if too many changed, or too many at once', async () => {
    const rename = (round: number): Change => ({ kind: 'rename', team: 0, name: `Ada ${round}` });
    const { count = 0 } = await listTeams('ada');
    const many = Array.from({ length: MAX_ADJUSTED_VERSIONS + 1 }, (_, round) => rename(round));
    await organization.write([...many, { kind: 'rename', team: 0, name: 'Bob' }], false);
    expect(await comparing(async () => expect((await listTeams('ada')).count).toBe(count - 1))).not.toEqual(
      [],
    );

    const teams = { id: idOf('team'), organization: organization.id, createdAt: TIME, createdBy: null };
    await fill(server.database, 'teams', MAX_ADJUSTED_VERSIONS + 1, { ...teams, title: 'Adam' });
    const all = count + MAX_ADJUSTED_VERSIONS;
    expect(await comparing(async () => expect((await listTeams('ada')).count).toBe(all))).not.toEqual([]);
  });

  test('does not cache a count if a name changed while it was computed', async () => {
    const search: NameSearch = {
      organization: organization.id,
      names: 'teams',
      key: 'test',
      matches: sql<SqlBool>`1 = 1`,
    };
    const { query } = server.database;
    const outdated = await lookUpNames(query, search);
    await organization.write([{ kind: 'rename', team: 0, name: 'Eve' }], false);
    await outdated.store(1);
    const current = await lookUpNames(query, search);
    expect(current.count).toBeUndefined();
    await current.store(2);
    expect((await lookUpNames(query, search)).count).toBe(2);
  });

  test('counts again where a cached version has a shard that is missing, as on a replica that lags', async () => {
    const search = { organization: organization.id, names: 'teams' as const, matches: sql<SqlBool>`1 = 1` };
    const { query } = server.database;
    const first = await lookUpNames(query, { ...search, key: 'shards' });
    await first.store(3);
    const ofTeams = query.deleteFrom('visibilityVersions').where('organization', '=', organization.id);
    await ofTeams.where('owner', '=', 'teams').execute();
    expect((await lookUpNames(query, { ...search, key: 'shards' })).count).toBeUndefined();
  });
});
