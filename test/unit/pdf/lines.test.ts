import { describe, expect, test } from 'vitest';
import { BODY } from '../../../server/content/pdf/flow.ts';
import { Fonts } from '../../../server/content/pdf/fonts.ts';
import { breakLines, type Line } from '../../../server/content/pdf/lines.ts';

const fonts = new Fonts(() => undefined);
const linesOf = (text: string, width: number): Line[] => breakLines([{ text, style: BODY }], width, fonts);
const textOf = ({ pieces }: Line): string => pieces.map(({ text }) => text).join('');

describe('lines end', () => {
  test.each([
    ['after spaces', ['One two ', 'three four']],
    ['not at no-break spaces', ['as long as ', '5\u00a0kg of rice']],
    ['after hyphens', ['a well-', 'known']],
    ['after slashes of addresses', ['https://example.com/', 'guides/start']],
    ['after dashes', ['one—', 'two—']],
    ['not within options of commands', ['Pass ', '--production']],
    ['at the end of hyphens', ['--']],
    ['between ideographs', ['快速的棕色狐', '狸跳过懒狗']],
    ['not before closing punctuation', ['日本語', 'の、日本']],
    ['not after opening brackets', ['日本語', '「引用']],
    ['between Thai words', ['สวัสดี', 'ชาวโลก']],
    ['not within emoji', ['🧌🏽', '🧌🏽']],
  ])('%s', (_, lines) => {
    const width = Math.max(...lines.flatMap((line) => linesOf(line, 10_000).map((item) => item.width)));
    expect(linesOf(lines.join(''), width).map(textOf)).toEqual(lines);
  });
});
