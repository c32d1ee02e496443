import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Job } from '../../../server/jobs/queue.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { blockNotes, note, useJobQueues } from './job-queues.ts';

const queues = useJobQueues();
const { makeQueue, enqueue, pass } = queues;

test('runs a job once its transaction is committed, with its payload', async () => {
  const queue = makeQueue();
  const jobs: Array<Job<{ text: string }>> = [];
  queue.register(note, async (job) => {
    jobs.push(job);
  });
  queue.start();
  const { id } = await queues.db.transaction(async (trx) => {
    const payload = { text: 'from a transaction' };
    const id = await queue.enqueue(trx, { kind: note, organization: 'org_1', payload, key: 'k' });
    expect(jobs).toEqual([]);
    return { id };
  });
  expect(await queue.waitFor(id)).toEqual({ state: 'done', lastError: null });
  expect(jobs).toEqual([
    {
      id,
      organization: 'org_1',
      key: 'k',
      traceParent: null,
      payload: { text: 'from a transaction' },
      createdAt: '2026-03-01T12:00:00.000Z',
      attempt: 1,
      lastAttempt: false,
    },
  ]);
});

test('does not run a job whose transaction is rolled back', async () => {
  const queue = makeQueue();
  let ran = false;
  queue.register(note, async () => {
    ran = true;
  });
  queue.start();
  const attempt = queues.db.transaction(async (trx) => {
    await queue.enqueue(trx, { kind: note, organization: 'org_1', payload: { text: '' } });
    throw new Error('no');
  });
  await expect(attempt).rejects.toThrow('no');
  queue.wake();
  await queue.idle();
  expect(ran).toBe(false);
  await expect(queue.waitFor('job_none')).rejects.toThrow(/does not exist/);
});

test('runs a scheduled job at its time', async () => {
  const queue = makeQueue();
  let ran = 0;
  queue.register(note, async () => {
    ran++;
  });
  queue.start();
  await enqueue(queue, { runAt: new Date(queues.now.getTime() + 60_000) });
  await queue.idle();
  expect(ran).toBe(0);
  pass(61);
  await queue.idle();
  expect(ran).toBe(1);
});

test('waits for running jobs when it stops', async () => {
  const [queue, impatient] = [makeQueue(), makeQueue()];
  const [{ started, finish }, blocked] = [blockNotes(queue), blockNotes(impatient)];
  // With another job, it would look for one more, and could find that of the other queue.
  queue.start({ concurrency: 1 });
  const id = await enqueue(queue);
  await started;
  // Far exceeds any pause of the machine: a queue that waited in vain would return the job.
  const stopping = queue.stop({ grace: 240_000 });
  // Meanwhile, a queue that does not wait starts a job and stops without it.
  impatient.start();
  await enqueue(impatient);
  await blocked.started;
  await impatient.stop({ grace: 0 });
  finish();
  await stopping;
  expect(await queue.waitFor(id)).toEqual({ state: 'done', lastError: null });
});

test('deletes finished jobs after a week', async () => {
  const queue = makeQueue();
  queue.register(note, async () => {});
  queue.start();
  const id = await enqueue(queue);
  await queue.waitFor(id);
  pass(6 * 24 * 3600);
  await queue.idle();
  expect((await queue.waitFor(id)).state).toBe('done');
  pass(2 * 24 * 3600);
  await queue.idle();
  await expect(queue.waitFor(id)).rejects.toThrow(/does not exist/);
});

test.runIf(isFirstEngine)('deletes many finished jobs in steps, between which others run', async () => {
  const queue = makeQueue();
  queue.register(note, async () => {});
  await queues.db.transaction(async (trx) => {
    const jobs = Array.from({ length: 1001 }, () => ({
      kind: note,
      organization: 'o',
      payload: { text: '' },
    }));
    await Promise.all(jobs.map((job) => queue.enqueue(trx, job)));
  });
  const finishedAt = queues.now.toISOString();
  await queues.db.query.updateTable('jobs').set({ state: 'done', finishedAt }).execute();
  pass(8 * 24 * 3600);
  const counts = new Set<number>();
  queue.start();
  while (!counts.has(0)) {
    counts.add((await queues.db.query.selectFrom('jobs').select('id').execute()).length);
    await setImmediate();
  }
  expect(counts).toContain(1);
});

test.runIf(isFirstEngine)('finds the next job without sorting the queue', async () => {
  const queue = makeQueue();
  queue.register(note, async () => {});
  await enqueue(queue);
  const { sql } = await statementsOf(async () => {
    queue.start();
    await queue.idle();
  });
  const { location } = queues;
  using database = new DatabaseSync(join('folder' in location ? location.folder : '', 'colophon.sqlite'));
  const searches = sql.filter((statement) => statement.startsWith('select * from "jobs"'));
  expect(searches.length).toBeGreaterThan(1);
  for (const statement of searches) {
    const plan = database.prepare(`explain query plan ${statement}`).all();
    expect(JSON.stringify(plan)).not.toContain('TEMP B-TREE');
  }
});

test('leaves jobs of unknown kinds to other processes', async () => {
  const queue = makeQueue();
  queue.start();
  await enqueue(queue);
  await queue.idle();
  expect(await queues.db.query.selectFrom('jobs').select('state').execute()).toEqual([{ state: 'queued' }]);
  queue.register(note, async () => {});
  expect(() => queue.register(note, async () => {})).toThrow(/already registered/);
});
