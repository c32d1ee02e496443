import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../server/database/database.ts';
import { note, useJobQueues } from './job-queues.ts';

const queues = useJobQueues();
const { makeQueue, enqueue, pass } = queues;

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
