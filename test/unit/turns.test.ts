import { expect, test } from 'vitest';
import { Turns } from '../../server/database/turns.ts';

const OVERLOADED = { name: 'DatabaseUnavailableError', reason: 'overloaded' };
/** No test waits for as long. */
const later = () => performance.now() + 60_000;

test('turns are taken in the order of asking, as many at a time as there are places', async () => {
  const turns = new Turns({ places: 2, maxWaiting: 10 });
  const taken: number[] = [];
  const take = async (number: number) => {
    const end = await turns.take(later());
    taken.push(number);
    return end;
  };
  const [first, second, third, fourth] = [take(1), take(2), take(3), take(4)];
  const [endFirst, endSecond] = await Promise.all([first, second]);
  expect(taken).toEqual([1, 2]);
  expect(turns.tryTake()).toBeUndefined();
  endSecond();
  // Ending a turn again lets nobody in.
  endSecond();
  const endThird = await third;
  expect(taken).toEqual([1, 2, 3]);
  endFirst();
  const endFourth = await fourth;
  endThird();
  endFourth();
  expect(turns.tryTake()).toBeTypeOf('function');
});

test('so many wait for a turn, and no longer than until their deadline', async () => {
  const turns = new Turns({ places: 1, maxWaiting: 2 });
  const end = await turns.take(later());
  const late = turns.take(performance.now() + 5);
  const waiting = turns.take(later());
  await expect(turns.take(later())).rejects.toMatchObject(OVERLOADED);
  await expect(late).rejects.toMatchObject(OVERLOADED);
  // Who gave up leaves a place in the queue.
  const next = turns.take(later());
  end();
  (await waiting)();
  (await next)();
});
