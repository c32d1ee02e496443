import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { indexSpace } from '../../../server/content/search.ts';
import { transferSpaceContent } from '../../../server/content/store/organization-transfer.ts';
import { activateRevision, type RevisionRow } from '../../../server/content/store/revisions.ts';
import type { Database, Queries, Transaction } from '../../../server/database/database.ts';
import {
  MAX_STEP_CHARACTERS,
  MAX_STEP_SECTIONS,
  removeFromSpace,
} from '../../../server/database/search/writes.ts';
import { createQueue } from '../../../server/jobs/queue.ts';
import { purgeSpace, registerSpaceJobs } from '../../../server/platform/spaces/spaces/jobs.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import { document, imported } from '../../support/content/imported-content.ts';
import type { TestDatabase } from '../../support/database/engines.ts';
import { createId, importInto, newSpace, now, openContentDatabase } from '../store/fixture.ts';

let open: TestDatabase;
beforeAll(async () => {
  open = await openContentDatabase();
});
afterAll(() => open.close());

const LARGE_PAGE_SECTIONS = 3 * MAX_STEP_SECTIONS;

/** Small pages, one with many short sections and one with few long ones. */
function pages(marker: string) {
  const long = `${marker}long `.repeat(MAX_STEP_CHARACTERS / 20);
  return imported({
    pages: [
      ...Array.from({ length: 60 }, (_, at) =>
        document(`small-${at}.md`, {
          markdown: `Text ${marker}small.\n\n## Part of ${at}\n\nMore ${marker}.`,
        }),
      ),
      document('many.md', { markdown: sections(LARGE_PAGE_SECTIONS, `${marker}many`) }),
      document('long.md', { markdown: sections(8, long) }),
    ],
  });
}

const sections = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => `## Heading ${at}\n\n${text}`).join('\n\n');

class Killed extends Error {}

interface Written {
  removed: number;
  added: number;
  characters: number;
}

interface Observer {
  /** Called before each transaction with the number of earlier ones. */
  before?(transactions: number): Promise<void> | void;
}

/** The database, and the index writes of its transactions. */
function observed({ before }: Observer = {}): { database: Database; written: Written[] } {
  const written: Written[] = [];
  const database: Database = Object.create(open.db, {
    transaction: {
      value: async (work: (trx: Transaction) => Promise<unknown>) => {
        await before?.(written.length);
        return await open.db.transaction(async (trx) => {
          const before = await readSections(trx);
          const result = await work(trx);
          const now = await readSections(trx);
          const added = [...now].filter(([id]) => !before.has(id));
          written.push({
            removed: [...before.keys()].filter((id) => !now.has(id)).length,
            added: added.length,
            characters: added.reduce((sum, [, { title, body }]) => sum + title.length + body.length, 0),
          });
          return result;
        });
      },
    },
  });
  return { database, written };
}

async function readSections(queries: Queries) {
  const rows = await queries.selectFrom('searchSections').selectAll().execute();
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

const index = (space: string, database: Database = open.db) =>
  indexSpace(database, space, () => ({ compute: async () => undefined, names: async () => [] }));

/** Returns the index entries of a space in order. */
async function indexOf(space: string) {
  const rows = [...(await readSections(open.db.query)).values()].filter((row) => row.space === space);
  return rows
    .map(({ page, ordinal, section, title, pagePath, body }) => ({
      key: `${page} ${String(ordinal).padStart(6, '0')}`,
      section,
      title,
      pagePath,
      body,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function importAndActivate(base: RevisionRow, content: ReturnType<typeof imported>) {
  const { revision } = await importInto(base, content);
  await open.db.transaction((trx) => activateRevision(trx, { revision, expected: base.id, addedPages: 0 }));
  return revision;
}

/** Returns the index entries after a complete rebuild. */
async function rebuiltIndex(space: string, organization = 'org_a') {
  while (!(await open.db.transaction((trx) => removeFromSpace(trx, { organization, space })))) {}
  await open.db.query.updateTable('spaces').set({ searchedRevision: null }).where('id', '=', space).execute();
  await index(space);
  return await indexOf(space);
}

async function expectIndexed(space: string, organization = 'org_a') {
  const row = await open.db.query
    .selectFrom('spaces')
    .select(['revision', 'searchedRevision'])
    .where('id', '=', space)
    .executeTakeFirstOrThrow();
  expect(row.searchedRevision).toBe(row.revision);
  const entries = await indexOf(space);
  expect(entries.length).toBeGreaterThan(LARGE_PAGE_SECTIONS);
  expect(entries).toEqual(await rebuiltIndex(space, organization));
}

describe('the search index of a large space', () => {
  let base: RevisionRow;
  let revision: RevisionRow;
  beforeEach(async () => {
    base = await newSpace();
    revision = await importAndActivate(base, pages('first'));
  });

  const stopAt = (transaction: number) => ({
    before(transactions: number) {
      if (transactions === transaction) {
        throw new Killed();
      }
    },
  });

  test('is written and replaced in small transactions', async () => {
    for (const marker of ['first', 'second']) {
      if (marker === 'second') {
        await importAndActivate(revision, pages(marker));
      }
      const { database, written } = observed();
      await index(revision.space, database);
      expect(written.length).toBeGreaterThan(5);
      for (const { removed, added, characters } of written) {
        expect(removed + added).toBeLessThanOrEqual(MAX_STEP_SECTIONS);
        // One section may be as long as its page.
        expect(characters).toBeLessThan(2 * MAX_STEP_CHARACTERS);
      }
      await expectIndexed(revision.space);
    }
  });

  test('is complete after killed runs, none of which starts over', async () => {
    const { database, written } = observed();
    await index((await importAndActivate(await newSpace(), pages('first'))).space, database);
    const total = written.reduce((sum, { added }) => sum + added, 0);
    let added = 0;
    for (const transaction of [3, 1, 4]) {
      const run = observed(stopAt(transaction));
      await expect(index(revision.space, run.database)).rejects.toThrow(Killed);
      added += run.written.reduce((sum, step) => sum + step.added, 0);
    }
    const last = observed();
    await index(revision.space, last.database);
    added += last.written.reduce((sum, step) => sum + step.added, 0);
    // Only the page of a killed run is written again.
    expect(added).toBeLessThan(total + 3 * LARGE_PAGE_SECTIONS);
    expect(last.written.length).toBeLessThan(written.length);
    await expectIndexed(revision.space);
  });

  test('includes a revision that became current in the meantime, based on the indexed one', async () => {
    const changed = pages('first');
    const { database, written } = observed({
      async before(transactions) {
        if (transactions !== 3) {
          return;
        }
        const [, , ...others] = changed.pages;
        await importAndActivate(revision, imported({ pages: others }));
      },
    });
    await index(revision.space, database);
    expect(written).toHaveLength(4);
    expect(written.at(-1)).toMatchObject({ removed: 0, added: 0 });
    await index(revision.space);
    await expectIndexed(revision.space);
    const hit = await open.searches.find({
      organization: 'org_a',
      searcher: 'member',
      spaces: [revision.space],
      query: 'firstsmall',
      groupBy: 'page',
      offset: 0,
      limit: 100,
    });
    expect(hit.count).toBe(58);
  });

  test('has no duplicates if two runs overlap', async () => {
    const { database, written } = observed({
      async before(transactions) {
        if (transactions === 4) {
          await index(revision.space);
        }
      },
    });
    await index(revision.space, database);
    expect(written).toHaveLength(5);
    await expectIndexed(revision.space);
  });

  test('continues in another organization if the space was transferred in the meantime', async () => {
    const { database } = observed({
      async before(transactions) {
        if (transactions !== 4) {
          return;
        }
        await open.db.transaction(async (trx) => {
          const to = { organization: 'org_b' };
          await trx.updateTable('spaces').set(to).where('id', '=', revision.space).execute();
          await transferSpaceContent(trx, NO_QUOTAS, [revision.space], 'org_a', 'org_b');
        });
      },
    });
    await index(revision.space, database);
    const before = await indexOf(revision.space);
    await index(revision.space);
    expect((await indexOf(revision.space)).length).toBeGreaterThan(before.length);
    await expectIndexed(revision.space, 'org_b');
    const rows = [...(await readSections(open.db.query)).values()];
    expect(rows.filter((row) => row.space === revision.space && row.organization !== 'org_b')).toEqual([]);
  });

  test('is removed with its space in small transactions, between which the purge can be aborted', async () => {
    await index(revision.space);
    const { space } = revision;
    const deletedAt = now.toISOString();
    await open.db.query.updateTable('spaces').set({ deletedAt }).where('id', '=', space).execute();
    const purge = async (database: Database, signal: AbortSignal) => {
      const clock = () => now;
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const queue = createQueue({ database, clock, createId, log });
      // The worker needs no other services.
      registerSpaceJobs({ queue, database, clock, createId } as Parameters<typeof registerSpaceJobs>[0]);
      const job = { id: 'job_1', organization: 'org_a', key: null, traceParent: null, createdAt: deletedAt };
      const attempt = { attempt: 1, lastAttempt: false };
      const payload = { space, deletedAt };
      await queue.performer.perform({ ...job, ...attempt, kind: purgeSpace.name, payload }, signal);
    };
    const abort = new AbortController();
    const reason = new Error('The server is stopping.');
    const aborted = observed({
      before: (transactions) => {
        if (transactions === 1) {
          abort.abort(reason);
        }
      },
    });
    await expect(purge(aborted.database, abort.signal)).rejects.toBe(reason);
    expect(aborted.written.map(({ removed }) => removed)).toEqual([MAX_STEP_SECTIONS, MAX_STEP_SECTIONS]);
    const { database, written } = observed();
    await purge(database, new AbortController().signal);
    for (const { removed } of written) {
      expect(removed).toBeLessThanOrEqual(MAX_STEP_SECTIONS);
    }
    expect(await indexOf(space)).toEqual([]);
    const spaces = open.db.query.selectFrom('spaces').select('id').where('id', '=', space);
    expect(await spaces.execute()).toEqual([]);
    const jobs = await open.db.query.selectFrom('jobs').select(['kind', 'organization']).execute();
    expect(jobs).toEqual([{ kind: 'space-sweep', organization: 'org_a' }]);
  });

  test('is removed with its space at any time', async () => {
    const { database, written } = observed({
      async before(transactions) {
        if (transactions !== 2) {
          return;
        }
        const where = { organization: 'org_a', space: revision.space };
        while (!(await open.db.transaction((trx) => removeFromSpace(trx, where)))) {}
        await open.db.query.deleteFrom('spaces').where('id', '=', revision.space).execute();
      },
    });
    await index(revision.space, database);
    expect(written).toHaveLength(3);
    expect(await indexOf(revision.space)).toEqual([]);
    const pages = await open.db.query.selectFrom('searchPages').selectAll().execute();
    expect(pages.filter(({ space }) => space === revision.space)).toEqual([]);
  });
});
