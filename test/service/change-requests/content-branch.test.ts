import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CommitBranch,
  type CommitPlan,
  type CommitServices,
  commitTo,
  contentLock,
  mainBranch,
  openBranch,
} from '../../../server/content/branch.ts';
import { storeBlobs } from '../../../server/content/store/blobs.ts';
import { transferSpaceContent } from '../../../server/content/store/organization-transfer.ts';
import { countSweeps, type RevisionRow } from '../../../server/content/store/revisions.ts';
import { sweepObjects } from '../../../server/content/store/sweep.ts';
import { createContentThreads } from '../../../server/content/threads/threads.ts';
import type { ContentChange } from '../../../server/content/tree/change.ts';
import type { Queries } from '../../../server/database/database.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import type { TestDatabase } from '../../support/database/engines.ts';
import { createId, newSpace, now, openContentDatabase, page, write } from '../store/fixture.ts';

let open: TestDatabase;
let services: CommitServices;
/** Spaces that were enqueued for indexing. */
const indexed: string[] = [];
/** Revisions with a raised event. */
const raised: string[] = [];
const threads = createContentThreads();

beforeAll(async () => {
  open = await openContentDatabase();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const enqueueIndexing: CommitServices['enqueueIndexing'] = async (_, { id }) => {
    indexed.push(id);
  };
  const raiseContentUpdated: CommitServices['raiseContentUpdated'] = async (_, __, revision) => {
    raised.push(revision.id);
  };
  const reports = { enqueueIndexing, raiseContentUpdated };
  services = {
    database: open.db,
    objectStorage: undefined,
    clock: () => now,
    createId,
    threads,
    log,
    quotas: NO_QUOTAS,
    ...reports,
  };
});
afterAll(() => Promise.all([open.close(), threads.close()]));

/** Finds the main content of a space. */
const finder = (space: string) => async (queries: Queries) => {
  const row = await queries
    .selectFrom('spaces')
    .select(['id', 'organization', 'revision'])
    .where('id', '=', space)
    .executeTakeFirstOrThrow();
  return mainBranch(row);
};

const current = async (space: string) => (await finder(space)(open.db.query)).revision;

/** Returns the ids of the pages of the current revision. */
async function pagesOf(space: string): Promise<string[]> {
  const { content } = await openBranch(open.db.query, await finder(space)(open.db.query));
  return (await content.readTree()).map(({ record }) => record.id);
}

/** Adds a page at the end of any pages. */
async function addition(id: string, pages: readonly string[]): Promise<ContentChange> {
  return { pages: new Map([[id, page(id, null)]]), children: new Map([[null, [...pages, id]]]) };
}

/** Writes to a space as another process does: without waiting for the writers of this one. */
async function overtake(space: string, base: RevisionRow, id: string): Promise<void> {
  const { content } = await openBranch(open.db.query, await finder(space)(open.db.query));
  const before = (await content.readTree()).map(({ record }) => record);
  const { id: revision } = await write(base, [...before, page(id, null)]);
  await open.db.query.updateTable('spaces').set({ revision }).where('id', '=', space).execute();
}

/** Plans a page, and runs a callback between the planning and the transaction of each attempt. */
function adding(id: string, meanwhile: (attempt: number, revision: RevisionRow) => Promise<void>) {
  const bases: string[] = [];
  const plan = async ({ revision, content }: Awaited<ReturnType<typeof openBranch>>) => {
    bases.push(revision.id);
    const pages = (await content.readTree()).map(({ record }) => record.id);
    await meanwhile(bases.length, revision);
    const change = await addition(id, pages);
    return { revision: { type: 'edits' as const, createdBy: null, content: change } };
  };
  return { plan, bases };
}

const nothing = async () => {};

test('a commit makes its revision the current one, indexes the space for search, and raises an event', async () => {
  const { space, id } = await newSpace();
  const { revision } = await commitTo(services, { find: finder(space) }, adding('a', nothing).plan);
  expect(await current(space)).toBe(revision.id);
  expect(revision).toMatchObject({ parents: JSON.stringify([id]), type: 'edits', changeRequest: null });
  expect(await pagesOf(space)).toEqual(['a']);
  expect(indexed).toContain(space);
  expect(raised).toContain(revision.id);
});

test('replans a commit on the result of another process that committed first', async () => {
  const { space, id } = await newSpace();
  const { plan, bases } = adding('b', async (attempt, revision) => {
    if (attempt === 1) {
      await overtake(space, revision, 'a');
    }
  });
  const { revision } = await commitTo(services, { find: finder(space) }, plan);
  expect(await pagesOf(space)).toEqual(['a', 'b']);
  expect(bases).toHaveLength(2);
  expect(bases[0]).toBe(id);
  expect(revision.parents).toBe(JSON.stringify([bases[1]]));
});

test('serializes concurrent commits to one branch, and replans none', async () => {
  const { space } = await newSpace();
  const commits = ['a', 'b', 'c', 'd'].map((id) => adding(id, nothing));
  await Promise.all(commits.map(({ plan }) => commitTo(services, { find: finder(space) }, plan)));
  expect((await pagesOf(space)).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(commits.map(({ bases }) => bases.length)).toEqual([1, 1, 1, 1]);
});

test('runs an optimistic commit without a turn first, and with a turn after a collision', async () => {
  const { space } = await newSpace();
  const events: string[] = [];
  let finds = 0;
  const { promise: collided, resolve } = Promise.withResolvers<void>();
  const find = async (queries: Queries) => {
    finds += 1;
    // The first attempt finds the branch twice.
    if (finds === 3) {
      resolve();
    }
    return await finder(space)(queries);
  };
  let second: Promise<unknown> | undefined;
  await open.db.inTurn(contentLock(await finder(space)(open.db.query)), async () => {
    await commitTo(services, { find: finder(space), optimistic: true }, adding('a', nothing).plan);
    events.push('committed within the turn of another writer');
    const { plan } = adding('c', async (attempt, revision) => {
      events.push(`attempt ${attempt}`);
      if (attempt === 1) {
        await overtake(space, revision, 'b');
      }
    });
    second = commitTo(services, { find, optimistic: true }, plan);
    await collided;
    // An attempt without a turn reads less than this before it plans.
    for (let reads = 0; reads < 50; reads += 1) {
      await pagesOf(space);
    }
    events.push('the turn ends');
  });
  await second;
  expect(events).toEqual([
    'committed within the turn of another writer',
    'attempt 1',
    'the turn ends',
    'attempt 2',
  ]);
  expect(await pagesOf(space)).toEqual(['a', 'b', 'c']);
});

test('finds a branch once before its transaction, and again only after other writers', async () => {
  const { space } = await newSpace();
  const counted = () => {
    const counts = { outside: 0, inside: 0 };
    const find = async (queries: Queries) => {
      counts[queries.isTransaction ? 'inside' : 'outside'] += 1;
      return await finder(space)(queries);
    };
    return { counts, find };
  };
  const alone = counted();
  await commitTo(services, { find: alone.find }, adding('a', nothing).plan);
  expect(alone.counts).toEqual({ outside: 1, inside: 1 });

  const passed = counted();
  const found = await finder(space)(open.db.query);
  await commitTo(services, { find: passed.find, found }, adding('b', nothing).plan);
  expect(passed.counts).toEqual({ outside: 0, inside: 1 });

  // It has waited, or the branch that was passed is outdated.
  const late = counted();
  const { plan, bases } = adding('c', nothing);
  let committed: Promise<unknown> | undefined;
  await open.db.inTurn(contentLock(found), async () => {
    committed = commitTo(services, { find: late.find, found }, plan);
  });
  await committed;
  expect(late.counts).toEqual({ outside: 1, inside: 1 });
  expect(bases).toHaveLength(1);

  const outdated = counted();
  await commitTo(services, { find: outdated.find, found }, adding('d', nothing).plan);
  expect(outdated.counts).toEqual({ outside: 1, inside: 2 });
  expect(await pagesOf(space)).toEqual(['a', 'b', 'c', 'd']);
});

test('writes nothing if the caller lost the permission after the branch was found', async () => {
  const { space, id } = await newSpace();
  const refused = new Error('refused');
  const find = async (queries: Queries) => {
    if (queries.isTransaction) {
      throw refused;
    }
    return await finder(space)(queries);
  };
  await expect(commitTo(services, { find }, adding('a', nothing).plan)).rejects.toBe(refused);
  expect(await current(space)).toBe(id);
});

test('rejects a caller without write access before it waits for a turn', async () => {
  const { space } = await newSpace();
  const rejected = new Error('refused');
  await open.db.inTurn(contentLock(await finder(space)(open.db.query)), async () => {
    const find = async (): Promise<CommitBranch> => {
      throw rejected;
    };
    await expect(commitTo(services, { find }, adding('a', nothing).plan)).rejects.toBe(rejected);
  });
});

test('replans a commit if a sweep removed its stored content', async () => {
  const { space } = await newSpace();
  let attempts = 0;
  await commitTo(services, { find: finder(space) }, async ({ revision: { organization } }) => {
    attempts += 1;
    const stored = [Buffer.from(`bytes of ${space}`)];
    const blobs = await open.db.transaction((trx) => storeBlobs(trx, NO_QUOTAS, organization, stored));
    if (attempts === 1) {
      await sweepObjects(open.db, organization, () => now);
    }
    return { revision: { type: 'edits', createdBy: null, content: {}, blobs } };
  });
  expect(attempts).toBe(2);
});

test('replans a commit if a sweep ran after the plan had stored parts of it', async () => {
  const { space } = await newSpace();
  let attempts = 0;
  await commitTo(services, { find: finder(space) }, async ({ revision: { organization } }) => {
    attempts += 1;
    const sweeps = await countSweeps(open.db.query, organization);
    await open.db.transaction((trx) =>
      storeBlobs(trx, NO_QUOTAS, organization, [Buffer.from('in no revision')]),
    );
    if (attempts === 1) {
      await sweepObjects(open.db, organization, () => now);
    }
    return { revision: { type: 'edits', createdBy: null, content: {}, sweeps } };
  });
  expect(attempts).toBe(2);
});

test('replans a commit if the space moved to another organization', async () => {
  const { space } = await newSpace('org_a');
  const { plan, bases } = adding('a', async (attempt) => {
    if (attempt > 1) {
      return;
    }
    await open.db.transaction(async (trx) => {
      await transferSpaceContent(trx, NO_QUOTAS, [space], 'org_a', 'org_b');
      await trx.updateTable('spaces').set({ organization: 'org_b' }).where('id', '=', space).execute();
    });
  });
  const { revision } = await commitTo(services, { find: finder(space) }, plan);
  expect(bases).toHaveLength(2);
  expect(revision.organization).toBe('org_b');
});

test('replans a merge if the main content or the ancestor changed', async () => {
  const { space, id } = await newSpace();
  let ancestor = id;
  const find = async (queries: Queries) => {
    const main = await finder(space)(queries);
    return { space: main.space, changeRequest: { id: 'cr_open' }, revision: id, main, ancestor };
  };
  const bases: Array<string | undefined> = [];
  const { revision } = await commitTo(services, { find }, async ({ branch, revision: base }) => {
    bases.push(branch.main.revision, branch.ancestor);
    if (bases.length === 2) {
      await overtake(space, base, 'a');
    }
    if (bases.length === 4) {
      ancestor = branch.main.revision;
    }
    const onto = await openBranch(open.db.query, branch.main);
    const content = await addition('b', ['a']);
    return { to: 'main', revision: { type: 'merge', createdBy: null, content, onto } };
  });
  const overtaking = bases[2];
  expect(bases).toEqual([id, id, overtaking, id, overtaking, overtaking]);
  expect(await current(space)).toBe(revision.id);
  expect(await pagesOf(space)).toEqual(['a', 'b']);
});

test('stores a revision without making it the current one', async () => {
  const { space, id } = await newSpace();
  const { revision } = await commitTo(services, { find: finder(space) }, async () => ({
    to: 'none',
    revision: { type: 'edits', createdBy: null, content: {} },
  }));
  expect(revision.id).not.toBe(id);
  expect(await current(space)).toBe(id);
  expect(indexed).not.toContain(space);
  expect(raised).not.toContain(revision.id);
});

test('makes a stored revision the current one', async () => {
  const { space, ...first } = await newSpace();
  const stored = await write({ space, ...first }, [page('a', null)]);
  const { revision } = await commitTo(services, { find: finder(space) }, async () => ({ revision: stored }));
  expect(revision).toEqual(stored);
  expect(await current(space)).toBe(stored.id);
});

test('writes nothing without a plan or without a branch', async () => {
  const { space, id } = await newSpace();
  const unchanged = await commitTo(services, { find: finder(space) }, async () => undefined);
  expect(unchanged.revision.id).toBe(id);
  let finds = 0;
  const find = async (queries: Queries) => {
    finds += 1;
    // It is deleted when the transaction reads it.
    return finds < 2 ? await finder(space)(queries) : undefined;
  };
  expect(await commitTo(services, { find }, adding('a', nothing).plan)).toBeUndefined();
  expect(finds).toBe(2);
  expect(await current(space)).toBe(id);
});

test('writes the revision and the other changes of a commit atomically', async () => {
  const { space, id } = await newSpace();
  const failing = async ({ revision }: { revision: RevisionRow }): Promise<CommitPlan<CommitBranch>> => ({
    revision: { type: 'edits', createdBy: null, content: {}, parents: [revision.id] },
    also: async () => {
      throw new Error('failed');
    },
  });
  await expect(commitTo(services, { find: finder(space) }, failing)).rejects.toThrow('failed');
  expect(await current(space)).toBe(id);
  const revisions = open.db.query.selectFrom('revisions').selectAll().where('space', '=', space);
  expect(await revisions.execute()).toHaveLength(1);
});
