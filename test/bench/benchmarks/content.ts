import { sql } from 'kysely';
import { type Client, createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { flatten } from '../../support/content/imports.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { type Amounts, amountFor, type Benchmark } from '../benchmark.ts';
import { type BenchEngine, onEachEngine } from '../engines.ts';
import { type Figure, median, milliseconds, ratioOf, time } from '../table.ts';

/** Sizes of spaces, and the number of measured one-page changes in each. */
const AMOUNTS: Amounts<{ pages: readonly number[]; changes: number }> = {
  full: { pages: [100, 1000, 10_000], changes: 40 },
  tiny: { pages: [2, 3], changes: 1 },
};
const READS = 5;

/**
 * Cost and stored bytes of a change of one page in spaces of different sizes, cost of reading the whole tree of the
 * largest, and number of rows of a copy of it.
 */
export const benchmark: Benchmark = {
  description: 'a change of one page, the page tree and a copy, in spaces of different sizes',
  run: async (size, report) => {
    const git = await startGitServer();
    await onEachEngine((engine) => measureOn(engine, git, amountFor(size, AMOUNTS), report));
    await git.close();
  },
};

async function measureOn(
  { engine, location, startService }: BenchEngine,
  git: GitServer,
  { pages, changes }: { pages: readonly number[]; changes: number },
  report: (figure: Figure) => void,
): Promise<void> {
  const service = await startService();
  const client = createClient({ baseUrl: service.url, token: service.token });
  const database = await openDatabase(location);
  let smallest: Change | undefined;
  let spaceId = '';
  for (const size of pages) {
    spaceId = await importedSpace(client, git, size);
    const change = await measureChanges(client, database, spaceId, changes);
    smallest ??= change;
    const label = `one-page change of ${size.toLocaleString('en')} pages`;
    const baseline = `of ${pages[0]} pages`;
    const target = size === pages[0] ? {} : { target: 'at most 1.5x' };
    report({
      name: `${label}, time, on ${engine}`,
      result: milliseconds(change.time),
      baseline: `${milliseconds(smallest.time)} ${baseline}`,
      ratio: ratioOf(change.time, smallest.time),
      ...target,
    });
    report({
      name: `${label}, stored, on ${engine}`,
      result: `${change.rows.toFixed(1)} rows, ${kilobytes(change.bytes)}`,
      baseline: `${kilobytes(smallest.bytes)} ${baseline}`,
      ratio: ratioOf(change.bytes, smallest.bytes),
      ...target,
    });
  }
  const largest = `${pages.at(-1)?.toLocaleString('en')} pages`;
  report({ name: `whole tree of ${largest} read, on ${engine}`, result: await measureTree(client, spaceId) });
  report({
    name: `copy of ${largest}, on ${engine}`,
    result: `${await rowsOfCopy(client, database, spaceId)} rows`,
    target: 'at most 20 rows',
  });
  await database.close();
  await service.stop();
}

async function importedSpace(client: Client, git: GitServer, size: number): Promise<string> {
  const { url } = await git.createRepository(manyPages(size));
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const created = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } }, body: {} }),
  );
  const params = { path: { spaceId: created.id } };
  const body = { url, ref: 'refs/heads/main' };
  // Waits for the search index too, which would slow down the next measurement.
  await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  return created.id;
}

/** Medians of several changes. */
interface Change {
  time: number;
  rows: number;
  bytes: number;
}

async function measureChanges(
  client: Client,
  database: Database,
  spaceId: string,
  changes: number,
): Promise<Change> {
  const { pages } = await ok(
    client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } }),
  );
  const documents = flatten(pages).filter(({ type }) => type === 'document');
  const { id } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  const params = { path: { spaceId, changeRequestId: id } };
  const times: number[] = [];
  const stored: Stored[] = [];
  for (let change = 0; change < changes; change++) {
    // Spread over the tree.
    const page = documents[Math.floor((change * documents.length) / changes)]?.id ?? '';
    const read = await ok(
      client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
        params: { path: { spaceId, pageId: page }, query: { format: 'markdown' } },
      }),
    );
    const text = read.type === 'document' ? (read.markdown ?? '') : '';
    // One more line: stored are the page, of about 4 KB, and its ancestors.
    const document = { markdown: `${text}\nChange ${change} of ${spaceId}.\n` };
    const before = await storedIn(database);
    times.push(
      await time(() =>
        ok(
          client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
            params,
            body: { changes: [{ operation: 'update_page', page, document }] },
          }),
        ),
      ),
    );
    const after = await storedIn(database);
    stored.push({ rows: after.rows - before.rows, bytes: after.bytes - before.bytes });
  }
  return {
    time: median(times),
    rows: median(stored.map(({ rows }) => rows)),
    bytes: median(stored.map(({ bytes }) => bytes)),
  };
}

interface Stored {
  rows: number;
  bytes: number;
}

/** Measures the size of the whole content. */
async function storedIn(database: Database): Promise<Stored> {
  const { rows, bytes } = await database.query
    .selectFrom('objects')
    .select(({ fn }) => [fn.countAll<number>().as('rows'), sql<number>`sum(length(data))`.as('bytes')])
    .executeTakeFirstOrThrow();
  return { rows: Number(rows), bytes: Number(bytes) };
}

async function measureTree(client: Client, spaceId: string): Promise<string> {
  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    times.push(
      await time(() =>
        ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } })),
      ),
    );
  }
  return milliseconds(median(times));
}

async function rowsOfCopy(client: Client, database: Database, spaceId: string): Promise<number> {
  const before = await rowsOf(database);
  await ok(client.POST('/v1/spaces/{spaceId}/duplicate', { params: { path: { spaceId } } }));
  return (await rowsOf(database)) - before;
}

/** Counts the rows of all tables except for the search index, which is updated in the background. */
async function rowsOf(database: Database): Promise<number> {
  const counts = ['spaces', 'revisions', 'objects', 'blobs', 'grants', 'jobs', 'counters'] as const;
  let rows = 0;
  for (const table of counts) {
    const { count } = await database.query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    rows += Number(count);
  }
  return rows;
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
