/** The direction of text: the Unicode bidirectional algorithm (UAX #9). */

import bidiModule, { type Bidi, type BidiCharTypeName } from 'bidi-js';
import type { Direction } from '../html/options.ts';

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

/** Returns whether a text contains characters of right-to-left scripts. */
export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

/** A part of a paragraph, as offsets in UTF-16 units. */
export type TextRange = readonly [start: number, end: number];

/** What is known of the direction of a paragraph. */
export interface ParagraphDirection {
  /** Direction of the paragraph; by default that of its first letter. */
  direction?: Direction | undefined;
  /** Parts with a direction of their own, such as code, in order. They do not affect the text around them. */
  isolated?: readonly TextRange[];
}

/** Returns the embedding levels of a paragraph: even levels run from left to right, odd ones from right to left. */
export function levelsOf(text: string, { direction, isolated = [] }: ParagraphDirection = {}): Levels {
  if (direction !== 'rtl' && !RIGHT_TO_LEFT.test(text)) {
    return { base: 0 };
  }
  const ranges = mergeRanges([...isolated, ...addressesIn(text)]);
  if (ranges.length === 0) {
    return analyze(text, direction);
  }
  const { base, levels } = analyze(withIsolates(text, ranges), direction);
  return levels ? { base, levels: withoutIsolates(levels, ranges) } : { base };
}

/** Words that begin or end with a symbol, which would otherwise move to the other side of the word. */
const WORD = /[\x21-\x7e]+/g;
const PUNCTUATION_BEFORE = /^["'(]+/;
const PUNCTUATION: ReadonlySet<string> = new Set('"\'!),.:;?');
const SYMBOL_AT_END = /^[^\dA-Za-z]|[^\dA-Za-z]$/;

/** Finds addresses, paths, options and names with symbols, such as `/etc/` and `C++`, which are read as a whole. */
function addressesIn(text: string): TextRange[] {
  const found: TextRange[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const before = PUNCTUATION_BEFORE.exec(word)?.[0].length ?? 0;
    const after = word.length > before ? trailingLength(word) : 0;
    const inner = word.slice(before, word.length - after);
    if (/[A-Za-z]/.test(inner) && SYMBOL_AT_END.test(inner)) {
      found.push([index + before, index + word.length - after]);
    }
  }
  return found;
}

/** Returns the length of the punctuation at the end of a word. */
function trailingLength(word: string): number {
  let length = 0;
  while (PUNCTUATION.has(word[word.length - length - 1] ?? '')) {
    length += 1;
  }
  return length;
}

/** Returns ranges in order; those that touch or overlap are one. */
function mergeRanges(ranges: readonly TextRange[]): TextRange[] {
  const merged: TextRange[] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (start === end) {
      continue;
    }
    if (last && start <= last[1]) {
      merged[merged.length - 1] = [last[0], Math.max(last[1], end)];
    } else {
      merged.push([start, end]);
    }
  }
  return merged;
}

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

function withIsolates(text: string, ranges: readonly TextRange[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    parts.push(text.slice(at, start), FIRST_STRONG_ISOLATE, text.slice(start, end), POP_ISOLATE);
    at = end;
  }
  return [...parts, text.slice(at)].join('');
}

/** Removes the levels of the characters that `withIsolates` added. */
function withoutIsolates(levels: Uint8Array, ranges: readonly TextRange[]): Uint8Array {
  const result = new Uint8Array(levels.length - 2 * ranges.length);
  let [from, to] = [0, 0];
  const copy = (end: number) => {
    result.set(levels.subarray(from, from + end - to), to);
    from += end - to + 1;
    to = end;
  };
  for (const [start, end] of ranges) {
    copy(start);
    copy(end);
  }
  copy(result.length);
  return result;
}

function analyze(text: string, direction: Direction | undefined): Levels {
  const units = text.replace(/[\u{10000}-\u{10ffff}]/gu, (character) =>
    (SUBSTITUTES[bidi.getBidiCharTypeName(character)] ?? 'a').repeat(2),
  );
  const levels = new Uint8Array(units.length);
  let base = direction;
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
