/** Servers and their job processes on few connections of PgBouncer in transaction mode. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { openDatabase } from '../../../../server/database/database.ts';
import { addPages, createBranch, createBranchOn } from '../../../support/content/branch-pages.ts';
import { createSpace, importRepository } from '../../../support/content/imports.ts';
import { testEngine } from '../../../support/database/engines.ts';
import {
  hasOwnPostgres,
  type OwnPostgres,
  startOwnPostgres,
} from '../../../support/database/own-postgres.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../../support/database/pgbouncer.ts';
import { administer } from '../../../support/database/postgres.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { untilEventsSettle, untilJobsEnd } from '../../../support/jobs.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

const canRun = testEngine() === 'postgres' && hasOwnPostgres() && hasPgBouncer;

describe.runIf(canRun)('through PgBouncer in transaction mode', () => {
  let own: OwnPostgres;
  beforeAll(async () => {
    own = await startOwnPostgres();
  });
  afterAll(() => own.close());

  test('more processes than connections open an empty database at once', async () => {
    // As operators set it for the role of the server: migrations and those that wait for them are not limited by it.
    await administer(own.server.url, `alter role postgres set statement_timeout = '200ms'`);
    await using pooler = await startPgBouncer(own.server, 3);
    const location = { url: pooler.url, preparesStatements: false };
    const handles = await Promise.all(Array.from({ length: 6 }, () => openDatabase(location)));
    await Promise.all(handles.map((handle) => handle.close()));
    await administer(own.server.url, 'alter role postgres reset statement_timeout');
  });

  describe('two servers with six connections', () => {
    let pooler: PgBouncer;
    let servers: TestServer[];
    let server: TestServer;
    let git: GitServer;

    beforeAll(async () => {
      git = await startGitServer();
      pooler = await startPgBouncer(own.server, 6);
      const variables = { DATABASE_URL: pooler.url, COLOPHON_PREPARED_STATEMENTS: 'off', LOG_LEVEL: 'fatal' };
      server = await startTestServer(variables, 'forked');
      servers = [server, await startTestServer(variables, 'forked')];
    });
    afterAll(async () => {
      await Promise.all(servers.map(({ stop }) => stop()));
      await pooler.close();
      await git.close();
    });

    const clients = () => servers.map(({ as }) => as(server.admin.token));
    const params = () => ({ path: { organizationId: server.organization } });
    const createCollection = (title: string, index: number) =>
      clients()[index % servers.length]?.POST('/v1/orgs/{organizationId}/collections', {
        params: params(),
        body: { title },
      });
    const countCollections = async () => {
      const { count = 0 } = await ok(
        server.admin.client.GET('/v1/orgs/{organizationId}/collections', { params: params() }),
      );
      return count;
    };

    test('accept parallel writes', async () => {
      const before = await countCollections();
      const titles = Array.from({ length: 40 }, (_, index) => `Collection ${index}`);
      const created = await Promise.all(titles.map(createCollection));
      expect(created.map((response) => response?.response.status)).toEqual(titles.map(() => 201));
      expect(await countCollections()).toBe(before + titles.length);
    });

    test('let parallel writers of a branch wait for each other', async () => {
      const branch = await createBranch(server.admin, server.organization);
      const edits = Array.from({ length: 12 }, (_, index) =>
        clients()[index % servers.length]?.POST(
          '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
          {
            params: { path: branch },
            body: {
              changes: [{ operation: 'insert_page', title: `Edit ${index}`, document: { markdown: 'Text' } }],
            },
          },
        ),
      );
      expect((await Promise.all(edits)).map((edit) => edit?.response.status)).toEqual(edits.map(() => 200));
      const { pages } = await ok(
        server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', {
          params: { path: branch },
        }),
      );
      expect(pages).toHaveLength(edits.length);
    });

    test('run jobs: import, index, and deliver events', async () => {
      const { id } = await createSpace(server);
      const repository = await git.createRepository({
        'README.md': '# Pooled\n\nA zanzibar of connections.',
      });
      await importRepository(server, id, repository);
      const draft = await createBranchOn(server.admin, id);
      await addPages(draft, ['Of quixotic poolers.']);
      await ok(
        server.admin.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', {
          params: { path: draft },
        }),
      );
      await untilJobsEnd(server.database, server.organization);
      await untilEventsSettle(server.database);
      for (const query of ['zanzibar', 'quixotic']) {
        const { items } = await ok(
          server.admin.client.GET('/v1/orgs/{organizationId}/search', {
            params: { ...params(), query: { query } },
          }),
        );
        expect(items).toHaveLength(1);
      }
    });

    test('outlast a restart of the pooler, and lose no acknowledged write', async () => {
      const before = await countCollections();
      let acknowledged = 0;
      let unknown = 0;
      let going = true;
      const writer = async (index: number) => {
        for (let round = 0; going; round++) {
          const response = await createCollection(`Restart ${index} ${round}`, index);
          const status = response?.response.status;
          if (status === 201) {
            acknowledged += 1;
          } else {
            expect(status).toBe(503);
            unknown += 1;
          }
        }
      };
      const writing = Promise.all([0, 1, 2, 3].map(writer));
      const more = async () => {
        const enough = acknowledged + 20;
        await vi.waitFor(() => expect(acknowledged).toBeGreaterThan(enough), { timeout: 60_000 });
      };
      await more();
      await pooler.restart();
      await more();
      going = false;
      await writing;
      const after = await countCollections();
      expect(after).toBeGreaterThanOrEqual(before + acknowledged);
      expect(after).toBeLessThanOrEqual(before + acknowledged + unknown);
      await Promise.all(
        servers.map(({ database }) =>
          vi.waitFor(async () => expect(await database.ready()).toBe(true), { timeout: 30_000 }),
        ),
      );
    });
  });
});
