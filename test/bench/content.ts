import { sql } from 'kysely';
import { type Client, createClient, ok, waitForRun } from '../../client/platform/index.ts';
import { type Database, openDatabase } from '../../server/database/database.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { flatten } from '../support/imports.ts';
import { manyPages } from '../support/repositories.ts';
import { startChild } from './child.ts';
import { type BenchEngine, onEachEngine } from './engines.ts';
import { type Figure, median, milliseconds, time } from './table.ts';

const SIZES = [100, 1000, 10_000] as const;
/** Number of measured one-page changes in each space. */
const CHANGES = 40;
const READS = 5;

/**
 * Cost and stored bytes of a change of one page in spaces of different sizes, cost of reading the whole tree of the
 * largest, and number of rows of a copy of it.
 */
export async function measureContent(): Promise<Figure[]> {
  const git = await startGitServer();
  const figures = await onEachEngine((engine) => measureOn(engine, git));
  await git.close();
  return figures.flat();
}

async function measureOn({ engine, location, environment }: BenchEngine, git: GitServer): Promise<Figure[]> {
  const service = await startChild('service', environment);
  const client = createClient({ baseUrl: service.url, token: service.token });
  const database = await openDatabase(location);
  const figures: Figure[] = [];
  let smallest: Change | undefined;
  let spaceId = '';
  for (const size of SIZES) {
    spaceId = await importedSpace(client, git, size);
    const change = await measureChanges(client, database, spaceId);
    smallest ??= change;
    const label = `one-page change of ${size.toLocaleString('en')} pages`;
    const baseline = `of ${SIZES[0]} pages`;
    const target = size === SIZES[0] ? {} : { target: 'at most 1.5x' };
    figures.push(
      {
        name: `${label}, time, on ${engine}`,
        result: milliseconds(change.time),
        baseline: `${milliseconds(smallest.time)} ${baseline}`,
        ratio: change.time / smallest.time,
        ...target,
      },
      {
        name: `${label}, stored, on ${engine}`,
        result: `${change.rows.toFixed(1)} rows, ${kilobytes(change.bytes)}`,
        baseline: `${kilobytes(smallest.bytes)} ${baseline}`,
        ratio: change.bytes / smallest.bytes,
        ...target,
      },
    );
  }
  figures.push(
    await measureTree(client, engine, spaceId),
    await measureCopy(client, database, engine, spaceId),
  );
  await database.close();
  await service.stop();
  return figures;
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

async function measureChanges(client: Client, database: Database, spaceId: string): Promise<Change> {
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
  for (let change = 0; change < CHANGES; change++) {
    // Spread over the tree.
    const page = documents[Math.floor((change * documents.length) / CHANGES)]?.id ?? '';
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

async function measureTree(client: Client, engine: string, spaceId: string): Promise<Figure> {
  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    times.push(
      await time(() =>
        ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } })),
      ),
    );
  }
  return {
    name: `whole tree of ${SIZES.at(-1)?.toLocaleString('en')} pages read, on ${engine}`,
    result: milliseconds(median(times)),
  };
}

async function measureCopy(
  client: Client,
  database: Database,
  engine: string,
  spaceId: string,
): Promise<Figure> {
  const before = await rowsOf(database);
  await ok(client.POST('/v1/spaces/{spaceId}/duplicate', { params: { path: { spaceId } } }));
  return {
    name: `copy of ${SIZES.at(-1)?.toLocaleString('en')} pages, on ${engine}`,
    result: `${(await rowsOf(database)) - before} rows`,
    target: 'at most 20 rows',
  };
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
