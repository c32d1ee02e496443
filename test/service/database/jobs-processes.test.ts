import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { ProcessEnded } from '../../../server/jobs/kinds.ts';
import { jobKind } from '../../../server/jobs/queue.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { blockNotes, blockNotesUntilAborted, log, note, useJobQueues } from './job-queues.ts';

// Jobs with a process that ends, loses its lease or is stopped.

const queues = useJobQueues();
const { makeQueue, enqueue, pass } = queues;

test('lets another process take over a job whose process is killed', async () => {
  const started = Promise.withResolvers<void>();
  const script = new URL('./abandoned-worker.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, JSON.stringify(queues.location)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.once('data', () => started.resolve());
  const queue = makeQueue({ clock: () => new Date(), poll: 20 });
  const crash = jobKind<null>('crash');
  const attempts: number[] = [];
  const id = await queues.db.transaction((trx) =>
    queue.enqueue(trx, { kind: crash, organization: 'org_1', payload: null }),
  );
  await started.promise;
  queue.register(crash, async ({ attempt }) => {
    attempts.push(attempt);
  });
  queue.start();
  // While the process is alive, it keeps its job.
  await queue.idle();
  expect(attempts).toEqual([]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await queue.waitFor(id)).toEqual({ state: 'done', lastError: null });
  // The kill does not count against the job: it has as many attempts left as before.
  expect(attempts).toEqual([1]);
});

test('abandons a job that ends every process that runs it', async () => {
  const queue = makeQueue({ lease: 1000 });
  const id = await enqueue(queue);
  await queues.db.query
    .updateTable('jobs')
    .set({
      state: 'running',
      attempts: 1,
      abandoned: 100,
      leaseOwner: 'lse_gone',
      leaseUntil: queues.now.toISOString(),
    })
    .execute();
  queue.register(note, async () => {
    throw new Error('must not run');
  });
  pass(5);
  queue.start();
  const outcome = await queue.waitFor(id);
  expect(outcome.state).toBe('failed');
  expect(outcome.lastError).toMatch(/ended 101 times/);
});

test('records a job that ended its process three times as failed, and does not run it', async () => {
  const queue = makeQueue();
  const recorded: string[] = [];
  queue.register(
    note,
    async () => {
      throw new Error('must not run');
    },
    async ({ payload }, cause) => {
      recorded.push(payload.text, cause);
      throw new Error('recording failed');
    },
  );
  const id = await enqueue(queue);
  await queues.db.query.updateTable('jobs').set({ processEnds: 3, lastError: 'signal SIGSEGV' }).execute();
  queue.start();
  expect(await queue.waitFor(id)).toEqual({
    state: 'failed',
    lastError: 'failed after ending its process three times: signal SIGSEGV',
  });
  expect(recorded).toEqual(['hello', 'failed after ending its process three times: signal SIGSEGV']);
});

test('runs suspected jobs in their own lane, and abandoned ones in none', async () => {
  const unsuspected = makeQueue({ lane: 'unsuspected' });
  const ran: string[] = [];
  const isolated = makeQueue({
    lane: 'suspected',
    performer: {
      kinds: () => [note],
      perform: async ({ id }) => void ran.push(id),
      recordFailure: async () => undefined,
    },
  });
  unsuspected.register(note, async ({ id }) => void ran.push(`with others: ${id}`));
  const plain = await enqueue(unsuspected);
  const changed = async (values: Partial<Record<'abandoned' | 'processEnds', number>>) => {
    const id = await enqueue(unsuspected);
    await queues.db.query.updateTable('jobs').set(values).where('id', '=', id).execute();
    return id;
  };
  const suspected = [await changed({ abandoned: 1 }), await changed({ processEnds: 2 })];
  const failed = await changed({ processEnds: 3 });
  const abandoned = await enqueue(unsuspected);
  const lease = {
    state: 'running' as const,
    leaseOwner: 'own_gone.lse_1',
    leaseUntil: queues.now.toISOString(),
  };
  await queues.db.query.updateTable('jobs').set(lease).where('id', '=', abandoned).execute();
  unsuspected.start();
  await unsuspected.idle();
  expect(ran).toEqual([`with others: ${plain}`]);
  expect((await unsuspected.waitFor(failed)).state).toBe('failed');
  isolated.start();
  await isolated.idle();
  expect(ran.slice(1).sort()).toEqual([...suspected, abandoned].sort());
});

test('suspects the jobs of a process that ended by itself, without counting an attempt', async () => {
  const queue = makeQueue({ owner: 'own_ended' });
  const started = blockNotesUntilAborted(queue);
  queue.start();
  const id = await enqueue(queue, { key: 'space spc_1' });
  await started;
  const other = makeQueue();
  expect(await other.recordProcessEnd('own_other', 'heap out of memory')).toEqual([]);
  expect(await other.recordProcessEnd('own_ended', 'heap out of memory')).toEqual([
    { job: id, kind: 'note', organization: 'org_1', key: 'space spc_1', processEnds: 1 },
  ]);
  const row = await queues.db.query.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({
    state: 'queued',
    attempts: 0,
    lastError: 'heap out of memory',
    leaseOwner: null,
  });
});

test('aborts a worker that lost its lease, which cannot end the job', async () => {
  const first = makeQueue({ lease: 60 });
  // For the second queue, the heartbeats of the first are an hour old.
  const second = makeQueue({ clock: () => new Date(queues.now.getTime() + 3_600_000) });
  const aborted = Promise.withResolvers<unknown>();
  const startedAt = Promise.withResolvers<void>();
  first.register(note, (_job, signal) => {
    startedAt.resolve();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        aborted.resolve(signal.reason);
        resolve();
      });
    });
  });
  const proceed = Promise.withResolvers<void>();
  second.register(note, () => proceed.promise);
  first.start();
  const id = await enqueue(first);
  await startedAt.promise;
  second.start();
  expect(String(await aborted.promise)).toMatch(/another process/);
  const state = () =>
    queues.db.query.selectFrom('jobs').select(['state', 'attempts']).where('id', '=', id).execute();
  expect(await state()).toEqual([{ state: 'running', attempts: 1 }]);
  proceed.resolve();
  await second.waitFor(id);
  expect(await state()).toEqual([{ state: 'done', attempts: 1 }]);
});

test('reports a job that ignores its time limit even if that cannot be recorded', async () => {
  const outcome = queues.failingQueries();
  const [error, onStuck] = [vi.fn(), vi.fn()];
  const queue = makeQueue({ database: outcome.database, log: { ...log, error }, onStuck });
  queue.register(note, async () => {
    outcome.failNext = true;
    throw new ProcessEnded('The job did not stop after its time limit.');
  });
  // The queue looks for no other job meanwhile.
  queue.start({ concurrency: 1 });
  await enqueue(queue);
  await vi.waitFor(
    () => expect(error).toHaveBeenCalledWith(expect.anything(), 'could not record the result of a job'),
    { timeout: 10_000 },
  );
  expect(onStuck).toHaveBeenCalledOnce();
});

test('can shorten the wait for its jobs while it stops', async () => {
  const queue = makeQueue();
  const started = blockNotesUntilAborted(queue);
  queue.start();
  await enqueue(queue);
  await started;
  const stopped = queue.stop({ grace: 3_600_000 });
  await queue.stop({ grace: 20 });
  await stopped;
  const jobs = queues.db.query.selectFrom('jobs').select(['state', 'attempts', 'leaseOwner']);
  expect(await jobs.execute()).toEqual([{ state: 'queued', attempts: 0, leaseOwner: null }]);
});

test('reports how long it has been idle since its last job', async () => {
  const queue = makeQueue();
  const { started, finish } = blockNotes(queue);
  queue.start();
  await queue.idle();
  expect(queue.idleMs()).toBeUndefined();
  const id = await enqueue(queue);
  await started;
  expect(queue.idleMs()).toBe(0);
  finish();
  await queue.waitFor(id);
  await queue.idle();
  expect(queue.idleMs()).toBeGreaterThan(0);
});

test('requeues jobs that do not end before the stop deadline, for the next process', async () => {
  const first = makeQueue();
  const started = blockNotesUntilAborted(first);
  first.start();
  const id = await enqueue(first);
  await started;
  await first.stop({ grace: 20 });
  const second = makeQueue();
  const attempts: number[] = [];
  second.register(note, async ({ attempt }) => {
    attempts.push(attempt);
  });
  second.start();
  expect((await second.waitFor(id)).state).toBe('done');
  expect(attempts).toEqual([1]);
});

test.runIf(isFirstEngine)(
  'a queue of suspected jobs does not look for jobs when one is enqueued',
  async () => {
    const performer = { kinds: () => [note], perform: async () => {}, recordFailure: async () => {} };
    const isolated = makeQueue({ lane: 'suspected', performer });
    isolated.start();
    await isolated.idle();
    const { sql } = await statementsOf(async () => {
      await enqueue(isolated);
      for (let turn = 0; turn < 10; turn++) {
        await setImmediate();
      }
    });
    expect(sql.filter((statement) => statement.startsWith('select'))).toEqual([]);
  },
);
