import type { Font } from 'fontkit';
import { describe, expect, test } from 'vitest';
import { levelsOf, visualOrder } from '../../../server/content/pdf/direction.ts';
import { shapedFont } from '../../../server/content/pdf/fonts/shaping.ts';
import { Fonts } from '../../../server/content/pdf/fonts.ts';
import { costRatio } from '../../support/processes/processor-time.ts';

/** Returns the characters of a line from left to right. */
function shown(text: string): string {
  const { levels } = levelsOf(text);
  let at = 0;
  const pieces = Array.from(text, (character) => {
    const level = levels?.[at] ?? 0;
    at += character.length;
    return { character, level };
  });
  return visualOrder(pieces)
    .map(({ character }) => character)
    .join('');
}

describe('the order of a line in scripts of both directions', () => {
  test.each([
    ['versions in Hebrew', 'גרסה 1.2.3 זמינה', 'הנימז 1.2.3 הסרג'],
    ['amounts in Hebrew', 'מחיר $10.50 ועוד 17%', '17% דועו $10.50 ריחמ'],
    ['phone numbers in Hebrew', 'טל 03-123-4567', '03-123-4567 לט'],
    ['versions in Arabic', 'الإصدار 1.2.3', '1.2.3 رادصإلا'],
    ['Arabic digits', 'السعر ١٢٫٥٠', '١٢٫٥٠ رعسلا'],
    ['brackets around Latin text', 'קובץ a (x).', '.a (x) ץבוק'],
    ['Hebrew within English', 'the (גרסה) 1.2', 'the (הסרג) 1.2'],
    ['emoji before Hebrew', '🎉 שלום', 'םולש 🎉'],
    ['emoji before numbers', 'טוב 😀 12', '12 😀 בוט'],
    ['letters of two UTF-16 units', '\u{1e900}\u{1e901} a', 'a \u{1e901}\u{1e900}'],
  ])('is that of the Unicode bidirectional algorithm: %s', (_, text, order) => {
    expect(shown(text)).toBe(order);
  });

  test('keeps the direction of a paragraph that is analyzed in parts', () => {
    const text = `א${' a'.repeat(10_000)} 1.2`;
    const { base, levels } = levelsOf(text);
    expect(base).toBe(1);
    expect(levels?.subarray(-20).every((level) => level >= 1)).toBe(true);
  });

  test('takes linear time', () => {
    const read = (texts: number, count: number) => () => {
      const text = `א${'1,'.repeat(count)}`;
      for (let index = 0; index < texts; index++) {
        levelsOf(text);
      }
    };
    // The same amount of text at once and in parts: quadratic time would be 64 times as much.
    expect(costRatio(read(1, 65_536), read(64, 1_024), 16)).toBeLessThanOrEqual(16);
  });
});

test('mirrors brackets in right-to-left text', () => {
  const style = { mono: false, bold: false, italic: false };
  const { font } = new Fonts(() => undefined).faceFor('א', style).font;
  const laidOut: unknown[][] = [];
  const layout: Font['layout'] = (...args) => {
    laidOut.push([args[0], args[4]]);
    // The font of a face uses the layout of its prototype, the font of the file.
    return Object.getPrototypeOf(font).layout(...args);
  };
  const shaped = shapedFont(Object.create(Object.getPrototypeOf(font), { layout: { value: layout } }));
  const glyphs = shaped.shape('(אב)', true).flatMap(({ shapes }) => shapes);
  expect(laidOut).toEqual([[')אב(', 'rtl']]);
  // Text extraction returns the original characters.
  expect(glyphs.flatMap(({ codePoints }) => codePoints)).toEqual(
    Array.from(')בא(', (character) => character.codePointAt(0)),
  );
});
