/**
 * Shapes words in simple scripts from pairs of characters: there, a glyph depends on its character alone, and its
 * advance also on the next one (kerning). Shaping a word with fontkit takes hundreds of times as long.
 */
import type { Font } from 'fontkit';

/** A glyph and its advance, in units of the font. */
export interface PairedGlyph {
  id: number;
  codePoint: number;
  advanceWidth: number;
  xAdvance: number;
}

/** Characters of words that are shaped from pairs, without marks, which combine. */
const SIMPLE = /^[\x21-\x7e\u00a1-\u00ac\u00ae-\u017f\u2010-\u2027\u0400-\u045f]+$/;
const LATIN = /\p{Script=Latin}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;

/** Number of cached pairs of a font before the cache is cleared. */
const MAX_CACHED_PAIRS = 100_000;

/** Factor that combines two UTF-16 code units into one number. */
const UNIT_FACTOR = 65_536;

/** Shapes simple words in a font. */
export class PairShaper {
  readonly #font: Font;
  readonly #features: Record<string, boolean>;
  /** Whether advances depend on the next character; not in monospaced fonts. */
  readonly #isKerned: boolean;
  /** By code unit; undefined if the character has another number of glyphs than one. */
  readonly #singles = new Map<number, PairedGlyph | undefined>();
  /** Advance of the first glyph by script and pair; undefined if shaping changes more than that. */
  readonly #advances = new Map<string | undefined, Map<number, number | undefined>>();

  constructor(font: Font, features: Record<string, boolean>) {
    this.#font = font;
    this.#features = features;
    this.#isKerned = font.availableFeatures.includes('kern');
  }

  /** Returns the glyphs of a word from left to right; undefined if it cannot be shaped from pairs. */
  shape(word: string): PairedGlyph[] | undefined {
    if (!SIMPLE.test(word)) {
      return undefined;
    }
    const [isLatin, isCyrillic] = [LATIN.test(word), CYRILLIC.test(word)];
    if (isLatin && isCyrillic) {
      return undefined;
    }
    const script = isLatin ? 'latn' : isCyrillic ? 'cyrl' : undefined;
    const shaped: PairedGlyph[] = [];
    for (let at = 0; at < word.length; at++) {
      const single = this.#single(word.charCodeAt(at), script);
      if (!single) {
        return undefined;
      }
      if (at + 1 === word.length) {
        shaped.push(single);
        continue;
      }
      const xAdvance = this.#advance(word.charCodeAt(at), word.charCodeAt(at + 1), script);
      if (xAdvance === undefined) {
        return undefined;
      }
      shaped.push(xAdvance === single.xAdvance ? single : { ...single, xAdvance });
    }
    return shaped;
  }

  #single(unit: number, script: string | undefined): PairedGlyph | undefined {
    if (this.#singles.has(unit)) {
      return this.#singles.get(unit);
    }
    const { glyphs, positions } = this.#layout(String.fromCharCode(unit), script);
    const [glyph, position] = [glyphs[0], positions[0]];
    const isPlain = glyphs.length === 1 && glyph?.codePoints.length === 1 && position && !isMoved(position);
    const single =
      isPlain && glyph
        ? { id: glyph.id, codePoint: unit, advanceWidth: glyph.advanceWidth, xAdvance: position.xAdvance }
        : undefined;
    this.#singles.set(unit, single);
    return single;
  }

  #advance(first: number, second: number, script: string | undefined): number | undefined {
    let advances = this.#advances.get(script);
    if (!advances || advances.size >= MAX_CACHED_PAIRS) {
      advances = new Map();
      this.#advances.set(script, advances);
    }
    const key = first * UNIT_FACTOR + second;
    if (advances.has(key)) {
      return advances.get(key);
    }
    const advance = this.#isKerned
      ? this.#measure(first, second, script)
      : this.#single(first, script)?.xAdvance;
    advances.set(key, advance);
    return advance;
  }

  #measure(first: number, second: number, script: string | undefined): number | undefined {
    const { glyphs, positions } = this.#layout(String.fromCharCode(first, second), script);
    const [start, end] = positions;
    const isPair =
      glyphs.length === 2 &&
      glyphs[0]?.id === this.#single(first, script)?.id &&
      glyphs[1]?.id === this.#single(second, script)?.id &&
      start &&
      end &&
      !isMoved(start) &&
      !isMoved(end) &&
      end.xAdvance === this.#single(second, script)?.xAdvance;
    return isPair ? start.xAdvance : undefined;
  }

  #layout(text: string, script: string | undefined) {
    return this.#font.layout(text, this.#features, script, undefined, 'ltr');
  }
}

const isMoved = ({ xOffset, yOffset, yAdvance }: { xOffset: number; yOffset: number; yAdvance: number }) =>
  xOffset !== 0 || yOffset !== 0 || yAdvance !== 0;
