/** Two servers that read from a streaming replica. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, ok } from '../../../../client/platform/index.ts';
import { REPLICA_CHECK_INTERVAL_MS } from '../../../../server/database/replicas/replicas.ts';
import { addPages, createBranch, createBranchOn } from '../../../support/content/branch-pages.ts';
import { testEngine } from '../../../support/database/engines.ts';
import {
  hasOwnPostgres,
  type OwnPostgres,
  pauseReplay,
  type Replica,
  resumeReplay,
  startOwnPostgres,
  startReplica,
} from '../../../support/database/own-postgres.ts';
import { statementsOf } from '../../../support/database/statements.ts';
import { type Person, startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite } from '../../../support/sites/published-site.ts';

describe.runIf(testEngine() === 'postgres' && hasOwnPostgres())('servers with a replica', () => {
  let own: OwnPostgres;
  let replica: Replica;
  let server: TestServer;
  let second: TestServer;
  let reader: Person;
  let number = 0;

  beforeAll(async () => {
    own = await startOwnPostgres();
    // Migrates the database.
    await (await startTestServer({ DATABASE_URL: own.url })).stop();
    replica = await startReplica(own);
    const variables = { DATABASE_URL: own.url, DATABASE_READ_URL: replica.url };
    server = await startTestServer(variables);
    second = await startTestServer(variables);
    reader = await server.member('Reader', 'edit');
  });
  afterEach(() => resumeReplay(replica));
  afterAll(async () => {
    await server.stop();
    await second.stop();
    await replica.close();
    await own.close();
  });

  const params = () => ({ path: { organizationId: server.organization } });
  const createCollection = async (client: Client) => {
    number += 1;
    const title = `Collection ${number}`;
    await ok(client.POST('/v1/orgs/{organizationId}/collections', { params: params(), body: { title } }));
    return title;
  };
  const list = async (client: Client) => {
    const { items, count } = await ok(
      client.GET('/v1/orgs/{organizationId}/collections', { params: params() }),
    );
    return { titles: items.map(({ title }) => title), count };
  };
  /** Runs work while the replica falls behind, which is repeated if the replica was not used meanwhile. */
  const whileBehind = async (work: () => Promise<void>) => {
    await vi.waitFor(
      async () => {
        await resumeReplay(replica);
        await delay(2 * REPLICA_CHECK_INTERVAL_MS);
        await pauseReplay(replica);
        await work();
      },
      { timeout: 60_000 },
    );
  };

  test('show each caller its own writes, whichever server it reaches, and others those of the replica', async () => {
    const clients = [server, second].map(({ as }) => ({
      writer: as(server.admin.token),
      reader: as(reader.token),
    }));
    await whileBehind(async () => {
      for (const { writer } of clients) {
        const title = await createCollection(writer);
        for (const { writer: same, reader: other } of clients) {
          const own = await list(same);
          expect(own.titles).toContain(title);
          expect(own.count).toBe(number);
          const others = await list(other);
          expect(others.titles).not.toContain(title);
          expect(others.count).toBe(others.titles.length);
        }
      }
    });
    await resumeReplay(replica);
    for (const { writer, reader } of clients) {
      await vi.waitFor(async () => expect((await list(reader)).count).toBe(number), { timeout: 10_000 });
      expect((await list(writer)).count).toBe(number);
    }
  });

  test('count the matches of a search for callers of the primary and of the replica in turn', async () => {
    let teams = 0;
    const createTeam = async () => {
      teams += 1;
      const body = { title: `Pilots ${teams}` };
      await ok(server.admin.client.PUT('/v1/orgs/{organizationId}/teams', { params: params(), body }));
    };
    const countTeams = async (client: Client) => {
      const query = { title: 'pilots' };
      const list = client.GET('/v1/orgs/{organizationId}/teams', { params: { ...params(), query } });
      return (await ok(list)).count;
    };
    const other = server.as(reader.token);
    await createTeam();
    await vi.waitFor(async () => expect(await countTeams(other)).toBe(teams), { timeout: 10_000 });
    await whileBehind(async () => {
      const before = teams;
      await createTeam();
      expect(await countTeams(server.admin.client)).toBe(teams);
      expect(await countTeams(other)).toBe(before);
      expect(await countTeams(server.admin.client)).toBe(teams);
      await createTeam();
      expect(await countTeams(server.admin.client)).toBe(teams);
      expect(await countTeams(other)).toBe(before);
    });
  });

  test('execute no more statements, and on the primary only the one that authenticates', async () => {
    const client = server.as(reader.token);
    await list(client);
    const { sql } = await statementsOf(() => list(client));
    const ofRequest = sql.filter((text) => !/^select .* as position$/.test(text));
    // As without a replica.
    expect(ofRequest).toHaveLength(4);
    expect(ofRequest.filter((text) => text.includes('transaction_outcomes'))).toHaveLength(1);
  });

  test('read published pages from the replica', async () => {
    const { client } = server.admin;
    const branch = await createBranch(server.admin, server.organization);
    await addPages(branch, ['First']);
    const merge = (path: typeof branch) =>
      ok(client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params: { path } }));
    await merge(branch);
    const { url } = await publishSite(server, { spaces: [branch.spaceId] });
    const { port } = new URL(server.url);
    const read = async () => {
      const page = new URL(url);
      page.port = port;
      // The links to pages besides the first.
      return new Set((await (await fetch(page)).text()).match(/page-0-\d+/g)).size;
    };
    let pages = 0;
    await vi.waitFor(async () => expect(await read()).toBe(pages), { timeout: 10_000 });
    await whileBehind(async () => {
      const draft = await createBranchOn(server.admin, branch.spaceId);
      await addPages(draft, ['Another']);
      await merge(draft);
      pages += 1;
      expect(await read()).toBe(pages - 1);
    });
    await resumeReplay(replica);
    await vi.waitFor(async () => expect(await read()).toBe(pages), { timeout: 10_000 });
  });

  test('serve all reads when the replica stops', async () => {
    await replica.server.halt('immediate');
    const title = await createCollection(second.as(server.admin.token));
    expect((await list(server.as(reader.token))).titles).toContain(title);
    await replica.server.resume();
  });
});
