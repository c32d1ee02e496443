/**
 * Shapes text into glyphs such that the text of a PDF can be extracted unchanged. A PDF maps glyphs to text (ISO
 * 32000-1, 9.10), while shaping joins, splits and reorders characters. Each glyph of a document therefore maps to
 * exactly one text: a glyph that represents two texts is embedded twice.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Font, Glyph, GlyphPosition, Subset } from 'fontkit';
import { mirrored } from '../direction.ts';
import { PairShaper } from '../pairs.ts';

/** A font for pdfkit, and the width of texts in it. */
export interface ShapedFont {
  font: Font;
  /** Returns the width of a text of one direction, as a multiple of the type size. */
  widthOf(text: string, rtl: boolean): number;
  /** Returns the words of a text of one direction, from left to right. */
  shape(text: string, rtl: boolean): ShapedWord[];
}

/** A shaped word or sequence of spaces. */
export interface ShapedWord {
  /** From left to right. */
  shapes: Shape[];
  /** In units of the font. */
  advance: number;
  /** The word as written to a page, see text.ts; undefined until it is used. */
  written?: string;
}

/** A glyph and its position, with the ID that the subset of the font knows it by. */
export type Shape = Pick<Glyph, 'id' | 'codePoints' | 'advanceWidth'> & { position: GlyphPosition };

/** Disables optional ligatures; those that a script requires stay enabled. */
const FEATURES = { liga: false, clig: false, dlig: false, hlig: false };

/** Text of a glyph without text: invisible, and omitted when text is extracted. */
const ZERO_WIDTH_SPACE = 0x200b;
const SPACE = 0x20;

/** Words and the spaces between them. */
const WORDS = / +|[^ ]+/g;

/** Parts of long graphemes, up to 64 code points each: the time to shape one grows with the square of its length. */
const GRAPHEME_PARTS = /.{1,64}/gsu;

/** Pairs do not depend on the document. */
const pairShapers = new WeakMap<Font, PairShaper>();

function pairShaperOf(font: Font): PairShaper {
  const shaper = pairShapers.get(font) ?? new PairShaper(font, FEATURES);
  pairShapers.set(font, shaper);
  return shaper;
}

/** Number of cached words before the cache is cleared. */
const MAX_CACHED_WORDS = 20_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Wraps a font for one document of pdfkit, which embeds the subset of the font with the glyphs of its texts. */
export const shapedFont = (font: Font): ShapedFont => new FontShaper(font);

class FontShaper implements ShapedFont {
  /** The font for pdfkit. All properties except the subset are inherited from the font. */
  readonly font: Font;
  readonly #font: Font;
  readonly #pairs: PairShaper;
  readonly #glyphs: Array<{ glyph: number; codePoints: number[] }> = [];
  readonly #ids = new Map<string, number>();
  /** IDs of glyphs that depend on their character alone. */
  readonly #simpleIds = new Map<number, number>();
  readonly #words = new Map<string, ShapedWord>();

  constructor(font: Font) {
    this.#font = font;
    this.#pairs = pairShaperOf(font);
    const createSubset = { value: () => this.#createSubset() };
    // Object.create is typed as any.
    this.font = Object.create(font, { createSubset }) as Font;
  }

  shape(text: string, rtl: boolean): ShapedWord[] {
    if (!rtl) {
      return partsOf(text).map((word) => this.#cachedWord(word, rtl));
    }
    const shapes = this.#shapesOf(text, rtl);
    return [{ shapes, advance: advanceOf(shapes) }];
  }

  /** Returns the ID of a glyph that represents a text. */
  #idOf(glyph: number, codePoints: number[]): number {
    const key = `${glyph}:${codePoints.join(' ')}`;
    const id = this.#ids.get(key) ?? this.#glyphs.push({ glyph, codePoints }) - 1;
    this.#ids.set(key, id);
    return id;
  }

  #shapeWord(word: string, rtl: boolean): Shape[] {
    const simple = rtl ? undefined : this.#pairs.shape(word);
    if (simple) {
      return simple.map(({ id, codePoint, advanceWidth, xAdvance }) => {
        const codePoints = [codePoint];
        const simpleId = this.#simpleIds.get(codePoint) ?? this.#idOf(id, codePoints);
        this.#simpleIds.set(codePoint, simpleId);
        const position = { xAdvance, yAdvance: 0, xOffset: 0, yOffset: 0 };
        return { id: simpleId, advanceWidth, codePoints, position };
      });
    }
    const shown = rtl ? mirrored(word) : word;
    const run = this.#font.layout(shown, FEATURES, undefined, undefined, rtl ? 'rtl' : 'ltr');
    const points = codePointsOf(word);
    const logical = rtl ? [...run.glyphs].reverse() : run.glyphs;
    const glyphCodePoints = logical.map(({ codePoints }) => codePoints);
    const clusters = [...graphemes.segment(word)];
    const isExact =
      glyphCodePoints.every((codePoints) => codePoints.length > 0) &&
      isDeepStrictEqual(glyphCodePoints.flat(), codePointsOf(shown));
    if (!isExact && !rtl && clusters.length > 1) {
      return clusters.flatMap(({ segment }) => this.#shapeWord(segment, rtl));
    }
    const texts = isExact ? split(points, glyphCodePoints) : distribute(points, logical.length);
    return run.glyphs.map(({ id, advanceWidth }, at) => {
      const text = texts[rtl ? texts.length - 1 - at : at] ?? [ZERO_WIDTH_SPACE];
      // Readers order the characters of a glyph from left to right, too, before they reverse a text.
      const codePoints = rtl ? [...text].reverse() : text;
      const position = run.positions[at] ?? { xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 };
      return { id: this.#idOf(id, codePoints), advanceWidth, codePoints, position };
    });
  }

  #shapesOf(text: string, rtl: boolean): Shape[] {
    if (rtl && text !== text.trim() && text.trim() !== '') {
      return this.#shapeMargins(text);
    }
    const parts = partsOf(text).map((word) => this.#cachedWord(word, rtl).shapes);
    return (rtl ? parts.reverse() : parts).flat();
  }

  #cachedWord(word: string, rtl: boolean): ShapedWord {
    const key = rtl ? `<${word}` : word;
    const cached = this.#words.get(key);
    if (cached) {
      return cached;
    }
    const shapes = this.#shapeWord(word, rtl);
    if (this.#words.size >= MAX_CACHED_WORDS) {
      this.#words.clear();
    }
    const shaped = { shapes, advance: advanceOf(shapes) };
    this.#words.set(key, shaped);
    return shaped;
  }

  widthOf(text: string, rtl: boolean): number {
    if (rtl) {
      return advanceOf(this.#shapesOf(text, rtl)) / this.#font.unitsPerEm;
    }
    let advance = 0;
    for (const word of partsOf(text)) {
      advance += this.#cachedWord(word, rtl).advance;
    }
    return advance / this.#font.unitsPerEm;
  }

  /**
   * Shapes a text from right to left with surrounding spaces. Readers omit spaces where a line continues to the left,
   * so the adjacent letters represent the spaces, too.
   */
  #shapeMargins(text: string): Shape[] {
    const letters = this.#shapesOf(text.trim(), true);
    const before = this.#shapesOf(' '.repeat(text.length - text.trimStart().length), false);
    const after = this.#shapesOf(' '.repeat(text.length - text.trimEnd().length), false);
    const shapes = letters.map((letter, at) => {
      const codePoints = [
        ...(at === 0 && after.length > 0 ? [SPACE] : []),
        ...letter.codePoints,
        ...(at === letters.length - 1 && before.length > 0 ? [SPACE] : []),
      ];
      return { ...letter, id: this.#idOf(this.#glyphs[letter.id]?.glyph ?? 0, codePoints), codePoints };
    });
    return [...after, ...shapes, ...before];
  }

  #createSubset(): Subset {
    // The declared type omits properties of every subset: its glyphs by index, and the table of CFF fonts.
    const subset = this.#font.createSubset() as Subset & { glyphs: number[]; cff?: unknown };
    const indexes = new Map<number, number>();
    const remapped = {
      cff: subset.cff,
      includeGlyph: (id: number): number => {
        const index = indexes.get(id) ?? subset.glyphs.push(this.#glyphs[id]?.glyph ?? 0) - 1;
        indexes.set(id, index);
        return index;
      },
      encode: () => subset.encode(),
    };
    // pdfkit passes glyph ids and expects the index in the subset; the declared type differs.
    return remapped as unknown as Subset;
  }
}

/** Returns the parts of a text that are shaped separately: words, spaces, and parts of graphemes that are too long. */
function partsOf(text: string): string[] {
  return (text.match(WORDS) ?? []).flatMap((word) => {
    if (!hasLongParts(word)) {
      return [word];
    }
    const parts: string[] = [];
    let rest = '';
    for (const { segment } of graphemes.segment(word)) {
      const cut = hasLongParts(segment) ? (segment.match(GRAPHEME_PARTS) ?? []) : [];
      if (cut.length <= 1) {
        rest += segment;
        continue;
      }
      parts.push(rest, ...cut);
      rest = '';
    }
    return [...parts, rest].filter((part) => part !== '');
  });
}

const hasLongParts = (word: string): boolean => /^.{65}/su.test(word) && !/^[\x20-\x7e]*$/.test(word);

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

/** Distributes text among glyphs with unknown characters: one character each, and the rest to the last glyph. */
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
