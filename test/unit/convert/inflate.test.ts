import { randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import {
  FREE_INFLATION_BYTES,
  MAX_INFLATION_RATIO,
} from '../../../server/contract/limits/inflation-ratio.ts';
import { Slots } from '../../../server/contract/limits/slots.ts';
import { inflate, MAX_CONCURRENT_INFLATIONS } from '../../../server/contract/request/bodies/inflate.ts';

const ignore = () => undefined;

test('decompresses a body in small steps, and serves others in between', async () => {
  const text = Buffer.from(randomBytes(4_000_000).toString('hex'));
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) {
      setImmediate(turn);
    }
  };
  setImmediate(turn);
  const sizes: number[] = [];
  const chunks = await inflate([gzipSync(text)], 'gzip', ({ length }) => void sizes.push(length));
  isDone = true;
  expect(Buffer.concat(chunks).equals(text)).toBe(true);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
  expect(turns).toBeGreaterThan(sizes.length / 4);
});

test('rejects a body that exceeds the limit soon after it does', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * FREE_INFLATION_BYTES));
  expect((64 * FREE_INFLATION_BYTES) / bomb.length).toBeGreaterThan(MAX_INFLATION_RATIO);
  let seen = 0;
  const work = inflate([bomb], 'gzip', ({ length }) => {
    seen += length;
  });
  await expect(work).rejects.toMatchObject({ status: 413 });
  expect(seen).toBeLessThanOrEqual(Math.max(FREE_INFLATION_BYTES, MAX_INFLATION_RATIO * bomb.length));
});

test('accepts a small body of any compression ratio', async () => {
  const text = Buffer.alloc(FREE_INFLATION_BYTES, 0x20);
  expect(Buffer.concat(await inflate([deflateSync(text)], 'deflate', ignore)).length).toBe(text.length);
});

test('decompresses a few bodies at a time, and starts the next when one ends', async () => {
  const sent = [gzipSync(randomBytes(200_000))];
  let working = 0;
  let most = 0;
  const run = async (fails: boolean) => {
    let startedAt = false;
    const onChunk = () => {
      if (!startedAt) {
        most = Math.max(most, ++working);
      }
      startedAt = true;
      if (fails) {
        throw new Error('No more.');
      }
    };
    await inflate(sent, 'gzip', onChunk).catch(ignore);
    working--;
  };
  await Promise.all(Array.from({ length: 12 }, (_, index) => run(index % 3 === 0)));
  expect(most).toBe(MAX_CONCURRENT_INFLATIONS);
});

test('limits the time and the number of waiting bodies', async () => {
  vi.useFakeTimers();
  try {
    const slots = new Slots(1, 2, 1000);
    const refusal = () => new Error('Full.');
    const release = await slots.enter(refusal);
    const [second, third] = [slots.enter(refusal), slots.enter(refusal)];
    await expect(slots.enter(refusal)).rejects.toThrow('Full.');
    release();
    const releaseSecond = await second;
    const late = expect(third).rejects.toThrow('Full.');
    vi.advanceTimersByTime(1000);
    await late;
    releaseSecond();
    await expect(slots.enter(refusal)).resolves.toBeTypeOf('function');
  } finally {
    vi.useRealTimers();
  }
});
