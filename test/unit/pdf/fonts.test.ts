import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { create, type Font } from 'fontkit';
import { describe, expect, test } from 'vitest';
import { loadFamily } from '../../../server/content/pdf/fonts/family.ts';
import { loadFont } from '../../../server/content/pdf/fonts/files.ts';
import { renderPdf } from '../../../server/content/pdf/render.ts';
import { SITE_FONTS } from '../../../server/platform/sites/reading/resources/fonts.ts';
import { readPdf, withoutSpaces } from '../../support/pdf/pdf.ts';
import { printed } from '../../support/pdf/printing.ts';

const TEXT = 'Ünïcödé žluťoučký Привет Nguyễn שלום 快速 → ✓';

interface IndexedSubset {
  includeGlyph(id: number): number;
  encode(): Uint8Array;
}

const fontIn = (bytes: Uint8Array): Font => {
  const font = create(Buffer.from(bytes));
  if (!('getGlyph' in font)) {
    throw new Error('Not a font.');
  }
  return font;
};

describe('a font that sites can choose', () => {
  test.each(SITE_FONTS.map((font) => [font.family, font] as const))(
    'has the text of the document: %s',
    async (_, font) => {
      const output = new PassThrough();
      const fonts = font.isMonospace ? { mono: font.package } : { text: font.package };
      const markdown = font.isMonospace ? `\`${TEXT}\` **\`${TEXT}\`**` : `${TEXT} **${TEXT}** *${TEXT}*`;
      const entries = [printed({ title: 'T', markdown }, 0)];
      const job = { title: 'T', createdAt: new Date(), fonts, entries };
      const [bytes] = await Promise.all([buffer(output), renderPdf(job, output)]);
      const { pages } = await readPdf(bytes);
      const text = withoutSpaces(TEXT);
      expect(withoutSpaces(pages[0]?.text ?? '')).toBe(`T${text.repeat(font.isMonospace ? 2 : 3)}1`);
      const { regular, bold } = await loadFamily(font.package);
      for (const [first] of [regular, bold]) {
        const { postscriptName } = loadFont(first ?? '');
        expect(bytes.toString('latin1')).toContain(`+${postscriptName}`);
      }
    },
  );

  test('has letters in each weight, as they are interpolated', async () => {
    const { regular, bold } = await loadFamily('@fontsource-variable/merriweather');
    const widths = [regular, bold].map(([name = '']) => {
      const font = loadFont(name);
      // Subsets return indexes for IDs; the declared types differ.
      const subset = font.createSubset() as unknown as IndexedSubset;
      const letters = ['a', 'Ä', 'o', ' '].map((letter) =>
        font.glyphForCodePoint(letter.codePointAt(0) ?? 0),
      );
      const indexes = letters.map((glyph) => subset.includeGlyph(glyph.id));
      const embedded = fontIn(subset.encode());
      for (const [at, { path, advanceWidth }] of letters.entries()) {
        const glyph = embedded.getGlyph(indexes[at] ?? 0);
        expect(glyph.advanceWidth).toBe(Math.round(advanceWidth));
        for (const side of ['minX', 'minY', 'maxX', 'maxY'] as const) {
          if (path.commands.length > 0) {
            expect(Math.abs(glyph.path.bbox[side] - path.bbox[side])).toBeLessThanOrEqual(1);
          }
        }
      }
      return letters[0]?.advanceWidth ?? 0;
    });
    expect(widths[1]).toBeGreaterThan(widths[0] ?? Infinity);
  });
});
