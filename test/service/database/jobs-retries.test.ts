import { expect, test, vi } from 'vitest';
import { DatabaseUnavailableError } from '../../../server/database/errors.ts';
import { JobFailure, jobKind } from '../../../server/jobs/queue.ts';
import { log, note, useJobQueues } from './job-queues.ts';

const queues = useJobQueues();
const { makeQueue, enqueue, pass } = queues;

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

test('repeats a job whose success could not be recorded, and does not record a failure in its data', async () => {
  const outcome = queues.failingQueries();
  const error = vi.fn();
  const queue = makeQueue({ database: outcome.database, log: { ...log, error } });
  const attempts: number[] = [];
  const failures: number[] = [];
  queue.register(
    note,
    async ({ attempt }) => {
      outcome.failNext = attempts.length === 0;
      attempts.push(attempt);
    },
    async ({ attempt }) => void failures.push(attempt),
  );
  // The queue looks for no other job meanwhile.
  queue.start({ concurrency: 1 });
  const id = await enqueue(queue, { maxAttempts: 1 });
  await vi.waitFor(
    () => expect(error).toHaveBeenCalledWith(expect.anything(), 'could not record the result of a job'),
    { timeout: 10_000 },
  );
  pass(16);
  expect(await queue.waitFor(id)).toEqual({ state: 'done', lastError: null });
  expect(attempts).toEqual([1, 1]);
  expect(failures).toEqual([]);
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
