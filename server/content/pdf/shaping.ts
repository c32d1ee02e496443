/**
 * Shapes text into glyphs such that the text of a PDF can be extracted unchanged. A PDF maps glyphs to text (ISO
 * 32000-1, 9.10), while shaping joins, splits and reorders characters. Each glyph of a document therefore maps to
 * exactly one text: a glyph that represents two texts is embedded twice.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Font, Glyph, GlyphPosition, GlyphRun, Subset } from 'fontkit';
import { mirrored } from './direction.ts';

/** A font for pdfkit, and the width of texts in it. */
export interface ShapedFont {
  font: Font;
  /** Returns the width of a text of one direction, as a multiple of the type size. */
  widthOf(text: string, rtl: boolean): number;
}

/** Properties of a glyph and its position that pdfkit reads. */
type Shape = Pick<Glyph, 'id' | 'codePoints' | 'advanceWidth'> & { position: GlyphPosition };

/** The OpenType feature that texts from right to left are passed to pdfkit with. */
export const RIGHT_TO_LEFT = 'rtla';

/** Disables optional ligatures; those that a script requires stay enabled. */
const FEATURES = { liga: false, clig: false, dlig: false, hlig: false };

/** Text of a glyph without text: invisible, and omitted when text is extracted. */
const ZERO_WIDTH_SPACE = 0x200b;
const SPACE = 0x20;

/** Number of cached words at which the cache is cleared. */
const MAX_CACHED_WORDS = 20_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Wraps a font for one document of pdfkit, which calls `layout` for the glyphs of a text, and passes their ids to the
 * subset of the font.
 */
export function shapedFont(font: Font): ShapedFont {
  const glyphs: Array<{ glyph: number; codePoints: number[] }> = [];
  const ids = new Map<string, number>();
  const words = new Map<string, Shape[]>();

  /** Returns the ID of a glyph that represents a text. */
  const idOf = (glyph: number, codePoints: number[]): number => {
    const key = `${glyph}:${codePoints.join(' ')}`;
    const id = ids.get(key) ?? glyphs.push({ glyph, codePoints }) - 1;
    ids.set(key, id);
    return id;
  };

  const shapeWord = (word: string, rtl: boolean): Shape[] => {
    const shown = rtl ? mirrored(word) : word;
    const run = font.layout(shown, FEATURES, undefined, undefined, rtl ? 'rtl' : 'ltr');
    const points = codePointsOf(word);
    const logical = rtl ? [...run.glyphs].reverse() : run.glyphs;
    const glyphCodePoints = logical.map(({ codePoints }) => codePoints);
    const clusters = [...graphemes.segment(word)];
    const isExact =
      glyphCodePoints.every((codePoints) => codePoints.length > 0) &&
      isDeepStrictEqual(glyphCodePoints.flat(), codePointsOf(shown));
    if (!isExact && !rtl && clusters.length > 1) {
      return clusters.flatMap(({ segment }) => shapeWord(segment, rtl));
    }
    const texts = isExact ? split(points, glyphCodePoints) : distribute(points, logical.length);
    return run.glyphs.map(({ id, advanceWidth }, at) => {
      const text = texts[rtl ? texts.length - 1 - at : at] ?? [ZERO_WIDTH_SPACE];
      // Readers order the characters of a glyph from left to right, too, before they reverse a text.
      const codePoints = rtl ? [...text].reverse() : text;
      const position = run.positions[at] ?? { xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 };
      return { id: idOf(id, codePoints), advanceWidth, codePoints, position };
    });
  };

  const shape = (text: string, rtl: boolean): Shape[] => {
    if (rtl && text !== text.trim() && text.trim() !== '') {
      return shapeMargins(text);
    }
    const parts = (text.match(/ +|[^ ]+/g) ?? []).map((word) => {
      const key = rtl ? `<${word}` : word;
      const cached = words.get(key);
      if (cached) {
        return cached;
      }
      const shapes = shapeWord(word, rtl);
      if (words.size >= MAX_CACHED_WORDS) {
        words.clear();
      }
      words.set(key, shapes);
      return shapes;
    });
    return (rtl ? parts.reverse() : parts).flat();
  };

  /**
   * Shapes a text from right to left with surrounding spaces. Readers omit spaces where a line continues to the left,
   * so the adjacent letters represent the spaces, too.
   */
  const shapeMargins = (text: string): Shape[] => {
    const letters = shape(text.trim(), true);
    const before = shape(' '.repeat(text.length - text.trimStart().length), false);
    const after = shape(' '.repeat(text.length - text.trimEnd().length), false);
    const shapes = letters.map((letter, at) => {
      const codePoints = [
        ...(at === 0 && after.length > 0 ? [SPACE] : []),
        ...letter.codePoints,
        ...(at === letters.length - 1 && before.length > 0 ? [SPACE] : []),
      ];
      return { ...letter, id: idOf(glyphs[letter.id]?.glyph ?? 0, codePoints), codePoints };
    });
    return [...after, ...shapes, ...before];
  };

  const createSubset = (): Subset => {
    // The declared type omits properties of every subset: its glyphs by index, and the table of CFF fonts.
    const subset = font.createSubset() as Subset & { glyphs: number[]; cff?: unknown };
    const indexes = new Map<number, number>();
    const own = {
      cff: subset.cff,
      includeGlyph(id: number): number {
        const index = indexes.get(id) ?? subset.glyphs.push(glyphs[id]?.glyph ?? 0) - 1;
        indexes.set(id, index);
        return index;
      },
      encode: () => subset.encode(),
    };
    // pdfkit passes glyph ids and expects the index in the subset; the declared type differs.
    return own as unknown as Subset;
  };

  // All other properties are inherited from the font.
  const source = Object.create(font, {
    createSubset: { value: createSubset },
    layout: {
      value: (
        text: string,
        features: readonly string[],
      ): Pick<GlyphRun, 'positions' | 'advanceWidth'> & { glyphs: Shape[] } => {
        const shapes = shape(text, features.includes(RIGHT_TO_LEFT));
        return {
          glyphs: shapes,
          // pdfkit scales them in place.
          positions: shapes.map(({ position }) => ({ ...position })),
          advanceWidth: advanceOf(shapes),
        };
      },
    },
    // Object.create is typed as any.
  }) as Font;

  return { font: source, widthOf: (text, rtl) => advanceOf(shape(text, rtl)) / font.unitsPerEm };
}

const codePointsOf = (text: string): number[] =>
  Array.from(text, (character) => character.codePointAt(0) ?? 0);

/** Divides code points into lists of the same lengths as `lists`. */
function split(points: readonly number[], lists: ReadonlyArray<readonly number[]>): number[][] {
  let start = 0;
  return lists.map(({ length }) => {
    start += length;
    return points.slice(start - length, start);
  });
}

/** Distributes text among glyphs whose characters are unknown: one character each, and the rest to the last glyph. */
function distribute(points: readonly number[], count: number): number[][] {
  return Array.from({ length: count }, (_, at) => {
    const text = at === count - 1 ? points.slice(at) : points.slice(at, at + 1);
    return text.length > 0 ? text : [ZERO_WIDTH_SPACE];
  });
}

function advanceOf(shapes: readonly Shape[]): number {
  let width = 0;
  for (const { position } of shapes) {
    width += position.xAdvance;
  }
  return width;
}
