import { expect, test } from 'vitest';
import { phrases } from '../../../server/database/words.ts';

test('makes no empty word of any character, at the start of a run or after a mark', () => {
  const empty: string[] = [];
  for (let code = 0; code <= 0x10_ffff; code++) {
    const character = String.fromCodePoint(code);
    for (const text of [character, `${character}\u17b4`, `ក${character}`]) {
      const words = phrases(text);
      if (words.some((phrase) => phrase.length === 0 || phrase.includes(''))) {
        empty.push(text);
      }
    }
  }
  expect(empty).toEqual([]);
});

test('splits scripts without spaces into characters with their marks', () => {
  expect(phrases('Café: 東京!')).toEqual([['cafe'], ['東', '京']]);
  expect(phrases('កាខ')).toEqual([['កា', 'ខ']]);
  expect(phrases('\u17b4\u17b5ក')).toEqual([['\u17b4\u17b5', 'ក']]);
});
