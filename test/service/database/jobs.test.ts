import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../server/database/database.ts';
import { DatabaseUnavailableError } from '../../../server/database/errors.ts';
import { type Job, JobFailure, jobKind } from '../../../server/jobs/queue.ts';
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
  const other = await openDatabase(queues.location);
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
        const ids = await queues.db.transaction(async (trx) => {
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
            const query = queues.db.query.selectFrom('jobs').select('state').where('id', '=', id);
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
  const proceed = Promise.withResolvers<void>();
  queue.register(note, async ({ payload }) => {
    ran.push(payload.text);
    startedAt.resolve();
    await proceed.promise;
  });
  queue.start();
  await enqueue(queue, { key: 'k', orderKey: '2', payload: { text: 'running' } });
  await startedAt.promise;
  const early = await enqueue(queue, { key: 'k', orderKey: '1', payload: { text: 'added later' } });
  // The end of a job with another key shows that the queue has looked for work again.
  const other = await enqueue(queue, { payload: { text: 'other' } });
  while (ran.length < 2) {
    await setImmediate();
  }
  expect(ran).toEqual(['running', 'other']);
  proceed.resolve();
  await Promise.all([queue.waitFor(early), queue.waitFor(other)]);
  expect(ran).toEqual(['running', 'other', 'added later']);
});

test('runs at most the configured number of jobs at a time', async () => {
  const queue = makeQueue();
  const three = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  let active = 0;
  let maximum = 0;
  queue.register(note, async () => {
    maximum = Math.max(maximum, ++active);
    if (active === 3) {
      three.resolve();
    }
    await proceed.promise;
    active--;
  });
  const ids = [];
  for (let n = 0; n < 8; n++) {
    ids.push(await enqueue(queue));
  }
  queue.start({ concurrency: 3 });
  await three.promise;
  queue.wake();
  proceed.resolve();
  await Promise.all(ids.map((id) => queue.waitFor(id)));
  expect(maximum).toBe(3);
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

test('aborts a job that exceeds the timeout of its kind, and fails it', async () => {
  const short = jobKind<null>('short', { timeoutMs: 10 });
  const queue = makeQueue();
  queue.register(
    short,
    (_job, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  const rejecting = jobKind<null>('rejecting', { timeoutMs: 10 });
  queue.register(
    rejecting,
    (_job, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('closed')))),
  );
  queue.start();
  const enqueueOnce = (kind: typeof short) =>
    queues.db.transaction((trx) =>
      queue.enqueue(trx, { kind, organization: 'org_1', payload: null, maxAttempts: 1 }),
    );
  expect(await queue.waitFor(await enqueueOnce(short))).toEqual({ state: 'done', lastError: null });
  expect(await queue.waitFor(await enqueueOnce(rejecting))).toEqual({
    state: 'failed',
    lastError: 'The job took longer than 0.01 s.',
  });
});

test('waits for running jobs when it stops', async () => {
  const [queue, impatient] = [makeQueue(), makeQueue()];
  const [{ started, finish }, blocked] = [blockNotes(queue), blockNotes(impatient)];
  queue.start();
  const id = await enqueue(queue);
  await started;
  const stopping = queue.stop();
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

test('leaves jobs of unknown kinds to other processes', async () => {
  const queue = makeQueue();
  queue.start();
  await enqueue(queue);
  await queue.idle();
  expect(await queues.db.query.selectFrom('jobs').select('state').execute()).toEqual([{ state: 'queued' }]);
  queue.register(note, async () => {});
  expect(() => queue.register(note, async () => {})).toThrow(/already registered/);
});
