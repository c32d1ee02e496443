import { array, assert, asyncProperty, constantFrom } from 'fast-check';
import { expect, test } from 'vitest';
import { type NamedText, similarTexts } from '../../../server/content/transfer/similarity.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';
import { runs } from '../../support/seed.ts';

const named = (texts: Record<string, string>): NamedText[] =>
  Object.entries(texts).map(([key, text]) => ({ key, names: [key.replace(/^.*\//, '')], text }));

const renames = async (before: Record<string, string>, after: Record<string, string>) =>
  Object.fromEntries(await similarTexts(named(before), named(after)));

const LINES = ['First of all.', 'Then the second.', 'A third, at last.', 'And a fourth.'];
const text = (...lines: string[]) => lines.join('\n\n');

test('at least half of a text, or of its original, is in both', async () => {
  const [first = '', second = '', third = '', fourth = ''] = LINES;
  const before = { a: text(...LINES) };
  expect(await renames(before, { b: text(first, second, third, 'Changed.') })).toEqual({ b: 'a' });
  expect(await renames(before, { b: text(first, second, third, fourth, 'More.') })).toEqual({ b: 'a' });
  expect(await renames(before, { b: text('One.', 'Two.', 'Three.', 'Four, longer.', fourth) })).toEqual({});
  expect(await renames(before, { b: text(...LINES, 'x'.repeat(text(...LINES).length + 1)) })).toEqual({});
  expect(await renames(before, { b: '' })).toEqual({});
  expect(await renames({ a: '' }, { b: '' })).toEqual({});
});

test('sentences of one line are compared, in any script', async () => {
  const before = { a: 'One sentence. Another one! A third? The end' };
  expect(await renames(before, { b: 'One sentence. Another, new one! A third? The end' })).toEqual({
    b: 'a',
  });
  expect(await renames({ a: '第一句话。第二句话。第三句话。' }, { b: '第一句话。改了。第三句话。' })).toEqual(
    {
      b: 'a',
    },
  );
});

test('the most similar pairs are selected, and those with the same names among equal ones', async () => {
  const [first = '', second = '', third = '', fourth = ''] = LINES;
  const before = { 'x/a': text(first, second, third, fourth), 'x/b': text(first, second, third) };
  expect(await renames(before, { 'y/c': text(first, second, third) })).toEqual({ 'y/c': 'x/b' });
  const same = { 'x/a': text(...LINES), 'x/b': text(...LINES) };
  expect(await renames(same, { 'y/b': text(...LINES), 'y/a': text(...LINES) })).toEqual({
    'y/b': 'x/b',
    'y/a': 'x/a',
  });
});

test('each text has one original at most, which no other text has, whatever their lines', async () => {
  const lines = array(constantFrom(...LINES, 'constructor', '__proto__'), { maxLength: 5 });
  const texts = array(lines, { maxLength: 5 });
  await assert(
    asyncProperty(texts, texts, async (before, after) => {
      const list = (all: string[][], prefix: string) =>
        all.map((of, at) => ({ key: `${prefix}${at}`, names: [], text: text(...of) }));
      const [originals, made] = [list(before, 'a'), list(after, 'b')];
      const found = await similarTexts(originals, made);
      expect(new Set(found.values()).size).toBe(found.size);
      // A text with an equal original that no other text resembles has an original.
      for (const { key, text: of } of made) {
        const isUnique = made.filter((other) => other.text === of).length === 1;
        if (isUnique && of !== '' && made.length === 1 && originals.some((other) => other.text === of)) {
          expect(originals.find((original) => original.key === found.get(key))?.text).toBe(of);
        }
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a line that is in many texts does not multiply the work', async () => {
  const many = 4000;
  const shared = Array.from({ length: 10 }, (_, at) => `s${at}`).join('\n');
  const originals = Array.from({ length: many }, (_, at) => ({
    key: `a${at}`,
    names: [],
    text: `${shared}\nthis is its own sentence ${at}\nand its longest and last one ${at}`,
  }));
  const texts = originals.map(({ text: of }, at) => ({ key: `b${at}`, names: [], text: `${of}\nnew` }));
  const elapsedMs = startProcessorClock();
  const found = await similarTexts(originals, texts);
  expect(found.size).toBe(many);
  expect(found.get('b3999')).toBe('a3999');
  expect(elapsedMs()).toBeLessThan(2500);
});
