import { expect, test } from 'vitest';
import { readFileDates } from '../../../server/platform/content/git/jobs/file-dates.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const COMMITTED = new Date('2024-01-01T00:00:00Z');
const SYNCED = { oid: 'a' };
const log = { debug() {}, info() {}, warn() {}, error() {} };

const datesOf = async (
  parents: string[],
  readDates: () => Promise<ReadonlyMap<string, Date>>,
  last = SYNCED,
) =>
  await readFileDates(
    { clock: () => NOW, log },
    { commit: { oid: 'c', message: '', committedAt: COMMITTED, parents }, readDates },
    last,
  );

test('files have the date of the commit if the history cannot be read', async () => {
  const dateOf = await datesOf(['b'], async () => Promise.reject(new Error('too large')));
  expect(dateOf('a.md')).toEqual(COMMITTED);
});

test('the history is read unless the commit is the first one, or the next one after the last import', async () => {
  const old = new Date('2020-01-01T00:00:00Z');
  const isRead = async (parents: string[]) => {
    const dateOf = await datesOf(parents, async () => new Map([['a.md', old]]));
    expect(dateOf('unknown.md')).toEqual(COMMITTED);
    return dateOf('a.md').getTime() === old.getTime();
  };
  expect(await isRead([])).toBe(false);
  expect(await isRead(['a'])).toBe(false);
  expect(await isRead(['b'])).toBe(true);
  expect(await isRead(['a', 'b'])).toBe(true);
});
