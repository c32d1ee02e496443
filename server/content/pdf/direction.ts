/** The direction of text: the Unicode bidirectional algorithm (UAX #9). */
import bidiModule, { type Bidi, type BidiCharTypeName } from 'bidi-js';

// The type declares an ES module. Node loads the CommonJS module, which is the function itself.
const bidi = (bidiModule as unknown as () => Bidi)();

/** Unicode blocks reserved for right-to-left scripts. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Length of the parts that long paragraphs are analyzed in, in UTF-16 units. `bidi-js` takes quadratic time for
 * some texts, such as `1,1,1`.
 */
const MAX_PART_CODE_UNITS = 4096;

/**
 * A substitute character of the same type for each character of two UTF-16 units: `bidi-js` reads units, and treats
 * each half of such a character as a left-to-right letter.
 */
const SUBSTITUTES: Partial<Record<BidiCharTypeName, string>> = {
  R: '\u05d0',
  AL: '\u0627',
  AN: '\u0660',
  EN: '0',
  ON: '\ufffc',
  NSM: '\u0301',
  BN: '\u200b',
};

/** Embedding levels of a text: of the whole, and of each of its UTF-16 units. */
export interface Levels {
  base: 0 | 1;
  /** Undefined if the whole text has level 0. */
  levels?: Uint8Array;
}

/** Returns the embedding levels of a paragraph: even levels run from left to right, odd ones from right to left. */
export function levelsOf(text: string): Levels {
  if (!RIGHT_TO_LEFT.test(text)) {
    return { base: 0 };
  }
  const units = text.replace(/[\u{10000}-\u{10ffff}]/gu, (character) =>
    (SUBSTITUTES[bidi.getBidiCharTypeName(character)] ?? 'a').repeat(2),
  );
  const levels = new Uint8Array(units.length);
  let base: 'ltr' | 'rtl' | undefined;
  for (let start = 0; start < units.length; start += MAX_PART_CODE_UNITS) {
    const part = bidi.getEmbeddingLevels(units.slice(start, start + MAX_PART_CODE_UNITS), base);
    levels.set(part.levels, start);
    base ??= part.paragraphs[0]?.level === 1 ? 'rtl' : 'ltr';
  }
  return { base: base === 'rtl' ? 1 : 0, levels };
}

/** Replaces brackets and other paired characters with their mirrored forms, for text from right to left (L4). */
export const mirrored = (text: string): string =>
  Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? character).join('');

/** Returns the pieces of a line in visual order from left to right (L2). `bidi-js` only reorders single characters. */
export function visualOrder<Piece extends { level: number }>(pieces: readonly Piece[]): Piece[] {
  const order = [...pieces];
  const highest = Math.max(0, ...order.map(({ level }) => level));
  for (let level = highest; level >= 1; level--) {
    for (let start = 0; start < order.length; start++) {
      let end = start;
      while ((order[end]?.level ?? -1) >= level) {
        end++;
      }
      if (end > start) {
        order.splice(start, end - start, ...order.slice(start, end).reverse());
      }
      start = end;
    }
  }
  return order;
}
