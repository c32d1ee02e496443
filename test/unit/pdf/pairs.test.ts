import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { type Font, openSync } from 'fontkit';
import { describe, expect, test } from 'vitest';
import { PairShaper } from '../../../server/content/pdf/pairs.ts';
import { runs } from '../../support/seed.ts';

const FEATURES = { liga: false, clig: false, dlig: false, hlig: false };
const { resolve } = createRequire(import.meta.url);
const dejavu = dirname(resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'));
const fonts = readdirSync(dejavu)
  .filter((name) => /^DejaVuSans(Condensed|Mono)/.test(name))
  .map((name) => join(dejavu, name));

const characters = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));
const common = characters(0x21, 0x40);
const latin = [...common, ...characters(0x41, 0x7e), ...characters(0xc0, 0x17f), '’', '–', '…'];
const cyrillic = [...common, ...characters(0x400, 0x45f)];
const word = fc.oneof(
  ...[latin, cyrillic, [...latin, ...cyrillic]].map((letters) =>
    fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 12 }).map((all) => all.join('')),
  ),
);

describe('a word shaped from pairs', () => {
  test.each(fonts.map((file) => [file.split('/').at(-1), file]))(
    'has the glyphs and advances of the whole word: %s',
    (_, file) => {
      const font = openSync(file) as Font;
      const shaper = new PairShaper(font, FEATURES);
      let shapedWords = 0;
      fc.assert(
        fc.property(word, (text) => {
          const shaped = shaper.shape(text);
          if (!shaped) {
            return;
          }
          shapedWords += 1;
          const { glyphs, positions } = font.layout(text, FEATURES, undefined, undefined, 'ltr');
          expect(shaped).toEqual(
            glyphs.map(({ id, advanceWidth, codePoints: [codePoint] }, at) => ({
              id,
              advanceWidth,
              codePoint,
              xAdvance: positions[at]?.xAdvance,
            })),
          );
          expect(positions.every(({ xOffset, yOffset }) => xOffset === 0 && yOffset === 0)).toBe(true);
        }),
        { numRuns: runs(300) },
      );
      expect(shapedWords).toBeGreaterThan(100);
    },
  );
});
