/**
 * Turns text into glyphs so that a reader gets the same text back. What a PDF says about its text, it says by
 * glyph (ISO 32000-1, 9.10), and shaping joins, splits and reorders characters on the way to glyphs. So each
 * glyph of a document stands for one certain text: a glyph that stands for two is in the document twice.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Font, Glyph, GlyphPosition, GlyphRun, Subset } from 'fontkit';
import { mirrored } from './direction.ts';

/** A font as pdfkit takes it, and the measure of texts in it. */
export interface ShapedFont {
  font: Font;
  /** The width of a text of one direction, in units of the type size. */
  widthOf(text: string, rtl: boolean): number;
}

/** What of a glyph and its place pdfkit reads. */
type Shape = Pick<Glyph, 'id' | 'codePoints' | 'advanceWidth'> & { position: GlyphPosition };

/** The OpenType feature that texts from right to left are passed to pdfkit with. */
export const RIGHT_TO_LEFT = 'rtla';

/** Ligatures that a font may do without; those that a script cannot do without stay. */
const FEATURES = { liga: false, clig: false, dlig: false, hlig: false };

/** Stands where a glyph says nothing: invisible, and readers of text leave it out. */
const NOTHING = 0x200b;
const SPACE = 0x20;

/** Words that are remembered before all are forgotten. */
const REMEMBERED = 20_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * A font that pdfkit can embed in one document. It calls `layout` for the glyphs of a text, and hands what it
 * calls their ids to the subset that it asked for.
 */
export function shapedFont(font: Font): ShapedFont {
  const glyphs: Array<{ glyph: number; codePoints: number[] }> = [];
  const ids = new Map<string, number>();
  const words = new Map<string, Shape[]>();

  /** An id for a glyph that stands for a text. */
  const idOf = (glyph: number, codePoints: number[]): number => {
    const key = `${glyph}:${codePoints.join(' ')}`;
    const known = ids.get(key) ?? glyphs.push({ glyph, codePoints }) - 1;
    ids.set(key, known);
    return known;
  };

  const shapeWord = (word: string, rtl: boolean): Shape[] => {
    const shown = rtl ? mirrored(word) : word;
    const run = font.layout(shown, FEATURES, undefined, undefined, rtl ? 'rtl' : 'ltr');
    const points = codePointsOf(word);
    const logical = rtl ? [...run.glyphs].reverse() : run.glyphs;
    const drawn = logical.map(({ codePoints }) => codePoints);
    const clusters = [...graphemes.segment(word)];
    const isExact =
      drawn.every((one) => one.length > 0) && isDeepStrictEqual(drawn.flat(), codePointsOf(shown));
    if (!isExact && !rtl && clusters.length > 1)
      return clusters.flatMap(({ segment }) => shapeWord(segment, rtl));
    const texts = isExact ? split(points, drawn) : distribute(points, logical.length);
    return run.glyphs.map(({ id, advanceWidth }, at) => {
      const text = texts[rtl ? texts.length - 1 - at : at] ?? [NOTHING];
      // Readers take the characters of a glyph from left to right, too, before they turn a text around.
      const codePoints = rtl ? [...text].reverse() : text;
      const position = run.positions[at] ?? { xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 };
      return { id: idOf(id, codePoints), advanceWidth, codePoints, position };
    });
  };

  const shape = (text: string, rtl: boolean): Shape[] => {
    if (rtl && text !== text.trim() && text.trim() !== '') return shapeMargins(text);
    const parts = (text.match(/ +|[^ ]+/g) ?? []).map((word) => {
      const key = rtl ? `<${word}` : word;
      const known = words.get(key);
      if (known) return known;
      const shapes = shapeWord(word, rtl);
      if (words.size >= REMEMBERED) words.clear();
      words.set(key, shapes);
      return shapes;
    });
    return (rtl ? parts.reverse() : parts).flat();
  };

  /**
   * A text from right to left with the spaces around it. Readers of text drop spaces where a line goes on to the
   * left of what came before, so the letters beside them stand for the spaces, too.
   */
  const shapeMargins = (text: string): Shape[] => {
    const letters = shape(text.trim(), true);
    const before = shape(' '.repeat(text.length - text.trimStart().length), false);
    const after = shape(' '.repeat(text.length - text.trimEnd().length), false);
    const shapes = letters.map((one, at) => {
      const codePoints = [
        ...(at === 0 && after.length > 0 ? [SPACE] : []),
        ...one.codePoints,
        ...(at === letters.length - 1 && before.length > 0 ? [SPACE] : []),
      ];
      return { ...one, id: idOf(glyphs[one.id]?.glyph ?? 0, codePoints), codePoints };
    });
    return [...after, ...shapes, ...before];
  };

  const createSubset = (): Subset => {
    // The declared type leaves out what every subset has: the glyphs in it by their place, and for CFF its table.
    const subset = font.createSubset() as Subset & { glyphs: number[]; cff?: unknown };
    const places = new Map<number, number>();
    const own = {
      cff: subset.cff,
      includeGlyph(id: number): number {
        const place = places.get(id) ?? subset.glyphs.push(glyphs[id]?.glyph ?? 0) - 1;
        places.set(id, place);
        return place;
      },
      encode: () => subset.encode(),
    };
    // pdfkit passes ids of glyphs, and takes the place as the answer; the declared type has other ones.
    return own as unknown as Subset;
  };

  // Everything else about the font is the font's own.
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

/** Code points in lists that are as long as those of `lists`. */
function split(points: readonly number[], lists: ReadonlyArray<readonly number[]>): number[][] {
  let start = 0;
  return lists.map(({ length }) => {
    start += length;
    return points.slice(start - length, start);
  });
}

/** Texts for glyphs that do not say which characters they stand for: one each in order, the last takes the rest. */
function distribute(points: readonly number[], count: number): number[][] {
  return Array.from({ length: count }, (_, at) => {
    const text = at === count - 1 ? points.slice(at) : points.slice(at, at + 1);
    return text.length > 0 ? text : [NOTHING];
  });
}

function advanceOf(shapes: readonly Shape[]): number {
  let width = 0;
  for (const { position } of shapes) width += position.xAdvance;
  return width;
}
