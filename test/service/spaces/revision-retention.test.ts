/** The daily job that deletes replaced revisions, and what it retains. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { createId } from '../../../server/database/seams.ts';
import { createQueue } from '../../../server/jobs/queue.ts';
import {
  deleteReplacedRevisions,
  MIN_RETAINED_REVISIONS,
} from '../../../server/platform/spaces/spaces/jobs/revision-retention.ts';
import { addPages, type Branch, createBranch } from '../../support/content/branch-pages.ts';
import { untilJobsEnd } from '../../support/jobs.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const BEFORE = new Date('2020-01-01T00:00:00.000Z');

let server: TestServer;
let branch: Branch;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

beforeEach(async () => {
  branch = await createBranch(server.admin, server.organization);
  for (const text of ['one', 'two', 'three']) {
    await addPages(branch, [text]);
  }
  await untilJobsEnd(server.database, server.organization);
});

const revisions = async () =>
  await server.database.query
    .selectFrom('revisions')
    .select(['id', 'changeRequest'])
    .where('space', '=', branch.spaceId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
const ofChangeRequest = async () =>
  (await revisions()).flatMap(({ id, changeRequest }) => (changeRequest === null ? [] : [id]));

/** Dates the revisions of the space in their order, a day apart, from a day on. */
async function date(first: string): Promise<void> {
  for (const [index, { id }] of (await revisions()).entries()) {
    const createdAt = new Date(Date.parse(first) + index * 86_400_000).toISOString();
    await server.database.query.updateTable('revisions').set({ createdAt }).where('id', '=', id).execute();
  }
}

/** Deletes revisions as the job does, and waits for the sweep that follows. */
async function prune(): Promise<void> {
  const { database } = server;
  // The sweep is due at once.
  const clock = () => new Date(Date.now() - 86_400_000);
  const queue = createQueue({ database, clock, createId, log: silent });
  await deleteReplacedRevisions(
    { queue, database, clock },
    BEFORE.toISOString(),
    new AbortController().signal,
  );
  await untilJobsEnd(database, server.organization);
}

const readPages = () =>
  ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', {
      params: { path: branch },
    }),
  );

test('deletes revisions that were replaced before, but not the first of an author', async () => {
  await date('2019-01-01');
  const before = await ofChangeRequest();
  const { rows } = await objects();
  await prune();
  const after = await ofChangeRequest();
  const contributed = before.toSorted()[0] ?? '';
  expect(new Set(after)).toEqual(new Set([contributed, before.at(-1)]));
  expect((await readPages()).pages).toHaveLength(3);
  const statusOf = async (revisionId = '') => {
    const params = { path: { spaceId: branch.spaceId, revisionId } };
    const read = server.admin.client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/changes', { params });
    return (await read).response.status;
  };
  // The revision that it follows was deleted, unless it is the first of the author.
  expect(await statusOf(before.at(-1))).toBe(before.at(-2) === contributed ? 200 : 404);
  expect(await statusOf(before.find((id) => !after.includes(id)))).toBe(404);
  expect((await objects()).rows).toBeLessThan(rows);
});

test('retains the revision that was current at that time', async () => {
  const count = (await revisions()).length;
  // The last one is created at that time.
  await date(new Date(BEFORE.getTime() - (count - 1) * 86_400_000).toISOString());
  const before = await ofChangeRequest();
  await prune();
  const contributed = before.toSorted()[0] ?? '';
  expect(new Set(await ofChangeRequest())).toEqual(new Set([contributed, ...before.slice(-2)]));
});

test('retains revisions that something refers to', async () => {
  await ok(
    server.admin.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments', {
      params: { path: branch },
      body: { body: { markdown: 'Of this one.' } },
    }),
  );
  const [commented] = (await ofChangeRequest()).slice(-1);
  await addPages(branch, ['four']);
  await addPages(branch, ['five']);
  await date('2019-01-01');
  await prune();
  expect(await ofChangeRequest()).toContain(commented);
});

test('retains the latest revisions of the main content', async () => {
  const { database } = server;
  const [first] = await database.query
    .selectFrom('revisions')
    .selectAll()
    .where('space', '=', branch.spaceId)
    .where('changeRequest', 'is', null)
    .execute();
  if (!first) {
    throw new Error('The space has no revision.');
  }
  const added = Array.from({ length: MIN_RETAINED_REVISIONS + 10 }, (_, index) => ({
    ...first,
    id: createId('rev'),
    createdAt: new Date(Date.UTC(2018, 0, index + 1)).toISOString(),
  }));
  await database.query.insertInto('revisions').values(added).execute();
  await prune();
  const remaining = new Set((await revisions()).map(({ id }) => id));
  const retained = added.map(({ id }) => remaining.has(id));
  // The current one is the latest.
  expect(retained).toEqual(added.map((_, index) => index >= 11));
});

const objects = async () => {
  const { rows } = await server.database.query
    .selectFrom('objects')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return { rows: Number(rows) };
};
