import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Semaphore } from '../../../server/database/engines/semaphore.ts';

const OVERLOADED = { name: 'DatabaseUnavailableError', reason: 'overloaded' };
/** Longer than any test waits. */
const later = () => performance.now() + 60_000;

test('grants permits in the order of the requests, up to their number', async () => {
  const semaphore = new Semaphore({ permits: 2, maxWaiting: 10 });
  const granted: number[] = [];
  const acquire = async (number: number) => {
    const release = await semaphore.acquire(later());
    granted.push(number);
    return release;
  };
  const [first, second, third, fourth] = [acquire(1), acquire(2), acquire(3), acquire(4)];
  const [releaseFirst, releaseSecond] = await Promise.all([first, second]);
  expect(granted).toEqual([1, 2]);
  expect(semaphore.tryAcquire()).toBeUndefined();
  releaseSecond();
  // Releasing a permit again has no effect.
  releaseSecond();
  const releaseThird = await third;
  expect(granted).toEqual([1, 2, 3]);
  releaseFirst();
  const releaseFourth = await fourth;
  releaseThird();
  releaseFourth();
  expect(semaphore.tryAcquire()).toBeTypeOf('function');
});

test('limits the waiting requests and their time', async () => {
  const semaphore = new Semaphore({ permits: 1, maxWaiting: 2 });
  const release = await semaphore.acquire(later());
  const late = expect(semaphore.acquire(performance.now() + 5)).rejects.toMatchObject(OVERLOADED);
  const waiting = semaphore.acquire(later());
  const refused = semaphore.acquire(later()).catch((error: unknown) => error);
  expect(await Promise.race([refused, setImmediate('waiting')])).toMatchObject(OVERLOADED);
  await late;
  // An expired request leaves the queue.
  const next = semaphore.acquire(later());
  release();
  (await waiting)();
  (await next)();
});
