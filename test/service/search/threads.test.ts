import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type KyselyPlugin, type RawBuilder, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { Database } from '../../../server/database/database.ts';
import { DatabaseUnavailableError } from '../../../server/database/errors.ts';
import {
  MAX_QUEUED_SEARCHES_PER_OWNER,
  MAX_RESULT_SECTIONS,
  SEARCH_TIMEOUT_MS,
  Searches,
} from '../../../server/database/search/searches.ts';
import type { SearchRequest } from '../../../server/database/search/types.ts';
import { replacePages } from '../../../server/database/search/writes.ts';
import { openTestDatabase, type TestDatabase, testEngine } from '../../support/database/engines.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { startTestServer } from '../../support/server.ts';

/** A subquery that takes a fraction of a second for each match: a thread gets only what other processes leave. */
const slowly = (): RawBuilder<unknown> =>
  testEngine() === 'postgres'
    ? sql`(select 1 from pg_sleep(0.4))`
    : sql`(
        with recursive "n"("n") as (select 1 union all select "n" + 1 from "n" where "n" < 1500000)
        select 1 where (select max("n") from "n") > 0
      )`;

const request = (more: Partial<SearchRequest> = {}): SearchRequest => ({
  organization: 'org_1',
  searcher: 'member',
  query: 'windows',
  groupBy: 'page',
  offset: 0,
  limit: 10,
  ...more,
});

async function index(db: Database, page: string, body: string, count = 1): Promise<void> {
  const space = { organization: 'org_1', space: 'spc_docs', language: null };
  const sections = Array.from({ length: count }, (_, at) => ({
    section: `s${at}`,
    title: 'Windows',
    anchor: '',
    body,
  }));
  const pages = [{ page, title: 'Docs', path: page, sections, version: '1' }];
  for await (const step of replacePages(db.query, space, pages)) {
    await db.transaction(step);
  }
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('a search', () => {
  let opened: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    opened = await openTestDatabase();
    db = opened.db;
    await index(db, 'install', 'Installing');
  });
  afterEach(() => opened.close());

  /** Empties the log of SQLite. It is busy while a connection reads it. */
  const checkpoint = async () => (await sql`pragma wal_checkpoint(truncate)`.execute(db.query)).rows;

  test('does not delay other requests', async () => {
    const server = await startTestServer();
    const searches = new Searches({ database: server.database, log: silent });
    await index(server.database, 'install', 'Installing');
    const read = () => ok(server.admin.client.GET('/v1/user'));
    await read();
    const ended: string[] = [];
    const searching = searches.find(request({ visibleSpace: slowly() })).then(() => ended.push('search'));
    for (let count = 0; count < 10; count++) {
      await read();
    }
    ended.push('reads');
    await searching;
    expect(ended).toEqual(['reads', 'search']);
    await searches.close();
    await server.stop();
  });

  test('fails after its time limit, and later searches do not', async () => {
    const lines: string[] = [];
    const log = { ...silent, warn: (_: object, message: string) => lines.push(message) };
    const searches = new Searches({ database: db, log });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const slow = expect(searches.find(request({ visibleSpace: slowly() }))).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      reason: 'timeout',
      retryAfterSeconds: 2,
    });
    vi.advanceTimersByTime(SEARCH_TIMEOUT_MS);
    vi.useRealTimers();
    await slow;
    expect(lines).toEqual(['a search exceeded its time limit']);
    for (const searcher of ['visitor', 'member'] as const) {
      expect(await searches.find(request({ searcher }))).toMatchObject({ count: 1 });
    }
    await searches.close();
    if (testEngine() === 'sqlite') {
      expect(await checkpoint()).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    }
  });

  test('waits in a queue with a limit for the members of each organization, and for visitors', async () => {
    const { searches } = opened;
    const running = searches.find(request({ visibleSpace: slowly() }));
    const search = () => searches.find(request()).then(({ count }) => count);
    // Two threads and more run one, and leave one to others.
    const many = await Promise.allSettled(
      Array.from({ length: MAX_QUEUED_SEARCHES_PER_OWNER.tasks + 10 }, search),
    );
    const refused = many.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ name: 'ThreadsBusyError' });
    }
    expect((await running).count).toBe(1);
    expect(await search()).toBe(1);
  });

  test('of others does not wait for searches of the same organization or visitors', async () => {
    const { searches } = opened;
    const ended: string[] = [];
    const run = async (name: string, more: Partial<SearchRequest>) => {
      await searches.find(request(more));
      ended.push(name);
    };
    await Promise.all([run('started', {}), run('started', { searcher: 'visitor' })]);
    const slow = Promise.allSettled(Array.from({ length: 8 }, () => run('slow', { visibleSpace: slowly() })));
    await Promise.all([run('visitor', { searcher: 'visitor' }), run('other', { organization: 'org_2' })]);
    // In the order of their arrival, at least six would end before the others.
    expect(ended.filter((name) => name === 'slow').length).toBeLessThan(4);
    await opened.searches.close();
    await slow;
  });

  test('finds what was written before it', async () => {
    for (let round = 0; round < 20; round++) {
      await index(db, `page${round}`, `word${round}`);
      const { groups } = await opened.searches.find(request({ query: `word${round}` }));
      expect(groups.flat().map(({ page }) => page)).toEqual([`page${round}`]);
    }
  });

  test('reads the texts of many sections in several statements', async () => {
    for (let page = 0; page < 40; page++) {
      await index(db, `many${page}`, 'Many', MAX_RESULT_SECTIONS);
    }
    const { sql } = await statementsOf(async () => {
      const { groups } = await opened.searches.find(request({ query: 'many', limit: 40 }));
      expect(groups.flat()).toHaveLength(120);
    });
    expect(sql.filter((statement) => statement.includes('"anchor"'))).toHaveLength(3);
  });

  test('is not allowed in a transaction, whose writes it does not see', async () => {
    const searching = db.transaction(() => opened.searches.find(request()));
    await expect(searching).rejects.toThrow('A search does not see the writes of a transaction.');
  });

  test('fails when the threads are closed, and does not start them again', async () => {
    const searching = opened.searches.find(request({ visibleSpace: slowly() }));
    const ended = expect(searching).rejects.toMatchObject({ name: 'ThreadsBusyError' });
    await opened.searches.close();
    await ended;
    await expect(opened.searches.find(request())).rejects.toMatchObject({ name: 'ThreadsBusyError' });
  });

  test.runIf(testEngine() === 'postgres')('fails with the error of its statement', async () => {
    const unreachable: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async () => {
        throw new DatabaseUnavailableError('unreachable');
      },
    };
    const query = db.query.withPlugin(unreachable);
    const searches = new Searches({ database: { query, threadAccess: db.threadAccess }, log: silent });
    await expect(searches.find(request())).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      reason: 'unreachable',
    });
    await searches.close();
  });

  test.runIf(testEngine() === 'sqlite')('fails while its file cannot be opened', async () => {
    const folder = 'folder' in opened.location ? opened.location.folder : '';
    const file = join(folder, 'colophon.sqlite');
    await rename(file, `${file}.moved`);
    await expect(opened.searches.find(request())).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      reason: 'input-output',
    });
    await rename(`${file}.moved`, file);
    expect((await opened.searches.find(request())).count).toBe(1);
  });

  test.runIf(testEngine() === 'sqlite')('keeps neither a transaction nor the log of the file', async () => {
    const folder = 'folder' in opened.location ? opened.location.folder : '';
    await opened.searches.find(request());
    expect(await checkpoint()).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    await index(db, 'upgrade', 'Upgrading');
    await opened.searches.find(request());
    await opened.searches.close();
    await db.close();
    expect(await readdir(folder)).toEqual(['colophon.sqlite']);
  });
});
