import { sql } from 'kysely';
import { type Client, createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { engineOf } from '../../../server/database/engine.ts';
import { writeJson } from '../../../server/database/json.ts';
import { createId } from '../../../server/database/seams.ts';
import { pruneAuditEvents } from '../../../server/platform/accounts/audit-events/queries.ts';
import { flatten } from '../../support/content/imports.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { type Amounts, amountFor, type Benchmark } from '../benchmark.ts';
import { type BenchEngine, onEachEngine } from '../engines.ts';
import { type Figure, milliseconds, time } from '../table.ts';

/** Numbers of pages, of changes of one of them, and of audit events, some of which are purged. */
interface GrowthAmounts {
  pages: number;
  changes: number;
  events: number;
  purged: number;
}

const AMOUNTS: Amounts<GrowthAmounts> = {
  full: { pages: 2000, changes: 500, events: 50_000, purged: 10_000 },
  tiny: { pages: 3, changes: 2, events: 20, purged: 5 },
};

/** Space of the whole database, with its indexes, for pages, changes and small writes; and the purge of old rows. */
export const benchmark: Benchmark = {
  description: 'space of the database for pages, changes and small writes, and the purge of old rows',
  run: async (size, report) => {
    const git = await startGitServer();
    await onEachEngine((engine) => measureOn(engine, git, amountFor(size, AMOUNTS), report));
    await git.close();
  },
};

async function measureOn(
  { engine, location, startService }: BenchEngine,
  git: GitServer,
  { pages, changes, events, purged }: GrowthAmounts,
  report: (figure: Figure) => void,
): Promise<void> {
  const service = await startService();
  const client = createClient({ baseUrl: service.url, token: service.token });
  const database = await openDatabase(location, { migrated: true });
  const measure = async (name: string, count: number, work: () => Promise<void>) => {
    const before = await sizesOf(database);
    await work();
    const after = await sizesOf(database);
    report({ name: `space for ${name}, on ${engine}`, result: perItem(after.data - before.data, count) });
    if (after.log > before.log) {
      report({
        name: `write-ahead log for ${name}, on ${engine}`,
        result: perItem(after.log - before.log, count),
      });
    }
  };
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const params = { path: { organizationId } };
  const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
  const { url } = await git.createRepository(manyPages(pages));
  await measure('an imported page of 4 KB', pages, () => importPages(client, space.id, url));
  await measure('a change of one page', changes, () => changePages(client, space.id, changes));
  await measure('a collection', changes, async () => {
    for (let number = 0; number < changes; number++) {
      await ok(
        client.POST('/v1/orgs/{organizationId}/collections', { params, body: { title: `Part ${number}` } }),
      );
    }
  });
  await measure('an audit event', events, () => addEvents(database, organizationId, events, purged));
  report({
    name: `purge of ${purged.toLocaleString('en')} of ${events.toLocaleString('en')} audit events, on ${engine}`,
    result: milliseconds(await time(() => pruneAuditEvents(database, new Date('2001-01-01')))),
  });
  await database.close();
  await service.stop();
}

async function importPages(client: Client, spaceId: string, url: string): Promise<void> {
  const params = { path: { spaceId } };
  const body = { url, ref: 'refs/heads/main' };
  // Waits for the search index, too.
  await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
}

async function changePages(client: Client, spaceId: string, changes: number): Promise<void> {
  const tree = await ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } }));
  const documents = flatten(tree.pages).filter(({ type }) => type === 'document');
  const { id } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  const params = { path: { spaceId, changeRequestId: id } };
  for (let change = 0; change < changes; change++) {
    const page = documents[change % documents.length]?.id ?? '';
    const document = { markdown: `Change ${change}. ${'Words of a page that has changed. '.repeat(120)}` };
    await ok(
      client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
        params,
        body: { changes: [{ operation: 'update_page', page, document }] },
      }),
    );
  }
}

/** Adds audit events, some of which are old. */
async function addEvents(
  database: Database,
  organization: string,
  events: number,
  old: number,
): Promise<void> {
  const batch = 500;
  for (let first = 0; first < events; first += batch) {
    const rows = Array.from({ length: Math.min(batch, events - first) }, (_, index) => ({
      id: createId('evt'),
      organization,
      occurredAt: `${first + index < old ? 2000 : 2020}-01-01T00:00:00.000Z`,
      action: 'team.created' as const,
      actor: 'system',
      token: null,
      resourceType: 'team' as const,
      resource: 'team_measured',
      details: writeJson({}),
      requestId: null,
      address: null,
    }));
    await database.query.insertInto('auditEvents').values(rows).execute();
  }
}

/** Returns the bytes of the database, and on PostgreSQL those of its write-ahead log so far. */
async function sizesOf({ query }: Database): Promise<{ data: number; log: number }> {
  const sizes =
    engineOf(query) === 'postgres'
      ? sql<{ data: number; log: number }>`
          select pg_database_size(current_database()) as "data",
            pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as "log"`
      : sql<{ data: number; log: number }>`
          select "page_count" * "page_size" as "data", 0 as "log" from pragma_page_count, pragma_page_size`;
  const { rows } = await sizes.execute(query);
  return rows[0] ?? { data: 0, log: 0 };
}

const perItem = (bytes: number, count: number): string => `${(bytes / 1000 / count).toFixed(1)} KB`;
