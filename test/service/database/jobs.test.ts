import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { DatabaseUnavailableError } from '../../../server/database/errors.ts';
import { makeId } from '../../../server/database/seams.ts';
import {
  createQueue,
  type Job,
  JobFailure,
  jobKind,
  type NewJob,
  type Queue,
  type QueueOptions,
} from '../../../server/jobs/queue.ts';
import { openTestDatabase, type TestDatabase } from '../../support/engines.ts';

const note = jobKind<{ text: string }>('note');
const log = { debug() {}, info() {}, warn() {}, error() {} };

let opened: TestDatabase;
let db: Database;
let now: Date;
let queues: Queue[];

beforeEach(async () => {
  opened = await openTestDatabase();
  db = opened.db;
  now = new Date('2026-03-01T12:00:00.000Z');
  queues = [];
});
afterEach(async () => {
  await Promise.all(queues.map((queue) => queue.stop({ grace: 0 })));
  await opened.close();
});

function makeQueue(options: Partial<QueueOptions> = {}): Queue {
  const queue = createQueue({ database: db, clock: () => now, makeId, log, poll: 60_000, ...options });
  queues.push(queue);
  return queue;
}

function enqueue(queue: Queue, job: Partial<NewJob<{ text: string }>> = {}): Promise<string> {
  return db.transaction((trx) =>
    queue.enqueue(trx, { kind: note, organization: 'org_1', payload: { text: 'hello' }, ...job }),
  );
}

function pass(seconds: number): void {
  now = new Date(now.getTime() + seconds * 1000);
  for (const queue of queues) {
    queue.wake();
  }
}

test('runs a job once its transaction is committed, with its payload', async () => {
  const queue = makeQueue();
  const jobs: Array<Job<{ text: string }>> = [];
  queue.register(note, async (job) => {
    jobs.push(job);
  });
  queue.start();
  const { id } = await db.transaction(async (trx) => {
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
  const attempt = db.transaction(async (trx) => {
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
  await enqueue(queue, { runAt: new Date(now.getTime() + 60_000) });
  await queue.idle();
  expect(ran).toBe(0);
  pass(61);
  await queue.idle();
  expect(ran).toBe(1);
});

test('retries a failing job with increasing delays, then marks it as failed', async () => {
  const queue = makeQueue();
  const attempts: Array<[number, boolean]> = [];
  queue.register(note, async ({ attempt, lastAttempt }) => {
    attempts.push([attempt, lastAttempt]);
    throw new Error(`failure ${attempt}`);
  });
  queue.start();
  const id = await enqueue(queue, { maxAttempts: 3 });
  await queue.idle();
  expect(attempts).toEqual([[1, false]]);
  pass(1.1);
  await queue.idle();
  expect(attempts).toHaveLength(2);
  pass(1.1);
  await queue.idle();
  expect(attempts).toHaveLength(2);
  pass(1);
  expect(await queue.waitFor(id)).toEqual({ state: 'failed', lastError: 'failure 3' });
  expect(attempts).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ]);
});

test('restarts a job that a database outage interrupted, without counting an attempt', async () => {
  const queue = makeQueue();
  const attempts: number[] = [];
  queue.register(note, async ({ attempt }) => {
    attempts.push(attempt);
    if (attempts.length <= 5) {
      throw new DatabaseUnavailableError('unreachable');
    }
  });
  queue.start();
  const id = await enqueue(queue, { maxAttempts: 1 });
  for (let outage = 0; outage < 5; outage++) {
    await queue.idle();
    pass(60);
  }
  expect(await queue.waitFor(id)).toEqual({ state: 'done', lastError: null });
  expect(attempts).toEqual([1, 1, 1, 1, 1, 1]);
});

test('does not retry a job that cannot succeed', async () => {
  const queue = makeQueue();
  queue.register(note, async () => {
    throw new JobFailure('the repository does not exist');
  });
  queue.start();
  const id = await enqueue(queue);
  expect(await queue.waitFor(id)).toEqual({ state: 'failed', lastError: 'the repository does not exist' });
});

test('runs jobs of one key one at a time and in order, across workers', async () => {
  const other = await openDatabase(opened.location);
  try {
    const order = fc.record({ key: fc.constantFrom('a', 'b', 'c'), orderKey: fc.constantFrom('', '1', '2') });
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 12 }), async (jobs) => {
        const first = makeQueue();
        const second = makeQueue({ database: other });
        const active = new Map<string | null, number>();
        const done: Array<{ key: string | null; order: string }> = [];
        for (const queue of [first, second]) {
          queue.register(note, async ({ key, payload }) => {
            active.set(key, (active.get(key) ?? 0) + 1);
            await other.query.selectFrom('jobs').select('id').execute();
            expect(active.get(key)).toBe(1);
            active.set(key, 0);
            done.push({ key, order: payload.text });
          });
        }
        const ids = await db.transaction(async (trx) => {
          const added: string[] = [];
          for (const [n, job] of jobs.entries()) {
            const payload = { text: `${job.orderKey}.${String(n).padStart(3, '0')}` };
            added.push(await first.enqueue(trx, { kind: note, organization: 'org_1', payload, ...job }));
          }
          return added;
        });
        first.start({ concurrency: 3 });
        second.start({ concurrency: 3 });
        // They poll once a minute here: each is notified manually when the other may have freed capacity.
        for (const id of ids) {
          let state: string | undefined;
          while (state !== 'done') {
            first.wake();
            second.wake();
            await setImmediate();
            const query = db.query.selectFrom('jobs').select('state').where('id', '=', id);
            ({ state } = await query.executeTakeFirstOrThrow());
            expect(state).not.toBe('failed');
          }
        }
        expect(done).toHaveLength(jobs.length);
        for (const key of ['a', 'b', 'c']) {
          const ran = done.filter((job) => job.key === key).map((job) => job.order);
          expect(ran).toEqual([...ran].sort());
        }
        await Promise.all([first.stop(), second.stop()]);
      }),
      { numRuns: 8 },
    );
  } finally {
    await other.close();
  }
});

test('holds later jobs of a key while one waits for its retry', async () => {
  const queue = makeQueue();
  const ran: string[] = [];
  queue.register(note, async ({ payload, attempt }) => {
    ran.push(`${payload.text}${attempt}`);
    if (payload.text === 'first' && attempt === 1) {
      throw new Error('once');
    }
  });
  queue.start();
  await enqueue(queue, { key: 'k', payload: { text: 'first' } });
  await enqueue(queue, { key: 'k', payload: { text: 'second' } });
  await queue.idle();
  expect(ran).toEqual(['first1']);
  pass(2);
  await queue.idle();
  expect(ran).toEqual(['first1', 'first2', 'second1']);
});

test('does not let a new job overtake a running one with an earlier turn', async () => {
  const queue = makeQueue();
  const ran: string[] = [];
  const startedAt = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  queue.register(note, async ({ payload }) => {
    ran.push(payload.text);
    startedAt.resolve();
    await goOn.promise;
  });
  queue.start();
  await enqueue(queue, { key: 'k', orderKey: '2', payload: { text: 'running' } });
  await startedAt.promise;
  const early = await enqueue(queue, { key: 'k', orderKey: '1', payload: { text: 'newcomer' } });
  // The end of a job with another key shows that the queue has looked for work again.
  const other = await enqueue(queue, { payload: { text: 'other' } });
  while (ran.length < 2) {
    await setImmediate();
  }
  expect(ran).toEqual(['running', 'other']);
  goOn.resolve();
  await Promise.all([queue.waitFor(early), queue.waitFor(other)]);
  expect(ran).toEqual(['running', 'other', 'newcomer']);
});

test('runs at most the configured number of jobs at a time', async () => {
  const queue = makeQueue();
  const three = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let active = 0;
  let most = 0;
  queue.register(note, async () => {
    most = Math.max(most, ++active);
    if (active === 3) {
      three.resolve();
    }
    await goOn.promise;
    active--;
  });
  const ids = [];
  for (let n = 0; n < 8; n++) {
    ids.push(await enqueue(queue));
  }
  queue.start({ concurrency: 3 });
  await three.promise;
  queue.wake();
  goOn.resolve();
  await Promise.all(ids.map((id) => queue.waitFor(id)));
  expect(most).toBe(3);
});

test('lets another process take over a job whose process is killed', async () => {
  const started = Promise.withResolvers<void>();
  const script = new URL('./abandoned-worker.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, JSON.stringify(opened.location)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.once('data', () => started.resolve());
  const queue = makeQueue({ clock: () => new Date(), poll: 20 });
  const crash = jobKind<null>('crash');
  const attempts: number[] = [];
  const id = await db.transaction((trx) =>
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
  await db.query
    .updateTable('jobs')
    .set({
      state: 'running',
      attempts: 1,
      abandoned: 100,
      leaseOwner: 'lse_gone',
      leaseUntil: now.toISOString(),
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
    async ({ payload }) => {
      recorded.push(payload.text);
      throw new Error('and nothing keeps it from being closed');
    },
  );
  const id = await enqueue(queue);
  await db.query.updateTable('jobs').set({ processEnds: 3, lastError: 'signal SIGSEGV' }).execute();
  queue.start();
  expect(await queue.waitFor(id)).toEqual({
    state: 'failed',
    lastError: 'failed after ending its process three times: signal SIGSEGV',
  });
  expect(recorded).toEqual(['hello']);
});

test('passes only its last failure to a job', async () => {
  const queue = makeQueue();
  const recorded: number[] = [];
  queue.register(
    note,
    async ({ attempt }) => {
      throw new Error(`failure ${attempt}`);
    },
    async ({ attempt }) => {
      recorded.push(attempt);
    },
  );
  queue.start();
  const id = await enqueue(queue, { maxAttempts: 2 });
  await queue.idle();
  pass(1.1);
  expect((await queue.waitFor(id)).state).toBe('failed');
  expect(recorded).toEqual([2]);
});

test('runs suspected jobs in their own lane, and abandoned ones in none', async () => {
  const trusting = makeQueue({ lane: 'unsuspected' });
  const ran: string[] = [];
  const isolated = makeQueue({
    lane: 'suspected',
    performer: {
      kinds: () => [note],
      perform: async ({ id }) => void ran.push(id),
      recordFailure: async () => undefined,
    },
  });
  trusting.register(note, async ({ id }) => void ran.push(`with others: ${id}`));
  const plain = await enqueue(trusting);
  const changed = async (values: Partial<Record<'abandoned' | 'processEnds', number>>) => {
    const id = await enqueue(trusting);
    await db.query.updateTable('jobs').set(values).where('id', '=', id).execute();
    return id;
  };
  const suspected = [await changed({ abandoned: 1 }), await changed({ processEnds: 2 })];
  const givenUp = await changed({ processEnds: 3 });
  const abandoned = await enqueue(trusting);
  const lease = { state: 'running' as const, leaseOwner: 'own_gone.lse_1', leaseUntil: now.toISOString() };
  await db.query.updateTable('jobs').set(lease).where('id', '=', abandoned).execute();
  trusting.start();
  await trusting.idle();
  expect(ran).toEqual([`with others: ${plain}`]);
  expect((await trusting.waitFor(givenUp)).state).toBe('failed');
  isolated.start();
  await isolated.idle();
  expect(ran.slice(1).sort()).toEqual([...suspected, abandoned].sort());
});

test('suspects the jobs of a process that ended by itself, without counting an attempt', async () => {
  const queue = makeQueue({ owner: 'own_ended' });
  const startedAt = Promise.withResolvers<void>();
  queue.register(note, (_job, signal) => {
    startedAt.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  queue.start();
  const id = await enqueue(queue, { key: 'space spc_1' });
  await startedAt.promise;
  const other = makeQueue();
  expect(await other.recordProcessEnd('own_other', 'heap out of memory')).toEqual([]);
  expect(await other.recordProcessEnd('own_ended', 'heap out of memory')).toEqual([
    { job: id, kind: 'note', organization: 'org_1', key: 'space spc_1', processEnds: 1 },
  ]);
  const row = await db.query.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({
    state: 'queued',
    attempts: 0,
    lastError: 'heap out of memory',
    leaseOwner: null,
  });
});

test('aborts a job that exceeds the timeout of its kind, and fails it', async () => {
  const short = jobKind<null>('short', { timeoutMs: 10 });
  const queue = makeQueue();
  queue.register(
    short,
    (_job, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  const heedless = jobKind<null>('heedless', { timeoutMs: 10 });
  queue.register(
    heedless,
    (_job, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('closed')))),
  );
  queue.start();
  const enqueueLate = (kind: typeof short) =>
    db.transaction((trx) =>
      queue.enqueue(trx, { kind, organization: 'org_1', payload: null, maxAttempts: 1 }),
    );
  expect(await queue.waitFor(await enqueueLate(short))).toEqual({ state: 'done', lastError: null });
  expect(await queue.waitFor(await enqueueLate(heedless))).toEqual({
    state: 'failed',
    lastError: 'The job took longer than 0.01 s.',
  });
});

test('aborts a worker that lost its lease, which cannot end the job', async () => {
  const first = makeQueue({ lease: 60 });
  // For the second queue, the heartbeats of the first are an hour old.
  const second = makeQueue({ clock: () => new Date(now.getTime() + 3_600_000) });
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
    db.query.selectFrom('jobs').select(['state', 'attempts']).where('id', '=', id).execute();
  expect(await state()).toEqual([{ state: 'running', attempts: 1 }]);
  proceed.resolve();
  await second.waitFor(id);
  expect(await state()).toEqual([{ state: 'done', attempts: 1 }]);
});

test('waits for running jobs when it stops', async () => {
  const queue = makeQueue();
  const startedAt = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  queue.register(note, async () => {
    startedAt.resolve();
    await finish.promise;
  });
  queue.start();
  const id = await enqueue(queue);
  await startedAt.promise;
  const stopping = queue.stop();
  finish.resolve();
  await stopping;
  expect(await queue.waitFor(id)).toEqual({ state: 'done', lastError: null });
});

test('requeues jobs that do not end before the stop deadline, for the next process', async () => {
  const first = makeQueue();
  const startedAt = Promise.withResolvers<void>();
  first.register(note, (_job, signal) => {
    startedAt.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  first.start();
  const id = await enqueue(first);
  await startedAt.promise;
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

test('leaves jobs of unknown kinds to others', async () => {
  const queue = makeQueue();
  queue.start();
  await enqueue(queue);
  await queue.idle();
  expect(await db.query.selectFrom('jobs').select('state').execute()).toEqual([{ state: 'queued' }]);
  queue.register(note, async () => {});
  expect(() => queue.register(note, async () => {})).toThrow(/already registered/);
});
